import DirectoryTestSupport
import Seeds
import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Testing

@Suite("Searching by index")
struct IndexTests {
  @Test(arguments: newSeeds(40))
  func `finds what looking at every record finds, in the same order`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator)
    let rules = DialingPlan(country: Bool.random(using: &generator) ? "DE" : "US") ?? .unknown
    let engines = try company.engines(phones: rules)
    for _ in 0..<60 {
      let text = RandomCompany.query(company, using: &generator)
      let query = SearchQuery(text, phones: rules)
      let scope = try randomScope(company, engines.scan, using: &generator)
      let expected = try engines.scan.search(SearchRequest(query, in: scope))
      let found = try engines.index.search(SearchRequest(query, in: scope))
      #expect(found == expected, "seed \(seed), “\(text)”")
    }
  }

  @Test(arguments: newSeeds(3))
  func `finds the same over several blocks of documents`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator, people: 2_500)
    let engines = try company.engines()
    for _ in 0..<8 {
      let text = RandomCompany.query(company, using: &generator)
      let query = SearchQuery(text)
      let expected = try engines.scan.search(SearchRequest(query))
      let found = try engines.index.search(SearchRequest(query))
      #expect(found == expected, "seed \(seed), “\(text)”")
    }
  }

  @Test(arguments: newSeeds(10))
  func `a page is what stands there in the whole list`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let company = try RandomCompany.make(using: &generator)
    let engines = try company.engines()
    for _ in 0..<30 {
      let query = SearchQuery(RandomCompany.query(company, using: &generator))
      let all = try engines.scan.search(SearchRequest(query)).hits
      let offset = Int.random(in: 0...6, using: &generator)
      let limit = Int.random(in: 0...6, using: &generator)
      let page = try engines.index.search(SearchRequest(query, limit: limit, offset: offset))
      #expect(page.hits == Array(all.dropFirst(offset).prefix(limit)), "seed \(seed)")
      switch page.total {
      case .exactly(let count): #expect(count == all.count, "seed \(seed)")
      case .moreThan(let count):
        #expect(count == offset + limit && all.count > count, "seed \(seed)")
      }
    }
  }

  private func randomScope(
    _ company: Company,
    _ engine: SearchEngine,
    using generator: inout SeededGenerator
  ) throws -> SearchScope {
    func node() throws -> Int {
      let row = Int.random(in: 0..<company.records.departments.count, using: &generator)
      return try engine.node(ofDepartment: row)
    }
    switch Int.random(in: 0...5, using: &generator) {
    case 0: return SearchScope(within: [try node()])
    case 1: return SearchScope(within: [], outside: [try node()])
    case 2: return SearchScope(within: [try node()], outside: [try node()])
    default: return .everywhere
    }
  }
}
