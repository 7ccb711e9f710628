import DirectoryTestSupport
import TestSupport
import Seeds
import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Testing

@Suite("Searching people and departments")
struct SearchEngineTests {
  /// Lumen, with Optics (and its Lab) and Sales; Ada works in three of them.
  private func company() throws -> Company {
    var company = Company()
    try company.department("d-root", name: "Lumen")
    try company.department("d-optics", under: "d-root", name: "Optics")
    try company.department("d-lab", under: "d-optics", name: "Lens Lab")
    try company.department("d-sales", under: "d-root", name: "Sales Åland")
    try company.user(
      "u1",
      in: "d-lab",
      name: "Ada Lund",
      title: "Head of Lenses",
      email: "ada@lumen.example",
      phone: "+358 18 555 0101"
    )
    try company.member("u1", of: "d-sales", title: "Adviser")
    try company.member("u1", of: "d-root")
    try company.user(
      "u2",
      in: "d-sales",
      name: "Łukasz Béla",
      title: "Seller",
      email: "lb@x.example"
    )
    try company.user(
      "u3",
      in: "d-optics",
      name: "Grinder",
      title: "100% _precise_ \\ *fast* -\"ok\""
    )
    return company
  }

  /// Ids of the hits, the same with an index and without.
  private func find(
    _ text: String,
    in scope: SearchScope = .everywhere,
    of company: Company? = nil
  ) throws -> [String] {
    let company = try company ?? self.company()
    let engines = try company.engines()
    let request = SearchRequest(SearchQuery(text), in: scope)
    let found = try engines.scan.search(request)
    #expect(try engines.index.search(request) == found)
    return found.hits.map { hit in
      hit.isDepartment
        ? company.records.departments[hit.row].id.rawValue
        : company.records.users[hit.row].id.rawValue
    }
  }

  @Test(
    arguments: [
      ("ada", "u1"), ("u1", "u1"), ("ada@lumen", "u1"), ("0101", "u1"), ("head of", "u1"),
      ("adviser", "u1"), ("LUKASZ bela", "u2"), ("béla lukasz", "u2"), ("d-lab", "d-lab"),
      ("nobody", ""), ("ada nobody", "u1"), ("ada lund nobody", "u1"), ("ada seller", ""),
      ("ada adviser lens 0101 lund sales", "u1"),
      ("dept:sales", "d-sales u1 u2"), ("name:sales", "d-sales"), ("title:seller", "u2"),
      ("email:lumen", "u1"), ("id:u", "u1 u2 u3"), ("phone:01", "u1"), ("name:lumen", "d-root"),
      ("\"ada lund\"", "u1"), ("\"lund ada\"", ""), ("\"da lun\"", "u1"),
      ("dept:lumen -lund", "d-root d-optics d-lab d-sales u2 u3"),
      ("id:u -seller -\"ada lund\"", "u3"), ("lukas", "u2"), ("lukazs", "u2"), ("\"lukazs\"", ""),
    ]
  )
  func `every word may be found in any field`(query: String, expected: String) throws {
    #expect(Set(try find(query)) == Set(expected.split(separator: " ").map(String.init)))
  }

  @Test func `a department is found by its path as well, and people by theirs`() throws {
    #expect(try find("lens optics") == ["d-lab", "u1"])
    #expect(Set(try find("grinder lumen")) == ["u3"])
  }

