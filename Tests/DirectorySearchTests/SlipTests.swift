import DirectoryTestSupport
import DirectoryModel
import DirectorySearch
import Testing

@Suite("Typing errors")
struct SlipTests {
  private static let names = [
    "Jean-Claude Petit", "Claude Jean", "Siobhan O’Hara", "Johannes Lund", "Lars", "Björn Åberg",
    "Щукин",
  ]

  private func find(_ text: String, allowsErrors: Bool = true) throws -> [String] {
    var company = Company()
    try company.department("d", name: "All")
    for (row, name) in Self.names.enumerated() {
      try company.user("\(row)", in: "d", name: name, email: "lars@x.example")
    }
    let engines = try company.engines()
    var request = SearchRequest(SearchQuery(text))
    request.allowsErrors = allowsErrors
    let hits = try engines.scan.search(request).hits
    #expect(try engines.index.search(request).hits == hits, "“\(text)”")
    return hits.filter { !$0.isDepartment }.map { Self.names[$0.row] }
  }

  @Test(
    arguments: [
      ("johanes", "Johannes Lund"), ("johhannes", "Johannes Lund"), ("jphannes", "Johannes Lund"),
      ("ojhannes", "Johannes Lund"), ("johanesn", "Johannes Lund"), ("lnud", "Johannes Lund"),
      ("bjoren", "Björn Åberg"), ("щукни", "Щукин"), ("siobahn", "Siobhan O’Hara"),
    ]
  )
  func `of each kind are forgiven`(query: String, name: String) throws {
    #expect(try find(query) == [name])
    #expect(try find(query, allowsErrors: false) == [])
  }

  @Test(arguments: ["jean-cluade", "jaen-claude", "Jean‑Clause"])
  func `are forgiven in the parts of a word with hyphens`(query: String) throws {
    #expect(Set(try find(query)) == ["Jean-Claude Petit", "Claude Jean"])
    #expect(try find(query, allowsErrors: false) == [])
  }

  @Test func `are said of the parts that have one`() throws {
    var company = Company()
    try company.department("d", name: "All")
    try company.user("1", in: "d", name: "Jean-Claude Petit")
    let engine = try company.engines().index
    let outcome = try engine.search(SearchRequest(SearchQuery("jean-cluade")))
    let words = try engine.explain(try #require(outcome.hits.first), of: outcome).words
    #expect(words.map(\.typed) == ["jean", "cluade"])
    #expect(words.map(\.quality) == [.whole, .oneError])
  }

  @Test func `are forgiven in words that blanks part in scripts that need none`() throws {
    var company = Company()
    try company.department("d", name: "Hanna Strøm")
    try company.user("1", in: "d", name: "佐々木 りさ", title: "小明 重SS")
    let engines = try company.engines()
    // 小明重SS has a letter more, so that no word is unknown and none is left out.
    for query in ["小明SS", "\"nna Strøm\" 小明SS 佐々木", "佐々木りか"] {
      let request = SearchRequest(SearchQuery(query))
      let outcome = try engines.index.search(request)
      #expect(try engines.scan.search(request) == outcome, "“\(query)”")
      #expect(outcome.hits.map(\.row) == [0], "“\(query)”")
      #expect(outcome.hits.map(\.rank.quality) == [.oneError], "“\(query)”")
    }
    let outcome = try engines.index.search(SearchRequest(SearchQuery("佐々木りか")))
    let explanation = try engines.index.explain(try #require(outcome.hits.first), of: outcome)
    #expect(explanation.words.map(\.quality) == [.oneError])
    #expect(explanation.highlights == [0..<"佐々木 りさ".utf8.count])
  }

  @Test func `come behind what is written so`() throws {
    #expect(try find("jean-claude") == ["Jean-Claude Petit", "Claude Jean"])
    #expect(try find("o'hara") == ["Siobhan O’Hara"])
    #expect(try find("o'harra") == ["Siobhan O’Hara"])
  }

  @Test(arguments: ["lrs", "jhnns", "johxxxes", "\"johanes\"", "email:alrs", "johanes9", "x-y"])
  func `are not forgiven in short words, phrases and addresses, nor when there are too many`(
    query: String
  ) throws {
    #expect(try find(query) == [])
  }
}
