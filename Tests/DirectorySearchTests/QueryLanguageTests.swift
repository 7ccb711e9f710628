import DirectoryTestSupport
import DirectoryModel
import DirectorySearch
import Testing

/// What each sentence of the query language promises, asked of a small directory, with an index and
/// without.
@Suite("The query language")
struct QueryLanguageTests {
  private static let rules = DialingPlan(country: "DE") ?? .unknown

  /// Lumen ⊃ Works ⊃ Berlin, and Lumen ⊃ Sales/East ⊃ Berlin.
  private static func company() throws -> Company {
    var company = Company()
    try company.department("lumen", name: "Lumen")
    try company.department("works", under: "lumen", name: "Works")
    try company.department("wb", under: "works", name: "Berlin")
    try company.department("east", under: "lumen", name: "Sales/East")
    try company.department("sb", under: "east", name: "Berlin")
    try company.user(
      "e-0041",
      in: "wb",
      name: "Ann-Kathrin Storm",
      title: "Head of Storage",
      email: "ann.storm@lumen.example",
      phone: "+49 30 901820-17"
    )
    try company.user(
      "e-0042",
      in: "sb",
      name: "Ann Storm",
      title: "100% travel, \"key\" accounts",
      email: "storm_a@lumen.example",
      phone: "030 / 555 01 77"
    )
    try company.user(
      "e-0043",
      in: "sb",
      name: "Bo O’Hara",
      title: #"C:\temp *owner* [a-z]+"#,
      email: "bo@ann.example",
      phone: "(0049) 40 1234567"
    )
    try company.user("e-0044", in: "works", name: "Stormy Ann", title: "Intern")
    return company
  }

  /// Ids of the hits, best first.
  private func find(_ text: String) throws -> [String] {
    let company = try Self.company()
    let engines = try company.engines(phones: Self.rules)
    let request = SearchRequest(SearchQuery(text, phones: Self.rules))
    let outcome = try engines.scan.search(request)
    #expect(try engines.index.search(request) == outcome, "“\(text)”")
    return outcome.hits.map { hit in
      hit.isDepartment
        ? company.records.departments[hit.row].id.rawValue
        : company.records.users[hit.row].id.rawValue
    }
  }

  private func expect(_ query: String, _ ids: String) throws {
    #expect(Set(try find(query)) == Set(ids.split(separator: " ").map(String.init)), "“\(query)”")
  }

  @Test(
    arguments: [
      // Name and department; title and department; the same the other way round.
      ("ann works", "e-0041 e-0044"), ("storage berlin", "e-0041"), ("berlin storage", "e-0041"),
      ("storm 0042", "e-0042"), ("storm intern", "e-0044"), ("bo intern", ""),
      // A word that is not in use.
      ("ann nobody storm", "e-0041 e-0042 e-0044"), ("storm nobody", "e-0041 e-0042 e-0044"),
      ("ann storm nobody nowhere", ""),
    ]
  )
  func `words may hit different fields in any order, and all must hit`(
    query: String,
    ids: String
  ) throws {
    try expect(query, ids)
  }