  @Test func `a person in several departments is one hit, at the primary place`() throws {
    #expect(try find("ada lund") == ["u1"])
    let snapshot = try company().snapshot()
    let outcome = try SearchEngine(snapshot, phones: .unknown)
      .search(SearchRequest(SearchQuery("ada lund")))
    let record = try snapshot.tree().record(of: #require(outcome.hits.first).node)
    #expect(try snapshot.memberships().isPrimary(record))
  }

  @Test func `a scope holds its departments and the people with a place in it`() throws {
    // Preorder: 0 root, 1 Optics, 2 Lens Lab, 3 Ada, 4 Grinder, 5 Sales, 6 Ada, 7 Łukasz, 8 Ada.
    #expect(try find("id:u", in: SearchScope(within: [5])) == ["u1", "u2"])
    #expect(try find("id:u", in: SearchScope(within: [1])) == ["u3", "u1"])
    #expect(try find("id:u", in: SearchScope(within: [1, 5])) == ["u1"])
    #expect(try find("id:u", in: SearchScope(within: [], outside: [5])) == ["u3"])
    #expect(try find("id:d-", in: SearchScope(within: [1])) == ["d-optics", "d-lab"])
    let snapshot = try company().snapshot()
    let outcome = try SearchEngine(snapshot, phones: .unknown)
      .search(SearchRequest(SearchQuery("ada lund"), in: SearchScope(within: [5])))
    #expect(outcome.hits.map(\.node) == [6])
  }

  @Test(arguments: ["%", "_", "\\", "*", "-\"ok\" *", "100%", "_precise_", "*fast*"])
  func `signs mean themselves`(query: String) throws {
    #expect(try find(query).contains("u3") == !query.hasPrefix("-"))
  }

  @Test func `qualities come in their order, and the name before other fields`() throws {
    var company = Company()
    try company.department("d", name: "All")
    try company.user("10", in: "d", name: "Zed", title: "Lennart")
    try company.user("9", in: "d", name: "Mia", title: "lenart")
    try company.user("8", in: "d", name: "Lenart Longname")
    try company.user("7", in: "d", name: "Леннарт")
    try company.user("6", in: "d", name: "Al Xlennart")
    try company.user("5", in: "d", name: "Zoe", email: "lennarty@x.example")
    try company.user("4", in: "d", name: "Mary-Lennarta")
    try company.user("3", in: "d", name: "Zac", email: "lennart@x.example")
    try company.user("2", in: "d", name: "Lennart Long")
    try company.user("1", in: "d", name: "LÉNNART")
    let expected = ["1", "2", "10", "3", "7", "4", "5", "6", "8", "9"]
    #expect(try find("lennart", of: company) == expected)
  }

  @Test func `of equal rank the shorter name comes first, then the order of the tree`() throws {
    var company = Company()
    try company.department("d", name: "All")
    for (id, name) in [("1", "Ann Bcd"), ("2", "Ann B"), ("3", "Ann C"), ("4", "Ann B")] {
      try company.user(id, in: "d", name: name)
    }
    #expect(try find("ann", of: company) == ["2", "4", "3", "1"])
  }

  @Test(
    arguments: [
      ("mueller", "2 1"), ("müller", "3 1 2"), ("muller", "3 1"), ("zhangwei", "4"), ("zw", "4"),
      ("zhang wei", "4"), ("重慶", "5"), ("重庆", "5"), ("zhongqing", "5"), ("りさ", "6"), ("リサ", "6"),
      ("佐々木り", "6"), ("\"佐々木り\"", "6"), ("ㄱㅇㅁ", "7"), ("shchukin", "8"), ("aarhus", "9"),
    ]
  )
  func `names of every script and spelling are found`(query: String, expected: String) throws {
    var company = Company()
    try company.department("d", name: "All")
    let names = [
      "Müller", "Mueller", "Muller", "张伟", "重庆", "佐々木 りさ", "강유미", "Щукин", "Århus",
    ]
    for (index, name) in names.enumerated() {
      try company.user("\(index + 1)", in: "d", name: name)
    }
    let wanted = expected.split(separator: " ").map(String.init)
    #expect(Array(try find(query, of: company).prefix(wanted.count)) == wanted)
  }

  @Test func `an empty directory and an empty query have no hits`() throws {
    #expect(try find("a", of: Company()) == [])
    for query in ["", " ", "\u{200D}"] { #expect(try find(query) == []) }
  }

  @Test func `a filtered tree shows places, and a department's name does not find its people`()
    throws
  {
    let engines = try company().engines()
    for engine in [engines.scan, engines.index] {
      func nodes(_ text: String, _ scope: SearchScope = .everywhere) throws -> [Int] {
        try engine.matchingNodes(for: SearchQuery(text), in: scope)
      }
      #expect(try nodes("lens") == [2, 3])
      #expect(try nodes("sales") == [5])
      #expect(try nodes("adviser") == [6])
      #expect(try nodes("ada adviser") == [6])
      #expect(try nodes("ada sales") == [6])
      #expect(try nodes("ada") == [3, 6, 8])
      #expect(try nodes("ada", SearchScope(within: [5])) == [6])
      #expect(try nodes("head adviser") == [])
      #expect(try nodes("lens -head") == [2])
      #expect(try nodes("grindr") == [4])
    }
  }

  @Test func `what finds nothing is told what may have been meant`() throws {
    let engines = try company().engines()
    for engine in [engines.scan, engines.index] {
      #expect(try engine.suggestion(for: SearchQuery("lukasch")) == "lukasz")
      #expect(try engine.suggestion(for: SearchQuery("adx")) == "ada")
      #expect(try engine.suggestion(for: SearchQuery("xyzxyz")) == nil)
      #expect(try engine.suggestion(for: SearchQuery("\"lukasch\"")) == nil)
      #expect(try engine.suggestion(for: SearchQuery("lukasch bella")) == "lukasz bella")
      // Each word has one near it, but no one has both.
      #expect(try engine.suggestion(for: SearchQuery("lukasch ada")) == nil)
      #expect(try engine.suggestion(for: SearchQuery("lukasch -bela")) == nil)
      let elsewhere = SearchScope(within: [1])
      #expect(try engine.suggestion(for: SearchQuery("lukasch"), in: elsewhere) == nil)
    }
  }

  @Test func `a hit says why, and what of its name`() throws {
    let engine = try company().engines().index
    let query = SearchQuery("head 0101 ada optics")
    let outcome = try engine.search(SearchRequest(query))
    let reasons = try engine.explain(#require(outcome.hits.first), of: outcome).words
    #expect(reasons.map(\.typed) == ["head", "0101", "ada", "optics"])
    #expect(reasons.map(\.field) == ["title", "phone", "name", "dept"])
    #expect(reasons.map(\.quality) == [.whole, .start, .whole, .whole])
  }

  @Test(
    arguments: [
      ("lukasz", "Łukasz Béla", "Łukasz"), ("bel", "Łukasz Be\u{301}la", "Be\u{301}l"),
      ("zw", "张伟", "张伟"), ("wei", "张伟", "伟"), ("mueller", "Anna Müller", "Müller"),
      ("lnud", "Ada Lund", "Lund"), ("佐々木り", "佐々木 りさ", "佐々木 り"), ("ss", "Weiß", "ß"),
      ("nobody", "Ada", ""),
    ]
  )
  func `what was found is set off as it was written`(
    query: String,
    name: String,
    found: String
  ) {
    let ranges = NameHighlighter(SearchQuery(query)).ranges(in: name, isPerson: true)
    let bytes = Array(name.utf8)
    #expect(ranges.map { String(decoding: bytes[$0], as: UTF8.self) }.joined() == found)
  }

  @Test func `a search ends at its deadline and with its task`() async throws {
    var generator = SeededGenerator(seed: 1)
    let company = try RandomCompany.make(using: &generator, people: 200)
    let engines = try company.engines()
    for engine in [engines.scan, engines.index] {
      let late = SearchRequest(SearchQuery("a"), deadline: ContinuousClock.now)
      #expect(throws: SearchError.late) { try engine.search(late) }
      let task = Task { () -> Result<SearchOutcome, any Error> in
        withUnsafeCurrentTask { $0?.cancel() }
        return Result { try engine.search(SearchRequest(SearchQuery("a"))) }
      }
      guard case .failure(let error) = await task.value else { throw TestFailure("not cancelled") }
      #expect(error as? SearchError == .cancelled)
    }
    #expect(throws: SearchError.refused(.tooManyWords(100))) {
      let words = (0..<100).map { "w\($0)" }.joined(separator: " ")
      _ = try engines.index.search(SearchRequest(SearchQuery(words)))
    }
  }

  @Test func `many tasks search at once`() async throws {
    var generator = SeededGenerator(seed: 2)
    let company = try RandomCompany.make(using: &generator, people: 200)
    let engine = try company.engines().index
    let queries = (0..<20).map { _ in
      SearchQuery(RandomCompany.query(company, using: &generator))
    }
    let expected = try queries.map { try engine.search(SearchRequest($0)) }
    let fresh = try company.engines().index
    try await withThrowingTaskGroup(of: (Int, SearchOutcome).self) { group in
      for index in queries.indices {
        let query = queries[index]
        group.addTask { (index, try fresh.search(SearchRequest(query))) }
      }
      for try await (index, outcome) in group { #expect(outcome.total == expected[index].total) }
    }
  }
}
