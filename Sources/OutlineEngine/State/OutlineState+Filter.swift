extension OutlineState {
  /// Whether a filter is on.
  ///
  /// - Complexity: O(1).
  public var isFiltered: Bool { filter != nil }

  /// Whether the node matches the filter that is on.
  ///
  /// - Complexity: O(1).
  public func isMatch(_ node: Int) -> Bool { filter?.matches[node] ?? false }

  /// Whether a node below matches the filter that is on.
  ///
  /// - Complexity: O(1).
  public func leadsToMatch(_ node: Int) -> Bool { filter?.ancestors[node] ?? false }

  /// Number of nodes that match the filter that is on; `nil` without one.
  ///
  /// - Complexity: O(n / 64).
  public var matchCount: Int? { filter?.matches.setCount }

  /// The nodes that match the filter that is on, in preorder; none without one.
  ///
  /// - Complexity: O(n / 64 + matches) in all.
  public var matchingNodes: some Sequence<Int> & Sendable {
    (filter?.matches ?? BitVector(count: 0)).setBits
  }

  /// The first node of a range, in preorder, that matches the filter that is on.
  ///
  /// - Complexity: O(nodes passed over / 64).
  public func firstMatch(in nodes: Range<Int>) -> Int? { filter?.matches.first(in: nodes) }

  /// The last node of a range, in preorder, that matches the filter that is on.
  ///
  /// - Complexity: O(nodes passed over / 64).
  public func lastMatch(in nodes: Range<Int>) -> Int? { filter?.matches.last(in: nodes) }

  /// Shows only some nodes and every ancestor of one, opened.
  ///
  /// A matching group without a match below it stays closed; opened by hand, it shows all that is
  /// below it, open as it was without the filter. A filter that is on is replaced, as if it was
  /// cleared first.
  ///
  /// - Parameter matches: The nodes that match, in any order, such as a search index delivers.
  /// - Returns: Among others, every row that stays is to be redrawn: it may bear another mark, and
  ///   other rows follow it.
  /// - Complexity: O(count of `matches` + their ancestors + n / 64).
  @discardableResult
  public mutating func setFilter(_ matches: some Sequence<Int>) -> RowChanges {
    var bits = BitVector(count: hierarchy.count)
    for node in matches { bits[node] = true }
    return setFilter(bits)
  }

  /// - Parameter matches: A bit for each node, or `nil` to clear the filter.
  /// - Returns: What became of the rows.
  package mutating func setFilter(_ matches: BitVector?) -> RowChanges {
    guard matches != nil || filter != nil else { return .none }
    let old = visible
    if let filter { open = filter.restored(open) }
    filter = matches.map { NodeFilter($0, in: hierarchy, open: open, pinned: pinned) }
    showAll()
    let diff = RowDiff(from: old, to: visible)
    return diff.changes(redrawing: diff.kept)
  }

  /// Shows all again: what was open before the filter, and the groups that were opened by hand
  /// since and not closed again.
  ///
  /// What else was closed or opened in the filtered list, be it by the filter itself or by
  /// ``expandAll()``, ``collapseAll(keepingDescendants:)`` or ``expand(toLevel:)``, is forgotten.
  ///
  /// - Complexity: O(n / 64 + closed groups that become visible).
  @discardableResult
  public mutating func clearFilter() -> RowChanges { setFilter(nil as BitVector?) }
}
