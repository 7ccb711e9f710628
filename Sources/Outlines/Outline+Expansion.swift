import OutlineEngine

extension Outline {
  /// Whether a group has children and is open; `false` for an id that no value has.
  ///
  /// - Complexity: O(1).
  public func isExpanded(_ id: ID) -> Bool { position(of: id).map(state.isExpanded) ?? false }

  /// The ids of the open groups with children, hidden ones too: what a saved view keeps.
  ///
  /// - Complexity: O(open groups + n / 64).
  public var expandedIDs: [ID] { state.expandedNodes.map { values[$0].id } }

  /// Opens a group, and with it what was left open below; an id that no value has opens nothing.
  ///
  /// - Complexity: O(closed groups that become visible + size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func expand(_ id: ID) -> RowChanges { at(id) { $0.expand($1) } }

  /// Closes a group, unless it is always open.
  ///
  /// - Parameters:
  ///   - id: An id that no value has closes nothing.
  ///   - keepingDescendants: Whether what is open below stays open for the next time; otherwise it
  ///     is closed too.
  /// - Returns: What became of the rows.
  /// - Complexity: O(size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func collapse(_ id: ID, keepingDescendants: Bool = true) -> RowChanges {
    at(id) { $0.collapse($1, keepingDescendants: keepingDescendants) }
  }

  /// Closes an open group, which keeps what is open below it, and opens any other.
  ///
  /// - Complexity: As of ``expand(_:)`` and ``collapse(_:keepingDescendants:)``.
  @discardableResult
  public mutating func toggle(_ id: ID) -> RowChanges { at(id) { $0.toggle($1) } }

  /// Opens several groups at once; ids that no value has are passed over.
  ///
  /// - Complexity: O(count of `ids` + n / 64 + closed groups that remain visible).
  @discardableResult
  public mutating func expand(_ ids: some Sequence<ID>) -> RowChanges {
    state.expand(ids.compactMap { position(of: $0) })
  }

  /// Closes several groups at once, except those that are always open; ids that no value has are
  /// passed over.
  ///
  /// - Complexity: O(count of `ids` + n / 64 + closed groups that remain visible).
  @discardableResult
  public mutating func collapse(
    _ ids: some Sequence<ID>,
    keepingDescendants: Bool = true
  ) -> RowChanges {
    state.collapse(
      ids.compactMap { position(of: $0) },
      keepingDescendants: keepingDescendants
    )
  }

  /// Opens a group and closes its siblings, which keep what is open below them.
  ///
  /// - Complexity: O(siblings + n / 64 + closed groups that remain visible).
  @discardableResult
  public mutating func expandOnly(_ id: ID) -> RowChanges { at(id) { $0.expandOnly($1) } }

  /// Opens a group and every group below it that the filter leaves.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandSubtree(of id: ID) -> RowChanges {
    at(id) { $0.expandSubtree(of: $1) }
  }

  /// Closes a group and every group below it that is not always open.
  ///
  /// While a filter is on, groups that it hides below a group that it shows stay as they are: in the
  /// list without the filter they are open as before.
  ///
  /// - Complexity: O(size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func collapseSubtree(of id: ID) -> RowChanges {
    at(id) { $0.collapseSubtree(of: $1) }
  }

  /// Opens every group; while a filter is on, every group that it leaves, and for as long as it is
  /// on.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandAll() -> RowChanges { state.expandAll() }

  /// Closes every group that is not always open; while a filter is on, every group that it leaves,
  /// and for as long as it is on.
  ///
  /// - Parameter keepingDescendants: Whether groups below the roots stay open for the next time.
  /// - Returns: What became of the rows.
  /// - Complexity: O(number of roots + n / 64).
  @discardableResult
  public mutating func collapseAll(keepingDescendants: Bool = false) -> RowChanges {
    state.collapseAll(keepingDescendants: keepingDescendants)
  }

  /// Opens the groups whose level is less than `level` and closes all others that are not always
  /// open.
  ///
  /// - Complexity: O(groups that become visible + n / 64).
  @discardableResult
  public mutating func expand(toLevel level: Int) -> RowChanges { state.expand(toLevel: level) }

  /// Opens every ancestor of a node, so that it is visible unless the filter hides it.
  ///
  /// - Complexity: O(level of the node + closed groups that become visible + n / 64).
  @discardableResult
  public mutating func reveal(_ id: ID) -> RowChanges { at(id) { $0.reveal($1) } }

  /// Opens a group for good, or lets it be closed again; it does not close by that.
  ///
  /// - Complexity: As of ``expand(_:)``; O(n / 64) for the first such group.
  @discardableResult
  public mutating func setAlwaysOpen(_ id: ID, _ isAlwaysOpen: Bool = true) -> RowChanges {
    at(id) { $0.setAlwaysOpen($1, isAlwaysOpen) }
  }

  /// Whether a group cannot be closed.
  ///
  /// - Complexity: O(1).
  public func isAlwaysOpen(_ id: ID) -> Bool {
    position(of: id).map(state.isAlwaysOpen) ?? false
  }

  private mutating func at(
    _ id: ID,
    _ change: (inout OutlineState, Int) -> RowChanges
  ) -> RowChanges {
    position(of: id).map { change(&state, $0) } ?? .none
  }
}
