import Outlines
import Testing

@Suite("The landing page")
struct LandingPageTests {
  @Test func `its example prints what it says`() {
    let links = ParentLinks<String>([
      (id: "storage", parent: "engineering"), (id: "engineering", parent: "company"),
      (id: "company", parent: nil), (id: "sales", parent: "company"),
    ])
    let names = ["storage", "engineering", "company", "sales"]
    let linked = Hierarchy.link(parents: links.parents) { names[$0] < names[$1] }
    let outline = OutlineState(linked.hierarchy, expandedLevels: 1)
    let lines = outline.rows.map { row in
      let sign =
        switch row.disclosure {
        case .expanded: "▾"
        case .collapsed: "▸"
        case .empty: "▹"
        case nil: "·"
        }
      let indent = String(repeating: "  ", count: row.level)
      return "\(indent)\(sign) \(names[Int(linked.inputs[row.node])])"
    }
    #expect(lines == ["▾ company", "  ▸ engineering", "  · sales"])
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
