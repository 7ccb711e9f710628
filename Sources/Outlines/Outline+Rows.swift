import OutlineEngine

extension Outline {
  /// A visible node as a list shows it.
  public struct Row: Identifiable, Sendable {
    /// The value.
    public let value: Value
    /// Whether the children of a group are there.
    public let childrenState: ChildrenState
    @usableFromInline let rowNumber: Int32
    @usableFromInline let row: OutlineRow

    @inlinable
    init(number: Int, value: Value, row: OutlineRow, childrenState: ChildrenState) {
      rowNumber = Int32(truncatingIfNeeded: number)
      self.value = value
      self.row = row
      self.childrenState = childrenState
    }

    /// The value's id.
    @inlinable public var id: ID { value.id }
    /// The number of the row.
    @inlinable public var number: Int { Int(rowNumber) }
    /// The node's position in preorder.
    @inlinable public var position: Int { row.node }
    /// Number of ancestors; 0 for a root.
    @inlinable public var level: Int { row.level }
    /// Whether the node is a group, with children or without.
    @inlinable public var isGroup: Bool { row.isGroup }
    /// Whether no shown sibling follows.
    @inlinable public var isLastSibling: Bool { row.isLastSibling }
    /// Whether the node matches the filter that is on.
    @inlinable public var isMatch: Bool { row.isMatch }
    /// Whether a node below matches the filter that is on.
    @inlinable public var leadsToMatch: Bool { row.leadsToMatch }
    /// The sign in front of a group; `nil` for a leaf.
    ///
    /// - Complexity: O(1).
    @inlinable public var disclosure: Disclosure? {
      row.disclosure == .empty && !childrenState.isLoaded ? .collapsed : row.disclosure
    }
  }

  /// Number of visible nodes.
  ///
  /// - Complexity: O(1).
  @inlinable public var rowCount: Int { state.rowCount }

  /// The visible nodes in order; `rows[20..<70]` is a screenful, and costs one.
  ///
  /// - Complexity: O(1).
  @inlinable public var rows: Rows {
    @inline(__always) get { Rows(outline: self, bounds: 0..<rowCount) }
  }

  /// A visible node by the number of its row: as `rows[row]`, without a copy of the outline on the
  /// way.
  ///
  /// - Complexity: O(log n).
  @inlinable
  public func row(at row: Int) -> Row { makeRow(row, state.presentation(ofRow: row)) }

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

  @inlinable
  @inline(__always)
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
    @usableFromInline let outline: Outline
    @usableFromInline let bounds: Range<Int>

    @inlinable
    init(outline: Outline, bounds: Range<Int>) {
      self.outline = outline
      self.bounds = bounds
    }

    @inlinable public var startIndex: Int { bounds.lowerBound }
    @inlinable public var endIndex: Int { bounds.upperBound }

    /// - Complexity: O(log n).
    @inlinable
    public subscript(row: Int) -> Row {
      @inline(__always)
      get {
        precondition(bounds.contains(row), "row outside the range")
        return outline.makeRow(row, outline.state.presentation(ofRow: row))
      }
    }

    /// - Complexity: O(1).
    @inlinable
    public subscript(range: Range<Int>) -> Rows {
      precondition(
        bounds.lowerBound <= range.lowerBound && range.upperBound <= bounds.upperBound,
        "rows outside the range"
      )
      return Rows(outline: outline, bounds: range)
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
      @usableFromInline let values: [Value]
      @usableFromInline let unloaded: [ID: ChildrenState]
      @usableFromInline var number: Int
      @usableFromInline var walk: VisibleNodeIterator

      @inlinable
      init(_ outline: Outline, _ rows: Range<Int>) {
        values = outline.values
        unloaded = outline.unloaded
        number = rows.lowerBound
        walk = VisibleNodeIterator(outline.state, rows)
      }

      /// The next row.
      ///
      /// - Complexity: O(1), but for gaps of hidden nodes, 64 a step.
      @inlinable
      @inline(__always)
      public mutating func next() -> Row? {
        guard let row = walk.next() else { return nil }
        defer { number &+= 1 }
        let value = values[row.node]
        let childrenState = unloaded.isEmpty ? .loaded : unloaded[value.id] ?? .loaded
        return Row(number: number, value: value, row: row, childrenState: childrenState)
      }
    }
  }
}
