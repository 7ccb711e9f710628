import OutlineEngine

/// The edits of a batch as they are made on an unfolded copy of the tree.
struct EditBatch<Value: Identifiable & Sendable> where Value.ID: Sendable {
  typealias ID = Value.ID

  private let outline: Outline<Value>
  private(set) var editor: TreeEditor
  /// Values of new nodes; the first has the number that follows the last position.
  private(set) var added: [Value] = []
  private var addedNumbers: [ID: Int] = [:]
  /// Values of old nodes that were replaced, by position, and whether they look different.
  private(set) var updated: [Int: (value: Value, isChanged: Bool)] = [:]

  init(_ outline: Outline<Value>) {
    self.outline = outline
    editor = TreeEditor(outline.hierarchy)
  }

  mutating func apply(_ edit: OutlineEdit<Value>) throws(OutlineError<ID>) {
    switch edit {
    case .insert(let value, let isGroup, let parent, let index):
      try insert(value, isGroup: isGroup, under: parent, at: index)
    case .insertBefore(let sibling, let value, let isGroup):
      try insert(value, isGroup: isGroup, beside: sibling, isAfter: false)
    case .insertAfter(let sibling, let value, let isGroup):
      try insert(value, isGroup: isGroup, beside: sibling, isAfter: true)
    case .remove(let id): try remove(id)
    case .move(let id, let parent, let index): try move(id, under: parent, at: index)
    case .update(let value): try update(value)
    case .reorder(let parent, let order): try reorder(childrenOf: parent, to: order)
    }
  }

  private mutating func insert(
    _ value: Value,
    isGroup: Bool,
    under parent: ID?,
    at index: Int?
  ) throws(OutlineError<ID>) {
    let target = try parentNumber(parent)
    try checkPlace(index, under: target, id: parent)
    editor.link(try add(value, isGroup: isGroup), under: target, at: index)
  }

  private mutating func insert(
    _ value: Value,
    isGroup: Bool,
    beside sibling: ID,
    isAfter: Bool
  ) throws(OutlineError<ID>) {
    let sibling = try number(of: sibling)
    editor.link(try add(value, isGroup: isGroup), beside: sibling, isAfter: isAfter)
  }

  /// Gives a new node its number; it hangs on nothing yet.
  private mutating func add(_ value: Value, isGroup: Bool) throws(OutlineError<ID>) -> Int {
    guard find(value.id) == nil else { throw .duplicateID(value.id) }
    let number = editor.add(isGroup: isGroup)
    added.append(value)
    addedNumbers[value.id] = number
    return number
  }

  /// A node that went with an ancestor is removed already; to remove one twice is a mistake.
  private mutating func remove(_ id: ID) throws(OutlineError<ID>) {
    guard let number = latest(id), !editor.isUnlinked(number) else { throw .unknownID(id) }
    if editor.contains(number) { editor.unlink(number) }
  }

  private mutating func move(
    _ id: ID,
    under parent: ID?,
    at index: Int?
  ) throws(OutlineError<ID>) {
    let node = try number(of: id)
    let target = try parentNumber(parent)
    if let target, let parent, editor.isInside(target, of: node) {
      throw .wouldCreateCycle(moving: id, under: parent)
    }
    try checkPlace(index, under: target, id: parent, without: node)
    editor.unlink(node)
    editor.link(node, under: target, at: index)
  }

  private mutating func update(_ value: Value) throws(OutlineError<ID>) {
    let number = try number(of: value.id)
    if number < outline.count {
      updated[number] = (value, true)
    } else {
      added[number - outline.count] = value
    }
  }

  private mutating func reorder(
    childrenOf parent: ID?,
    to order: [ID]
  ) throws(OutlineError<ID>) {
    let target = try parentNumber(parent)
    let numbers = order.compactMap { find($0) }
    guard numbers.count == order.count, numbers.sorted() == editor.children(of: target).sorted()
    else { throw .notAPermutation(of: parent) }
    editor.reorderChildren(of: target, to: numbers)
  }

