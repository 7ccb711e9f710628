import Outlines
import Testing

@Suite("Extreme shapes")
struct ExtremeShapeTests {
  private static let million = 1_000_000

  @Test func `a chain of a million levels`() throws {
    let last = Self.million - 1
    let parents = (0..<Self.million).map { $0 == last ? -1 : Int32($0 + 1) }
    let hierarchy = Hierarchy.link(parents: parents, by: <).hierarchy
    try hierarchy.validate()
    #expect(hierarchy.level(of: last) == last)
    #expect(hierarchy.ancestors(of: last).reduce(0) { count, _ in count + 1 } == last)
    var outline = OutlineState(hierarchy)
    #expect(outline.rowCount == 1)
    #expect(outline.reveal(last).inserted == [1..<Self.million])
    #expect(outline.row(of: last) == last)
    #expect(outline.collapse(500_000).removed == [500_001..<Self.million])
    #expect(outline.expandAll().inserted == [500_001..<Self.million])
    #expect(outline.expand(toLevel: 10).inserted.isEmpty)
    #expect(outline.rowCount == 11)
    #expect(LinkProblems.find(in: parents).isEmpty)
  }

  @Test func `a million roots`() throws {
    let hierarchy = Hierarchy.link(
      parents: [Int32](repeating: -1, count: Self.million),
      isGroup: { $0 % 2 == 0 },
      by: >
    ).hierarchy
    try hierarchy.validate()
    var outline = OutlineState(hierarchy)
    #expect(outline.rowCount == Self.million)
    #expect(outline.node(atRow: 777_777) == 777_777)
    #expect(outline.expandAll().isEmpty)
    #expect(outline.rows.last?.isLastSibling == true)
    #expect(hierarchy.roots.reduce(0) { count, _ in count + 1 } == Self.million)
  }

  @Test func `one group with a million leaves`() throws {
    let parents = (0...Self.million).map { $0 == 400_000 ? -1 : Int32(400_000) }
    let hierarchy = Hierarchy.link(parents: parents, by: >).hierarchy
    try hierarchy.validate()
    var outline = OutlineState(hierarchy)
    #expect(outline.expand(0).inserted == [1..<Self.million + 1])
    #expect(outline.rows[999_990...].map(\.node) == Array(999_990...Self.million))
    #expect(hierarchy.isLastSibling(Self.million))
    #expect(!hierarchy.isLastSibling(Self.million - 1))
    #expect(outline.collapseAll().removed == [1..<Self.million + 1])
  }
}
