import OutlineEngine

extension Outline {
  /// Adds a node without children.
  ///
  /// - Parameters:
  ///   - value: Its id must be new.
  ///   - isGroup: Whether it is a group though it has no children yet.
  ///   - parent: Becomes a group if it is none; `nil` for a root.
  ///   - index: The number of siblings that precede it; `nil` for the last place.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when the id is not new, there is no such parent or no such place.
  /// - Complexity: O(n) moves of memory, and O(`index`).
  @discardableResult
  public mutating func insert(
    _ value: Value,
    isGroup: Bool = false,
    under parent: ID? = nil,
    at index: Int? = nil
  ) throws(OutlineError<ID>) -> RowChanges {
    try insert(contentsOf: [value], areGroups: isGroup, under: parent, at: index)
  }

  /// Adds a node without children as the last child of a parent, or as the last root.
  ///
  /// - Throws: `OutlineError` when the id is not new or there is no such parent.
  /// - Complexity: O(n) moves of memory.
  @discardableResult
  public mutating func append(
    _ value: Value,
    isGroup: Bool = false,
    under parent: ID? = nil
  ) throws(OutlineError<ID>) -> RowChanges {
    try insert(contentsOf: [value], areGroups: isGroup, under: parent, at: nil)
  }

  /// Adds several siblings without children.
  ///
  /// - Parameters:
  ///   - added: Their ids must be new and differ.
  ///   - areGroups: Whether they are groups though they have no children yet.
  ///   - parent: Becomes a group if it is none; `nil` for roots.
  ///   - index: The number of siblings that precede them; `nil` for the last place.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when an id is not new, there is no such parent or no such place.
  /// - Complexity: O(n) moves of memory, and O(`index` + count of `added`).
  @discardableResult
  public mutating func insert(
    contentsOf added: [Value],
    areGroups: Bool = false,
    under parent: ID? = nil,
    at index: Int? = nil
  ) throws(OutlineError<ID>) -> RowChanges {
    let parent = try parentPosition(parent)
    let position = try place(at: index, under: parent)
    return try insert(added, areGroups: areGroups, under: parent, inFrontOf: position)
  }

  /// Adds siblings in front of the node at `position`, which ends a subtree of the family.
  mutating func insert(
    _ added: [Value],
    areGroups: Bool,
    under parent: Int?,
    inFrontOf position: Int
  ) throws(OutlineError<ID>) -> RowChanges {
    try checkNew(added)
    guard !added.isEmpty else { return .none }
    let groups = [Bool](repeating: areGroups, count: added.count)
    let edit = state.insert(groups: groups, under: parent, at: position)
    follow(edit.change, added: added)
    return edit.rows
  }

  /// Removes a node and all below it, and forgets them: what was open there is closed if they come
  /// back.
  ///
  /// - Throws: `OutlineError.unknownID`.
  /// - Complexity: O(n) moves of memory, in place when no copy of the outline is about.
  @discardableResult
  public mutating func remove(_ id: ID) throws(OutlineError<ID>) -> RowChanges {
    let position = try knownPosition(id)
    forget(hierarchy.subtree(of: position))
    let edit = state.remove(position)
    follow(edit.change, added: [])
    return edit.rows
  }

  /// Moves a node and all below it; what is open stays open.
  ///
  /// - Parameters:
  ///   - id: The node.
  ///   - parent: The new parent, neither the node nor below it; becomes a group if it is none.
  ///   - index: The number of siblings, without the node itself, that precede it afterwards; `nil`
  ///     for the last place.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when there is no such node, parent or place, or the parent is inside
  ///   the node.
  /// - Complexity: O(nodes between the two places), O(n / 64 + slots of the hash table), O(`index`).
  @discardableResult
  public mutating func move(
    _ id: ID,
    under parent: ID? = nil,
    at index: Int? = nil
  ) throws(OutlineError<ID>) -> RowChanges {
    let node = try knownPosition(id)
    let target = try parentPosition(parent)
    if let target, let parent, hierarchy.subtree(of: node).contains(target) {
      throw .wouldCreateCycle(moving: id, under: parent)
    }
    let position = try place(at: index, under: target, without: node)
    let edit = state.move(node, under: target, at: position)
    follow(edit.change, added: [])
    return edit.rows
  }

