/// A visible node as a list shows it.
public struct OutlineRow: Sendable, Hashable {
  /// The node's position in preorder.
  public let node: Int
  /// Number of ancestors; 0 for a root.
  public let level: Int
  /// Whether the node is a group, with children or without.
  public let isGroup: Bool
  /// Whether no shown sibling follows: where the line of a drawn tree ends.
  public let isLastSibling: Bool
  /// `nil` for a leaf.
  public let disclosure: Disclosure?
  /// Whether the node matches the filter that is on.
  public let isMatch: Bool
  /// Whether a node below matches the filter that is on.
  public let leadsToMatch: Bool
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
      level: hierarchy.level(of: node),
      isGroup: hierarchy.isGroup(node),
      isLastSibling: isLastShownSibling(node),
      disclosure: disclosure(of: node),
      isMatch: isMatch(node),
      leadsToMatch: leadsToMatch(node)
    )
  }

  /// Whether no sibling follows that the filter leaves.
  ///
  /// - Complexity: O(1): siblings of a visible node are visible unless the filter hides them.
  func isLastShownSibling(_ node: Int) -> Bool {
    guard filter != nil, visible[node] else { return hierarchy.isLastSibling(node) }
    let end = hierarchy.parent(of: node).map { hierarchy.subtree(of: $0).upperBound }
    let following = hierarchy.subtree(of: node).upperBound..<(end ?? hierarchy.count)
    return visible.rank(of: following) == 0
  }

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

/// The rows of an outline, or a range of them, as they were when it was asked.
///
/// A slice keeps the numbers of the whole: its indices are rows.
public struct OutlineRows: RandomAccessCollection, Sendable {
  private let outline: OutlineState
  private let bounds: Range<Int>

  init(_ outline: OutlineState, _ bounds: Range<Int>) {
    self.outline = outline
    self.bounds = bounds
  }

  public var startIndex: Int { bounds.lowerBound }
  public var endIndex: Int { bounds.upperBound }

  /// - Complexity: O(log n).
  public subscript(row: Int) -> OutlineRow {
    precondition(bounds.contains(row), "row outside the range")
    return outline.presentation(of: outline.node(atRow: row))
  }

  /// - Complexity: O(1).
  public subscript(range: Range<Int>) -> OutlineRows {
    precondition(
      bounds.lowerBound <= range.lowerBound && range.upperBound <= bounds.upperBound,
      "rows outside the range"
    )
    return OutlineRows(outline, range)
  }

  /// Reads the rows in order.
  ///
  /// - Complexity: O(1), and O(1) for each row that is read, but for gaps of hidden nodes, 64 a step.
  public func makeIterator() -> Iterator { Iterator(outline, bounds) }

  /// Steps from one visible node to the next.
  ///
  /// - Complexity: O(log n) for the first row, then O(1) and a 64th of the nodes passed over.
  public struct Iterator: IteratorProtocol, Sendable {
    private let outline: OutlineState
    private var remaining: Int
    private var position: Int

    fileprivate init(_ outline: OutlineState, _ rows: Range<Int>) {
      self.outline = outline
      remaining = rows.count
      position = rows.isEmpty ? 0 : outline.node(atRow: rows.lowerBound)
    }

    /// The next row.
    ///
    /// - Complexity: O(1), but for gaps of hidden nodes, 64 a step.
    public mutating func next() -> OutlineRow? {
      guard
        remaining > 0,
        let node = outline.visible.bits.first(in: position..<outline.hierarchy.count)
      else { return nil }
      remaining -= 1
      position = node + 1
      return outline.presentation(of: node)
    }
  }
}
