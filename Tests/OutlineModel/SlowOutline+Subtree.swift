import Outlines

extension SlowOutline {
  /// Puts the nodes of another tree in the place of a subtree, or among siblings.
  package func graft(
    _ other: SlowOutline,
    under parent: SlowNode?,
    at index: Int,
    replacing replaced: SlowNode? = nil
  ) {
    let old = Dictionary(uniqueKeysWithValues: (replaced?.all ?? []).map { ($0.item.id, $0) })
    let wanted = other.all.map { (node: $0, isOpen: $0.isOpen, isPinned: $0.isPinned) }
    for node in other.all {
      (node.isOpen, node.isPinned, node.isNew) = (false, false, true)
      if let before = old[node.item.id] { node.takeOver(before) }
    }
    if let replaced { unlink(replaced) }
    for (offset, root) in other.roots.enumerated() { link(root, under: parent, at: index + offset) }
    settle()
    for (node, isOpen, isPinned) in wanted {
      (node.isOpen, node.isPinned) = (isOpen, isPinned)
      if isPinned { node.isOpenInFilter = true }
    }
  }

  /// Gives a group the children that were read again.
  package func readAgain(_ group: SlowNode, _ items: [Item], isGroup: (Item) -> Bool) {
    let old = Dictionary(uniqueKeysWithValues: group.children.map { ($0.item.id, $0) })
    let children = items.map { item in
      let child = old[item.id] ?? SlowNode(item, isGroup: false)
      let wasGroup = child.isGroup
      child.item = item
      child.isGroup = isGroup(item) || !child.children.isEmpty
      if child.isGroup != wasGroup { child.loading = child.isGroup ? .notLoaded : .loaded }
      return child
    }
    setFamily(of: group, children)
    settle()
    group.loading = .loaded
  }
}
