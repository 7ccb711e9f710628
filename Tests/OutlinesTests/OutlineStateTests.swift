import OutlineModel
import Outlines
import Seeds
import Testing

@Suite("Opening and closing")
struct OutlineTests {
  /// An outline, the plain model, and a list that follows the row changes.
  private struct Bench {
    let linked: LinkedHierarchy
    let model: SlowTree
    let nodes: [SlowTree.Node]
    var outline: OutlineState
    var list: [OutlineRow]

    init(_ forest: RandomForest, expandedLevels: Int) {
      linked = link(forest)
      model = SlowTree(forest)
      nodes = model.preorder
      model.open(toLevel: expandedLevels)
      outline = OutlineState(linked.hierarchy, expandedLevels: expandedLevels)
      list = Array(outline.rows)
    }

    mutating func follow(_ changes: RowChanges) {
      changes.apply(to: &list) { outline.rows[$0] }
    }

    func check(_ step: String) {
      let rows = outline.rows.map {
        SlowTree.Row(
          input: Int(linked.inputs[$0.node]),
          level: $0.level,
          isGroup: $0.isGroup,
          isLastSibling: $0.isLastSibling,
          disclosure: $0.disclosure
        )
      }
      #expect(rows == model.rows, "after \(step)")
      #expect(list == Array(outline.rows), "the list that follows, after \(step)")
      #expect(outline.rowCount == rows.count)
      #expect((0..<outline.rowCount).map { outline.rows[$0] } == list)
      for (node, slow) in nodes.enumerated() {
        let row = list.firstIndex { $0.node == node }
        #expect(outline.row(of: node) == row)
        #expect(outline.isVisible(node) == (row != nil))
        #expect(outline.disclosure(of: node) == slow.disclosure)
      }
      #expect(
        Array(outline.expandedNodes)
          == nodes.indices.filter { nodes[$0].disclosure == .expanded }
      )
    }
  }

  @Test(arguments: newSeeds(24))
  func `a random history shows the rows that the plain model shows`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...90, using: &generator)
    let forest = RandomForest(count: count, using: &generator)
    var bench = Bench(forest, expandedLevels: Int.random(in: 0...3, using: &generator))
    bench.check("opening")
    for _ in 0..<60 {
      let node = Int.random(in: 0..<count, using: &generator)
      let kind = Int.random(in: 0..<20, using: &generator)
      let level = Int.random(in: 0...4, using: &generator)
      let step = apply(kind, to: node, level: level, of: &bench)
      bench.check(step)
    }
  }

  private func apply(_ kind: Int, to node: Int, level: Int, of bench: inout Bench) -> String {
    let slow = bench.nodes[node]
    switch kind {
    case 0..<5:
      bench.follow(bench.outline.expand(node))
      slow.isOpen = slow.isGroup
      return "expanding \(node)"
    case 5..<8:
      bench.follow(bench.outline.collapse(node))
      slow.isOpen = false
      return "collapsing \(node)"
    case 8..<11:
      bench.follow(bench.outline.toggle(node))
      if slow.isGroup { slow.isOpen.toggle() }
      return "toggling \(node)"
    case 11, 12:
      bench.follow(bench.outline.collapseSubtree(of: node))
      for below in slow.all { below.isOpen = false }
      return "collapsing all below \(node)"
    case 13, 14:
      bench.follow(bench.outline.expandSubtree(of: node))
      for below in slow.all { below.isOpen = below.isGroup }
      return "expanding all below \(node)"
    case 15, 16:
      bench.follow(bench.outline.reveal(node))
      bench.model.reveal(slow)
      return "revealing \(node)"
    case 17:
      bench.follow(bench.outline.expand(toLevel: level))
      bench.model.open(toLevel: level)
      return "expanding to level \(level)"
    case 18 where level == 0:
      bench.follow(bench.outline.expandAll())
      bench.model.open(toLevel: .max)
      return "expanding all"
    case 18:
      bench.follow(bench.outline.collapseAll(keepingDescendants: true))
      for root in bench.model.roots { root.isOpen = false }
      return "collapsing the roots"
    default:
      bench.follow(bench.outline.collapseAll())
      bench.model.open(toLevel: 0)
      return "collapsing all"
    }
  }

  @Test(arguments: newSeeds(10))
  func `a slice of the rows iterates as the whole does`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let forest = RandomForest(count: 300, using: &generator)
    let outline = OutlineState(link(forest).hierarchy, expandedLevels: 3)
    let all = Array(outline.rows)
    for _ in 0..<50 {
      let low = Int.random(in: 0...all.count, using: &generator)
      let range = low..<Int.random(in: low...all.count, using: &generator)
      #expect(Array(outline.rows[range]) == Array(all[range]))
      #expect(outline.rows[range].reversed() == all[range].reversed())
    }
  }

  @Test(arguments: newSeeds(10))
  func `what was expanded can be restored`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let hierarchy = link(RandomForest(count: 200, using: &generator)).hierarchy
    var outline = OutlineState(hierarchy)
    for _ in 0..<60 { outline.expand(Int.random(in: 0..<200, using: &generator)) }
    let saved = Array(outline.expandedNodes)
    let restored = OutlineState(hierarchy, expanded: saved.shuffled(using: &generator))
    #expect(Array(restored.rows) == Array(outline.rows))
    #expect(Array(restored.expandedNodes) == saved)
  }

  /// 0 holds 1 and 4; 1 holds 2, which holds 3.
  private var small: OutlineState {
    OutlineState(Hierarchy.link(parents: [-1, 0, 1, 2, 0], by: <).hierarchy)
  }

  @Test func `collapsing keeps or forgets what was open below`() {
    var outline = small
    outline.expandAll()
    outline.collapse(0)
    #expect(outline.rowCount == 1)
    outline.expand(0)
    #expect(outline.rowCount == 5)
    outline.collapse(0, keepingDescendants: false)
    outline.expand(0)
    #expect(outline.rows.map(\.node) == [0, 1, 4])
    #expect(outline.disclosure(of: 1) == .collapsed)
  }

  @Test func `collapsing forgets below a group that is closed already`() {
    var outline = small
    outline.expandAll()
    outline.collapse(1)
    #expect(outline.collapse(1, keepingDescendants: false).isEmpty)
    outline.expand(1)
    #expect(outline.rows.map(\.node) == [0, 1, 2, 4])
  }

  @Test func `changes say which rows went, came and are to be redrawn`() {
    var outline = small
    #expect(outline.expand(0) == RowChanges(inserted: [1..<3], redrawn: [0..<1]))
    #expect(outline.reveal(3) == RowChanges(inserted: [2..<4], redrawn: [1..<2]))
    #expect(outline.collapse(1) == RowChanges(removed: [2..<4], redrawn: [1..<2]))
    #expect(outline.collapse(1) == .none)
    #expect(outline.expand(4) == .none)
  }

  @Test func `a hidden group opens without a change of rows`() {
    var outline = small
    #expect(outline.expand(1).isEmpty)
    #expect(outline.isExpanded(1))
    #expect(outline.expand(0).inserted == [1..<4])
  }

  @Test func `a leaf and an empty group never open`() {
    var outline = OutlineState(
      Hierarchy.link(parents: [-1, -1], isGroup: { $0 == 0 }, by: <).hierarchy
    )
    outline.expandAll()
    outline.toggle(0)
    outline.toggle(1)
    #expect(outline.disclosure(of: 0) == .empty)
    #expect(outline.disclosure(of: 1) == nil)
    #expect(Array(outline.expandedNodes).isEmpty)
  }

  @Test func `a copy is left alone by changes of the original`() {
    var outline = small
    let before = outline
    let rows = before.rows
    outline.expandAll()
    #expect(before.rowCount == 1)
    #expect(rows.map(\.node) == [0])
    #expect(outline.rowCount == 5)
  }

  @Test func `an empty outline has no rows and can be told anything`() {
    var outline = OutlineState(Hierarchy.link(parents: [], by: <).hierarchy, expandedLevels: 3)
    #expect(outline.rows.isEmpty)
    #expect(outline.expandAll().isEmpty)
    #expect(outline.collapseAll().isEmpty)
    #expect(Array(outline.rows).isEmpty)
  }
}
