import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Testing

@Suite("Searching people and departments")
struct SubstringSearchTests {
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

  private func find(
    _ text: String,
    in subtree: Range<Int>? = nil,
    of company: Company? = nil
  ) throws -> [String] {
    let snapshot = try (company ?? self.company()).snapshot()
    let nodes = try snapshot.tree()
    let count = try snapshot.departments().count + snapshot.memberships().count
    let hits = try SubstringSearch(snapshot).hits(for: SearchQuery(text), in: subtree ?? 0..<count)
    return try hits.map { hit in
      let record = try nodes.record(of: hit.node)
      return try nodes.isDepartment(hit.node)
        ? try snapshot.departments().ids[record]
        : try snapshot.users().ids[snapshot.memberships().user(of: record)]
    }
  }

  @Test(
    arguments: [
      ("ada", "u1"), ("u1", "u1"), ("ada@lumen", "u1"), ("0101", "u1"), ("head of", "u1"),
      ("adviser", "u1"), ("lens lab", "d-lab u1"), ("LUKASZ bela", "u2"), ("béla lukasz", "u2"),
      ("d-sales", "d-sales"), ("aland", "d-sales u1 u2"), ("nobody", ""), ("ada nobody", ""),
    ]
  )
  func `every word may be found in any field`(query: String, expected: String) throws {
    #expect(Set(try find(query)) == Set(expected.split(separator: " ").map(String.init)))
  }

  @Test func `words may be found in different fields of one person`() throws {
    #expect(try find("ada adviser lens 0101 lund lumen.example optics") == [])
    #expect(try find("ada adviser lens 0101 lund lumen.example sales") == ["u1"])
  }

  @Test func `a person in several departments is one hit`() throws {
    #expect(try find("ada lund") == ["u1"])
  }

  @Test func `a person is shown at the primary membership`() throws {
    let snapshot = try company().snapshot()
    let count = try snapshot.departments().count + snapshot.memberships().count
    let hits = try SubstringSearch(snapshot).hits(for: SearchQuery("ada lund"), in: 0..<count)
    let memberships = try snapshot.memberships()
    #expect(
      try hits.map { try memberships.isPrimary(snapshot.tree().record(of: $0.node)) } == [true]
    )
  }

  @Test func `a subtree holds its departments and whoever has a place in it`() throws {
    // Preorder: root, Optics, Lens Lab, Ada, Grinder, Sales, Ada, Łukasz, Ada.
    #expect(try find("u", in: 5..<8) == ["u1", "u2"])
    #expect(try find("u", in: 1..<5) == ["u1", "u3"])
    #expect(try find("d-", in: 1..<5) == ["d-optics", "d-lab"])
    #expect(try find("ada", in: 5..<8) == ["u1"])
    #expect(try find("ada", in: 4..<6) == [])
    #expect(try find("ada", in: 0..<0) == [])
  }

  @Test(arguments: ["%", "_", "\\", "*", "-\"ok\"", "100%", "_precise_", "*fast*"])
  func `signs mean themselves`(query: String) throws {
    #expect(try find(query) == ["u3"])
  }

  @Test(arguments: ["", "  ", "\u{200D}", "\u{AD}\u{202E}"])
  func `a query that folds to nothing finds nothing`(query: String) throws {
    #expect(try find(query) == [])
    let snapshot = try company().snapshot()
    #expect(try SubstringSearch(snapshot).matchingNodes(for: SearchQuery(query), in: 0..<9) == [])
  }

  @Test func `the whole name comes first, then its start, a word's start, its inside, a field`()
    throws
  {
    var company = Company()
    try company.department("d", name: "All")
    try company.user("6", in: "d", name: "Zed", email: "ann@lumen.example")
    try company.user("5", in: "d", name: "Johanna")
    try company.user("4", in: "d", name: "Mary-Ann")
    try company.user("3", in: "d", name: "Annabel")
    try company.user("2", in: "d", name: "Anna")
    try company.user("1", in: "d", name: "ÁNN")
    #expect(try find("ann", of: company) == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func `of equal rank the shorter name comes first, then the order of the tree`() throws {
    var company = Company()
    try company.department("d", name: "All")
    for (id, name) in [("1", "Ann Bcd"), ("2", "Ann B"), ("3", "Ann C"), ("4", "Ann B")] {
      try company.user(id, in: "d", name: name)
    }
    #expect(try find("ann", of: company) == ["2", "4", "3", "1"])
  }

  @Test func `an empty directory has no hits`() throws {
    #expect(try find("a", of: Company()) == [])
  }

  @Test func `in a filtered tree a department's name does not find its people`() throws {
    let snapshot = try company().snapshot()
    let search = try SubstringSearch(snapshot)
    #expect(try search.matchingNodes(for: SearchQuery("lens"), in: 0..<9) == [2, 3])
    #expect(try search.matchingNodes(for: SearchQuery("sales"), in: 0..<9) == [5])
  }

  @Test func `in a filtered tree a title finds the place it belongs to, and a name them all`()
    throws
  {
    let search = try SubstringSearch(company().snapshot())
    #expect(try search.matchingNodes(for: SearchQuery("adviser"), in: 0..<9) == [6])
    #expect(try search.matchingNodes(for: SearchQuery("ada adviser"), in: 0..<9) == [6])
    #expect(try search.matchingNodes(for: SearchQuery("ada"), in: 0..<9) == [3, 6, 8])
    #expect(try search.matchingNodes(for: SearchQuery("ada"), in: 4..<8) == [6])
    #expect(try search.matchingNodes(for: SearchQuery("head adviser"), in: 0..<9) == [])
  }
}
