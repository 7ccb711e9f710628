/// A visible node as a list shows it.
public struct OutlineRow: Sendable, Hashable {
  public let node: Int
  /// Number of ancestors; 0 for a root.
  public let level: Int
  public let isGroup: Bool
  /// Whether no sibling follows: where the line of a drawn tree ends.
  public let isLastSibling: Bool
  /// `nil` for a leaf.
  public let disclosure: Disclosure?
}

extension Outline {
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
      isLastSibling: hierarchy.isLastSibling(node),
      disclosure: disclosure(of: node)
    )
  }

  /// The visible nodes in order; `rows[20..<70]` is a screenful, and costs one.
  public var rows: OutlineRows { OutlineRows(self, 0..<rowCount) }
}

/// The rows of an outline, or a range of them, as they were when it was asked.
///
/// A slice keeps the numbers of the whole: its indices are rows.
public struct OutlineRows: RandomAccessCollection, Sendable {
  private let outline: Outline
  private let bounds: Range<Int>

  init(_ outline: Outline, _ bounds: Range<Int>) {
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

  public func makeIterator() -> Iterator { Iterator(outline, bounds) }

  /// Steps from one visible node to the next.
  ///
  /// - Complexity: O(log n) for the first row, then O(1) and a 64th of the nodes passed over.
  public struct Iterator: IteratorProtocol, Sendable {
    private let outline: Outline
    private var remaining: Int
    private var position: Int

    fileprivate init(_ outline: Outline, _ rows: Range<Int>) {
      self.outline = outline
      remaining = rows.count
      position = rows.isEmpty ? 0 : outline.node(atRow: rows.lowerBound)
    }

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
