import Seeds
import Outlines
import Testing

@testable import DirectoryReading

/// A random tree in preorder.
struct RandomTree {
  let parents: [Int]
  let hierarchy: Hierarchy

  init(count: Int, using generator: inout SeededGenerator) {
    var parents: [Int] = []
    var path: [Int] = []
    let depth = Int.random(in: 1...8, using: &generator)
    for node in 0..<count {
      let kept = Int.random(in: 0...min(path.count, depth), using: &generator)
      path = Array(path.prefix(kept))
      parents.append(path.last ?? -1)
      path.append(node)
    }
    self.parents = parents
    var ends = (0..<count).map { Int32($0 + 1) }
    var levels = [Int32](repeating: 0, count: count)
    var groups = [UInt64](repeating: 0, count: (count + 63) / 64)
    for node in 0..<count {
      if parents[node] >= 0 { levels[node] = levels[parents[node]] + 1 }
      if Bool.random(using: &generator) { groups[node / 64] |= 1 << UInt64(node % 64) }
    }
    for node in stride(from: count - 1, through: 0, by: -1) where parents[node] >= 0 {
      let parent = parents[node]
      ends[parent] = max(ends[parent], ends[node])
      groups[parent / 64] |= 1 << UInt64(parent % 64)
    }
    hierarchy = Hierarchy(
      parents: OutlineColumn(parents.map { Int32($0) }),
      ends: OutlineColumn(ends),
      levels: OutlineColumn(levels),
      groups: OutlineColumn(groups)
    )
  }

  /// The node, its parent, and so on up to a root.
  func upwards(from node: Int) -> [Int] {
    var nodes = [node]
    while let last = nodes.last, parents[last] >= 0 { nodes.append(parents[last]) }
    return nodes
  }
}

@Suite("The nodes that a filter shows")
struct FilteredNodesTests {
  private struct Line: Equatable {
    var position: Int
    var isMatch: Bool
    var leadsToMatch: Bool
    var isLastSibling: Bool
  }

  /// By looking at every node for every node.
  private func model(_ tree: RandomTree, matches: Set<Int>, top: Int?) -> [Line] {
    let inside = tree.parents.indices.filter { top.map(tree.upwards(from: $0).contains) ?? true }
    let shown = inside.filter { node in
      matches.contains { tree.upwards(from: $0).contains(node) }
    }
    return shown.map { node in
      let siblings = shown.filter { $0 != top && tree.parents[$0] == tree.parents[node] }
      return Line(
        position: node,
        isMatch: matches.contains(node),
        leadsToMatch: matches.contains { $0 != node && tree.upwards(from: $0).contains(node) },
        isLastSibling: node == top || siblings.last == node
      )
    }
  }

  private func lines(_ nodes: FilteredNodes) -> [Line] {
    nodes.nodes.map {
      Line(
        position: $0.position,
        isMatch: $0.isMatch,
        leadsToMatch: $0.leadsToMatch,
        isLastSibling: $0.isLastSibling
      )
    }
  }

  @Test(arguments: newSeeds(60))
  func `are those of a slow model`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let tree = RandomTree(count: Int.random(in: 0...60, using: &generator), using: &generator)
    try tree.hierarchy.validate()
    for _ in 0..<10 {
      let share = Double.random(in: 0...1, using: &generator)
      let all = tree.parents.indices.filter { _ in
        Double.random(in: 0..<1, using: &generator) < share * share
      }
      let top = tree.parents.indices.randomElement(using: &generator)
      for top in [nil, top] {
        let matches = all.filter { node in
          top.map(tree.hierarchy.subtree)?.contains(node) ?? true
        }
        let found = FilteredNodes(matches: matches, in: tree.hierarchy, top: top)
        #expect(
          lines(found) == model(tree, matches: Set(matches), top: top),
          "seed \(seed), matches \(matches), top \(top.map(String.init) ?? "none")"
        )
      }
    }
  }

  @Test func `without matches are none`() {
    var generator = SeededGenerator(seed: 1)
    let tree = RandomTree(count: 10, using: &generator)
    #expect(FilteredNodes(matches: [], in: tree.hierarchy, top: nil).nodes.isEmpty)
    #expect(FilteredNodes(matches: [], in: tree.hierarchy, top: 3).nodes.isEmpty)
  }

  @Test(.timeLimit(.minutes(40)))
  func `of a chain of 200,000 that all match are found in linear time`() {
    let count = 200_000
    let hierarchy = Hierarchy.link(
      parents: (0..<Int32(count)).map { $0 - 1 },
      isGroup: { _ in true },
      by: <
    ).hierarchy
    let found = FilteredNodes(matches: Array(0..<count), in: hierarchy, top: nil)
    #expect(found.nodes.count == count)
    let deepest = FilteredNodes(matches: [count - 1], in: hierarchy, top: 1)
    #expect(deepest.nodes.count == count - 1)
    #expect(deepest.nodes.allSatisfy { $0.isLastSibling })
  }
}
