import Seeds
import OutlineModel
import Outlines
import Testing

@Suite("Linking")
struct LinkTests {
  @Test func `empty input makes an empty hierarchy`() throws {
    let linked = Hierarchy.link(parents: []) { $0 < $1 }
    try linked.hierarchy.validate()
    #expect(linked.hierarchy.isEmpty)
    #expect(Array(linked.hierarchy.roots).isEmpty)
  }

  @Test func `children that come before their parents find them`() throws {
    //  4          parents of the inputs 0 to 5
    //  ├ 2
    //  │ └ 0
    //  └ 5
    //  3
    //  └ 1
    let linked = Hierarchy.link(parents: [2, 3, 4, -1, -1, 4]) { first, second in
      (first == 4 ? -1 : first) < (second == 4 ? -1 : second)
    }
    try linked.hierarchy.validate()
    #expect(linked.inputs == [4, 2, 0, 5, 3, 1])
    #expect(linked.positions() == [2, 5, 1, 4, 0, 3])
    #expect(Array(linked.hierarchy.parents) == [-1, 0, 1, 0, -1, 4])
    #expect(Array(linked.hierarchy.ends) == [4, 3, 3, 4, 6, 6])
    #expect(Array(linked.hierarchy.levels) == [0, 1, 2, 1, 0, 1])
    #expect(Array(linked.hierarchy.groups) == [0b010011])
  }

  @Test func `a group without children stays a group`() {
    let hierarchy = Hierarchy.link(parents: [-1, -1], isGroup: { $0 == 1 }, by: <).hierarchy
    #expect(!hierarchy.isGroup(0))
    #expect(hierarchy.isGroup(1))
  }

  @Test(arguments: newSeeds(30))
  func `random forests come out as the recursive model has them`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...400, using: &generator)
    let forest = RandomForest(count: count, using: &generator)
    let model = SlowTree(forest)
    let linked = link(forest)
    let hierarchy = linked.hierarchy
    try hierarchy.validate()
    let preorder = model.preorder
    #expect(linked.inputs.map(Int.init) == preorder.map(\.input))
    let positions = linked.positions().map(Int.init)
    #expect(hierarchy.roots.map { linked.inputs[$0] } == model.roots.map { Int32($0.input) })
    for (position, node) in preorder.enumerated() {
      let parent = forest.parents[node.input]
      let expectedParent = parent < 0 ? nil : positions[Int(parent)]
      #expect(hierarchy.parent(of: position) == expectedParent)
      #expect(hierarchy.descendantCount(of: position) == node.all.count - 1)
      #expect(
        hierarchy.subtree(of: position).map { Int(linked.inputs[$0]) }
          == node.all.map(\.input)
      )
      #expect(
        hierarchy.children(of: position).map { Int(linked.inputs[$0]) }
          == node.children.map(\.input)
      )
      #expect(hierarchy.isGroup(position) == node.isGroup)
      #expect(hierarchy.hasChildren(position) == !node.children.isEmpty)
      let ancestors = Array(hierarchy.ancestors(of: position))
      #expect(hierarchy.level(of: position) == ancestors.count)
      #expect(ancestors.first == expectedParent)
      let siblings = Array(hierarchy.siblings(of: position))
      #expect(siblings.contains(position))
      #expect(hierarchy.isLastSibling(position) == (siblings.last == position))
    }
  }

  @Test(arguments: newSeeds(10))
  func `siblings are sorted stably, whatever their number and order`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for count in [2, 3, 7, 8, 9, 16, 17, 31, 64, 100, 1000, 5000] {
      let span = Int.random(in: 1...2 * count, using: &generator)
      var keys = (0..<count).map { _ in Int.random(in: 0..<span, using: &generator) }
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: keys.sort()
      case 1: keys.sort(by: >)
      default: break
      }
      let linked = Hierarchy.link(parents: [Int32](repeating: -1, count: count)) {
        keys[$0] < keys[$1]
      }
      #expect(
        linked.inputs.map(Int.init)
          == (0..<count).sorted { (keys[$0], $0) < (keys[$1], $1) }
      )
    }
  }

  @Test func `siblings in order are compared once each`() {
    var comparisons = 0
    _ = Hierarchy.link(parents: [Int32](repeating: -1, count: 1000)) {
      comparisons += 1
      return $0 < $1
    }
    #expect(comparisons == 999)
  }

  @Test func `a ring and a parent that is not an index are our own bugs`() async {
    await #expect(processExitsWith: .failure) {
      _ = Hierarchy.link(parents: [-1, 2, 1], by: <)
    }
    await #expect(processExitsWith: .failure) { _ = Hierarchy.link(parents: [-1, 2], by: <) }
    await #expect(processExitsWith: .failure) { _ = Hierarchy.link(parents: [-2], by: <) }
  }
}

/// Links a random forest by its keys; ties keep the order of the input.
func link(_ forest: RandomForest) -> LinkedHierarchy {
  Hierarchy.link(
    parents: forest.parents,
    isGroup: { forest.groups[$0] },
    by: { forest.keys[$0] < forest.keys[$1] }
  )
}
