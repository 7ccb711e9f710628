/// A visible node as a list shows it.
public struct OutlineRow: Sendable, Hashable {
  // Small, since a list may keep one for each row.
  @usableFromInline package let nodeNumber: Int32
  @usableFromInline package let levelNumber: Int32
  /// What is true of the row: a bit for each of ``Mark``.
  @usableFromInline package let marks: UInt8

  /// The bits of ``marks``.
  @usableFromInline
  package enum Mark {
    @inlinable package static var group: UInt8 { 1 }
    @inlinable package static var lastSibling: UInt8 { 2 }
    @inlinable package static var parent: UInt8 { 4 }
    @inlinable package static var expanded: UInt8 { 8 }
    @inlinable package static var match: UInt8 { 16 }
    @inlinable package static var leadsToMatch: UInt8 { 32 }
  }

  /// - Parameters:
  ///   - node: The position in preorder.
  ///   - level: Number of ancestors.
  ///   - isLastSibling: Whether no shown sibling follows.
  ///   - isParent: Whether it has children.
  ///   - isGroup: 1 for a group, 0 for a leaf.
  ///   - isOpen: 1 if it is marked as open, 0 otherwise.
  ///   - isMatch: 1 if it matches the filter.
  ///   - leadsToMatch: 1 if a node below does.
  @inlinable
  @inline(__always)
  package init(
    node: Int,
    level: Int32,
    isLastSibling: Bool,
    isParent: Bool,
    isGroup: UInt64,
    isOpen: UInt64,
    isMatch: UInt64,
    leadsToMatch: UInt64
  ) {
    nodeNumber = Int32(truncatingIfNeeded: node)
    levelNumber = level
    let bits = isGroup | isMatch &<< 4 | leadsToMatch &<< 5
    let lastBit = isLastSibling ? Mark.lastSibling : 0
    let open = UInt8(truncatingIfNeeded: isGroup & isOpen) &<< 3
    let parentBits = isParent ? Mark.parent | open : 0
    marks = UInt8(truncatingIfNeeded: bits) | lastBit | parentBits
  }

  /// The node's position in preorder.
  ///
  /// - Complexity: O(1).
  @inlinable public var node: Int { Int(nodeNumber) }
  /// Number of ancestors; 0 for a root.
  ///
  /// - Complexity: O(1).
  @inlinable public var level: Int { Int(levelNumber) }
  /// Whether the node is a group, with children or without.
  ///
  /// - Complexity: O(1).
  @inlinable public var isGroup: Bool { marks & Mark.group != 0 }
  /// Whether no shown sibling follows: where the line of a drawn tree ends.
  ///
  /// - Complexity: O(1).
  @inlinable public var isLastSibling: Bool { marks & Mark.lastSibling != 0 }
  /// `nil` for a leaf.
  ///
  /// - Complexity: O(1).
  @inlinable public var disclosure: Disclosure? {
    guard isGroup else { return nil }
    guard marks & Mark.parent != 0 else { return .empty }
    return marks & Mark.expanded != 0 ? .expanded : .collapsed
  }
  /// Whether the node matches the filter that is on.
  ///
  /// - Complexity: O(1).
  @inlinable public var isMatch: Bool { marks & Mark.match != 0 }
  /// Whether a node below matches the filter that is on.
  ///
  /// - Complexity: O(1).
  @inlinable public var leadsToMatch: Bool { marks & Mark.leadsToMatch != 0 }
}

/// Where a node is in the list.
public enum RowPlace: Sendable, Hashable {
  /// It is shown in this row.
  case row(Int)
  /// It is hidden, since this visible ancestor is closed.
  case hidden(under: Int)
  /// The filter leaves it out.
  case filteredOut
}

extension OutlineState {
  /// Number of visible nodes.
  ///
  /// - Complexity: O(1).
  public var rowCount: Int { visible.setCount }

  /// Whether every ancestor is open.
  ///
  /// - Complexity: O(1).
  public func isVisible(_ node: Int) -> Bool { visible[node] }

  /// The node that a row shows.
  ///
  /// - Complexity: O(log n), a binary search in counts of 512 nodes each.
  public func node(atRow row: Int) -> Int { visible.select(row) }

  /// The row that shows a node; `nil` if it is hidden.
  ///
  /// - Complexity: O(1).
  public func row(of node: Int) -> Int? { visible[node] ? visible.rank(node) : nil }

  /// How a node is shown when it is visible.
  ///
  /// - Complexity: O(1).
  public func presentation(of node: Int) -> OutlineRow {
    OutlineRow(
      node: node,
      level: hierarchy.levels[node],
      isLastSibling: isLastShownSibling(node),
      isParent: hierarchy.hasChildren(node),
      isGroup: hierarchy.isGroup(node) ? 1 : 0,
      isOpen: isOpen(node) ? 1 : 0,
      isMatch: isMatch(node) ? 1 : 0,
      leadsToMatch: leadsToMatch(node) ? 1 : 0
    )
  }

  /// Whether no sibling follows that the filter leaves.
  ///
  /// - Complexity: O(1): siblings of a visible node are visible unless the filter hides them.
  @usableFromInline
  package func isLastShownSibling(_ node: Int) -> Bool {
    guard filter != nil, visible[node] else { return hierarchy.isLastSibling(node) }
    let end = hierarchy.parent(of: node).map { hierarchy.subtree(of: $0).upperBound }
    let following = hierarchy.subtree(of: node).upperBound..<(end ?? hierarchy.count)
    return visible.rank(of: following) == 0
  }

  @usableFromInline
  package func presentation(ofRow row: Int) -> OutlineRow { presentation(of: node(atRow: row)) }

  /// The innermost ancestor that is visible, or the node itself; `nil` if the filter hides the root
  /// of its tree.
  ///
  /// - Complexity: O(log n), and while a filter is on O(level) more.
  public func nearestVisible(_ node: Int) -> Int? {
    if visible[node] { return node }
    let rank = visible.rank(node)
    guard rank > 0 else { return nil }
    // Only what is below a node stands between it and a node that it hides.
    var candidate: Int? = visible.select(rank - 1)
    while let outer = candidate, !hierarchy.subtree(of: outer).contains(node) {
      candidate = hierarchy.parent(of: outer)
    }
    return candidate
  }

  /// The row of a node, or why it has none.
  ///
  /// - Complexity: As of ``nearestVisible(_:)``.
  public func place(of node: Int) -> RowPlace {
    if let row = row(of: node) { return .row(row) }
    guard filter?.shown[node] ?? true, let closed = nearestVisible(node) else {
      return .filteredOut
    }
    return .hidden(under: closed)
  }

  /// The visible nodes in order; `rows[20..<70]` is a screenful, and costs one.
  ///
  /// - Complexity: O(1).
  public var rows: OutlineRows { OutlineRows(self, 0..<rowCount) }
}
