import Testing

@testable import Outlines

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

  private struct Number: Identifiable, Sendable, Equatable {
    let id: Int32
  }

  private func outline(levels: [Int32]) throws -> Outline<Number> {
    try Outline(levels: levels, values: levels.indices.map { Number(id: Int32($0)) })
  }

  @Test func `a chain of a million levels is edited, filtered and read`() throws {
    var outline = try outline(levels: Array(0..<Int32(Self.million)))
    let last = Int32(Self.million - 1)
    try outline.filter { $0.id == last }
    #expect(outline.rowCount == Self.million)
    outline.clearFilter()
    outline.expandAll()
    try outline.move(500_000, under: 0, at: 0)
    #expect(outline.rowCount == Self.million)
    #expect(outline.hierarchy.level(of: Self.million - 1) == 499_999)
    try outline.apply([.move(500_000, under: 499_999), .insert(Number(id: -1), under: last)])
    #expect(outline[-1]?.level == Self.million)
    #expect(try outline.remove(1).removed == [1..<Self.million])
    #expect(outline.brokenInvariants().isEmpty)
  }

  @Test func `a million roots are edited and filtered`() throws {
    var outline = try outline(levels: Array(repeating: 0, count: Self.million))
    try outline.filter { $0.id % 2 == 0 }
    #expect(outline.rowCount == Self.million / 2)
    try outline.move(0, under: nil)
    try outline.apply([.move(2, under: 1), .remove(3)])
    outline.clearFilter()
    #expect(outline.rowCount == Self.million - 2)
    #expect(outline.sort { $0.id > $1.id }.inserted.isEmpty)
    #expect(outline.brokenInvariants().isEmpty)
  }

  @Test func `one group with ten million leaves`() throws {
    let count = 10_000_000
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
