/// The edits of a batch as they are made on an unfolded copy of the tree.
struct EditBatch<Value: Identifiable & Sendable> where Value.ID: Sendable {
  typealias ID = Value.ID

  private let outline: Outline<Value>
  private(set) var editor: TreeEditor
  /// Values of new nodes; the first has the number that follows the last position.
  private(set) var added: [Value] = []
  private var addedNumbers: [ID: Int] = [:]
  /// Values of old nodes that were replaced, by position.
  private(set) var updated: [Int: Value] = [:]

  init(_ outline: Outline<Value>) {
    self.outline = outline
    editor = TreeEditor(outline.hierarchy)
  }

  mutating func apply(_ edit: OutlineEdit<Value>) throws(OutlineError<ID>) {
    switch edit {
    case .insert(let value, let isGroup, let parent, let index):
      try insert(value, isGroup: isGroup, under: parent, at: index)
    case .remove(let id): editor.unlink(try number(of: id))
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
    try checkPlace(index, under: target, id: parent, without: nil)
    guard find(value.id) == nil else { throw .duplicateID(value.id) }
    let number = editor.add(isGroup: isGroup)
    added.append(value)
    addedNumbers[value.id] = number
    editor.link(number, under: target, at: index)
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
      updated[number] = value
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

  private func number(of id: ID) throws(OutlineError<ID>) -> Int {
    guard let number = find(id) else { throw .unknownID(id) }
    return number
  }

  private func parentNumber(_ id: ID?) throws(OutlineError<ID>) -> Int? {
    guard let id else { return nil }
    guard let number = find(id) else { throw .unknownParent(id) }
    return number
  }

  /// The number of the node that has the id now: the latest of those that had it.
  private func find(_ id: ID) -> Int? {
    let number = addedNumbers[id] ?? outline.position(of: id)
    return number.flatMap { editor.contains($0) ? $0 : nil }
  }

  private mutating func checkPlace(
    _ index: Int?,
    under parent: Int?,
    id: ID?,
    without moving: Int?
  ) throws(OutlineError<ID>) {
    guard let index else { return }
    let isAmong = moving.map { editor.parent(of: $0) == parent } ?? false
    let places = editor.childCount(of: parent) - (isAmong ? 1 : 0)
    guard (0...places).contains(index) else { throw .indexOutOfRange(index, under: id) }
  }
}
