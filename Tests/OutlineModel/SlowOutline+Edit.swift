import Outlines

extension SlowOutline {
  /// Makes one edit; the filter is settled by the caller.
  package func apply(_ edit: OutlineEdit<Item>) throws(OutlineError<Int>) {
    switch edit {
    case .insert(let item, let isGroup, let parent, let index):
      try insert(item, isGroup: isGroup, under: parent, at: index)
    case .insertBefore(let sibling, let item, let isGroup):
      try insert(item, isGroup: isGroup, beside: try known(sibling), isAfter: false)
    case .insertAfter(let sibling, let item, let isGroup):
      try insert(item, isGroup: isGroup, beside: try known(sibling), isAfter: true)
    case .remove(let id): try remove(id)
    case .move(let id, let parent, let index): try move(id, under: parent, at: index)
    case .update(let item): try known(item.id).item = item
    case .reorder(let parent, let order): try reorder(parent, order)
    }
  }

  private func insert(
    _ item: Item,
    isGroup: Bool,
    under parent: Int?,
    at index: Int?
  ) throws(OutlineError<Int>) {
    let target = try parentNode(parent)
    let family = family(of: target)
    let place = index ?? family.count
    guard (0...family.count).contains(place) else { throw .indexOutOfRange(place, under: parent) }
    guard node(item.id) == nil else { throw .duplicateID(item.id) }
    link(SlowNode(item, isGroup: isGroup), under: target, at: place)
  }

  private func insert(
    _ item: Item,
    isGroup: Bool,
    beside sibling: SlowNode,
    isAfter: Bool
  ) throws(OutlineError<Int>) {
    let index = siblings(of: sibling).firstIndex { $0 === sibling } ?? 0
    try insert(
      item,
      isGroup: isGroup,
      under: sibling.parent?.item.id,
      at: isAfter ? index + 1 : index
    )
  }

  private func remove(_ id: Int) throws(OutlineError<Int>) {
    guard node(id) != nil || !goneWithAncestors.contains(id) else { return }
    let node = try known(id)
    unlink(node)
    goneWithAncestors.remove(id)
    goneWithAncestors.formUnion(node.below.map(\.item.id))
  }

  private func move(_ id: Int, under parent: Int?, at index: Int?) throws(OutlineError<Int>) {
    let node = try known(id)
    let target = try parentNode(parent)
    if let target, let parent, target.isInside(node) {
      throw .wouldCreateCycle(moving: id, under: parent)
    }
    let others = family(of: target).filter { $0 !== node }
    let place = index ?? others.count
    guard (0...others.count).contains(place) else { throw .indexOutOfRange(place, under: parent) }
    unlink(node)
    link(node, under: target, at: place)
  }

  private func reorder(_ parent: Int?, _ order: [Int]) throws(OutlineError<Int>) {
    let target = try parentNode(parent)
    let nodes = order.compactMap { node($0) }
    let wanted = family(of: target).map(\.item.id).sorted()
    guard nodes.count == order.count, order.sorted() == wanted else {
      throw .notAPermutation(of: parent)
    }
    setFamily(of: target, nodes)
  }

  func unlink(_ node: SlowNode) {
    setFamily(of: node.parent, siblings(of: node).filter { $0 !== node })
    node.parent = nil
  }

  func link(_ node: SlowNode, under parent: SlowNode?, at index: Int) {
    var family = family(of: parent)
    family.insert(node, at: index)
    setFamily(of: parent, family)
    parent?.isGroup = true
  }

  func known(_ id: Int) throws(OutlineError<Int>) -> SlowNode {
    guard let node = node(id) else { throw .unknownID(id) }
    return node
  }

  private func parentNode(_ id: Int?) throws(OutlineError<Int>) -> SlowNode? {
    guard let id else { return nil }
    guard let node = node(id) else { throw .unknownParent(id) }
    return node
  }

  /// A copy that shares no node.
  package func copy() -> SlowOutline {
    func copy(_ node: SlowNode) -> SlowNode {
      let twin = SlowNode(node.item, isGroup: node.isGroup)
      twin.isOpen = node.isOpen
      twin.isPinned = node.isPinned
      twin.loading = node.loading
      twin.isMatch = node.isMatch
      twin.isOpenInFilter = node.isOpenInFilter
      twin.isOpenedByHand = node.isOpenedByHand
      twin.wasShown = node.wasShown
      twin.wasLeading = node.wasLeading
      twin.isNew = node.isNew
      twin.children = node.children.map(copy)
      for child in twin.children { child.parent = twin }
      return twin
    }
    let twin = SlowOutline(roots: roots.map(copy))
    twin.isFiltered = isFiltered
    return twin
  }

  /// Sorts every family, stably.
  package func sort(by areInIncreasingOrder: (Item, Item) -> Bool) {
    for parent in [nil] + all {
      let family = family(of: parent).enumerated().sorted { first, second in
        areInIncreasingOrder(first.element.item, second.element.item)
          || !areInIncreasingOrder(second.element.item, first.element.item)
            && first.offset < second.offset
      }
      setFamily(of: parent, family.map(\.element))
    }
  }

  /// Takes over another tree: what is open, always open and matched is kept by id.
  package func reload(_ other: SlowOutline) {
    let old = Dictionary(uniqueKeysWithValues: all.map { ($0.item.id, $0) })
    for node in other.all {
      if let before = old[node.item.id] { node.takeOver(before) }
    }
    roots = other.roots
    settle()
  }
}
