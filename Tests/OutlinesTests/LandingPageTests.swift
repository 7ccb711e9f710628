import Outlines
import Testing

@Suite("The landing page")
struct LandingPageTests {
  private struct Unit: Identifiable, Sendable {
    let id: String
    let parent: String?
  }

  @Test func `its example prints what it says`() throws {
    var outline = try Outline(
      links: [
        Unit(id: "storage", parent: "engineering"), Unit(id: "engineering", parent: "company"),
        Unit(id: "company", parent: nil), Unit(id: "sales", parent: "company"),
      ],
      parent: \.parent,
      expandedLevels: 1,
      sortedBy: \.id
    )
    let lines = outline.rows.map { row in
      let sign =
        switch row.disclosure {
        case .expanded: "▾"
        case .collapsed: "▸"
        case .empty: "▹"
        case nil: "·"
        }
      return "\(outline.treeLine(atRow: row.number))\(sign) \(row.id)"
    }
    #expect(lines == ["▾ company", "├─ ▸ engineering", "└─ · sales"])
    let changes = outline.expand("engineering")
    #expect(changes.inserted == [2..<3])
    #expect(changes.redrawn == [1..<2])
  }

  @Test func `its columns are those of the tree it draws`() throws {
    let hierarchy = Hierarchy.link(
      parents: [-1, 0, 1, 1, 0, 0],
      isGroup: { $0 == 4 },
      by: <
    ).hierarchy
    #expect(Array(hierarchy.parents) == [-1, 0, 1, 1, 0, 0])
    #expect(Array(hierarchy.ends) == [6, 4, 3, 4, 5, 6])
    #expect(Array(hierarchy.levels) == [0, 1, 2, 2, 1, 1])
    #expect(hierarchy.nodes.filter(hierarchy.isGroup) == [0, 1, 4])
  }
}
