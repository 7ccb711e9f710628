/// A tree list: a hierarchy, what is open in it, and the rows that are therefore visible.
///
/// A node is visible when all its ancestors are open. What is open is a bit for each group, and a
/// closed group remembers what was open below it; what is visible is a bit for each node, with
/// counts, so that the k-th row and the row of a node are found without looking at the others.
///
/// An outline is a value: a copy shares memory until one of the two is changed.
public struct Outline: Sendable {
  public let hierarchy: Hierarchy

  /// Groups that are open, whether visible or not; bits of nodes without children mean nothing.
  var open: BitVector
  /// Nodes all of whose ancestors are open.
  var visible: RankedBits

  /// Opens the groups whose level is less than `expandedLevels`.
  ///
  /// - Complexity: O(groups that become visible + n / 64). Columns are read only where a group is
  ///   visible; a leaf costs its bit.
  public init(_ hierarchy: Hierarchy, expandedLevels: Int = 0) {
    self.hierarchy = hierarchy
    open = BitVector(count: hierarchy.count)
    visible = RankedBits(count: hierarchy.count)
    open(toLevel: expandedLevels)
  }

  /// Opens the groups `expanded`, in any order; those below closed ones stay hidden.
  ///
  /// - Complexity: O(count of `expanded` + groups that become visible + n / 64).
  public init(_ hierarchy: Hierarchy, expanded: some Sequence<Int>) {
    self.hierarchy = hierarchy
    open = BitVector(count: hierarchy.count)
    visible = RankedBits(count: hierarchy.count)
    for node in expanded { open[node] = true }
    show(hierarchy.nodes)
  }

  /// Whether the group's children are, or with its ancestors open would be, visible.
  ///
  /// - Complexity: O(1).
  public func isExpanded(_ node: Int) -> Bool {
    open[node] && hierarchy.isGroup(node) && hierarchy.hasChildren(node)
  }

  /// The sign of a group; `nil` for a leaf.
  ///
  /// - Complexity: O(1).
  public func disclosure(of node: Int) -> Disclosure? {
    guard hierarchy.isGroup(node) else { return nil }
    guard hierarchy.hasChildren(node) else { return .empty }
    return open[node] ? .expanded : .collapsed
  }

  /// The open groups with children, hidden ones too, in preorder: what a saved view keeps.
  ///
  /// - Complexity: O(open groups + n / 64) in all.
  public var expandedNodes: some Sequence<Int> & Sendable {
    OpenNodes(outline: self)
  }
}

/// Walks over the bits of what is open.
private struct OpenNodes: Sequence, IteratorProtocol, Sendable {
  let outline: Outline
  var position = 0

  init(outline: Outline) { self.outline = outline }

  mutating func next() -> Int? {
    while let node = outline.open.first(in: position..<outline.open.count) {
      position = node + 1
      if outline.isExpanded(node) { return node }
    }
    return nil
  }
}
