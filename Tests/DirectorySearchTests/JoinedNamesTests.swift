import DirectoryTestSupport
import DirectoryModel
import DirectorySearch
import Testing

@Suite("Words typed apart that are one name")
struct JoinedWordsTests {
  private static let names = ["عبدالله", "张伟", "魏璋", "张宏伟", "Abd Berg", "Allah Lund"]

  private func engines() throws -> (scan: SearchEngine, index: SearchEngine) {
    var company = Company()
    try company.department("d", name: "北京办公室")
    for (row, name) in Self.names.enumerated() {
      try company.user("\(row)", in: "d", name: name)
    }
    return try company.engines()
  }

  private func find(_ text: String, allowsTiers: Bool = true) throws -> [String] {
    let engines = try engines()
    var request = SearchRequest(SearchQuery(text))
    request.allowsTiers = allowsTiers
    let hits = try engines.scan.search(request).hits
    #expect(try engines.index.search(request).hits == hits, "“\(text)”")
    return hits.map { $0.isDepartment ? "d" : Self.names[$0.row] }
  }

  @Test(arguments: ["abd allah", "abdallah", "abd allah beijing", "beijing abd allah"])
  func `are found as one`(query: String) throws {
    #expect(try find(query) == ["عبدالله"])
  }

  @Test func `rank by the better of both ways`() throws {
    #expect(try find("zhang wei") == ["张伟", "魏璋", "张宏伟"])
    #expect(try find("wei zhang") == ["魏璋", "张伟", "张宏伟"])
  }

  @Test(
    arguments: [
      "\"abd allah\"", "name:abd allah", "abd \"allah\"", "abd bei allah jing gong",
      "abd -x allah9",
    ]
  )
  func `are not joined across fields and phrases, nor when there are many`(query: String) throws {
    #expect(try find(query, allowsTiers: false) == [])
  }

  @Test func `are explained and set off as one`() throws {
    let engine = try engines().index
    let query = SearchQuery("abd allah beijing")
    let outcome = try engine.search(SearchRequest(query))
    let explanation = try engine.explain(#require(outcome.hits.first), of: outcome)
    #expect(explanation.words.map(\.typed) == ["abdallah", "beijing"])
    #expect(explanation.words.map(\.quality) == [.wholeReading, .wholeReading])
    #expect(explanation.highlights == [0..<"عبدالله".utf8.count])
  }

  @Test func `are found in the filtered tree`() throws {
    let engines = try engines()
    for engine in [engines.scan, engines.index] {
      #expect(try engine.matchingNodes(for: SearchQuery("abd allah")).count == 1)
    }
  }

  @Test func `exclusion takes each for itself`() throws {
    #expect(try find("abd allah -zhang -berg") == ["عبدالله"])
    #expect(try find("lund -abd") == ["Allah Lund"])
  }
}
