import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing
import TextRules

@Suite("Searching declared fields")
struct DeclaredFieldTests {
  private static let fields = [
    Field(name: "note", of: .user, label: "Note"),
    Field(name: "tags", of: .user, label: "Tags", isMultiple: true),
    Field(name: "mobile", of: .user, kind: .phone, label: "Mobile"),
    Field(name: "manager", of: .user, kind: .person, label: "Manager"),
    Field(name: "secret", of: .user, label: "Secret", isSearched: false),
    Field(name: "site", of: .department, label: "Site"),
  ]

  private func text(_ generator: inout SeededGenerator) -> String {
    Bool.random(using: &generator)
      ? RandomText.text(words: 1...3, using: &generator)
      : ["Anna", "b12", "Pier 4", "\"q\"", "ann.lee"].randomElement(using: &generator) ?? ""
  }

  private func values(_ generator: inout SeededGenerator) -> FieldValues {
    var values: [String: FieldValues.Value] = [:]
    for name in ["note", "secret"] where Bool.random(using: &generator) {
      values[name] = .one(text(&generator))
    }
    if Bool.random(using: &generator) {
      values["tags"] = .several([text(&generator), text(&generator)])
    }
    if Bool.random(using: &generator) {
      values["mobile"] = .one(RandomCompany.phone(using: &generator))
    }
    if Bool.random(using: &generator) {
      values["manager"] = .one("u\(Int.random(in: 0...9, using: &generator))")
    }
    return FieldValues(values.filter { $0.value.texts.allSatisfy { !$0.isEmpty } })
  }

  private func company(
    _ generator: inout SeededGenerator,
    people: Int = 40
  ) throws -> Company {
    var company = try RandomCompany.make(using: &generator, people: people)
    company.records.fields = Self.fields
    var users = UserTable()
    for row in 0..<company.records.users.count {
      var record = company.records.users[row]
      record.fields = values(&generator)
      try users.append(record)
    }
    company.records.users = users
    var departments = DepartmentTable()
    for row in 0..<company.records.departments.count {
      var record = company.records.departments[row]
      if row % 3 == 0 { record.fields = FieldValues(["site": .one("Pier \(row)")]) }
      try departments.append(record)
    }
    company.records.departments = departments
    return company
  }

