import Outlines
import Testing

@Suite("Drawing")
struct DrawingTests {
  @Test func `lines lead to every row`() throws {
    var outline = try Company.outline(expandedLevels: 9)
    #expect(
      outline.rows.indices.map { outline.treeLine(atRow: $0) + outline.rows[$0].id } == [
        "company", "├─ engineering", "│  ├─ storage", "│  │  ├─ disk", "│  │  └─ tape",
        "│  └─ network", "│     └─ switch", "├─ sales", "│  └─ shop", "└─ legal",
      ]
    )
    try outline.filter { $0.id == "tape" }
    #expect(outline.treeLine(atRow: 3, style: .ascii) == "      `- ")
  }

  @Test func `lines of deep levels are cut to the innermost`() throws {
    let hierarchy = try Hierarchy(levels: Array(0..<100_000))
    let state = OutlineState(hierarchy, expandedLevels: 100_000)
    #expect(state.treeLine(of: 99_999, limit: 2) == "⋯     └─ ")
    #expect(state.treeLine(of: 2, limit: 2) == "   └─ ")
    #expect(state.treeLine(of: 0, limit: 2) == "")
  }

  @Test func `each level is further in, and the deepest within the limit`() {
    let indentation = Indentation(step: 16, limit: 160)
    let offsets = (0...300).map { indentation.offset(atLevel: $0) }
    #expect(offsets[0] == 0)
    #expect(abs(offsets[1] - 16) < 1e-9)
    #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 })
    #expect((159...160).contains(offsets[60]))
    #expect(indentation.offset(atLevel: 1_000_000) <= 160)
    #expect(Indentation(step: 2, limit: 20).columns(atLevel: 1) == 2)
  }
}
