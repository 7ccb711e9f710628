import Outlines
import Seeds
import Testing

@Suite("Extreme shapes")
struct ExtremeShapeTests {
  /// A million where there is time; unoptimised code takes half a minute for it.
  private static let many = rounds(50_000, thorough: 1_000_000)
  private static let half = many / 2

  @Test func `a chain of very many levels`() throws {
    let last = Self.many - 1
    let parents = (0..<Self.many).map { $0 == last ? -1 : Int32($0 + 1) }
    let hierarchy = Hierarchy.link(parents: parents, by: <).hierarchy
    try hierarchy.validate()
    #expect(hierarchy.level(of: last) == last)
    #expect(hierarchy.ancestors(of: last).reduce(0) { count, _ in count + 1 } == last)
    var outline = OutlineState(hierarchy)
    #expect(outline.rowCount == 1)
    #expect(outline.reveal(last).inserted == [1..<Self.many])
    #expect(outline.row(of: last) == last)
    #expect(outline.collapse(Self.half).removed == [Self.half + 1..<Self.many])
    #expect(outline.expandAll().inserted == [Self.half + 1..<Self.many])
    #expect(outline.expand(toLevel: 10).inserted.isEmpty)
    #expect(outline.rowCount == 11)
    #expect(LinkProblems.find(in: parents).isEmpty)
  }

  @Test func `very many roots`() throws {
    let hierarchy = Hierarchy.link(
      parents: [Int32](repeating: -1, count: Self.many),
      isGroup: { $0 % 2 == 0 },
      by: >
    ).hierarchy
    try hierarchy.validate()
    var outline = OutlineState(hierarchy)
    #expect(outline.rowCount == Self.many)
    #expect(outline.node(atRow: Self.half) == Self.half)
    #expect(outline.expandAll().isEmpty)
    #expect(outline.rows.last?.isLastSibling == true)
    #expect(hierarchy.roots.reduce(0) { count, _ in count + 1 } == Self.many)
  }

  @Test func `one group with very many leaves`() throws {
    let parents = (0...Self.many).map { $0 == Self.half ? -1 : Int32(Self.half) }
    let hierarchy = Hierarchy.link(parents: parents, by: >).hierarchy
    try hierarchy.validate()
    var outline = OutlineState(hierarchy)
    #expect(outline.expand(0).inserted == [1..<Self.many + 1])
    #expect(outline.rows[(Self.many - 10)...].map(\.node) == Array(Self.many - 10...Self.many))
    #expect(hierarchy.isLastSibling(Self.many))
    #expect(!hierarchy.isLastSibling(Self.many - 1))
    #expect(outline.collapseAll().removed == [1..<Self.many + 1])
  }

  private struct Number: Identifiable, Sendable, Equatable {
    let id: Int32
  }

  private func outline(levels: [Int32]) throws -> Outline<Number> {
    try Outline(levels: levels, values: levels.indices.map { Number(id: Int32($0)) })
  }

  @Test func `a chain of very many levels is edited, filtered and read`() throws {
    var outline = try outline(levels: Array(0..<Int32(Self.many)))
    let last = Int32(Self.many - 1)
    try outline.filter { $0.id == last }
    #expect(outline.rowCount == Self.many)
    outline.clearFilter()
    outline.expandAll()
    let half = Int32(Self.half)
    try outline.move(half, under: 0, at: 0)
    #expect(outline.rowCount == Self.many)
    #expect(outline.hierarchy.level(of: Self.many - 1) == Self.half - 1)
    try outline.apply([.move(half, under: half - 1), .insert(Number(id: -1), under: last)])
    #expect(outline[-1]?.level == Self.many)
    #expect(try outline.remove(1).removed == [1..<Self.many])
    #expect(outline.brokenInvariants().isEmpty)
  }

  @Test func `very many roots are edited and filtered`() throws {
    var outline = try outline(levels: Array(repeating: 0, count: Self.many))
    try outline.filter { $0.id % 2 == 0 }
    #expect(outline.rowCount == Self.many / 2)
    try outline.move(0, under: nil)
    try outline.apply([.move(2, under: 1), .remove(3)])
    outline.clearFilter()
    #expect(outline.rowCount == Self.many - 2)
    #expect(outline.sort { $0.id > $1.id }.inserted.isEmpty)
    #expect(outline.brokenInvariants().isEmpty)
  }

  @Test func `one group with ten times as many leaves`() throws {
    let count = 10 * Self.many
    var levels = [Int32](repeating: 1, count: count + 1)
    levels[0] = 0
    var state = OutlineState(try Hierarchy(levels: levels))
    #expect(state.expand(0).inserted == [1..<count + 1])
    #expect(state.setFilter([77, count]).removed.count == 2)
    #expect(state.rows.map(\.node) == [0, 77, count])
    #expect(state.clearFilter().inserted.count == 2)
    #expect(state.rows[count - 50..<count].count == 50)
    #expect(state.collapseAll().removed == [1..<count + 1])
  }
}
