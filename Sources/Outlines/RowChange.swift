/// What a change of an outline did to its rows: some were replaced by others in one place.
///
/// A list that holds a copy of the rows follows by
/// `rows.replaceSubrange(change.removed, with: outline.rows[change.inserted])` and by drawing the
/// row `redrawn` anew.
public struct RowChange: Sendable, Hashable {
  /// Nothing changed.
  public static let none = RowChange(removed: 0..<0, inserted: 0..<0)

  /// Rows that went, numbered as before the change.
  public let removed: Range<Int>

  /// Rows that came in their place, numbered as after the change; begins where `removed` begins.
  public let inserted: Range<Int>

  init(removed: Range<Int>, inserted: Range<Int>) {
    self.removed = removed
    self.inserted = inserted
  }

  /// Rows that came at `row`.
  init(inserting count: Int, at row: Int) {
    self.init(removed: row..<row, inserted: row..<row + count)
  }

  /// Rows that went from `row` on.
  init(removing count: Int, at row: Int) {
    self.init(removed: row..<row + count, inserted: row..<row)
  }

  public var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }

  /// The row that stays and shows another disclosure: the one above the rows that changed.
  ///
  /// It is numbered alike before and after. Every other row whose disclosure changed is itself
  /// among the inserted ones.
  public var redrawn: Int? { isEmpty ? nil : removed.lowerBound - 1 }
}