  /// Puts values in the place of the children of a group.
  ///
  /// - Parameters:
  ///   - group: Its number.
  ///   - values: A child with the same id stays, with all that is below it; any other id must be new.
  ///   - areGroups: Whether a child is a group; one with children is in any case.
  ///   - isChanged: Whether the value of a child that stays looks different.
  /// - Throws: `OutlineError.duplicateID`.
  mutating func replaceChildren(
    of group: Int,
    with values: [Value],
    areGroups: (Value) -> Bool,
    isChanged: (Value, Value) -> Bool
  ) throws(OutlineError<ID>) {
    var leaving = Set(editor.children(of: group))
    var order: [Int] = []
    for value in values {
      guard let child = find(value.id) else {
        let child = try add(value, isGroup: areGroups(value))
        editor.link(child, under: group, at: nil)
        order.append(child)
        continue
      }
      guard leaving.remove(child) != nil else { throw .duplicateID(value.id) }
      editor.setGroup(child, areGroups(value))
      updated[child] = (value, isChanged(outline.values[child], value))
      order.append(child)
    }
    for child in leaving { editor.unlink(child) }
    editor.reorderChildren(of: group, to: order)
  }

  /// Hangs all nodes of another outline below a parent.
  ///
  /// - Parameters:
  ///   - other: Its ids must be new here, those of `replaced` excepted.
  ///   - parent: Its number; `nil` for roots.
  ///   - index: The number of siblings that precede them; `nil` for the last place.
  ///   - replaced: A subtree that goes; its nodes whose ids come again stay, and have the other's
  ///     place and value.
  ///   - isChanged: Whether a value that stays looks different.
  /// - Throws: `OutlineError.duplicateID`.
  mutating func graft(
    _ other: Outline<Value>,
    under parent: Int?,
    at index: Int?,
    replacing replaced: Range<Int>?,
    isChanged: (Value, Value) -> Bool
  ) throws(OutlineError<ID>) {
    if let replaced { editor.dismantle(replaced) }
    var numbers: [Int] = []
    var rootIndex = index
    for node in other.hierarchy.nodes {
      let number = try take(other, node, from: replaced, isChanged: isChanged)
      numbers.append(number)
      if let parent = other.hierarchy.parent(of: node) {
        editor.link(number, under: numbers[parent], at: nil)
      } else {
        editor.link(number, under: parent, at: rootIndex)
        rootIndex = rootIndex.map { $0 + 1 }
      }
    }
  }

  /// The number of a node of another outline: that of the node in `replaced` with its id, or a new
  /// one.
  private mutating func take(
    _ other: Outline<Value>,
    _ node: Int,
    from replaced: Range<Int>?,
    isChanged: (Value, Value) -> Bool
  ) throws(OutlineError<ID>) -> Int {
    let value = other.values[node]
    let isGroup = other.hierarchy.isGroup(node)
    guard let old = outline.position(of: value.id), replaced?.contains(old) == true else {
      return try add(value, isGroup: isGroup)
    }
    editor.setGroup(old, isGroup)
    let hasOtherState = outline.childrenState(at: old) != other.childrenState(at: node)
    updated[old] = (value, hasOtherState || isChanged(outline.values[old], value))
    return old
  }

  private func number(of id: ID) throws(OutlineError<ID>) -> Int {
    guard let number = find(id) else { throw .unknownID(id) }
    return number
  }

  func parentNumber(_ id: ID?) throws(OutlineError<ID>) -> Int? {
    guard let id else { return nil }
    guard let number = find(id) else { throw .unknownParent(id) }
    return number
  }

  /// The number of the node that has the id now.
  func find(_ id: ID) -> Int? { latest(id).flatMap { editor.contains($0) ? $0 : nil } }

  /// The number of the last node that had the id, in the tree or not.
  private func latest(_ id: ID) -> Int? { addedNumbers[id] ?? outline.position(of: id) }

  mutating func checkPlace(
    _ index: Int?,
    under parent: Int?,
    id: ID?,
    without moving: Int? = nil
  ) throws(OutlineError<ID>) {
    guard let index else { return }
    let isAmong = moving.map { editor.parent(of: $0) == parent } ?? false
    let places = editor.childCount(of: parent) - (isAmong ? 1 : 0)
    guard (0...places).contains(index) else { throw .indexOutOfRange(index, under: id) }
  }
}

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
