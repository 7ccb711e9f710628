extension Outline {
  /// Applies edits one after the other, in one pass over the outline.
  ///
  /// Each edit finds what those before it left. When one of them cannot be done, none is.
  ///
  /// - Parameter edits: What is open is kept by id; a node that is removed and inserted again is
  ///   new, and closed.
  /// - Returns: What became of the rows in all; rows that moved are named as moved.
  /// - Throws: `RefusedEdit` for the first edit that cannot be done.
  /// - Complexity: O(n + k log k) for k edits, beside the level of the nodes and parents they name,
  ///   and their indices among siblings where those do not follow one another; without recursion;
  ///   some 30 bytes for each node meanwhile.
  @discardableResult
  public mutating func apply(
    _ edits: some Sequence<OutlineEdit<Value>>
  ) throws(RefusedEdit<ID>) -> RowChanges {
    var batch = EditBatch(self)
    for (index, edit) in edits.enumerated() {
      do {
        try batch.apply(edit)
      } catch {
        throw RefusedEdit(index: index, reason: error)
      }
    }
    return finish(batch)
  }

  /// Sorts the children of every node, and the roots.
  ///
  /// - Parameter areInIncreasingOrder: Whether the first goes before its sibling, the second;
  ///   siblings that compare equal keep their order.
  /// - Returns: What became of the rows.
  /// - Complexity: O(n), O(k log k) comparisons for each family of k, and O(p log p) for p runs of
  ///   nodes that stay together.
  @discardableResult
  public mutating func sort(by areInIncreasingOrder: (Value, Value) -> Bool) -> RowChanges {
    let old = values
    let hierarchy = hierarchy
    let linked = Hierarchy.link(
      parents: Array(hierarchy.parents),
      isGroup: { hierarchy.isGroup($0) },
      by: { areInIncreasingOrder(old[$0], old[$1]) }
    )
    return replaceShape(
      by: linked.hierarchy,
      Rearrangement.ordering(linked.inputs, of: count),
      added: [],
      updated: [:]
    )
  }

  private mutating func finish(_ batch: consuming EditBatch<Value>) -> RowChanges {
    let (hierarchy, numbers) = batch.editor.finish()
    let oldCount = count
    let added = numbers.lazy.filter { $0 >= oldCount }.map { batch.added[Int($0) - oldCount] }
    let order = numbers.map { $0 < oldCount ? $0 : -1 }
    return replaceShape(
      by: hierarchy,
      Rearrangement.ordering(order, of: oldCount),
      added: Array(added),
      updated: batch.updated
    )
  }

  private mutating func replaceShape(
    by hierarchy: Hierarchy,
    _ change: Rearrangement,
    added: [Value],
    updated: [Int: Value]
  ) -> RowChanges {
    stamp = ShapeStamp()
    for (position, value) in updated { values[position] = value }
    let numbers = change.windowNumbers()
    if !unloaded.isEmpty {
      for (position, number) in numbers.enumerated() where number < 0 {
        unloaded[values[position].id] = nil
      }
    }
    values.carry(change, added: added)
    index.renumber { numbers[$0] < 0 ? nil : Int(numbers[$0]) }
    var target = 0
    for piece in change.pieces {
      defer { target += piece.count }
      guard piece.source == nil else { continue }
      for position in target..<target + piece.count {
        _ = index.insert(position, hash: values[position].id.hashValue) { _ in false }
      }
    }
    return state.replace(by: hierarchy, change) { old, _ in updated[old] != nil }
  }
}
