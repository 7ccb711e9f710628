import OutlineEngine

extension Outline {
  /// Takes a hierarchy, whose columns may be borrowed memory, and a value for each of its nodes.
  ///
  /// - Parameters:
  ///   - hierarchy: Its columns are used where they are.
  ///   - values: The value of the node at each position; as many as there are nodes.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when ids are not unique.
  /// - Complexity: O(n) hashes.
  @inlinable
  public init(
    _ hierarchy: Hierarchy,
    values: [Value],
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) {
    precondition(values.count == hierarchy.count, "as many values as nodes are needed")
    var duplicates: [(first: Int, index: Int)] = []
    let index = Self.makeIndex(of: values, repeated: &duplicates)
    guard duplicates.isEmpty else {
      throw .invalidNodes(
        InvalidNodes(duplicates: ParentLinks.duplicates(duplicates) { values[$0].id }.map(\.id))
      )
    }
    self.init(
      state: OutlineState(hierarchy, expandedLevels: expandedLevels),
      values: values,
      index: index
    )
  }

  /// Takes values in preorder with the level of each, as an indented list has them.
  ///
  /// - Parameters:
  ///   - levels: The level of each value; the first is 0, and none is more than one deeper than the
  ///     one before.
  ///   - values: As many as there are levels.
  ///   - isGroup: Whether a value without children is a group; one with children is in any case.
  ///   - expandedLevels: Groups whose level is less are opened.
  /// - Throws: `OutlineBuildError.invalidNodes` when ids are not unique, and `.hierarchy` when levels do
  ///   not follow.
  /// - Complexity: O(n) hashes.
  public init(
    levels: [Int32],
    values: [Value],
    isGroup: (Value) -> Bool = { _ in false },
    expandedLevels: Int = 0
  ) throws(OutlineBuildError<ID>) {
    let hierarchy: Hierarchy
    do {
      hierarchy = try Hierarchy(levels: levels) { isGroup(values[$0]) }
    } catch {
      throw .hierarchy(error)
    }
    try self.init(hierarchy, values: values, expandedLevels: expandedLevels)
  }

  @inlinable
  static func makeIndex(
    of values: [Value],
    repeated: inout [(first: Int, index: Int)]
  ) -> IndexTable {
    var index = IndexTable(capacity: values.count)
    values.withUnsafeBufferPointer { values in
      index.fill(
        count: values.count,
        hash: { values[$0].id.hashValue },
        isSame: { values[$0].id == values[$1].id },
        repeated: { repeated.append(($0, $1)) }
      )
    }
    return index
  }
}
