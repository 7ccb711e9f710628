extension Outline {
  /// A visible node as a list shows it.
  public struct Row: Identifiable, Sendable {
    /// The value.
    public let value: Value
    /// Whether the children of a group are there.
    public let childrenState: ChildrenState
    /// The number of the row.
    public let number: Int
    private let row: OutlineRow

    init(number: Int, value: Value, row: OutlineRow, childrenState: ChildrenState) {
      self.number = number
      self.value = value
      self.row = row
      self.childrenState = childrenState
    }

    /// The value's id.
    public var id: ID { value.id }
    /// The node's position in preorder.
    public var position: Int { row.node }
    /// Number of ancestors; 0 for a root.
    public var level: Int { row.level }
    /// Whether the node is a group, with children or without.
    public var isGroup: Bool { row.isGroup }
    /// Whether no shown sibling follows.
    public var isLastSibling: Bool { row.isLastSibling }
    /// Whether the node matches the filter that is on.
    public var isMatch: Bool { row.isMatch }
    /// Whether a node below matches the filter that is on.
    public var leadsToMatch: Bool { row.leadsToMatch }
    /// The sign in front of a group; `nil` for a leaf.
    ///
    /// - Complexity: O(1).
    public var disclosure: Disclosure? {
      row.disclosure == .empty && !childrenState.isLoaded ? .collapsed : row.disclosure
    }
  }

  /// Number of visible nodes.
  ///
  /// - Complexity: O(1).
  public var rowCount: Int { state.rowCount }

  /// The visible nodes in order; `rows[20..<70]` is a screenful, and costs one.
  ///
  /// - Complexity: O(1).
  public var rows: Rows { Rows(outline: self, rows: state.rows) }

  /// The row that shows the node with an id; `nil` if it is hidden or there is none.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func row(of id: ID) -> Int? { position(of: id).flatMap { state.row(of: $0) } }

  /// The lines that lead to a row, to be put in front of its label; empty for a root.
  ///
  /// - Parameters:
  ///   - row: Its number.
  ///   - style: What the lines are made of.
  ///   - limit: At most so many levels are drawn, the innermost ones.
  /// - Returns: Such as "│  └─ ".
  /// - Complexity: O(log n + `limit`), or O(log n + level) without one.
  public func treeLine(
    atRow row: Int,
    style: TreeLineStyle = .unicode,
    limit: Int = .max
  ) -> String {
    state.treeLine(of: state.node(atRow: row), style: style, limit: limit)
  }

  func disclosure(at position: Int) -> Disclosure? {
    let disclosure = state.disclosure(of: position)
    return disclosure == .empty && !childrenState(at: position).isLoaded ? .collapsed : disclosure
  }

  func makeRow(_ number: Int, _ row: OutlineRow) -> Row {
    Row(
      number: number,
      value: values[row.node],
      row: row,
      childrenState: childrenState(at: row.node)
    )
  }
}

extension Outline {
  /// The rows of an outline, or a range of them, as they were when it was asked.
  ///
  /// A slice keeps the numbers of the whole: its indices are rows.
  public struct Rows: RandomAccessCollection, Sendable {
    private let outline: Outline
    private let rows: OutlineRows

    init(outline: Outline, rows: OutlineRows) {
      self.outline = outline
      self.rows = rows
    }

    public var startIndex: Int { rows.startIndex }
    public var endIndex: Int { rows.endIndex }

    /// - Complexity: O(log n).
    public subscript(row: Int) -> Row { outline.makeRow(row, rows[row]) }

    /// - Complexity: O(1).
    public subscript(range: Range<Int>) -> Rows { Rows(outline: outline, rows: rows[range]) }

    /// Reads the rows in order.
    ///
    /// - Complexity: O(1), and O(1) for each row that is read, but for gaps of hidden nodes, 64 a step.
    public func makeIterator() -> Iterator {
      Iterator(outline: outline, number: startIndex, rows: rows.makeIterator())
    }

    /// Steps from one visible node to the next.
    ///
    /// - Complexity: O(log n) for the first row, then O(1) and a 64th of the nodes passed over.
    public struct Iterator: IteratorProtocol, Sendable {
      fileprivate let outline: Outline
      fileprivate var number: Int
      fileprivate var rows: OutlineRows.Iterator

      /// The next row.
      ///
      /// - Complexity: O(1), but for gaps of hidden nodes, 64 a step.
      public mutating func next() -> Row? {
        guard let row = rows.next() else { return nil }
        defer { number += 1 }
        return outline.makeRow(number, row)
      }
    }
  }
}
