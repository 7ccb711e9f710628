import Outlines

extension History {
  mutating func perform(_ kind: HistoryStep) throws -> RowChanges {
    switch kind {
    case .expand, .collapse, .forget, .toggle, .accordion, .expandSubtree, .collapseSubtree,
      .reveal, .pin, .unpin:
      guard let node = anyNode() else { return .none }
      return open(node, kind)
    case .expandMany, .collapseMany: return openMany(kind)
    case .expandAll, .collapseAll, .hideAll, .toLevel: return openAll(kind)
    case .filter, .filterPositions, .cancelFilter, .clearFilter: return try filter(kind)
    case .notLoaded, .beginLoading, .load, .failLoading: return try load(kind)
    case .readAgain, .failReading: return try readAgain(kind)
    case .insertSubtree: return try insertSubtree()
    case .replaceSubtree: return try replaceSubtree()
    case .batch: return try batch(isRefused: false)
    case .refusedBatch: return try batch(isRefused: true)
    case .sort: return sort()
    case .reload: return try reload()
    case .insertMany: return try insertMany()
    default: return try edit(kind)
    }
  }

  mutating func anyNode() -> SlowNode? { model.all.randomElement(using: &random) }

  private mutating func someNodes() -> [SlowNode] {
    let all = model.all
    return (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
      all.randomElement(using: &random)
    }
  }

  private mutating func open(_ node: SlowNode, _ kind: HistoryStep) -> RowChanges {
    let id = node.item.id
    switch kind {
    case .expand:
      model.expand(node)
      return outline.expand(id)
    case .collapse:
      model.collapse(node, keeping: true)
      return outline.collapse(id)
    case .forget:
      model.collapse(node, keeping: false)
      return outline.collapse(id, keepingDescendants: false)
    case .toggle:
      if node.isGroup { model.toggle(node) }
      return outline.toggle(id)
    case .accordion:
      model.expandOnly(node)
      return outline.expandOnly(id)
    case .expandSubtree:
      model.expandSubtree(node)
      return outline.expandSubtree(of: id)
    case .collapseSubtree:
      model.collapse(node, keeping: false)
      return outline.collapseSubtree(of: id)
    case .reveal:
      model.reveal(node)
      return outline.reveal(id)
    default:
      model.setPinned(node, kind == .pin)
      return outline.setAlwaysOpen(id, kind == .pin)
    }
  }

  private mutating func openMany(_ kind: HistoryStep) -> RowChanges {
    let nodes = someNodes()
    let ids = nodes.map(\.item.id) + [-1]
    guard kind == .collapseMany else {
      for node in nodes { model.expand(node) }
      return outline.expand(ids)
    }
    let isKeeping = Bool.random(using: &random)
    for node in nodes { model.collapse(node, keeping: isKeeping) }
    return outline.collapse(ids, keepingDescendants: isKeeping)
  }

  private mutating func openAll(_ kind: HistoryStep) -> RowChanges {
    switch kind {
    case .expandAll:
      model.openAll { _ in true }
      return outline.expandAll()
    case .collapseAll:
      model.openAll { _ in false }
      return outline.collapseAll()
    case .hideAll:
      for root in model.roots { model.collapse(root, keeping: true) }
      return outline.collapseAll(keepingDescendants: true)
    default:
      let level = Int.random(in: 0...4, using: &random)
      model.openAll { $0.level < level }
      return outline.expand(toLevel: level)
    }
  }

  private mutating func filter(_ kind: HistoryStep) throws -> RowChanges {
    let wanted = Int.random(in: 0..<50, using: &random)
    let width = Int.random(in: 1...20, using: &random)
    func matches(_ item: Item) -> Bool { abs(item.text - wanted) < width }
    let hits = model.all.filter { matches($0.item) }.map(\.item.id)
    switch kind {
    case .filter:
      model.setFilter(Set(hits))
      return try outline.filter(where: matches)
    case .filterPositions:
      let few = Array(hits.prefix(3))
      model.setFilter(Set(few))
      return try outline.setFilter(
        positions: few.reversed().compactMap { outline.position(of: $0) }
      )
    case .cancelFilter:
      do {
        let changes = try outline.filter(isCancelled: { true }, where: matches)
        guard outline.isEmpty else { throw failure("cancelFilter", "a filter went on: \(changes)") }
        model.setFilter([])
        return changes
      } catch is CancellationError {
        return .none
      }
    default:
      model.clearFilter()
      return outline.clearFilter()
    }
  }

  private mutating func sort() -> RowChanges {
    let isRising = Bool.random(using: &random)
    func isBefore(_ first: Item, _ second: Item) -> Bool {
      isRising ? first.text < second.text : second.text < first.text
    }
    model.sort(by: isBefore)
    model.settle()
    return outline.sort(by: isBefore)
  }

  /// Another build that has most of the nodes, elsewhere, and some new ones.
  private mutating func reload() throws -> RowChanges {
    let other = model.copy()
    other.clearFilter()
    for node in other.all { node.isNew = true }
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      let edit = randomEdit(in: other, HistoryStep.edits.randomElement(using: &random) ?? .update)
      try? other.apply(edit)
    }
    let replacement = try adorn(other)
    other.isFiltered = model.isFiltered
    model.reload(other)
    model = other
    return outline.reload(replacement)
  }

  private mutating func load(_ kind: HistoryStep) throws -> RowChanges {
    guard let node = model.all.filter(\.isGroup).randomElement(using: &random) else { return .none }
    let id = node.item.id
    switch kind {
    case .notLoaded:
      node.loading = .notLoaded
      return try outline.setNotLoaded(id)
    case .beginLoading:
      node.loading = .loading
      model.expand(node)
      return try outline.beginLoading(id)
    case .failLoading:
      node.loading = .failed
      model.collapse(node, keeping: true)
      return try outline.finishLoading(id, .failure(CancellationError()))
    default:
      return try finishLoading(node)
    }
  }

  private mutating func finishLoading(_ node: SlowNode) throws -> RowChanges {
    let items = (0..<Int.random(in: 0...3, using: &random)).map { _ in makeItem() }
    let isMixed = Bool.random(using: &random)
    func isGroup(_ item: Item) -> Bool { isMixed && item.id % 2 == 0 }
    for item in items {
      try model.apply(.insert(item, isGroup: isGroup(item), under: node.item.id, at: nil))
      if isGroup(item) { model.node(item.id)?.loading = .notLoaded }
    }
    model.settle()
    node.loading = .loaded
    return try outline.finishLoading(node.item.id, .success(items), areGroups: isGroup)
  }
}
