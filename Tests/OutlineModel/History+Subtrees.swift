import Outlines

extension History {
  mutating func insertSubtree() throws -> RowChanges {
    guard model.all.count <= size else { return .none }
    let tree = randomTree(count: Int.random(in: 0...6, using: &random))
    let branch = try adorn(tree)
    let (parent, index) = randomPlace(in: model)
    let target = parent.flatMap { model.node($0) }
    model.graft(tree, under: target, at: index ?? model.family(of: target).count)
    return try outline.insert(subtree: branch, under: parent, at: index)
  }

  /// Another subtree that has most of the nodes, elsewhere, and some new ones.
  mutating func replaceSubtree() throws -> RowChanges {
    guard let node = smallNode(in: model) else { return .none }
    let tree = try copySubtree(of: node)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let kind = HistoryStep.edits.randomElement(using: &random) ?? .update
      try? tree.apply(randomEdit(in: tree, kind))
    }
    let branch = try adorn(tree)
    let id = node.item.id
    let index = model.siblings(of: node).firstIndex { $0 === node } ?? 0
    model.graft(tree, under: node.parent, at: index, replacing: node)
    return try outline.replaceSubtree(of: id, with: branch) { $0 != $1 }
  }

  /// The subtree as the outline hands it out, which must be as the model has it.
  private func copySubtree(of node: SlowNode) throws -> SlowOutline {
    let tree = SlowOutline(roots: [node]).copy()
    for copy in tree.all { (copy.isMatch, copy.isOpenedByHand) = (false, false) }
    guard let part = outline.subtree(of: node.item.id) else {
      throw failure("subtree", "no subtree of \(node.item)")
    }
    if let broken = part.brokenInvariants().first { throw failure("subtree", broken) }
    // What is open under a filter is not what is open when it is cleared.
    guard model.isFiltered || part.rows.map({ SlowRow($0, line: "") }) == tree.bareRows else {
      throw failure("subtree", "another subtree of \(node.item)")
    }
    return tree
  }

  /// The outline of a tree, with some groups that are always open or not loaded.
  mutating func adorn(_ tree: SlowOutline) throws -> Outline<Item> {
    for node in tree.all { (node.isOpen, node.isPinned, node.loading) = (false, false, .loaded) }
    let levels = Int.random(in: 0...2, using: &random)
    var branch = try build(tree, expandedLevels: levels)
    tree.openAll { $0.level < levels }
    let groups = tree.all.filter(\.isGroup)
    if let group = groups.randomElement(using: &random) {
      tree.setPinned(group, true)
      branch.setAlwaysOpen(group.item.id)
    }
    if let group = groups.randomElement(using: &random), group.children.isEmpty {
      group.loading = .notLoaded
      try branch.setNotLoaded(group.item.id)
    }
    return branch
  }

  /// Most of the children come again, in another order, with new ones among them.
  mutating func readAgain(_ kind: HistoryStep) throws -> RowChanges {
    guard let node = model.all.filter(\.isGroup).randomElement(using: &random) else { return .none }
    let id = node.item.id
    guard kind == .readAgain else {
      node.loading = .failed
      return try outline.finishReloading(id, .failure(CancellationError()))
    }
    var items = node.children.map(\.item).filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
    if let index = items.indices.randomElement(using: &random) { items[index].text += 1 }
    if Bool.random(using: &random) { items.append(makeItem()) }
    items.shuffle(using: &random)
    let rest = Int.random(in: 0..<2, using: &random)
    func isGroup(_ item: Item) -> Bool { item.id % 2 == rest }
    model.readAgain(node, items, isGroup: isGroup)
    return try outline.finishReloading(
      id,
      .success(items),
      areGroups: isGroup,
      isChanged: { $0 != $1 }
    )
  }
}