  @Test(
    arguments: [
      (#""ann storm""#, "e-0042"), (#""storm ann""#, ""), (#""ANN  STORM""#, "e-0042"),
      (#""n sto""#, "e-0041 e-0042"), (#""ann-kathrin""#, "e-0041"), (#""anm storm""#, ""),
      (#""""key"" acc""#, "e-0042"), (#""100% travel, ""key"""#, "e-0042"),
      // Open to the end.
      (#""ann storm"#, "e-0042"), (#""o'hara"#, "e-0043"),
    ]
  )
  func `a phrase is taken literally after folding, and "" in it is a quote`(
    query: String,
    ids: String
  ) throws {
    try expect(query, ids)
  }

  @Test(
    arguments: [
      ("storm -kathrin", "e-0042 e-0044"), ("storm -stormy", "e-0041 e-0042"),
      (#"storm -"ann storm""#, "e-0041 e-0044"), ("ann -dept:works", "e-0042 e-0043"),
      ("ann -title:intern -id:0041", "e-0042 e-0043"), ("storm -phone:0177", "e-0041 e-0044"),
      (#"id:e -in:"Lumen/Works""#, ""),
    ]
  )
  func `a word behind a hyphen excludes, in its field alone`(
    query: String,
    ids: String
  ) throws {
    // Scopes are resolved by the service; here they are not.
    if query.contains("in:") {
      #expect(SearchQuery(query).excludedScopes == ["Lumen/Works"])
      return
    }
    try expect(query, ids)
  }

  @Test func `excluding alone leaves all others`() throws {
    try expect("-ann -dept:works", "lumen east sb")
  }

  @Test(
    arguments: [
      ("title:storage", "e-0041"), (#"title:"head of""#, "e-0041"), ("title:ann", ""),
      ("name:storage", ""), ("dept:storage", ""), ("dept:east", "east sb e-0042 e-0043"),
      ("department:east", "east sb e-0042 e-0043"), ("email:ann", "e-0041 e-0043"),
      ("email:storm_a", "e-0042"), ("id:0042", "e-0042"),
      ("id:e-004", "e-0041 e-0042 e-0043 e-0044"),
      ("name:ann", "e-0041 e-0042 e-0044"), (#"NAME:"stormy""#, "e-0044"), ("id:storm", ""),
      (#"name:"ann storm" dept:berlin"#, "e-0042"),
    ]
  )
  func `a field's name and a colon restrict`(query: String, ids: String) throws {
    try expect(query, ids)
  }

  @Test(
    arguments: [
      ("storm_a", "e-0042"), ("bo", "e-0043"), ("ann.storm", "e-0041"), ("bo@ann", "e-0043"),
      ("@ann.example", "e-0043"), ("ann.storm@lumen.example", "e-0041"),
    ]
  )
  func `an address is found by what stands before the at sign, and whole`(
    query: String,
    ids: String
  ) throws {
    #expect(try find(query).contains(ids), "“\(query)”")
  }

  @Test(
    arguments: [
      ("0177", "e-0042"), ("phone:17", "e-0041"), ("phone:77", "e-0042"), ("0305550177", "e-0042"),
      ("+49305550177", "e-0042"), ("+49 30 555 0177", "e-0042"), ("0049 30 555-01-77", "e-0042"),
      ("030 90182017", "e-0041"), ("+493090182017", "e-0041"), ("9018 2017", "e-0041"),
      ("040 1234567", "e-0043"), ("+49 40 1234567", "e-0043"),
      ("phone:+49", "e-0041 e-0042 e-0043"),
      ("phone:555-01", "e-0042"), ("٠١٧٧", "e-0042"),
    ]
  )
  func `a telephone number is found by its digits, with or without the country`(
    query: String,
    ids: String
  ) throws {
    try expect(query, ids)
  }

  @Test(
    arguments: [
      ("%", "e-0042"), ("_", "e-0042"), (#"\"#, "e-0043"), ("*", "e-0043"), ("100%", "e-0042"),
      ("*owner*", "e-0043"), ("sto%", ""), ("st_rm", "e-0041 e-0042 e-0044"),
      (#"c:\temp"#, "e-0043"), ("[a-z]+", "e-0043"), ("(a+)+$", ""), ("?", ""),
      ("-", "e-0041 e-0042 e-0043 e-0044"),
      ("ann-kathrin", "e-0041"), ("o'hara", "e-0043"), ("o`hara", "e-0043"), ("ohara", "e-0043"),
      (#"""#, "e-0042"), (#""%""#, "e-0042"), (#""*""#, "e-0043"), ("sales/east", "east"),
      ("^", ""),
    ]
  )
  func `every other sign means itself`(query: String, ids: String) throws {
    let found = Set(try find(query))
    let expected = Set(ids.split(separator: " ").map(String.init))
    // Typing errors come last and are none of a sign's business.
    switch query {
    case "st_rm": #expect(found.isSubset(of: expected))
    case "sales/east": #expect(found.isSuperset(of: expected))
    default: #expect(found == expected, "“\(query)”")
    }
  }

  @Test(
    arguments: [
      // Signs around words, where no one has them so.
      ("own*", "e-0043"), ("(ann storm)", "e-0041 e-0042 e-0044"),
      ("storm;", "e-0041 e-0042 e-0044"),
      ("“stormy”!", "e-0044"), ("intern, bo", ""), ("O’Hara, Bo", "e-0043"), ("?!", ""),
      // Pasted addresses and numbers.
      ("Bo <bo@ann.example>", "e-0043"), ("\"O’Hara, Bo\" <bo@ann.example>", "e-0043"),
      ("<storm_a@lumen.example>;", "e-0042"), ("mailto:bo@ann.example", "e-0043"),
      ("Ann Storm <ann@nowhere.example>", "e-0041 e-0042 e-0044"),
      ("Tel.: 030 / 555 · 01 · 77", "e-0042"), ("tel:+49-30-555-0177", "e-0042"),
      ("(030) 555–01–77,", "e-0042"), ("030 9018 2017 99", ""),
      // Forms of address, but for those in front of nothing else.
      ("Dr. O’Hara", "e-0043"), ("Frau Prof. Kathrin", "e-0041"), ("mr intern", "e-0044"),
      ("herr", ""),
      // Signs inside of words, where no one has them so.
      ("stormy_ann", "e-0044"), ("kathrin/storm", "e-0041"),
      ("bo.o'hara@nowhere.example", "e-0043"),
      ("dr.ann-kathrin", "e-0041"),
      // Two hyphens end the options of a command.
      ("-- bo", "e-0043"),
    ]
  )
  func `what was pasted or said with a name is understood`(query: String, ids: String) throws {
    try expect(query, ids)
  }

  @Test func `what is found as typed comes before what was made of it`() throws {
    #expect(try find("100%") == ["e-0042"])
    #expect(try find("(a+)+$") == [])
  }

  @Test func `an explanation says what was made of the query`() throws {
    let engine = try Self.company().engines(phones: Self.rules).index
    let outcome = try engine.search(SearchRequest(SearchQuery("Frau Kathrin;", phones: Self.rules)))
    let hit = try #require(outcome.hits.first)
    #expect(hit.tier == .withoutTitles)
    let explanation = try engine.explain(hit, of: outcome)
    #expect(explanation.reading == "without the form of address \"frau\"")
    #expect(explanation.words.map(\.typed) == ["kathrin"])
    #expect(explanation.highlights == [4..<11])
  }

  @Test(
    arguments: [
      ("name: ann", ["name:", "ann"]), ("title:", ["title:"]), ("in:", ["in:"]), (":", [":"]),
      ("foo:ann", ["foo:ann"]), ("http://x", ["http://x"]), ("name:\"\"", [#"name:"""#]),
      ("-", ["-"]), ("- ann", ["-", "ann"]), ("a:b:c", ["a:b:c"]),
    ]
  )
  func `a field's name without anything behind it is a word like others`(
    query: String,
    words: [String]
  ) {
    let shown = SearchQuery(query).terms.map { term in
      (term.field.map { "\($0.rawValue):" } ?? "") + String(decoding: term.text, as: UTF8.self)
    }
    #expect(shown == words, "“\(query)”")
  }

  @Test(arguments: ["in:Works", #"in:"Works""#, "IN:Works", "in:Lumen/Works"])
  func `in: names a department, which is no word`(query: String) {
    let parsed = SearchQuery(query + " ann")
    #expect(parsed.scopes.count == 1 && parsed.terms.count == 1)
  }
}
