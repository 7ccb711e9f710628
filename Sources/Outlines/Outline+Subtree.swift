import OutlineEngine

extension Outline {
  /// A node and all below it as an outline of its own, with what is open and always open in it and
  /// which children are loaded, and without a filter; `nil` for an id that no value has.
  ///
  /// - Complexity: O(nodes of the subtree) hashes.
  public func subtree(of id: ID) -> Outline? {
    guard let node = position(of: id) else { return nil }
    let nodes = hierarchy.subtree(of: node)
    guard var subtree = try? Outline(hierarchy.part(nodes), values: Array(values[nodes])) else {
      preconditionFailure("ids that are unique in the whole and not in a part")
    }
    subtree.state = state.part(nodes, with: subtree.hierarchy)
    if !unloaded.isEmpty {
      for value in subtree.values { subtree.unloaded[value.id] = unloaded[value.id] }
    }
    return subtree
  }

  /// Adds all nodes of another outline, with what is open and always open in it and which children
  /// are loaded.
  ///
  /// - Parameters:
  ///   - other: Its ids must be new. A filter that is on in it does not count.
  ///   - parent: The parent of its roots, which becomes a group if it is none; `nil` for roots.
  ///   - index: The number of siblings that precede them; `nil` for the last place.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when an id is not new, there is no such parent or no such place.
  /// - Complexity: As of ``apply(_:)``, for as many edits as `other` has nodes.
  @discardableResult
  public mutating func insert(
    subtree other: Outline,
    under parent: ID? = nil,
    at index: Int? = nil
  ) throws(OutlineError<ID>) -> RowChanges {
    var batch = EditBatch(self)
    let target = try batch.parentNumber(parent)
    try batch.checkPlace(index, under: target, id: parent)
    try batch.graft(other, under: target, at: index, replacing: nil) { _, _ in true }
    return finish(batch, with: other)
  }

  /// Puts all nodes of another outline in the place of a node and all below it.
  ///
  /// Nodes below, and the node itself, stay when their ids come again; they match the filter that is
  /// on if they did. What is open and always open, and which children are loaded, is as in the other
  /// outline for all of them.
  ///
  /// - Parameters:
  ///   - id: The node, whose place the other's roots take among its siblings.
  ///   - other: Its ids must be new, or be in the subtree. A filter that is on in it does not count.
  ///   - isChanged: Whether the second value, with the same id as the first, looks different; every
  ///     value that stays is taken to by default.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when there is no such node, or an id is elsewhere.
  /// - Complexity: As of ``apply(_:)``, for as many edits as `other` and the subtree have nodes.
  @discardableResult
  public mutating func replaceSubtree(
    of id: ID,
    with other: Outline,
    isChanged: (Value, Value) -> Bool = { _, _ in true }
  ) throws(OutlineError<ID>) -> RowChanges {
    let node = try knownPosition(id)
    var batch = EditBatch(self)
    try batch.graft(
      other,
      under: hierarchy.parent(of: node),
      at: hierarchy.childIndex(of: node),
      replacing: hierarchy.subtree(of: node),
      isChanged: isChanged
    )
    return finish(batch, with: other)
  }

  private mutating func finish(
    _ batch: consuming EditBatch<Value>,
    with other: Outline
  ) -> RowChanges {
    guard let first = other.values.first.flatMap({ batch.find($0.id) }) else {
      return finish(batch)
    }
    if !unloaded.isEmpty {
      for value in other.values { unloaded[value.id] = nil }
    }
    let changes = finish(batch) { numbers in
      (other, numbers.firstIndex(of: Int32(first)) ?? 0)
    }
    unloaded.merge(other.unloaded) { $1 }
    return changes
  }
}
