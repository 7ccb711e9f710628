import Outlines

extension HistoryStep {
  static let edits: [HistoryStep] = [.insert, .remove, .move, .update, .reorder]
}

extension History {
  /// An edit that may be refused: an id or an index that is wrong now and then.
  mutating func randomEdit(in tree: SlowOutline, _ kind: HistoryStep) -> OutlineEdit<Item> {
    let isFull = tree.all.count > size + size / 4 + 4
    switch isFull ? .remove : kind {
    case .insert where Int.random(in: 0..<3, using: &random) == 0:
      let sibling = tree.all.randomElement(using: &random)?.item.id ?? -1
      let isGroup = Bool.random(using: &random)
      return Bool.random(using: &random)
        ? .insertBefore(sibling, makeItem(), isGroup: isGroup)
        : .insertAfter(sibling, makeItem(), isGroup: isGroup)
    case .insert:
      let (parent, index) = randomPlace(in: tree)
      return .insert(makeItem(), isGroup: Bool.random(using: &random), under: parent, at: index)
    case .remove: return .remove(smallNode(in: tree)?.item.id ?? -1)
    case .move:
      let (parent, index) = randomPlace(in: tree)
      return .move(tree.all.randomElement(using: &random)?.item.id ?? -1, under: parent, at: index)
    case .update:
      let id = tree.all.randomElement(using: &random)?.item.id ?? -1
      return .update(Item(id: id, text: Int.random(in: 0..<50, using: &random)))
    case .reorder:
      let parent = tree.all.randomElement(using: &random)
      let order = tree.family(of: parent).map(\.item.id).shuffled(using: &random)
      return .reorder(childrenOf: parent?.item.id, to: order)
    default: return wrongEdit(in: tree)
    }
  }

  /// Rather a small subtree, so that trees do not vanish.
  mutating func smallNode(in tree: SlowOutline) -> SlowNode? {
    let all = tree.all
    let candidates = (0..<3).compactMap { _ in all.randomElement(using: &random) }
    return candidates.min { $0.below.count < $1.below.count }
  }

  mutating func randomPlace(in tree: SlowOutline) -> (parent: Int?, index: Int?) {
    let parent =
      Int.random(in: 0..<6, using: &random) == 0
      ? nil : tree.all.randomElement(using: &random)
    let count = tree.family(of: parent).count
    let index = Bool.random(using: &random) ? nil : Int.random(in: 0...count, using: &random)
    return (parent?.item.id, index)
  }

  private mutating func wrongEdit(in tree: SlowOutline) -> OutlineEdit<Item> {
    let node = tree.all.randomElement(using: &random)
    let id = node?.item.id ?? -1
    let below = node?.all.randomElement(using: &random)?.item.id ?? -1
    switch Int.random(in: 0..<10, using: &random) {
    case 8: return .insertBefore(id, Item(id: below))
    case 9: return .insertAfter(-4, makeItem())
    case 0: return .insert(Item(id: id), under: below, at: nil)
    case 1: return .insert(makeItem(), under: -7, at: nil)
    case 2: return .insert(makeItem(), under: id, at: (node?.children.count ?? 0) + 1)
    case 3: return .remove(-3)
    case 4: return .move(id, under: below, at: nil)
    case 5: return .move(id, under: nil, at: -1)
    case 6: return .update(Item(id: -9))
    default: return .reorder(childrenOf: id, to: [id])
    }
  }

  /// Makes one edit in both; when the model refuses, the outline must refuse for the same reason.
  mutating func edit(_ kind: HistoryStep) throws -> RowChanges {
    model.goneWithAncestors = []
    let edit = randomEdit(in: model, kind == .refused ? .refused : kind)
    do throws(OutlineError<Int>) {
      try model.apply(edit)
      model.settle()
    } catch {
      try expectRefusal(of: edit, error)
      return .none
    }
    return try perform(edit)
  }

  private mutating func expectRefusal(
    of edit: OutlineEdit<Item>,
    _ reason: OutlineError<Int>
  ) throws {
    do {
      let changes = try perform(edit)
      throw OutlineAccepted(changes: changes)
    } catch let error as OutlineError<Int> where error == reason {
      noteRefusal()
    } catch {
      throw failure("\(edit)", "\(error) instead of \(reason)")
    }
  }

  private mutating func perform(
    _ edit: OutlineEdit<Item>
  ) throws(OutlineError<Int>) -> RowChanges {
    switch edit {
    case .insert(let item, let isGroup, let parent, let index):
      try outline.insert(item, isGroup: isGroup, under: parent, at: index)
    case .insertBefore(let sibling, let item, let isGroup):
      try outline.insert(item, isGroup: isGroup, before: sibling)
    case .insertAfter(let sibling, let item, let isGroup):
      try outline.insert(item, isGroup: isGroup, after: sibling)
    case .remove(let id): try outline.remove(id)
    case .move(let id, let parent, let index): try outline.move(id, under: parent, at: index)
    case .update(let item): try outline.update(item)
    case .reorder(let parent, let order): try outline.reorder(childrenOf: parent, to: order)
    }
  }

  mutating func insertMany() throws -> RowChanges {
    guard model.all.count <= size else { return .none }
    let (parent, index) = randomPlace(in: model)
    let items = (0..<Int.random(in: 0...5, using: &random)).map { _ in makeItem() }
    for (offset, item) in items.enumerated() {
      try model.apply(
        .insert(item, isGroup: false, under: parent, at: index.map { $0 + offset })
      )
    }
    model.settle()
    return try outline.insert(contentsOf: items, under: parent, at: index)
  }

  /// Makes several edits at once, each after those before it.
  mutating func batch(isRefused: Bool) throws -> RowChanges {
    let before = model.copy()
    model.goneWithAncestors = []
    var edits: [OutlineEdit<Item>] = []
    for index in 0..<Int.random(in: 0...8, using: &random) {
      let kind = HistoryStep.edits.randomElement(using: &random) ?? .update
      let gone = model.goneWithAncestors.sorted().randomElement(using: &random)
      if let gone, Bool.random(using: &random) {
        edits.append(.remove(gone))
      } else {
        edits.append(randomEdit(in: model, isRefused && index == 5 ? .refused : kind))
      }
      do throws(OutlineError<Int>) {
        try model.apply(edits[index])
      } catch {
        model = before
        try expectRefusal(of: edits, RefusedEdit(index: index, reason: error))
        return .none
      }
    }
    model.settle()
    return try outline.apply(edits)
  }

  private mutating func expectRefusal(
    of edits: [OutlineEdit<Item>],
    _ refusal: RefusedEdit<Int>
  ) throws {
    do {
      let changes = try outline.apply(edits)
      throw OutlineAccepted(changes: changes)
    } catch let error as RefusedEdit<Int> where error == refusal {
      noteRefusal()
    } catch {
      throw failure("batch", "\(error) instead of \(refusal)")
    }
  }
}

/// The outline did what the model refused.
private struct OutlineAccepted: Error {
  let changes: RowChanges
}
