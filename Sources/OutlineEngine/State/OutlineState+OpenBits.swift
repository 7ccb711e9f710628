extension OutlineState {
  /// The groups as a bit vector.
  var groups: BitVector { BitVector(count: hierarchy.count, column: hierarchy.groups) }

  /// Opens or closes a group by hand.
  ///
  /// What the filter leaves is opened and closed in the filtered
  /// list, all else in the whole one.
  mutating func setOpen(_ node: Int, to value: Bool) {
    guard value != isOpen(node), value || !isAlwaysOpen(node) else { return }
    guard filter?.shown[node] == true else {
      open[node] = value
      filter?.open[node] = value
      return
    }
    filter?.open[node] = value
    filter?.openedByHand[node] = value
  }

  /// Opens the groups of a subtree.
  mutating func setAllOpen(_ subtree: Range<Int>) {
    guard let shown = filter?.shown, shown[subtree.lowerBound] else {
      open.insert(subtree, of: hierarchy.groups)
      filter?.open.insert(subtree, of: hierarchy.groups)
      return
    }
    let opened = groups.intersection(shown)
    let newlyOpened = opened.subtracting(shownOpen)
    filter?.openedByHand.insert(subtree, of: newlyOpened)
    filter?.open.insert(subtree, of: opened)
  }

  /// Closes the groups of a run of nodes, except those that are always open.
  mutating func setClosed(_ run: Range<Int>) {
    guard let shown = filter?.shown, let outer = run.first, shown[outer - 1] else {
      open.remove(run)
      filter?.open.remove(run)
      if let pinned { restorePinned(pinned, in: run) }
      return
    }
    // What stays open by itself also stays open by hand.
    let closing = pinned.map { shown.subtracting($0) } ?? shown
    filter?.open.remove(run, of: closing)
    filter?.openedByHand.remove(run, of: closing)
  }

  private mutating func restorePinned(_ pinned: BitVector, in run: Range<Int>) {
    open.insert(run, of: pinned)
    filter?.open.insert(run, of: pinned)
  }

  /// Whether a group cannot be closed.
  ///
  /// - Complexity: O(1).
  public func isAlwaysOpen(_ node: Int) -> Bool { pinned?[node] ?? false }

  /// Opens a group for good, or lets it be closed again; it does not close by that.
  ///
  /// - Parameters:
  ///   - node: A leaf stays as it is.
  ///   - isAlwaysOpen: Whether it cannot be closed.
  /// - Returns: What became of the rows.
  /// - Complexity: As of ``expand(_:)``; O(n / 64) for the first such group.
  @discardableResult
  public mutating func setAlwaysOpen(_ node: Int, _ isAlwaysOpen: Bool = true) -> RowChanges {
    guard hierarchy.isGroup(node) else { return .none }
    guard isAlwaysOpen else {
      pinned?[node] = false
      return .none
    }
    pinned = pinned ?? BitVector(count: hierarchy.count)
    let changes = expand(node)
    pinned?[node] = true
    open[node] = true
    return changes
  }
}
