import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Seeds
import Testing

@Suite("Who is near the asker")
struct NeighbourhoodTests {
  private static func company() throws -> Company {
    var company = Company()
    try company.department("company", name: "Fernlicht")
    try company.department("towers", under: "company", name: "Towers")
    try company.department("lamps", under: "towers", name: "Lamps")
    try company.department("wicks", under: "lamps", name: "Wicks")
    try company.department("horns", under: "company", name: "Horns")
    try company.user("far", in: "horns", name: "Ada Ek")
    try company.user("above", in: "towers", name: "Ada Berg")
    try company.user("own", in: "lamps", name: "Ada Lindqvist")
    try company.user("below", in: "wicks", name: "Ada Lindholmer")
    try company.user("begins", in: "lamps", name: "Adam Ek")
    try company.user("me", in: "lamps", name: "Zoë Winter", email: "zoe@fernlicht.example")
    return company
  }

  private func ids(_ engine: SearchEngine, _ text: String, near: Int?) throws -> [Int] {
    var request = SearchRequest(SearchQuery(text))
    request.neighbourhood = try near.map { try Neighbourhood(of: $0, engine) }
    return try engine.search(request).hits.map(\.row)
  }

  @Test func `comes first among those who match equally well`() throws {
    let engines = try Self.company().engines()
    for engine in [engines.scan, engines.index] {
      let me = try #require(try engine.leaf(ofPersonCalled: "ZOË WINTER"))
      #expect(try engine.leaf(ofPersonCalled: "zoe@fernlicht.example") == me)
      #expect(try ids(engine, "ada", near: nil) == [0, 1, 2, 3, 4])
      // The own department and below by the length of names, the one above, the others; then who only
      // begins so.
      #expect(try ids(engine, "ada", near: me) == [2, 3, 1, 0, 4])
    }
  }

  @Test func `is named by the smallest department that is shared`() throws {
    let engines = try Self.company().engines()
    for engine in [engines.scan, engines.index] {
      let me = try #require(try engine.leaf(ofPersonCalled: "zoë winter"))
      let near = try Neighbourhood(of: me, engine)
      let hits = try engine.search(SearchRequest(SearchQuery("ada"))).hits
      // Rows in the order in which the departments were added.
      let shared = try hits.map { try near.department(sharedBy: $0, engine) }
      #expect(shared == [0, 1, 2, 2, 2])
    }
  }

  @Test func `does not exist for a name or an address that matches none or two`() throws {
    var company = try Self.company()
    try company.user("other", in: "horns", name: "Zoe Winter")
    let engines = try company.engines()
    for engine in [engines.scan, engines.index] {
      for text in [
        "zoe winter", "Nobody", "no@fernlicht.example", "\"", "", "zoe\"winter", "a b:c",
      ] {
        #expect(try engine.leaf(ofPersonCalled: text) == nil, "“\(text)”")
      }
    }
  }

  @Test(arguments: 1...6)
  func `changes the order of equals alone, the same with an index and without`(seed: UInt64) throws
  {
    var generator = SeededGenerator(seed: seed)
    var company = Company()
    for index in 0..<40 {
      let parent = index == 0 ? nil : "d\(Int.random(in: 0..<index, using: &generator))"
      try company.department("d\(index)", under: parent, name: "Mill \(index % 7)")
    }
    let names = ["Ada", "Adam", "Anna", "Lund", "Berg", "张伟", "Łukasz", "Ek"]
    for index in 0..<600 {
      let name =
        "\(names.randomElement(using: &generator) ?? "") "
        + "\(names.randomElement(using: &generator) ?? "")"
      let places = (0...Int.random(in: 0...2, using: &generator)).map { _ in
        "d\(Int.random(in: 0..<40, using: &generator))"
      }
      try company.user("u\(index)", in: places[0], name: name, title: "Miller of ada")
      for place in Set(places.dropFirst()).subtracting([places[0]]).sorted() {
        try company.member("u\(index)", of: place)
      }
    }
    let engines = try company.engines()
    for query in [
      "ada", "an", "lund ada", "zhang", "mill", "ada mill", "a d a m l u n d e", "adaa",
      "\"ada lund\"",
    ] {
      let me = try #require(
        try engines.scan.leaf(ofUser: Int.random(in: 0..<600, using: &generator))
      )
      for limit in [nil, 5, 40] {
        var plain = SearchRequest(SearchQuery(query), limit: limit)
        let before = try engines.index.search(plain)
        plain.neighbourhood = try Neighbourhood(of: me, engines.scan)
        let scan = try engines.scan.search(plain)
        plain.neighbourhood = try Neighbourhood(of: me, engines.index)
        let index = try engines.index.search(plain)
        #expect(scan.hits == index.hits, "“\(query)”")
        #expect(index.hits.map(\.rank) == before.hits.map(\.rank), "“\(query)”")
        #expect(index.total == before.total)
        if limit == nil {
          let (left, right) = (index.hits.map(\.node).sorted(), before.hits.map(\.node).sorted())
          #expect(left == right)
        }
      }
    }
  }
}
