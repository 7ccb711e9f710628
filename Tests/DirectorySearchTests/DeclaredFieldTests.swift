import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing

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

  private func company(_ generator: inout SeededGenerator) throws -> Company {
    var company = try RandomCompany.make(using: &generator)
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

  @Test(arguments: newSeeds(30))
  func `finds the same with an index and without`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let engines = try company(&generator).engines()
    for _ in 0..<40 {
      var parts: [String] = []
      for _ in 0...Int.random(in: 0...2, using: &generator) {
        let word = text(&generator)
        let part = [
          word, word, "\"\(word)\"", "-\(word)", "note:\(word)", "-tags:\(word)", "has:note",
          "-has:mobile", "has:email", "mobile:4", "-7", "phone:7", "\(Int.random(in: 100...999))",
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
}
