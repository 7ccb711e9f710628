extension Hierarchy {
  /// A node and all below it as a hierarchy of its own.
  ///
  /// - Complexity: O(nodes of the subtree).
  package func part(_ subtree: Range<Int>) -> Hierarchy {
    let top = levels[subtree.lowerBound]
    let part = try? Hierarchy(levels: subtree.map { levels[$0] - top }) {
      isGroup(subtree.lowerBound + $0)
    }
    guard let part else { preconditionFailure("levels that do not follow") }
    return part
  }

  /// Makes the shape of a list in preorder that tells each node's level, as an indented text does.
  ///
  /// - Parameters:
  ///   - levels: The level of each node; the first is 0, and none is more than one deeper than the
  ///     one before.
  ///   - isGroup: Whether the node at a position is a group even without children; a node with
  ///     children is one in any case.
  /// - Throws: `HierarchyError.wrongLevel` for the first level that does not follow.
  /// - Complexity: O(n): each step up ends a subtree.
  public init(levels: [Int32], isGroup: (Int) -> Bool = { _ in false }) throws(HierarchyError) {
    let count = levels.count
    var parents = [Int32](repeating: Self.noParent, count: count)
    var ends = [Int32](repeating: 0, count: count)
    var groups = BitVector(count: count)
    var innermost = -1
    func close(downTo level: Int32, at position: Int) {
      while innermost >= 0, levels[innermost] >= level {
        ends[innermost] = Int32(truncatingIfNeeded: position)
        innermost = Int(parents[innermost])
      }
    }
    for (position, level) in levels.enumerated() {
      close(downTo: level, at: position)
      guard level == (innermost < 0 ? 0 : levels[innermost] + 1) else {
        throw .wrongLevel(node: position)
      }
      parents[position] = Int32(truncatingIfNeeded: innermost)
      if innermost >= 0 { groups[innermost] = true }
      if isGroup(position) { groups[position] = true }
      innermost = position
    }
    close(downTo: 0, at: count)
    self.init(
      parents: OutlineColumn(parents),
      ends: OutlineColumn(ends),
      levels: OutlineColumn(levels),
      groups: OutlineColumn(groups.words)
    )
  }
}
