import OutlineModel
import Outlines
import Testing

/// company: engineering (storage: disk, tape; network: switch), sales (shop), legal.
struct Company {
  struct Unit: Identifiable, Sendable, Equatable {
    let id: String
    var members: [Unit]?
  }

  static let units = [
    Unit(
      id: "company",
      members: [
        Unit(
          id: "engineering",
          members: [
            Unit(id: "storage", members: [Unit(id: "disk"), Unit(id: "tape")]),
            Unit(id: "network", members: [Unit(id: "switch")]),
          ]
        ), Unit(id: "sales", members: [Unit(id: "shop")]), Unit(id: "legal", members: []),
      ]
    )
  ]

  static func outline(expandedLevels: Int = 0) throws -> Outline<Unit> {
    try Outline(nested: units, children: \.members, expandedLevels: expandedLevels)
  }
}

extension Outline where Value == Company.Unit {
  /// The rows as one would see them.
  var seen: [String] {
    rows.map { row in
      let sign =
        switch row.disclosure {
        case .expanded: "▾ "
        case .collapsed: "▸ "
        case .empty: "▹ "
        case nil: ""
        }
      let mark = row.isMatch ? "*" : row.leadsToMatch ? "+" : ""
      return String(repeating: " ", count: row.level) + sign + row.id + mark
    }
  }
}

@Suite("Filtering")
struct FilterTests {
  @Test func `shows matches and every ancestor, opened and marked`() throws {
    var outline = try Company.outline()
    try outline.filter { $0.id == "tape" || $0.id == "shop" }
    #expect(
      outline.seen == [
        "▾ company+", " ▾ engineering+", "  ▾ storage+", "   tape*", " ▾ sales+", "  shop*",
      ]
    )
    #expect(outline.state.matchCount == 2)
    #expect(outline.matchingIDs == ["tape", "shop"])
    #expect(Array(try outline.matches { $0.id.count == 5 }.positions) == [7, 9])
    #expect(outline.rows.dropFirst(3).first?.isLastSibling == true)
  }

  @Test func `a matching group stays closed and can be looked into`() throws {
    var outline = try Company.outline()
    outline.expand("storage")
    try outline.filter { $0.id == "engineering" }
    #expect(outline.seen == ["▾ company+", " ▸ engineering*"])
    outline.expand("engineering")
    #expect(
      outline.seen == [
        "▾ company+", " ▾ engineering*", "  ▾ storage", "   disk", "   tape", "  ▸ network",
      ]
    )
  }

  @Test func `holds inside a matching group that has matches below`() throws {
    var outline = try Company.outline()
    try outline.filter { $0.id == "engineering" || $0.id == "disk" }
    #expect(outline.seen == ["▾ company+", " ▾ engineering*", "  ▾ storage+", "   disk*"])
  }

  @Test func `holds as soon as a match moves into the group`() throws {
    var outline = try Company.outline()
    try outline.filter { $0.id == "engineering" || $0.id == "shop" }
    try outline.move("shop", under: "network")
    #expect(outline.seen == ["▾ company+", " ▾ engineering*", "  ▾ network+", "   shop*"])
  }

  @Test func `clearing gives back what was open and what was opened by hand`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    let before = outline.seen
    try outline.filter { $0.id == "tape" }
    outline.clearFilter()
    #expect(outline.seen == before)
    try outline.filter { $0.id == "sales" }
    outline.expand("sales")
    outline.collapse("company")
    outline.expandAll()
    outline.clearFilter()
    #expect(
      outline.seen == ["▾ company", " ▸ engineering", " ▾ sales", "  shop", " ▹ legal"]
    )
  }

  @Test func `what was opened by hand and closed again is closed afterwards`() throws {
    var outline = try Company.outline(expandedLevels: 1)
    let before = outline.seen
    try outline.filter { $0.id == "sales" }
    outline.toggle("sales")
    outline.toggle("sales")
    outline.clearFilter()
    #expect(outline.seen == before)
  }

  @Test func `a filter that is cancelled on its way changes nothing`() throws {
    let items = (0..<20_000).map { Item(id: $0) }
    var outline = try Outline(
      levels: items.map { _ in 0 },
      values: items
    )
    try outline.filter { $0.id < 10 }
    var asked = 0
    #expect(throws: CancellationError.self) {
      try outline.filter(
        isCancelled: {
          asked += 1
          return asked == 3
        },
        where: { _ in true }
      )
    }
    #expect(asked == 3)
    #expect(outline.rowCount == 10)
  }

  @Test func `a filter in a cancelled task gives up`() async throws {
    let outline = try Company.outline()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try outline.matches { _ in true }.count
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `matches found before an edit are refused after it`() throws {
    var outline = try Company.outline()
    let copy = outline
    let found = try copy.matches { $0.id == "disk" }
    outline.expandAll()
    try outline.setFilter(found)
    #expect(outline.rowCount == 4)
    try outline.move("sales", under: nil)
    #expect(throws: OutlineError<String>.staleMatches) { try outline.setFilter(found) }
    #expect(throws: OutlineError<String>.positionOutOfRange(10)) {
      try outline.setFilter(positions: [0, 10])
    }
  }

  @Test func `a filter without a match leaves nothing`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    let changes = try outline.filter { _ in false }
    #expect(changes.removed == [0..<7])
    #expect(outline.rows.isEmpty)
    #expect(outline["sales"]?.place == .filteredOut)
    #expect(outline.clearFilter().inserted == [0..<7])
  }

  @Test func `a group that nothing can close stays opened by hand`() throws {
    var outline = try Company.outline(expandedLevels: 2)
    try outline.filter { $0.id == "storage" }
    outline.expand("storage")
    outline.setAlwaysOpen("storage")
    outline.collapseSubtree(of: "company")
    // From here on it may be closed, and would be without having been opened by hand.
    var closed = try #require(outline.subtree(of: "storage"))
    closed.setAlwaysOpen("storage", false)
    closed.collapseAll()
    try outline.replaceSubtree(of: "storage", with: closed)
    outline.clearFilter()
    let isExpanded = outline.isExpanded("storage")
    #expect(isExpanded)
  }
}
