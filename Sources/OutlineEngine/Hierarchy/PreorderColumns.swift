/// The columns of a hierarchy while its nodes are told in preorder and their number is not known.
@usableFromInline
package struct PreorderColumns {
  @usableFromInline package private(set) var count = 0
  /// The innermost node that has begun and not ended; −1 for none.
  private var innermost: Int32 = -1
  private var level: Int32 = 0
  private var capacity = 0
  private let memory = (
    parents: ColumnMemory<Int32>(count: 0), ends: ColumnMemory<Int32>(count: 0),
    levels: ColumnMemory<Int32>(count: 0), groups: ColumnMemory<UInt64>(count: 0)
  )
  // Where the memory is at present, so that nothing is looked up for each node.
  private var parents: UnsafeMutableBufferPointer<Int32>
  private var ends: UnsafeMutableBufferPointer<Int32>
  private var levels: UnsafeMutableBufferPointer<Int32>
  private var groups: UnsafeMutableBufferPointer<UInt64>

  @usableFromInline
  package init(capacity: Int) {
    (parents, ends) = (memory.parents.elements, memory.ends.elements)
    (levels, groups) = (memory.levels.elements, memory.groups.elements)
    resize(to: max(capacity, 64))
  }

  /// The nodes that have begun and not ended, the outermost first.
  package var path: [Int] {
    var path: [Int] = []
    var node = Int(innermost)
    while node >= 0 {
      path.append(node)
      node = Int(parents[node])
    }
    return path.reversed()
  }

  /// The next node begins, below the innermost that has not ended.
  @usableFromInline
  package mutating func begin(isGroup: Bool) {
    if count == capacity { grow() }
    if count % 64 == 0 { groups[count / 64] = 0 }
    parents[count] = innermost
    levels[count] = level
    if isGroup { mark(count) }
    if innermost >= 0 { mark(Int(innermost)) }
    innermost = Int32(truncatingIfNeeded: count)
    level += 1
    count += 1
  }

  /// The innermost node has no more children.
  @usableFromInline
  package mutating func end() {
    let node = Int(innermost)
    ends[node] = Int32(truncatingIfNeeded: count)
    innermost = parents[node]
    level -= 1
  }

  @usableFromInline
  package consuming func finish() -> Hierarchy {
    resize(to: count)
    return Hierarchy(
      parents: OutlineColumn(memory.parents, count: count),
      ends: OutlineColumn(memory.ends, count: count),
      levels: OutlineColumn(memory.levels, count: count),
      groups: OutlineColumn(memory.groups, count: BitVector.wordCount(forBits: count))
    )
  }

  @inline(__always)
  private func mark(_ node: Int) { groups[node / 64] |= 1 << UInt64(node % 64) }

  private mutating func grow() {
    precondition(capacity < Int(Int32.max), "more nodes than a position can name")
    resize(to: min(Growth.next(capacity, stride: MemoryLayout<Int32>.stride), Int(Int32.max)))
  }

  private mutating func resize(to capacity: Int) {
    self.capacity = capacity
    parents = memory.parents.resize(to: capacity)
    ends = memory.ends.resize(to: capacity)
    levels = memory.levels.resize(to: capacity)
    groups = memory.groups.resize(to: BitVector.wordCount(forBits: capacity))
  }
}

/// How a list of unknown length grows.
@usableFromInline
package enum Growth {
  /// From this size on blocks are pages of the system that cost nothing until they are written to.
  ///
  /// glibc: `DEFAULT_MMAP_THRESHOLD_MAX` is 32 MiB. To get there in one step leaves no holes of
  /// smaller blocks behind.
  @usableFromInline package static let wholePages = 64 << 20
  @usableFromInline package static let small = 1 << 18

  /// The capacity after `capacity`, for elements of `stride` bytes.
  @inlinable
  package static func next(_ capacity: Int, stride: Int) -> Int {
    let bytes = capacity * stride
    guard bytes >= small, bytes < wholePages else { return max(64, capacity * 2) }
    return wholePages / stride
  }
}

extension Array {
  /// Appends to a list of unknown length.
  @inlinable
  package mutating func appendGrowing(_ element: consuming Element) {
    if count == capacity {
      reserveCapacity(Growth.next(count, stride: MemoryLayout<Element>.stride))
    }
    append(element)
  }

  /// Gives back what `appendGrowing` reserved for nothing.
  @inlinable
  package mutating func fit() {
    if capacity / 2 > count {
      self = Array(unsafeUninitializedCapacity: count) { fitted, used in
        _ = fitted.initialize(from: self)
        used = count
      }
    }
  }
}
