/// The rows of an outline, or a range of them, as they were when it was asked.
///
/// A slice keeps the numbers of the whole: its indices are rows.
public struct OutlineRows: RandomAccessCollection, Sendable {
  @usableFromInline package let outline: OutlineState
  @usableFromInline package let bounds: Range<Int>

  init(_ outline: OutlineState, _ bounds: Range<Int>) {
    self.outline = outline
    self.bounds = bounds
  }

  @inlinable public var startIndex: Int { bounds.lowerBound }
  @inlinable public var endIndex: Int { bounds.upperBound }

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
  @inlinable
  public func makeIterator() -> Iterator { Iterator(outline, bounds) }

  /// Steps from one visible node to the next.
  ///
  /// - Complexity: O(log n) for the first row, then O(1) and a 64th of the nodes passed over.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline package var walk: VisibleNodeIterator

    @usableFromInline
    package init(_ outline: OutlineState, _ rows: Range<Int>) {
      walk = VisibleNodeIterator(outline, rows)
    }

    /// The next row.
    ///
    /// - Complexity: O(1), but for gaps of hidden nodes, 64 a step.
    @inlinable
    @inline(__always)
    public mutating func next() -> OutlineRow? { walk.next() }
  }
}

/// The sign in front of a group.
public enum Disclosure: Sendable {
  /// Its children are shown below it.
  case expanded
  /// It has children, and they are hidden.
  case collapsed
  /// It has no children, and so nothing to open; it is a group nevertheless, never a leaf.
  case empty
}
