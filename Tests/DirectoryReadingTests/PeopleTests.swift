import DirectoryTestSupport
import DirectoryModel
import TestSupport
import Testing

@testable import DirectoryReading

@Suite("People of a department, and cards")
struct PeopleTests {
  private func directory() throws -> Directory {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("a", under: "root", name: "Atelier")
    try company.department("a1", under: "a", name: "Lamps")
    try company.department("e", under: "root", name: "Empty")
    try company.department("same", under: "root", name: "Same")
    try company.user("ann", in: "a1", name: "Ánn Lund", title: "Lamp maker", email: "ann@x.example")
    try company.member("ann", of: "a", title: "Adviser")
    try company.member("ann", of: "root")
    try company.user("bo", in: "a", name: "Bo", phone: "7")
    try company.user("same", in: "root", name: "Bo Same")
    try company.user("cy1", in: "root", name: "Cy")
    try company.user("cy2", in: "a", name: "Cy")
    return try company.directory()
  }

  private func people(_ department: String, recursive: Bool) throws -> [DirectoryRow] {
    let directory = try directory()
    let node = try #require(try directory.node(of: DepartmentID(department)))
    var rows: [DirectoryRow] = []
    try directory.forEachPerson(in: node, recursive: recursive) { rows.append($0) }
    return rows
  }

  @Test func `are those in it, or each one below it once`() throws {
    #expect(try people("a", recursive: false).map(\.id) == ["bo", "cy2", "ann"])
    #expect(try people("a", recursive: true).map(\.id) == ["ann", "bo", "cy2"])
    #expect(
      try people("root", recursive: true).map(\.id).sorted() == ["ann", "bo", "cy1", "cy2", "same"]
    )
    #expect(try people("e", recursive: true).isEmpty)
  }

  @Test func `know all their departments, the primary one first`() throws {
    let ann = try #require(try people("a", recursive: false).last)
    #expect(ann.title == "Adviser")
    #expect(ann.contacts?[.email] == "ann@x.example" && ann.level == nil && ann.parent == nil)
    #expect(ann.path == ["Lumen", "Atelier"])
    #expect(ann.departments?.map(\.id.rawValue) == ["a1", "a", "root"])
    #expect(ann.departments?.first?.path == ["Lumen", "Atelier"])
  }

  private func lookUp(_ text: String, limit: Int = 50) throws -> LookUp {
    try directory().lookUp(text, limit: limit)
  }

  private func cards(_ text: String) throws -> [DirectoryRow] {
    let directory = try directory()
    guard case .found(let nodes) = try directory.lookUp(text, limit: 50) else { return [] }
    return try nodes.map(directory.card)
  }

  @Test func `a card is found by id, by a name that one has, or by path`() throws {
    #expect(try cards("ann").map(\.name) == ["Ánn Lund"])
    #expect(try cards("ann LUND").map(\.id) == ["ann"])
    #expect(try cards("Lumen/Atelier").map(\.id) == ["a"])
    #expect(try cards("name:Bo").map(\.id) == ["bo"])
    #expect(try cards("ann")[at: 0]?.title == "Lamp maker", "at the primary membership")
    #expect(try cards("e")[at: 0]?.disclosure == .empty)
  }

  @Test func `a person and a department of one id are two cards`() throws {
    #expect(try cards("same").map(\.kind) == [.department, .user])
  }

  @Test(
    arguments: [
      ("lund", "ann"), ("lund ann", "ann"), ("lnud", "ann"), ("Ateleir", "a"),
      ("ann@x.example", "ann"), ("ANN@X.example", "ann"), ("ateli", "a"), ("name:bo -id:bo", ""),
      ("email:ann", "ann"),
    ]
  )
  func `the only hit of a search is a card`(text: String, id: String) throws {
    #expect(try cards(text).map(\.id) == (id.isEmpty ? [] : [id]), "\(text)")
  }

  @Test func `the only one of exactly this address is meant, whatever else is found`() throws {
    var company = Company()
    try company.department("root", name: "Lumen")
    for id in ["lund", "ada-lund", "lunda"] {
      try company.user(id, in: "root", name: "P \(id)", email: "\(id)@x.example")
    }
    let directory = try company.directory()
    let hits = try directory.search("lund@x.example", in: nil, limit: nil)
    #expect(hits.rows.count > 1)
    guard case .found(let nodes) = try directory.lookUp("Lund@x.example", limit: 50) else {
      Issue.record("not found")
      return
    }
    #expect(try nodes.map { try directory.listRow(at: $0).id } == ["lund"])
  }

  @Test(arguments: [("cy", ["cy1", "cy2"]), ("name:Cy", ["cy1", "cy2"]), ("adviser", [])])
  func `several of one name are all there are`(name: String, ids: [String]) throws {
    guard case .several(let rows, let total) = try lookUp(name) else {
      #expect(ids.isEmpty)
      return
    }
    #expect(Set(rows.map(\.row.id)) == Set(ids) && total == .exactly(2))
    guard case .several(let first, .exactly(2)) = try lookUp(name, limit: 1) else {
      Issue.record("limited")
      return
    }
    #expect(first.count == 1)
  }

  @Test(
    arguments: [
      ("id:nobody", []), ("name:nobody", []), ("nobody", []), ("path:Lumen/Atelir", ["Atelier"]),
      ("name:lnxd", ["lund"]),
    ]
  )
  func `nothing offers the nearest`(text: String, words: [String]) throws {
    guard case .nothing(let nearest) = try lookUp(text) else {
      Issue.record("found \(text)")
      return
    }
    #expect(nearest == words)
  }

  @Test func `hits of a search carry path and departments, and how many there are`() throws {
    let directory = try directory()
    let all = try directory.search("lumen", in: nil, limit: nil)
    #expect(all.total == .exactly(all.rows.count) && all.rows.count > 2)
    let some = try directory.search("lumen", in: nil, limit: 1)
    #expect(some.rows == Array(all.rows.prefix(1)) && !some.total.isZero)
    #expect(try directory.search("lumen", in: nil, limit: 0).rows.isEmpty)
    let a = try directory.node(of: DepartmentID("a"))
    let ann = try directory.search("ann", in: a, limit: nil).rows
    #expect(ann.map(\.id) == ["ann"])
    #expect(
      ann[at: 0]?.departments?.count == 3 && ann[at: 0]?.path == ["Lumen", "Atelier", "Lamps"]
    )
  }
}