  /// Puts another value in the place of the one with the same id.
  ///
  /// - Throws: `OutlineError.unknownID`.
  /// - Complexity: O(1).
  @discardableResult
  public mutating func update(_ value: Value) throws(OutlineError<ID>) -> RowChanges {
    let position = try knownPosition(value.id)
    values[position] = value
    return state.row(of: position).map(RowChanges.init(redrawing:)) ?? .none
  }

  /// Gives the children of a node, or the roots for `nil`, another order.
  ///
  /// - Parameters:
  ///   - parent: The node, or `nil`.
  ///   - order: The ids of all its children.
  /// - Returns: What became of the rows.
  /// - Throws: `OutlineError` when there is no such parent, or the order does not name each child
  ///   once.
  /// - Complexity: O(nodes below the parent + k log k for k children), and O(n / 64 + slots of the
  ///   hash table).
  @discardableResult
  public mutating func reorder(
    childrenOf parent: ID?,
    to order: [ID]
  ) throws(OutlineError<ID>) -> RowChanges {
    let node = try parentPosition(parent)
    let positions = order.compactMap { position(of: $0) }
    let children = Array(node.map(hierarchy.children) ?? hierarchy.roots)
    guard positions.count == order.count, positions.sorted() == children else {
      throw .notAPermutation(of: parent)
    }
    let edit = state.reorderChildren(of: node, to: positions)
    follow(edit.change, added: [])
    return edit.rows
  }
}

extension Outline {
  func knownPosition(_ id: ID) throws(OutlineError<ID>) -> Int {
    guard let position = position(of: id) else { throw .unknownID(id) }
    return position
  }

  private func parentPosition(_ id: ID?) throws(OutlineError<ID>) -> Int? {
    guard let id else { return nil }
    guard let position = position(of: id) else { throw .unknownParent(id) }
    return position
  }

  private func checkNew(_ added: [Value]) throws(OutlineError<ID>) {
    var seen: Set<ID> = []
    for value in added where contains(value.id) || !seen.insert(value.id).inserted {
      throw .duplicateID(value.id)
    }
  }

  /// The position in front of which a child comes when `index` others, without `moving`, precede it.
  private func place(
    at index: Int?,
    under parent: Int?,
    without moving: Int? = nil
  ) throws(OutlineError<ID>) -> Int {
    let end = parent.map { hierarchy.subtree(of: $0).upperBound } ?? count
    guard let index else { return end }
    let parentID = parent.map { values[$0].id }
    guard index >= 0 else { throw .indexOutOfRange(index, under: parentID) }
    var others = 0
    for child in parent.map(hierarchy.children) ?? hierarchy.roots where child != moving {
      if others == index { return child }
      others += 1
    }
    guard others == index else { throw .indexOutOfRange(index, under: parentID) }
    return end
  }

  /// Takes the ids of nodes that go out of the tables.
  private mutating func forget(_ nodes: Range<Int>) {
    if !unloaded.isEmpty {
      for node in nodes { unloaded[values[node].id] = nil }
    }
    // Of many ids it is cheaper to rebuild the table, which `follow` does.
    guard !isLarge(nodes) else { return }
    for node in nodes { index.remove(node, hash: values[node].id.hashValue) }
  }

  private func isLarge(_ nodes: Range<Int>) -> Bool { nodes.count > count / 8 }

  /// Carries values and positions along after a change of the shape.
  private mutating func follow(_ change: NodePermutation, added: [Value]) {
    stamp = ShapeIdentity()
    values.carry(change, added: added)
    if change.pieces.contains(where: { $0.source != nil }) {
      index.renumber(change.window, with: change.windowNumbers())
    } else if isLargeRemoval(change) {
      index.renumber { $0 < change.window.lowerBound ? $0 : change.newPosition(of: $0) }
    } else if change.shift != 0 {
      index.shift(from: change.window.upperBound, by: change.shift)
    }
    for position in change.window.lowerBound..<change.window.lowerBound + added.count {
      _ = index.insert(position, hash: values[position].id.hashValue) { _ in false }
    }
  }

  private func isLargeRemoval(_ change: NodePermutation) -> Bool {
    change.window.count > change.oldCount / 8
  }
}
