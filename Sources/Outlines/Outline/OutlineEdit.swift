/// A change of an outline's nodes, for a batch.
public enum OutlineEdit<Value: Identifiable & Sendable>: Sendable where Value.ID: Sendable {
  /// Adds a node without children.
  ///
  /// - `isGroup`: Whether it is a group though it has no children yet.
  /// - `under`: The parent, which becomes a group if it is none; `nil` for a root.
  /// - `at`: The number of siblings that precede it; `nil` for the last place.
  case insert(Value, isGroup: Bool = false, under: Value.ID? = nil, at: Int? = nil)

  /// Adds a node without children in front of the sibling with an id.
  case insertBefore(Value.ID, Value, isGroup: Bool = false)

  /// Adds a node without children behind the sibling with an id.
  case insertAfter(Value.ID, Value, isGroup: Bool = false)

  /// Removes a node and all below it; one that went with an ancestor in the same batch is removed
  /// already.
  case remove(Value.ID)

  /// Moves a node and all below it.
  ///
  /// - `under`: The new parent, neither the node nor below it; becomes a group if it is none.
  /// - `at`: The number of siblings, without the node itself, that precede it afterwards; `nil` for
  ///   the last place.
  case move(Value.ID, under: Value.ID? = nil, at: Int? = nil)

  /// Puts another value in the place of the one with the same id.
  case update(Value)

  /// Gives the children of a node, or the roots for `nil`, another order, which names each once.
  case reorder(childrenOf: Value.ID?, to: [Value.ID])
}
