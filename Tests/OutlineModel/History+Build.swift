import Outlines

extension History {
  /// A random tree: deep, bushy, or anything between, with empty groups.
  mutating func randomTree(count: Int) -> SlowOutline {
    let reach = Int.random(in: 1...max(1, count), using: &random)
    let rootShare = Double.random(in: 0...0.3, using: &random)
    var nodes: [SlowNode] = []
    let tree = SlowOutline()
    for number in 0..<count {
      let node = SlowNode(makeItem(), isGroup: Bool.random(using: &random))
      node.isNew = false
      if number > 0, Double.random(in: 0..<1, using: &random) >= rootShare {
        let parent = nodes[Int.random(in: max(0, number - reach)..<number, using: &random)]
        parent.children.append(node)
        parent.isGroup = true
        node.parent = parent
      } else {
        tree.roots.append(node)
      }
      nodes.append(node)
    }
    return tree
  }

  /// Builds the outline of a tree in one of the ways there are.
  mutating func build(_ tree: SlowOutline, expandedLevels: Int) throws -> Outline<Item> {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      try Outline(
        nested: tree.roots,
        children: { $0.children },
        value: { $0.item },
        isGroup: { $0.isGroup },
        expandedLevels: expandedLevels
      )
    case 1: try buildFromLinks(tree, expandedLevels: expandedLevels)
    default: try buildFromLevels(tree, expandedLevels: expandedLevels)
    }
  }

  private func buildFromLevels(
    _ tree: SlowOutline,
    expandedLevels: Int
  ) throws -> Outline<Item> {
    let groups = Set(tree.all.filter(\.isGroup).map(\.item.id))
    return try Outline(
      levels: tree.all.map { Int32($0.level) },
      values: tree.all.map(\.item),
      isGroup: { groups.contains($0.id) },
      expandedLevels: expandedLevels
    )
  }

  private mutating func buildFromLinks(
    _ tree: SlowOutline,
    expandedLevels: Int
  ) throws -> Outline<Item> {
    let nodes = tree.all
    let ranks = Dictionary(uniqueKeysWithValues: nodes.enumerated().map { ($1.item.id, $0) })
    let groups = Set(nodes.filter(\.isGroup).map(\.item.id))
    let parents = nodes.map { $0.parent?.item.id }
    let byKey = Bool.random(using: &random)
    let shuffled = nodes.map(\.item).shuffled(using: &random)
    func parent(_ item: Item) -> Int? { ranks[item.id].flatMap { parents[$0] } }
    func isGroup(_ item: Item) -> Bool { groups.contains(item.id) }
    func rank(_ item: Item) -> Int { ranks[item.id] ?? -1 }
    return byKey
      ? try Outline(
        links: shuffled,
        parent: parent,
        isGroup: isGroup,
        expandedLevels: expandedLevels,
        sortedBy: rank
      )
      : try Outline(
        links: shuffled,
        parent: parent,
        isGroup: isGroup,
        expandedLevels: expandedLevels,
        by: { rank($0) < rank($1) }
      )
  }
}
