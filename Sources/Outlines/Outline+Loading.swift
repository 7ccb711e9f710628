import OutlineEngine

extension Outline {
  /// Whether the children of a group are there; `nil` for an id that no value has.
  ///
  /// - Complexity: O(1).
  public func childrenState(of id: ID) -> ChildrenState? {
    position(of: id).map { childrenState(at: $0) }
  }

  /// Says that the children of a group were not asked for yet: it shows as closed, not as empty.
  ///
  /// - Throws: `OutlineError` when there is no such node, or it is a leaf.
  /// - Complexity: O(1).
  @discardableResult
  public mutating func setNotLoaded(_ id: ID) throws(OutlineError<ID>) -> RowChanges {
    try setChildrenState(.notLoaded, of: id)
  }

  /// Says that the children of a group are on their way, and opens it for the time when they come.
  ///
  /// - Throws: `OutlineError` when there is no such node, or it is a leaf.
  /// - Complexity: O(1) for a group without children.
  @discardableResult
  public mutating func beginLoading(_ id: ID) throws(OutlineError<ID>) -> RowChanges {
    let changes = try setChildrenState(.loading, of: id)
    let opening = expand(id)
    return opening.isEmpty ? changes : opening
  }

  /// Puts children that came below their group, or the reason why they did not.
  ///
  /// - Parameters:
  ///   - id: The group; it shows the children if it was not closed meanwhile.
  ///   - children: Added after those that are there, or an error: it stays with the group, which is
  ///     closed and can be tried again.
  ///   - areGroups: Whether the children are groups; their own children are not loaded then.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when there is no such node, it is a leaf, or an id is not new; nothing
  ///   has changed then.
  /// - Complexity: As of ``insert(contentsOf:areGroups:under:at:)``.
  @discardableResult
  public mutating func finishLoading(
    _ id: ID,
    _ children: Result<[Value], any Error>,
    areGroups: (Value) -> Bool = { _ in false }
  ) throws(OutlineError<ID>) -> RowChanges {
    switch children {
    case .success(let values): try addLoaded(values, to: id, areGroups: areGroups)
    case .failure(let error): try failLoading(id, error)
    }
  }

  private mutating func addLoaded(
    _ values: [Value],
    to id: ID,
    areGroups: (Value) -> Bool
  ) throws(OutlineError<ID>) -> RowChanges {
    _ = try group(id)
    let groups = values.filter(areGroups)
    var changes =
      try groups.isEmpty
      ? insert(contentsOf: values, under: id)
      : insertEach(values, groups: Set(groups.map(\.id)), under: id)
    unloaded[id] = nil
    for group in groups { unloaded[group.id] = .notLoaded }
    if let row = row(of: id) { changes.redraw(row) }
    return changes
  }

  private mutating func insertEach(
    _ values: [Value],
    groups: Set<ID>,
    under id: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    do {
      return try apply(
        values.lazy.map { .insert($0, isGroup: groups.contains($0.id), under: id, at: nil) }
      )
    } catch {
      throw error.reason
    }
  }

  private mutating func failLoading(
    _ id: ID,
    _ error: any Error
  ) throws(OutlineError<ID>) -> RowChanges {
    let changes = try setChildrenState(.failed(error), of: id)
    let closing = collapse(id)
    return closing.isEmpty ? changes : closing
  }

  mutating func setChildrenState(
    _ childrenState: ChildrenState,
    of id: ID
  ) throws(OutlineError<ID>) -> RowChanges {
    let group = try group(id)
    unloaded[id] = childrenState
    return state.row(of: group).map(RowChanges.init(redrawing:)) ?? .none
  }

  func group(_ id: ID) throws(OutlineError<ID>) -> Int {
    let position = try knownPosition(id)
    guard hierarchy.isGroup(position) else { throw .notAGroup(id) }
    return position
  }

  @inlinable
  func childrenState(at position: Int) -> ChildrenState {
    guard !unloaded.isEmpty else { return .loaded }
    return unloaded[values[position].id] ?? .loaded
  }
}
