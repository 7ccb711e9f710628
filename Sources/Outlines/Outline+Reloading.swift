import OutlineEngine

extension Outline {
  /// Says that the children of a group are read again; those that are there stay until others come.
  ///
  /// - Throws: `OutlineError` when there is no such node, or it is a leaf.
  /// - Complexity: O(1).
  @discardableResult
  public mutating func beginReloading(_ id: ID) throws(OutlineError<ID>) -> RowChanges {
    try setChildrenState(.loading, of: id)
  }

  /// Puts children that were read again in the place of those of a group.
  ///
  /// A child whose id comes again stays, with all that is below it and what is open there; the others
  /// go. The group stays as open as it was.
  ///
  /// - Parameters:
  ///   - id: The group.
  ///   - children: In their order, or an error: it stays with the group and the children that it has.
  ///   - areGroups: Whether children are groups; one that was none is not loaded then. A child with
  ///     children of its own is a group in any case.
  ///   - isChanged: Whether the second value, with the same id as the first, looks different; every
  ///     child that stays is taken to by default.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when there is no such node, it is a leaf, or an id occurs twice or
  ///   elsewhere in the outline; nothing has changed then.
  /// - Complexity: As of ``apply(_:)``, for as many edits as there are children.
  @discardableResult
  public mutating func finishReloading(
    _ id: ID,
    _ children: Result<[Value], any Error>,
    areGroups: (Value) -> Bool = { _ in false },
    isChanged: (Value, Value) -> Bool = { _, _ in true }
  ) throws(OutlineError<ID>) -> RowChanges {
    let group = try group(id)
    let values: [Value]
    switch children {
    case .success(let children): values = children
    case .failure(let error): return try setChildrenState(.failed(error), of: id)
    }
    var batch = EditBatch(self)
    try batch.replaceChildren(of: group, with: values, areGroups: areGroups, isChanged: isChanged)
    let before = hierarchy
    let oldPositions = values.map { position(of: $0.id) }
    var changes = finish(batch)
    unloaded[id] = nil
    for (value, old) in zip(values, oldPositions) {
      let wasGroup = old.map(before.isGroup) ?? false
      let isGroup = self[value.id]?.isGroup ?? false
      guard wasGroup != isGroup else { continue }
      unloaded[value.id] = isGroup ? .notLoaded : nil
    }
    if let row = row(of: id) { changes.redraw(row) }
    return changes
  }
}
