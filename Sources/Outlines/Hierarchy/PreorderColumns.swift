/// The columns of a hierarchy while its nodes are told in preorder and their number is not known.
@usableFromInline
struct PreorderColumns {
  @usableFromInline private(set) var count = 0
  /// The innermost node that has begun and not ended; −1 for none.
  @usableFromInline private(set) var innermost: Int32 = -1
  private var level: Int32 = 0
  private var capacity: Int
  private let parents: ColumnMemory<Int32>
  private let ends: ColumnMemory<Int32>
  private let levels: ColumnMemory<Int32>
  private let groups: ColumnMemory<UInt64>

  @usableFromInline
  init(capacity: Int) {
    self.capacity = max(capacity, 64)
    parents = ColumnMemory(count: self.capacity)
    ends = ColumnMemory(count: self.capacity)
    levels = ColumnMemory(count: self.capacity)
    groups = ColumnMemory(count: BitVector.wordCount(forBits: self.capacity))
  }

  /// The nodes that have begun and not ended, the outermost first.
  var path: [Int] {
    var path: [Int] = []
    var node = Int(innermost)
    while node >= 0 {
      path.append(node)
      node = Int(parents.elements[node])
    }
    return path.reversed()
  }

  /// The next node begins, below the innermost that has not ended.
  @usableFromInline
  mutating func begin(isGroup: Bool) {
    if count == capacity { grow() }
    if count % 64 == 0 { groups.elements[count / 64] = 0 }
    parents.elements[count] = innermost
    levels.elements[count] = level
    if isGroup { mark(count) }
    if innermost >= 0 { mark(Int(innermost)) }
    innermost = Int32(truncatingIfNeeded: count)
    level += 1
    count += 1
  }

  /// The innermost node has no more children.
  @usableFromInline
  mutating func end() {
    let node = Int(innermost)
    ends.elements[node] = Int32(truncatingIfNeeded: count)
    innermost = parents.elements[node]
    level -= 1
  }

  @usableFromInline
  consuming func finish() -> Hierarchy {
    resize(to: count)
    return Hierarchy(
      parents: OutlineColumn(parents, count: count),
      ends: OutlineColumn(ends, count: count),
      levels: OutlineColumn(levels, count: count),
      groups: OutlineColumn(groups, count: BitVector.wordCount(forBits: count))
    )
  }

  private func mark(_ node: Int) { groups.elements[node / 64] |= 1 << UInt64(node % 64) }

  private mutating func grow() {
    precondition(capacity < Int(Int32.max), "more nodes than a position can name")
    capacity = min(capacity * 2, Int(Int32.max))
    resize(to: capacity)
  }

  private func resize(to capacity: Int) {
    parents.resize(to: capacity)
    ends.resize(to: capacity)
    levels.resize(to: capacity)
    groups.resize(to: BitVector.wordCount(forBits: capacity))
  }
}
