extension OutlineState {
  /// Opens a group, and with it what was left open below.
  ///
  /// A leaf or an open group stays as it is. A hidden group is opened for the time when its
  /// ancestors are, and an empty one for the time when it has children.
  ///
  /// - Complexity: O(closed groups that become visible + size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func expand(_ node: Int) -> RowChanges {
    guard hierarchy.isGroup(node), !isOpen(node) else { return .none }
    setOpen(node, to: true)
    guard visible.bits[node], hierarchy.hasChildren(node) else { return .none }
    return showContents(of: node)
  }

  /// Closes a group, unless it is always open.
  ///
  /// - Parameters:
  ///   - node: A leaf or a closed group stays as it is.
  ///   - keepingDescendants: Whether what is open below stays open for the next time; otherwise it
  ///     is closed too, even if `node` was closed already or is always open.
  /// - Returns: The rows that went.
  /// - Complexity: O(size of the subtree / 64 + n / 512); O(n / 64) when the group is always open
  ///   and what is below it is closed, or while a filter is on and some group is always open.
  @discardableResult
  public mutating func collapse(_ node: Int, keepingDescendants: Bool = true) -> RowChanges {
    guard keepingDescendants || !isAlwaysOpen(node) else {
      return comparing { $0.closeContents(of: node) }
    }
    guard !isAlwaysOpen(node) else { return .none }
    let contents = hierarchy.descendants(of: node)
    let wasShown = isExpanded(node) && visible[node]
    setOpen(node, to: false)
    if !keepingDescendants { setClosed(contents) }
    guard wasShown else { return .none }
    let changes = RowChanges(hiding: visible.rank(of: contents), below: visible.rank(node))
    hide(contents)
    return changes
  }

  /// Closes an open group, which keeps what is open below it, and opens any other.
  ///
  /// - Complexity: As of ``expand(_:)`` and ``collapse(_:keepingDescendants:)``.
  @discardableResult
  public mutating func toggle(_ node: Int) -> RowChanges {
    isOpen(node) ? collapse(node) : expand(node)
  }

  /// Opens several groups at once.
  ///
  /// - Complexity: O(count of `nodes` + n / 64 + closed groups that remain visible).
  @discardableResult
  public mutating func expand(_ nodes: some Sequence<Int>) -> RowChanges {
    comparing { state in
      for node in nodes where state.hierarchy.isGroup(node) { state.setOpen(node, to: true) }
      state.showAll()
    }
  }

  /// Closes several groups at once, except those that are always open.
  ///
  /// - Complexity: O(count of `nodes` + n / 64 + closed groups that remain visible), and a 64th of
  ///   each subtree that is not kept.
  @discardableResult
  public mutating func collapse(
    _ nodes: some Sequence<Int>,
    keepingDescendants: Bool = true
  ) -> RowChanges {
    comparing { state in
      for node in nodes {
        state.setOpen(node, to: false)
        if !keepingDescendants { state.setClosed(state.hierarchy.descendants(of: node)) }
      }
      state.showAll()
    }
  }

  /// Opens a group and closes its siblings, which keep what is open below them.
  ///
  /// - Complexity: O(siblings + n / 64 + closed groups that remain visible).
  @discardableResult
  public mutating func expandOnly(_ node: Int) -> RowChanges {
    comparing { state in
      let siblings = state.hierarchy.siblings(of: node)
      for sibling in siblings where sibling != node { state.setOpen(sibling, to: false) }
      if state.hierarchy.isGroup(node) { state.setOpen(node, to: true) }
      state.showAll()
    }
  }

  /// Opens every group; while a filter is on, every group that it leaves, and for as long as it is
  /// on.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandAll() -> RowChanges {
    comparing { state in
      let all = state.hierarchy.nodes
      if let shown = state.filter?.shown {
        let opened = state.groups.intersection(shown)
        state.filter?.open.insert(all, of: opened)
        state.visible = RankedBits(shown)
      } else {
        state.open = state.groups
        state.visible = RankedBits(allSet: all.count)
      }
    }
  }

  /// Closes every group that is not always open, or hides their contents only; while a filter is
  /// on, every group that it leaves, and for as long as it is on.
  ///
  /// - Parameter keepingDescendants: Whether groups below the roots stay open for the next time.
  /// - Returns: What became of the rows.
  /// - Complexity: O(number of roots + n / 64).
  @discardableResult
  public mutating func collapseAll(keepingDescendants: Bool = false) -> RowChanges {
    guard keepingDescendants else { return expand(toLevel: 0) }
    return comparing { state in
      for root in state.hierarchy.roots { state.setOpen(root, to: false) }
      state.showAll()
    }
  }

  /// Opens the groups whose level is less than `level` and closes all others that are not always
  /// open, so that without those exactly the nodes up to that level are visible.
  ///
  /// While a filter is on this concerns the groups that it leaves, and for as long as it is on.
  ///
  /// - Complexity: O(groups that become visible + n / 64); O(groups + n / 64) while a filter is on.
  @discardableResult
  public mutating func expand(toLevel level: Int) -> RowChanges {
    comparing { state in
      guard state.filter == nil else { return state.openShown(toLevel: level) }
      state.open(toLevel: level)
      guard let pinned = state.pinned else { return }
      state.open.insert(0..<pinned.count, of: pinned)
      state.showAll()
    }
  }

  /// Opens a group and every group below it that the filter leaves.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandSubtree(of node: Int) -> RowChanges {
    comparing { state in
      let subtree = state.hierarchy.subtree(of: node)
      state.setAllOpen(subtree)
      guard state.visible[node] else { return }
      let shown = state.filter?.shown
      state.visible.change(subtree) { visible in
        if let shown { visible.insert(subtree, of: shown) } else { visible.insert(subtree) }
      }
    }
  }

  /// Closes a group and every group below it that is not always open.
  ///
  /// While a filter is on, groups that it hides below a group that it shows stay as they are: in the
  /// list without the filter they are open as before.
  ///
  /// - Complexity: O(size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func collapseSubtree(of node: Int) -> RowChanges {
    collapse(node, keepingDescendants: false)
  }

  /// Opens every ancestor of a node, so that it is visible unless the filter hides it; the node
  /// itself stays as it is.
  ///
  /// - Complexity: O(level of the node + closed groups that become visible + n / 64).
  @discardableResult
  public mutating func reveal(_ node: Int) -> RowChanges {
    var closed: [Int] = []
    for ancestor in hierarchy.ancestors(of: node) where !isOpen(ancestor) {
      closed.append(ancestor)
      setOpen(ancestor, to: true)
    }
    // Ancestors of a visible node are visible: of those that were closed only the outermost was.
    guard let outermost = closed.last(where: { visible[$0] }) else { return .none }
    return showContents(of: outermost)
  }

  /// Shows what a visible group holds that was closed until now.
  private mutating func showContents(of node: Int) -> RowChanges {
    let contents = hierarchy.descendants(of: node)
    show(contents)
    return RowChanges(showing: visible.rank(of: contents), below: visible.rank(node))
  }

  private mutating func closeContents(of node: Int) {
    setClosed(hierarchy.descendants(of: node))
    showAll()
  }

  private mutating func openShown(toLevel level: Int) {
    let hierarchy = hierarchy
    guard var filter else { return }
    groups.intersection(filter.shown).forEach { group in
      filter.open[group] = hierarchy.level(of: group) < level
    }
    if let pinned { filter.open.insert(0..<pinned.count, of: pinned) }
    filter.openedByHand = filter.openedByHand.intersection(filter.open)
    self.filter = filter
    showAll()
  }
}
