import DirectoryTestSupport
import DirectorySearch
import TestSupport
import Testing

@Suite("Searches that would take long")
struct PatienceTests {
  private static func company(people: Int) throws -> Company {
    var company = Company()
    try company.department("mill")
    for index in 0..<people {
      try company.user(
        "u\(index)",
        in: "mill",
        name: "Person Number \(index)",
        title: "Miller of flour \(index % 7)",
        email: "person.\(index)@mill.example"
      )
    }
    return company
  }

  @Test func `are given up in the middle when their time is over`() throws {
    let engine = try Self.company(people: 4_000).engines().scan
    let words = (0..<60).map { "person\($0)" }.joined(separator: " ")
    let late = processorTime {
      let deadline = ContinuousClock.now + .milliseconds(20)
      let request = SearchRequest(SearchQuery(words), deadline: deadline)
      #expect(throws: SearchError.late) { try engine.search(request) }
    }
    let patient = try processorTime { _ = try engine.search(SearchRequest(SearchQuery(words))) }
    // Far from all of it was done.
    #expect(late < patient)
  }

  @Test(arguments: [250, 256, 257, 300, 1_000, 2_000, 8_000])
  func `words of hundreds of letters with errors find nothing`(count: Int) throws {
    let engines = try Self.company(people: 20).engines()
    for text in ["a", "ab", "person", "ж"] {
      let word = String(repeating: text, count: count / text.utf8.count)
      for engine in [engines.index, engines.scan] {
        let outcome = try engine.search(SearchRequest(SearchQuery(word), limit: 20))
        #expect(outcome.total == .exactly(0))
      }
    }
  }

  @Test func `a long word is found with two errors`() throws {
    var company = try Self.company(people: 20)
    let long = String(repeating: "flour", count: 48)
    try company.user("long", in: "mill", name: "Anna \(long)")
    let engines = try company.engines()
    let typed = "x" + long.dropFirst().dropLast()
    for engine in [engines.index, engines.scan] {
      let outcome = try engine.search(SearchRequest(SearchQuery(typed)))
      #expect(outcome.hits.map(\.rank.quality) == [.twoErrors])
    }
  }
}

@Suite("Telephone numbers that all begin alike")
struct AlikeNumberTests {
  /// As written in the directory, in forms of one country.
  private static let forms = [
    "+49 30 23125 %", "030 23125 %", "0049 30 23125 %", "+49 (0)30 23125 %",
  ]

  @Test(arguments: ["DE", nil])
  func `are found in every form that a look at each finds them in`(country: String?) throws {
    let phones = try country.map { try #require(DialingPlan(country: $0)) } ?? .unknown
    var company = Company()
    try company.department("mill")
    for number in 100..<160 {
      for (form, text) in Self.forms.enumerated() {
        let phone = text.split(separator: "%").joined() + String(number)
        try company.user("u\(number)-\(form)", in: "mill", name: "Anna", phone: phone)
      }
    }
    let engines = try company.engines(phones: phones)
    let typed = Self.forms.map { $0.split(separator: "%").joined() + "117" }
    for text in typed + ["3023125117", "23125117", "125117", "117", "+49 30 23125", "49302312511"] {
      let query = SearchQuery(text, phones: phones)
      let found = try engines.index.search(SearchRequest(query))
      #expect(try found == engines.scan.search(SearchRequest(query)), "\(text)")
      #expect(found.total != .exactly(0), "\(text)")
    }
  }
}
