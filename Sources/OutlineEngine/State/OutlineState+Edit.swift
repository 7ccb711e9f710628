extension OutlineState {
  /// What an edit did to positions and to rows.
  package typealias Edit = (change: NodePermutation, rows: RowChanges)

  /// Takes a node and all below it out.
  package mutating func remove(_ node: Int) -> Edit {
    edit(families: [hierarchy.parent(of: node)], placed: nil) { $0.remove(node) }
  }

  /// Puts new siblings without children in front of the node at `position`, which ends a subtree of
  /// the family.
  package mutating func insert(groups: [Bool], under parent: Int?, at position: Int) -> Edit {
    let placed = position..<position + groups.count
    return edit(families: [parent], placed: placed) {
      $0.insert(groups: groups, under: parent, at: position)
    }
  }

  /// Moves a node and all below it in front of the node at `position`, as
  /// `Hierarchy.move(_:under:at:)` does.
  package mutating func move(_ node: Int, under parent: Int?, at position: Int) -> Edit {
    let subtree = hierarchy.subtree(of: node)
    let start = position > node ? position - subtree.count : position
    let oldParent = hierarchy.parent(of: node)
    return edit(
      families: oldParent == parent ? [parent] : [oldParent, parent],
      placed: start..<start + subtree.count,
      isElsewhere: oldParent != parent
    ) { $0.move(node, under: parent, at: position) }
  }

  /// Gives the children of a node, or the roots, another order.
  package mutating func reorderChildren(of parent: Int?, to order: [Int]) -> Edit {
    edit(families: [parent], placed: nil) { $0.reorderChildren(of: parent, to: order) }
  }

  /// Applies an edit of the tree and finds the rows that it concerns.
  ///
  /// - Parameters:
  ///   - families: The parents whose children change, `nil` for the roots, by old positions.
  ///   - placed: Where a subtree that came or moved is afterwards.
  ///   - isElsewhere: Whether that subtree has another parent than before.
  ///   - body: Changes the hierarchy.
  /// - Returns: What became of positions and rows.
  private mutating func edit(
    families: [Int?],
    placed: Range<Int>?,
    isElsewhere: Bool = false,
    _ body: (inout Hierarchy) -> NodePermutation
  ) -> Edit {
    guard filter == nil else { return editComparingAll(body) }
    let looks = families.map { SiblingRows(of: $0, in: self) }
    let oldVisible = visible
    let change = body(&hierarchy)
    carryOpenBits(change)
    carryVisible(change, placed: placed)
    var redrawn = BitVector(count: hierarchy.count)
    for look in looks { look.mark(&redrawn, after: change, in: self) }
    if let placed, isElsewhere { redrawn.insert(placed) }
    let diff = RowDiff(from: oldVisible, to: visible, by: change)
    return (change, diff.changes(redrawing: redrawn))
  }

  /// A filter may hide and show nodes far from the edit, so that all rows are compared.
  private mutating func editComparingAll(_ body: (inout Hierarchy) -> NodePermutation) -> Edit {
    let old = self
    let change = body(&hierarchy)
    carryOpenBits(change)
    showAll()
    return (change, rowChanges(from: old, by: change) { _, _ in false })
  }

  private mutating func carryOpenBits(_ change: NodePermutation) {
    open = change.carry(open)
    pinned = pinned.map(change.carry)
    filter?.follow(change, in: hierarchy, open: &open, pinned: pinned)
  }

  private mutating func carryVisible(_ change: NodePermutation, placed: Range<Int>?) {
    var bits = change.carry(visible.bits)
    guard let placed, !placed.isEmpty else {
      visible = RankedBits(bits)
      return
    }
    bits.remove(placed)
    visible = RankedBits(bits)
    let parent = hierarchy.parent(of: placed.lowerBound)
    if parent.map({ visible[$0] && open[$0] }) ?? true { show(placed) }
  }

  /// Takes over another hierarchy to which the nodes have been carried.
  ///
  /// - Parameters:
  ///   - new: The hierarchy after `change`.
  ///   - change: How the nodes came to their new positions.
  ///   - openness: What is open of nodes that come from elsewhere; new ones are closed by default.
  ///   - isChanged: Whether the value of a node that stays is another, by old and new position.
  /// - Returns: What became of the rows.
  /// - Complexity: O(n + visible rows).
  package mutating func replace(
    by new: Hierarchy,
    _ change: NodePermutation,
    openness: ExpansionState? = nil,
    isChanged: (_ old: Int, _ new: Int) -> Bool
  ) -> RowChanges {
    let old = self
    hierarchy = new
    carryOpenBits(change)
    open = open.intersection(groups)
    pinned = pinned?.intersection(groups)
    if let openness { take(openness) }
    showAll()
    return rowChanges(from: old, by: change, isChanged: isChanged)
  }
}

/// What a family looked like before an edit.
private struct SiblingRows {
  let parent: Int?
  let lastChild: Int?
  let disclosure: Disclosure?

  init(of parent: Int?, in state: OutlineState) {
    self.parent = parent
    lastChild = state.hierarchy.lastChild(of: parent)
    disclosure = parent.flatMap { state.disclosure(of: $0) }
  }

  /// Marks what looks different now, by new positions: the parent whose sign changed, and the
  /// children that are the last ones no longer or newly, with the lines in front of what is below.
  ///
  /// No line leads down from a root, so that of a root nothing below looks different.
  func mark(_ redrawn: inout BitVector, after change: NodePermutation, in state: OutlineState) {
    let newParent = parent.flatMap(change.newPosition)
    if let newParent, state.disclosure(of: newParent) != disclosure { redrawn[newParent] = true }
    let oldLast = lastChild.flatMap(change.newPosition)
    let newLast = state.hierarchy.lastChild(of: newParent)
    guard oldLast != newLast else { return }
    for child in [oldLast, newLast].compactMap(\.self) {
      redrawn.insert(newParent == nil ? child..<child + 1 : state.hierarchy.subtree(of: child))
    }
  }
}

extension OutlineState {
  /// Takes over another state of the tree, such as the next file of a mapped snapshot.
  ///
  /// What is open, always open, and matched by the filter is carried along; what is new is closed and
  /// matches nothing.
  ///
  /// - Parameters:
  ///   - new: The tree from now on.
  ///   - origins: For each node of `new` the node here that it was, or −1 for a new one; no node
  ///     twice.
  ///   - isChanged: Whether a node that stays looks different, by its position here and in `new`;
  ///     asked for visible nodes only.
  /// - Returns: Rows that went, came, moved, and those that look different.
  /// - Precondition: One origin for each node of `new`, each −1 or a node here.
  /// - Complexity: O(n + visible rows), and O(p log p) for p runs of nodes that stay together.
  @discardableResult
  public mutating func replace(
    by new: Hierarchy,
    origins: [Int32],
    isChanged: (_ old: Int, _ new: Int) -> Bool
  ) -> RowChanges {
    precondition(origins.count == new.count, "an origin for each node")
    let count = hierarchy.count
    precondition(origins.allSatisfy { $0 >= -1 && $0 < count }, "an origin that was not a node")
    return replace(by: new, .ordering(origins, of: count), isChanged: isChanged)
  }
}
