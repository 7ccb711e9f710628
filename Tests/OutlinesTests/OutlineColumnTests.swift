import Outlines
import Synchronization
import Testing

@Suite("Columns")
struct OutlineColumnTests {
  /// Memory that tells when it is freed.
  final class Owner: Sendable {
    nonisolated(unsafe) let memory: UnsafeMutableBufferPointer<Int32>
    private let onFree: @Sendable () -> Void

    init(_ values: [Int32], onFree: @escaping @Sendable () -> Void) {
      memory = .allocate(capacity: values.count)
      _ = memory.initialize(fromContentsOf: values)
      self.onFree = onFree
    }

    deinit {
      memory.deallocate()
      onFree()
    }

    var column: OutlineColumn<Int32> {
      OutlineColumn(borrowing: UnsafeBufferPointer(memory), owner: self)
    }
  }

  @Test func `an array is copied, empty ones too`() {
    var array: [Int32] = [1, 2, 3]
    let column = OutlineColumn(array)
    array[0] = 9
    #expect(Array(column) == [1, 2, 3])
    #expect(column.withUnsafeBufferPointer { $0.reduce(0, +) } == 6)
    #expect(OutlineColumn<UInt64>([]).isEmpty)
    #expect(Array(column[1...]) == [2, 3])
  }

  @Test func `borrowed memory lives as long as its last column`() {
    let freed = Atomic(false)
    var outline: OutlineState?
    do {
      let parents = Owner([-1, 0, 0]) { freed.store(true, ordering: .relaxed) }
      let hierarchy = Hierarchy(
        parents: parents.column,
        ends: OutlineColumn([3, 2, 3]),
        levels: OutlineColumn([0, 1, 1]),
        groups: OutlineColumn([1])
      )
      outline = OutlineState(hierarchy, expandedLevels: 1)
    }
    let isFreedEarly = freed.load(ordering: .relaxed)
    #expect(!isFreedEarly)
    #expect(outline?.hierarchy.parent(of: 2) == 0)
    #expect(outline?.rows.map(\.node) == [0, 1, 2])
    outline = nil
    let isFreed = freed.load(ordering: .relaxed)
    #expect(isFreed)
  }

  @Test func `a position outside is our own bug`() async {
    await #expect(processExitsWith: .failure) { _ = OutlineColumn<Int32>([1])[1] }
    await #expect(processExitsWith: .failure) { _ = OutlineColumn<Int32>([1])[-1] }
  }
}