  @Test func `explains what it found`() throws {
    var generator = SeededGenerator(seed: 1)
    var company = try company(&generator)
    var users = UserTable()
    for row in 0..<company.records.users.count {
      var record = company.records.users[row]
      if row == 0 {
        record.fields = FieldValues([
          "note": .one("Quartz clocks"), "tags": .several(["one", "Zinc"]),
          "mobile": .one("0172 5550137"), "secret": .one("xenon"),
        ])
      }
      try users.append(record)
    }
    company.records.users = users
    let engine = try company.engines().index
    let query = SearchQuery("quartz zin 5550137", fields: Self.fields)
    let outcome = try engine.search(SearchRequest(query))
    let words = try engine.explain(#require(outcome.hits.first), of: outcome).words
    #expect(words.map(\.field) == ["note", "tags", "mobile"])
    #expect(words.map(\.quality) == [.whole, .start, .start])
    #expect(words.map(\.text) == ["Quartz clocks", "Zinc", "0172 5550137"])
    #expect(try engine.search(SearchRequest(SearchQuery("0172 555 0137"))).hits.count == 1)
    #expect(try engine.search(SearchRequest(SearchQuery("xenon"))).hits.isEmpty)
    #expect(try engine.search(SearchRequest(SearchQuery("phone:5550137"))).hits.isEmpty)
  }

  @Test(arguments: newSeeds(30) + [6_972_819_360_710_233_012])
  func `finds the same with an index and without`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let engines = try company(&generator, people: 120).engines()
    for _ in 0..<40 {
      var parts: [String] = []
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let word = text(&generator)
        let part = [
          word, word, "\"\(word)\"", "-\(word)", "note:\(word)", "-tags:\(word)", "has:note",
          "-has:mobile", "has:email", "mobile:4", "mobile:555", "mobile:+4930", "-mobile:202", "-7",
          "phone:7", "\(Int.random(in: 100...999))",
          "manager:u1", "reports:anna", "site:pier", "pier",
        ].randomElement(using: &generator)
        parts.append(part ?? "")
      }
      let text = parts.joined(separator: " ")
      let query = SearchQuery(text, fields: Self.fields)
      let all = try engines.scan.search(SearchRequest(query)).hits
      #expect(try engines.index.search(SearchRequest(query)).hits == all, "“\(text)”")
      let few = try engines.index.search(SearchRequest(query, limit: 3)).hits
      #expect(few == Array(all.prefix(3)), "“\(text)”")
    }
  }

  /// What a condition says, by looking at the decoded values.
  private struct Condition {
    let text: String
    let ofUser: (UserRecord) -> Bool
    var ofDepartment: (DepartmentRecord) -> Bool = { _ in false }

    func holds(_ hit: SearchHit, _ company: Company) -> Bool {
      hit.isDepartment
        ? ofDepartment(company.records.departments[hit.row])
        : ofUser(company.records.users[hit.row])
    }
  }

  private func holds(_ word: String, _ name: String, _ values: FieldValues) -> Bool {
    let word = Folding.fold(word)
    return (values.values?[name]?.texts ?? []).contains { holds(word, $0) }
  }

  private func holds(_ word: String, _ text: String) -> Bool {
    naivelyContains(Array(Folding.fold(text).utf8), Array(word.utf8))
  }

  private func conditions(_ company: Company) -> [Condition] {
    let users = company.records.users
    let names = Dictionary(
      uniqueKeysWithValues: (0..<users.count).map { (users[$0].id.rawValue, users[$0].name) }
    )
    var conditions = ["note", "tags", "secret", "mobile", "manager"].map { name in
      Condition(text: "has:\(name)", ofUser: { $0.fields.values?[name] != nil })
    }
    conditions.append(
      Condition(
        text: "has:site",
        ofUser: { _ in false },
        ofDepartment: { $0.fields.values?["site"] != nil }
      )
    )
    conditions.append(
      Condition(
        text: "site:pier",
        ofUser: { _ in false },
        ofDepartment: { holds("pier", "site", $0.fields) }
      )
    )
    for (name, word) in [
      ("note", "b12"), ("tags", "an"), ("secret", "pier"), ("note", "\"pier 4\""),
    ] {
      let letters = word.filter { $0 != "\"" }
      conditions.append(
        Condition(text: "\(name):\(word)", ofUser: { holds(letters, name, $0.fields) })
      )
    }
    for word in ["u1", "ann"] {
      conditions.append(
        Condition(
          text: "manager:\(word)",
          ofUser: { user in
            (user.fields.values?["manager"]?.texts ?? []).contains { id in
              holds(word, id) || holds(word, names[id] ?? "")
            }
          }
        )
      )
    }
    return conditions
  }

  @Test(arguments: newSeeds(20) + [6_972_819_360_710_233_012])
  func `conditions leave those of whom they hold, in the same order`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try company(&generator, people: 300)
    let engines = try company.engines()
    let conditions = conditions(company)
    for _ in 0..<40 {
      var wanted: [(condition: Condition, isExcluded: Bool)] = []
      for _ in 0...Int.random(in: 0...1, using: &generator) {
        guard let condition = conditions.randomElement(using: &generator) else { continue }
        wanted.append((condition, Int.random(in: 0...3, using: &generator) == 0))
      }
      let word = ["", "an", "u", "lund"].randomElement(using: &generator) ?? ""
      let texts = wanted.map { ($0.isExcluded ? "-" : "") + $0.condition.text } + [word]
      let text = texts.joined(separator: " ")
      func hits(_ text: String, _ engine: SearchEngine) throws -> [SearchHit] {
        var request = SearchRequest(SearchQuery(text, fields: Self.fields))
        request.allowsTiers = false
        return try engine.search(request).hits
      }
      let all = word.isEmpty ? [] : try hits(word, engines.scan)
      let expected = all.filter { hit in
        wanted.allSatisfy { $0.condition.holds(hit, company) != $0.isExcluded }
      }
      for engine in [engines.scan, engines.index] {
        let found = try hits(text, engine)
        if word.isEmpty {
          let rows = { (hits: [SearchHit]) in
            hits.map { $0.row << 1 | ($0.isDepartment ? 1 : 0) }
          }
          #expect(rows(found).sorted() == everyone(company, wanted).sorted(), "“\(text)”")
        } else {
          #expect(found == expected, "“\(text)”")
        }
      }
    }
  }

  private func everyone(
    _ company: Company,
    _ wanted: [(condition: Condition, isExcluded: Bool)]
  ) -> [Int] {
    let records = company.records
    let users = (0..<records.users.count).filter { row in
      wanted.allSatisfy { $0.condition.ofUser(records.users[row]) != $0.isExcluded }
    }
    let departments = (0..<records.departments.count).filter { row in
      wanted.allSatisfy { $0.condition.ofDepartment(records.departments[row]) != $0.isExcluded }
    }
    return users.map { $0 << 1 } + departments.map { $0 << 1 | 1 }
  }
}
