import DirectorySearch
import DirectoryTestSupport
import Testing

@Suite("What stands otherwise in names")
struct OtherSpellingsTests {
  private static let people = [
    "Christine Hrdlicka", "Christoph Chrudim", "张伟", "黄晓明", "陈伟", "マイケル・スミス", "ジョン・ブラウン",
    "Ada Lund", "Edith Hartley", "Ines Meyer",
  ]
  private static let departments = [
    "Human Resources", "Research & Development", "Sankt Gallen", "Chromatography",
    "Heads of the Region",
    "Отдел кадров",
  ]

  private func engines() throws -> (scan: SearchEngine, index: SearchEngine) {
    var company = Company()
    for (row, name) in Self.departments.enumerated() {
      try company.department("d\(row)", name: name)
    }
    for (row, name) in Self.people.enumerated() {
      try company.user("p\(row)", in: "d3", name: name)
    }
    return try company.engines()
  }

  private func find(_ text: String) throws -> [(name: String, tier: SearchTier)] {
    let engines = try engines()
    let request = SearchRequest(SearchQuery(text))
    let outcome = try engines.index.search(request)
    #expect(try engines.scan.search(request) == outcome)
    return outcome.hits.map {
      ($0.isDepartment ? Self.departments[$0.row] : Self.people[$0.row], $0.tier)
    }
  }

  @Test(arguments: [
    ("r&d", "Research & Development"), ("rd", "Research & Development"),
    ("H.R.", "Human Resources"),
    ("ок", "Отдел кадров"), ("hotr", "Heads of the Region"),
  ])
  func `a department is found by its initials`(text: String, name: String) throws {
    let hits = try find(text)
    #expect(hits.first?.name == name)
    #expect(hits.first?.tier == .initials)
  }

  @Test func `initials come behind starts of words and before parts inside them`() throws {
    let names = try find("hr").map(\.name)
    #expect(names.prefix(2) == ["Christine Hrdlicka", "Human Resources"])
    #expect(names.dropFirst(2).contains("Chromatography"))
  }

  @Test func `the order of initials is the same on every page`() throws {
    let engines = try engines()
    let all = try engines.index.search(SearchRequest(SearchQuery("hr"))).hits
    for offset in all.indices {
      let page = try engines.index.search(
        SearchRequest(SearchQuery("hr"), limit: 1, offset: offset)
      )
      #expect(page.hits == [all[offset]])
    }
  }

  @Test func `initials respect what is left out and where to look`() throws {
    #expect(try !find("hr -resources").map(\.name).contains("Human Resources"))
    #expect(try find("title:hr").isEmpty)
  }

  @Test(arguments: [
    ("zhang1 wei3", "张伟", SearchTier.otherSpellings), ("zhang1wei3", "张伟", .otherSpellings),
    ("wong xiaoming", "黄晓明", .otherSpellings), ("chan wei", "陈伟", .otherSpellings),
    ("st gallen", "Sankt Gallen", .otherSpellings), ("st-gallen", "Sankt Gallen", .otherSpellings),
    ("research and development", "Research & Development", .otherSpellings),
    ("michael smith", "マイケル・スミス", .sounds), ("john brown", "ジョン・ブラウン", .sounds),
    ("ines maier", "Ines Meyer", .nameVariants),
    ("edith vera hartley", "Edith Hartley", .withoutWord),
  ])
  func `another spelling is found, and said`(
    text: String,
    name: String,
    tier: SearchTier
  ) throws {
    let hits = try find(text)
    #expect(hits.first?.name == name)
    #expect(hits.first?.tier == tier)
  }

  @Test func `words that occur stay as they are`() throws {
    #expect(try find("ada lund").map(\.tier) == [.asTyped])
    #expect(try find("x42 room4").isEmpty)
    #expect(try find("lund4").isEmpty)
    #expect(try find("p1").map(\.name) == ["Christoph Chrudim"])
  }
}
