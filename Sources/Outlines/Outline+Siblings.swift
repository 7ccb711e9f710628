import OutlineEngine

extension Outline {
  /// Adds a node without children in front of a sibling.
  ///
  /// - Parameters:
  ///   - value: Its id must be new.
  ///   - isGroup: Whether it is a group though it has no children yet.
  ///   - sibling: The node that follows it afterwards, a child of the same parent.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when the id is not new or there is no such sibling.
  /// - Complexity: O(n) moves of memory.
  @discardableResult
  public mutating func insert(
    _ value: Value,
    isGroup: Bool = false,
    before sibling: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    try insert(contentsOf: [value], areGroups: isGroup, before: sibling)
  }

  /// Adds a node without children behind a sibling and all that is below the sibling.
  ///
  /// - Parameters:
  ///   - value: Its id must be new.
  ///   - isGroup: Whether it is a group though it has no children yet.
  ///   - sibling: The node that precedes it afterwards, a child of the same parent.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when the id is not new or there is no such sibling.
  /// - Complexity: O(n) moves of memory.
  @discardableResult
  public mutating func insert(
    _ value: Value,
    isGroup: Bool = false,
    after sibling: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    try insert(contentsOf: [value], areGroups: isGroup, after: sibling)
  }

  /// Adds several nodes without children in front of a sibling.
  ///
  /// - Parameters:
  ///   - added: Their ids must be new and differ.
  ///   - areGroups: Whether they are groups though they have no children yet.
  ///   - sibling: The node that follows them afterwards, a child of the same parent.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when an id is not new or there is no such sibling.
  /// - Complexity: O(n) moves of memory, and O(count of `added`).
  @discardableResult
  public mutating func insert(
    contentsOf added: [Value],
    areGroups: Bool = false,
    before sibling: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    let node = try knownPosition(sibling)
    return try insert(
      added,
      areGroups: areGroups,
      under: hierarchy.parent(of: node),
      inFrontOf: node
    )
  }

  /// Adds several nodes without children behind a sibling and all that is below the sibling.
  ///
  /// - Parameters:
  ///   - added: Their ids must be new and differ.
  ///   - areGroups: Whether they are groups though they have no children yet.
  ///   - sibling: The node that precedes them afterwards, a child of the same parent.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when an id is not new or there is no such sibling.
  /// - Complexity: O(n) moves of memory, and O(count of `added`).
  @discardableResult
  public mutating func insert(
    contentsOf added: [Value],
    areGroups: Bool = false,
    after sibling: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    let node = try knownPosition(sibling)
    return try insert(
      added,
      areGroups: areGroups,
      under: hierarchy.parent(of: node),
      inFrontOf: hierarchy.subtree(of: node).upperBound
    )
  }
}
