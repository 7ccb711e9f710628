/// What a change of an outline did to its rows, as a table view wants to hear it.
///
/// The outline, which is the table's data source, has changed already. The table then follows in
/// two steps, as UIKit's `performBatchUpdates` demands:
///
/// 1. In one batch: rows of ``removed`` go and rows of ``moved`` leave their old places, all
///    numbered as before the change; rows of ``inserted`` and of ``moved`` come, all numbered as
///    after it.
/// 2. Rows of ``redrawn``, numbered as after the change, are redrawn.
///
/// The ranges of each list rise, are not empty and do not touch, except those of ``moved``.
public struct RowChanges: Sendable, Hashable {
  /// Rows that stay together on their way to another place.
  public struct Move: Sendable, Hashable {
    /// Numbered as before the change.
    public internal(set) var from: Range<Int>
    /// Numbered as after the change; as many rows.
    public internal(set) var to: Range<Int>
  }

  /// Nothing changed.
  public static let none = RowChanges()

  /// Rows that went, numbered as before the change.
  public internal(set) var removed: [Range<Int>]

  /// Rows that came, numbered as after the change.
  public internal(set) var inserted: [Range<Int>]

  /// Rows that were shown before and are shown elsewhere now, in the order of their new places.
  public internal(set) var moved: [Move]

  /// Rows that were shown before and look different now, numbered as after the change.
  ///
  /// A row looks different when any property of ``OutlineRow`` beside the position has changed, its
  /// value was updated, or the lines drawn in front of it (``OutlineState/treeLine(of:style:limit:)``)
  /// have changed.
  public internal(set) var redrawn: [Range<Int>]

  package init(
    removed: [Range<Int>] = [],
    inserted: [Range<Int>] = [],
    moved: [Move] = [],
    redrawn: [Range<Int>] = []
  ) {
    self.removed = removed
    self.inserted = inserted
    self.moved = moved
    self.redrawn = redrawn
  }

  /// The contents of the group at `row` came.
  init(showing count: Int, below row: Int) {
    self.init(inserted: Self.ranges(row + 1..<row + 1 + count), redrawn: [row..<row + 1])
  }

  /// The contents of the group at `row` went.
  init(hiding count: Int, below row: Int) {
    self.init(removed: Self.ranges(row + 1..<row + 1 + count), redrawn: [row..<row + 1])
  }

  /// Only one row looks different.
  package init(redrawing row: Int) { self.init(redrawn: [row..<row + 1]) }

  /// Adds a row, numbered as after the change, to those that are redrawn.
  package mutating func redraw(_ row: Int) {
    redrawn = (redrawn + [row..<row + 1]).united()
  }

  /// Whether every row stayed in its place and looks as it did.
  ///
  /// - Complexity: O(1).
  public var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && moved.isEmpty && redrawn.isEmpty
  }

  private static func ranges(_ range: Range<Int>) -> [Range<Int>] { range.isEmpty ? [] : [range] }
}

extension RowChanges {
  /// Follows the change in an array that holds something for each row.
  ///
  /// - Parameters:
  ///   - list: One element for each row before the change; afterwards one for each row after it.
  ///   - element: Makes the element of a row, numbered as after the change; asked for inserted and
  ///     redrawn rows only.
  /// - Complexity: O(rows).
  public func apply<Element>(to list: inout [Element], element: (Int) -> Element) {
    var staying = RowGaps(removed + moved.map(\.from))
    var arriving = moved.flatMap { move in
      zip(move.to, move.from).map { (row: $0, element: list[$1]) }
    }
    arriving += inserted.joined().map { (row: $0, element: element($0)) }
    arriving.sort { $0.row < $1.row }
    var result: [Element] = []
    result.reserveCapacity(list.count)
    var rest = arriving[...]
    func takeArrived() {
      while let next = rest.first, next.row == result.count {
        result.append(next.element)
        rest.removeFirst()
      }
    }
    for row in list.indices where staying.keeps(row) {
      takeArrived()
      result.append(list[row])
    }
    takeArrived()
    list = result
    for row in redrawn.joined() { list[row] = element(row) }
  }
}

/// Tells, for rows asked in rising order, whether they are in none of some ranges.
private struct RowGaps {
  private var ranges: ArraySlice<Range<Int>>

  init(_ ranges: [Range<Int>]) {
    self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }[...]
  }

  mutating func keeps(_ row: Int) -> Bool {
    while let first = ranges.first, first.upperBound <= row { ranges.removeFirst() }
    return ranges.first.map { !$0.contains(row) } ?? true
  }
}
