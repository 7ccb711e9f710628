import OutlineEngine

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
      NodePermutation.ordering(linked.inputs, of: count),
      added: [],
      updated: [:]
    )
  }

  /// Takes over the edits of a batch.
  ///
  /// - Parameters:
  ///   - batch: Its edits.
  ///   - grafted: For the numbers of all nodes by their new positions, an outline whose nodes the
  ///     batch put in a row, and the position of the first; what is open in it is open here.
  /// - Returns: What became of the rows.
  mutating func finish(
    _ batch: consuming EditBatch<Value>,
    grafted: ((_ numbers: [Int32]) -> (other: Outline, position: Int))? = nil
  ) -> RowChanges {
    let (hierarchy, numbers) = batch.editor.finish()
    let oldCount = count
    let added = numbers.lazy.filter { $0 >= oldCount }.map { batch.added[Int($0) - oldCount] }
    let order = numbers.map { $0 < oldCount ? $0 : -1 }
    let graft = grafted.map { $0(numbers) }
    return replaceShape(
      by: hierarchy,
      NodePermutation.ordering(order, of: oldCount),
      added: Array(added),
      updated: batch.updated,
      openness: graft?.other.state.openness(at: graft?.position ?? 0, of: numbers.count)
    )
  }

  private mutating func replaceShape(
    by hierarchy: Hierarchy,
    _ change: NodePermutation,
    added: [Value],
    updated: [Int: (value: Value, isChanged: Bool)],
    openness: ExpansionState? = nil
  ) -> RowChanges {
    stamp = ShapeIdentity()
    for (position, update) in updated { values[position] = update.value }
    let numbers = change.windowNumbers()
    if !unloaded.isEmpty {
      for (position, number) in numbers.enumerated() where number < 0 {
        unloaded[values[position].id] = nil
      }
    }
    values.carry(change, added: added)
    index.renumber { numbers[$0] < 0 ? nil : Int(numbers[$0]) }
    for position in change.newNodes.joined() {
      _ = index.insert(position, hash: values[position].id.hashValue) { _ in false }
    }
    return state.replace(by: hierarchy, change, openness: openness) { old, _ in
      updated[old]?.isChanged ?? false
    }
  }
}
