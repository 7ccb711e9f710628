import Outlines

/// The tree list as one would write it first: nodes that hold their children, and recursion.
final class SlowTree {
  final class Node {
    let input: Int
    let isGroup: Bool
    let children: [Node]
    var isOpen = false

    init(input: Int, isGroup: Bool, children: [Node]) {
      self.input = input
      self.isGroup = isGroup || !children.isEmpty
      self.children = children
    }

    var all: [Node] { [self] + children.flatMap(\.all) }

    var disclosure: Disclosure? {
      guard isGroup else { return nil }
      return children.isEmpty ? .empty : isOpen ? .expanded : .collapsed
    }
  }

  struct Row: Equatable {
    let input: Int
    let level: Int
    let isGroup: Bool
    let isLastSibling: Bool
    let disclosure: Disclosure?
  }

  let roots: [Node]
  private let forest: RandomForest

  init(_ forest: RandomForest) {
    self.forest = forest
    func nodes(under parent: Int) -> [Node] {
      forest.parents.indices.filter { Int(forest.parents[$0]) == parent }
        .sorted { (forest.keys[$0], $0) < (forest.keys[$1], $1) }
        .map { Node(input: $0, isGroup: forest.groups[$0], children: nodes(under: $0)) }
    }
    roots = nodes(under: -1)
  }

  /// All nodes, parents first.
  var preorder: [Node] { roots.flatMap(\.all) }

  func parent(of node: Node) -> Node? {
    preorder.first { $0.children.contains { $0 === node } }
  }

  var rows: [Row] {
    func rows(of siblings: [Node], level: Int) -> [Row] {
      siblings.flatMap { node in
        [
          Row(
            input: node.input,
            level: level,
            isGroup: node.isGroup,
            isLastSibling: node === siblings.last,
            disclosure: node.disclosure
          )
        ] + (node.isOpen ? rows(of: node.children, level: level + 1) : [])
      }
    }
    return rows(of: roots, level: 0)
  }

  func open(toLevel level: Int) {
    func open(_ nodes: [Node], at depth: Int) {
      for node in nodes {
        node.isOpen = node.isGroup && depth < level
        open(node.children, at: depth + 1)
      }
    }
    open(roots, at: 0)
  }

  func reveal(_ node: Node) {
    guard let parent = parent(of: node) else { return }
    parent.isOpen = true
    reveal(parent)
  }
}
