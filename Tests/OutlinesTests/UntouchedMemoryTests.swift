import Outlines
import Platform
import Testing

@Suite("Mapped columns")
struct UntouchedMemoryTests {
  /// Pages of which only those that hold the `readable` elements can be read: any other access ends
  /// the process.
  private final class GuardedColumn: Sendable {
    // Unsafe: written in `init` only, and unmapped when no one refers to it.
    private nonisolated(unsafe) let elements: UnsafeMutableBufferPointer<Int32>
    private let byteCount: Int

    init(count: Int, readable: [Int: Int32]) throws {
      let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
      byteCount = (count * MemoryLayout<Int32>.stride + pageSize - 1) / pageSize * pageSize
      let memory = try #require(
        mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      )
      try #require(memory != MAP_FAILED)
      elements = UnsafeMutableBufferPointer(
        start: memory.bindMemory(to: Int32.self, capacity: count),
        count: count
      )
      for (index, value) in readable { elements[index] = value }
      let pages = Set(readable.keys.map { $0 * MemoryLayout<Int32>.stride / pageSize })
      for page in 0..<byteCount / pageSize where !pages.contains(page) {
        try #require(mprotect(memory + page * pageSize, pageSize, PROT_NONE) == 0)
      }
    }

    deinit { munmap(elements.baseAddress, byteCount) }

    var column: OutlineColumn<Int32> {
      OutlineColumn(borrowing: UnsafeBufferPointer(elements), owner: self)
    }
  }

  @Test func `a fresh outline reads the columns at its roots and nowhere else`() async {
    await #expect(processExitsWith: .success) {
      let count = 1_000_000
      let ends: [Int: Int32] = [0: 300_000, 300_000: 600_000, 600_000: 999_999]
      let levels: [Int: Int32] = [0: 0, 300_000: 0, 600_000: 0]
      let hierarchy = Hierarchy(
        parents: try GuardedColumn(count: count, readable: [:]).column,
        ends: try GuardedColumn(count: count, readable: ends).column,
        levels: try GuardedColumn(count: count, readable: levels).column,
        // All are groups but the last node, a root whose columns no one needs.
        groups: OutlineColumn([UInt64](repeating: ~0, count: count / 64 - 1) + [~0 >> 1])
      )
      var outline = OutlineState(hierarchy)
      #expect(outline.rowCount == 4)
      #expect((0..<4).map(outline.node(atRow:)) == [0, 300_000, 600_000, 999_999])
      #expect(
        outline.expandAll().inserted == [1..<300_000, 300_001..<600_000, 600_001..<count - 1]
      )
      #expect(outline.collapse(300_000).removed == [300_001..<600_000])
    }
  }

  @Test func `reading elsewhere would be noticed`() async {
    await #expect(processExitsWith: .failure) {
      let column = try GuardedColumn(count: 1_000_000, readable: [0: 1]).column
      print(column[500_000])
    }
  }
}
