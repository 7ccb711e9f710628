/// Why columns are not a hierarchy; `node` is the first position at fault.
public enum HierarchyError: Error, Equatable, Sendable {
  /// The parent is not the one that the subtree ends before it demand.
  case wrongParent(node: Int)
  /// The subtree is empty or reaches out of the parent's.
  case wrongEnd(node: Int)
  /// The level is not one more than the parent's.
  case wrongLevel(node: Int)
  /// The node has children and is not marked as a group.
  case leafWithChildren(node: Int)
  /// The last word of groups marks nodes past the last one.
  case strayGroups
}

extension HierarchyError: CustomStringConvertible {
  /// What is wrong, in words.
  ///
  /// - Complexity: O(1).
  public var description: String {
    switch self {
    case .wrongParent(let node): "node \(node) names a parent whose subtree it is not in"
    case .wrongEnd(let node): "the subtree of node \(node) ends outside its parent's"
    case .wrongLevel(let node): "the level of node \(node) does not follow from its parent's"
    case .leafWithChildren(let node): "node \(node) has children but is not a group"
    case .strayGroups: "groups are marked past the last node"
    }
  }
}

extension Hierarchy {
  /// Proves that the columns are one hierarchy in preorder, for memory of unknown origin.
  ///
  /// - Throws: `HierarchyError` for the first node at fault.
  /// - Complexity: O(n), without further memory: each step up leaves a subtree for good.
  public func validate() throws(HierarchyError) {
    var previous: Int?
    for node in nodes {
      let parent = enclosing(node, from: previous)
      let outerEnd = parent.map { Int(ends[$0]) } ?? count
      guard Int(parents[node]) == parent ?? Int(Self.noParent) else {
        throw .wrongParent(node: node)
      }
      guard (node + 1...outerEnd).contains(Int(ends[node])) else { throw .wrongEnd(node: node) }
      guard level(of: node) == (parent.map(level) ?? -1) + 1 else { throw .wrongLevel(node: node) }
      guard isGroup(node) || !hasChildren(node) else { throw .leafWithChildren(node: node) }
      previous = node
    }
    let used = UInt64(count % 64)
    guard used == 0 || groups[count / 64] >> used == 0 else { throw .strayGroups }
  }

  /// The innermost of `previous` and its ancestors, all proved, whose subtree reaches `node`.
  private func enclosing(_ node: Int, from previous: Int?) -> Int? {
    var candidate = previous
    while let outer = candidate, Int(ends[outer]) <= node {
      candidate = parent(of: outer)
    }
    return candidate
  }
}
