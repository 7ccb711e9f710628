/// What is open in a hierarchy, and the rows that are therefore visible.
///
/// This is the engine of ``Outline``, for those whose nodes are positions already: a mapped
/// snapshot, say, whose values stay in the file. A node is visible when all its ancestors are open
/// and no filter hides it. What is open is a bit for each group, and a closed group remembers what
/// was open below it; what is visible is a bit for each node, with counts, so that the k-th row and
/// the row of a node are found without looking at the others.
///
/// A state is a value: a copy shares memory until one of the two is changed.
public struct OutlineState: Sendable {
  /// The shape of the tree.
  public internal(set) var hierarchy: Hierarchy

  /// Groups that are open without a filter, whether visible or not; bits of leaves are 0.
  var open: BitVector
  /// Groups that cannot be closed; they are in `open`.
  var pinned: BitVector?
  var filter: NodeFilter?
  /// Nodes that the filter leaves, all of whose ancestors are open.
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
    for node in expanded where hierarchy.isGroup(node) { open[node] = true }
    show(hierarchy.nodes)
  }

  /// The bits of what is open in the list that is shown.
  var shownOpen: BitVector { filter?.open ?? open }

  /// Whether the group is marked as open, whatever its ancestors are.
  ///
  /// An empty group may be open: it will show its children when it has some.
  ///
  /// - Complexity: O(1).
  public func isOpen(_ node: Int) -> Bool { filter.map { $0.open[node] } ?? open[node] }

  /// Whether the group has children and is open.
  ///
  /// - Complexity: O(1).
  public func isExpanded(_ node: Int) -> Bool {
    isOpen(node) && hierarchy.isGroup(node) && hierarchy.hasChildren(node)
  }

  /// The sign of a group; `nil` for a leaf.
  ///
  /// - Complexity: O(1).
  public func disclosure(of node: Int) -> Disclosure? {
    guard hierarchy.isGroup(node) else { return nil }
    guard hierarchy.hasChildren(node) else { return .empty }
    return isOpen(node) ? .expanded : .collapsed
  }

  /// The open groups with children, hidden ones too, in preorder: what a saved view keeps.
  ///
  /// While a filter is on these are the groups that will be open when it is cleared.
  ///
  /// - Complexity: O(open groups + n / 64) in all.
  public var expandedNodes: some Sequence<Int> & Sendable {
    OpenNodes(hierarchy: hierarchy, open: unfilteredOpen.setBits)
  }
}

/// Walks over open groups with children.
private struct OpenNodes: Sequence, IteratorProtocol, Sendable {
  let hierarchy: Hierarchy
  var open: SetBits

  mutating func next() -> Int? {
    while let node = open.next() {
      if hierarchy.hasChildren(node) { return node }
    }
    return nil
  }
}
