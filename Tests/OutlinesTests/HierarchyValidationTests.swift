import Seeds
import OutlineModel
import Outlines
import Testing

@Suite("Validating a hierarchy")
struct HierarchyValidationTests {
  /// Two roots, the first with a group of two and a leaf.
  private struct Columns {
    var parents: [Int32] = [-1, 0, 1, 1, 0, -1]
    var ends: [Int32] = [5, 4, 3, 4, 5, 6]
    var levels: [Int32] = [0, 1, 2, 2, 1, 0]
    var groups: [UInt64] = [0b000011]

    var hierarchy: Hierarchy {
      Hierarchy(
        parents: OutlineColumn(parents),
        ends: OutlineColumn(ends),
        levels: OutlineColumn(levels),
        groups: OutlineColumn(groups)
      )
    }
  }

  private func error(_ damage: (inout Columns) -> Void) -> HierarchyError? {
    var columns = Columns()
    damage(&columns)
    do throws(HierarchyError) {
      try columns.hierarchy.validate()
      return nil
    } catch {
      return error
    }
  }

  @Test func `a sound one passes`() {
    #expect(error { _ in } == nil)
    #expect(error { $0.groups[0] |= 0b100 } == nil)
  }

  @Test func `each damage is named with its node`() {
    #expect(error { $0.parents[4] = 1 } == .wrongParent(node: 4))
    #expect(error { $0.parents[5] = 0 } == .wrongParent(node: 5))
    #expect(error { $0.parents[0] = 3 } == .wrongParent(node: 0))
    #expect(error { $0.parents[2] = -7 } == .wrongParent(node: 2))
    #expect(error { $0.ends[2] = 5 } == .wrongEnd(node: 2))
    #expect(error { $0.ends[0] = 0 } == .wrongEnd(node: 0))
    #expect(error { $0.ends[5] = 7 } == .wrongEnd(node: 5))
    #expect(error { $0.levels[3] = 1 } == .wrongLevel(node: 3))
    #expect(error { $0.groups[0] = 0b000001 } == .leafWithChildren(node: 1))
    #expect(error { $0.groups[0] |= 1 << 6 } == .strayGroups)
  }

  @Test(arguments: newSeeds(5))
  func `any other value in any place is refused, and is harmless unless it is read`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let forest = RandomForest(count: 120, using: &generator)
    let sound = link(forest).hierarchy
    for _ in 0..<120 {
      var columns = [Array(sound.parents), Array(sound.ends), Array(sound.levels)]
      let (column, node) = (
        Int.random(in: 0..<3, using: &generator), Int.random(in: 0..<120, using: &generator)
      )
      let value: Int32 =
        Bool.random(using: &generator)
        ? Int32.random(in: -2...121, using: &generator)
        : Int32.random(in: Int32.min...Int32.max, using: &generator)
      guard value != columns[column][node] else { continue }
      columns[column][node] = value
      let damaged = Hierarchy(
        parents: OutlineColumn(columns[0]),
        ends: OutlineColumn(columns[1]),
        levels: OutlineColumn(columns[2]),
        groups: sound.groups
      )
      #expect(throws: HierarchyError.self) { try damaged.validate() }
      useBlindly(damaged)
    }
  }

  /// Everything that walks or jumps must come to an end within the columns.
  private func useBlindly(_ hierarchy: Hierarchy) {
    var outline = OutlineState(hierarchy, expandedLevels: 2)
    for node in hierarchy.nodes {
      _ = Array(hierarchy.ancestors(of: node))
      _ = Array(hierarchy.children(of: node))
      _ = hierarchy.isLastSibling(node)
      outline.reveal(node)
      outline.toggle(node)
      outline.expandSubtree(of: node)
    }
    outline.expandAll()
    #expect(Array(outline.rows).count == outline.rowCount)
    outline.collapseAll()
    #expect(Array(outline.rows).count == outline.rowCount)
  }
}
