import DirectoryModel
import DirectorySearch
import DirectoryTestSupport
import Testing

@Suite("The order of hits")
struct HitOrderTests {
  /// People by their names, each in a department of its own.
  private func find(
    _ text: String,
    among people: [(name: String, department: String)]
  ) throws -> [String] {
    var company = Company()
    for (row, person) in people.enumerated() {
      try company.department("d\(row)", name: person.department)
      try company.user("u\(row)", in: "d\(row)", name: person.name)
    }
    let engines = try company.engines()
    let request = SearchRequest(SearchQuery(text))
    let hits = try engines.scan.search(request).hits
    #expect(try engines.index.search(request).hits == hits, "“\(text)”")
    return hits.filter { !$0.isDepartment }.map { people[$0.row].name }
  }

  @Test func `has a whole reading before parts of words`() throws {
    let people = [
      ("Lina Nathan", "Sales"), ("Lida Nagel", "Sales"), ("Celina Li", "Sales"), ("李娜", "Sales"),
    ]
    #expect(try find("li na", among: people).first == "李娜")
    #expect(try find("he", among: [("Helen", "IT"), ("何平", "IT")]) == ["何平", "Helen"])
  }

  @Test func `has parts of names before parts inside names of departments`() throws {
    let people = [("Bo", "Machine Learning"), ("Flemming Ek", "IT"), ("宁玉兰", "IT"), ("王伟", "IT")]
    #expect(try find("ning", among: people) == ["宁玉兰", "Bo"])
    #expect(try find("wei", among: [("Bo", "Leweig"), ("王伟", "IT")]) == ["王伟", "Bo"])
  }

  @Test
  func `has people before departments, and leads before others, where names are equally long`()
    throws
  {
    var company = Company()
    try company.department("a", name: "Ada East")
    try company.department("b", under: "a", name: "Ada West")
    try company.user("1", in: "a", name: "Ada Nord")
    try company.user("2", in: "a", name: "Ada Berg")
    try company.user("3", in: "b", name: "Ada Lund", leads: true)
    try company.user("4", in: "b", name: "Ada Ek", leads: false)
    let engines = try company.engines()
    let request = SearchRequest(SearchQuery("ada"))
    let hits = try engines.scan.search(request).hits
    #expect(try engines.index.search(request).hits == hits)
    // The shortest name, who leads, the others by name, and departments from the root on.
    #expect(hits.filter { !$0.isDepartment }.map(\.row) == [3, 2, 1, 0])
    #expect(hits.suffix(2).allSatisfy { $0.isDepartment })
  }

  @Test func `has who holds more of the words in the name first`() throws {
    let people = [
      ("A Berg", "Ada Lund"), ("Ada Longestname", "Lund Berg"), ("Lund Bergadottir", "Ada Berg"),
      ("Ada Berglind Lund", "Berg"),
    ]
    #expect(
      try find("ada lund berg", among: people)
        == ["Ada Berglind Lund", "A Berg", "Ada Longestname", "Lund Bergadottir"]
    )
    #expect(
      try find("ada berg", among: [("Bo", "Ada Berg"), ("Ada Longname", "Berg")])
        == ["Ada Longname", "Bo"]
    )
  }
}
