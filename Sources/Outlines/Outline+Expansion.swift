extension Outline {
  /// Opens a group, and with it what was left open below.
  ///
  /// A leaf or an open group stays as it is. A hidden group is opened for the time when its
  /// ancestors are.
  ///
  /// - Complexity: O(closed groups that become visible + size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func expand(_ node: Int) -> RowChange {
    guard disclosure(of: node) == .collapsed else { return .none }
    open[node] = true
    guard visible[node] else { return .none }
    return showContents(of: node)
  }

  /// Closes a group.
  ///
  /// - Parameters:
  ///   - node: A leaf or a closed group stays as it is.
  ///   - keepingDescendants: Whether what is open below stays open for the next time; otherwise it
  ///     is closed too, even if `node` was closed already.
  /// - Returns: The rows that went.
  /// - Complexity: O(size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func collapse(_ node: Int, keepingDescendants: Bool = true) -> RowChange {
    let contents = hierarchy.descendants(of: node)
    let wasShown = isExpanded(node) && visible[node]
    open[node] = false
    if !keepingDescendants { open.remove(contents) }
    guard wasShown else { return .none }
    let change = RowChange(removing: visible.rank(of: contents), at: visible.rank(node) + 1)
    hide(contents)
    return change
  }

  /// Opens a closed group and closes an open one, which keeps what is open below it.
  @discardableResult
  public mutating func toggle(_ node: Int) -> RowChange {
    isExpanded(node) ? collapse(node) : expand(node)
  }

  /// Opens every group.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandAll() -> RowChange {
    comparing { outline in
      let all = outline.hierarchy.nodes
      outline.open = BitVector(count: all.count, words: outline.hierarchy.groups)
      outline.visible.change(all) { $0.insert(all) }
    }
  }

  /// Closes every group, or hides their contents only.
  ///
  /// - Parameter keepingDescendants: Whether groups below the roots stay open for the next time.
  /// - Returns: The rows that were replaced.
  /// - Complexity: O(number of roots + n / 64).
  @discardableResult
  public mutating func collapseAll(keepingDescendants: Bool = false) -> RowChange {
    comparing { outline in
      if keepingDescendants {
        for root in outline.hierarchy.roots { outline.open[root] = false }
        outline.show(outline.hierarchy.nodes)
      } else {
        outline.open(toLevel: 0)
      }
    }
  }

  /// Opens the groups whose level is less than `level` and closes all others, so that exactly the
  /// nodes up to that level are visible.
  ///
  /// - Complexity: O(groups that become visible + n / 64).
  @discardableResult
  public mutating func expand(toLevel level: Int) -> RowChange {
    comparing { $0.open(toLevel: level) }
  }

  /// Opens a group and every group below it.
  ///
  /// - Complexity: O(n / 64).
  @discardableResult
  public mutating func expandSubtree(of node: Int) -> RowChange {
    comparing { outline in
      let subtree = outline.hierarchy.subtree(of: node)
      outline.open.insert(subtree, of: outline.hierarchy.groups)
      guard outline.visible[node] else { return }
      outline.visible.change(subtree) { $0.insert(subtree) }
    }
  }

  /// Closes a group and every group below it.
  ///
  /// - Complexity: O(size of the subtree / 64 + n / 512).
  @discardableResult
  public mutating func collapseSubtree(of node: Int) -> RowChange {
    collapse(node, keepingDescendants: false)
  }

  /// Opens every ancestor of a node, so that it is visible; the node itself stays as it is.
  ///
  /// - Complexity: O(level of the node + closed groups that become visible + n / 64).
  @discardableResult
  public mutating func reveal(_ node: Int) -> RowChange {
    guard !visible[node] else { return .none }
    var outermost = node
    for ancestor in hierarchy.ancestors(of: node) where !open[ancestor] {
      open[ancestor] = true
      outermost = ancestor
    }
    return showContents(of: outermost)
  }

  /// Shows what a visible group holds that was closed until now.
  private mutating func showContents(of node: Int) -> RowChange {
    let contents = hierarchy.descendants(of: node)
    show(contents)
    return RowChange(inserting: visible.rank(of: contents), at: visible.rank(node) + 1)
  }
}
