import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import DirectoryTestSupport
import Dispatch
import Seeds
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading

@Suite("What is known of a snapshot")
struct StateTests {
  private final class Counter: Sendable {
    private let times = Mutex(0)
    var count: Int { times.withLock { $0 } }
    func add() { times.withLock { $0 += 1 } }
  }

  private struct Place {
    let scratch: ScratchFolder
    let snapshot: DirectorySnapshot
    let index: FilePath

    init(people: Int = 40) throws {
      var company = Company()
      try company.department("d", name: "Optics")
      for row in 0..<people { try company.user("u\(row)", in: "d", name: "Ada Lund \(row)") }
      scratch = try ScratchFolder()
      try company.write(to: scratch.snapshot)
      snapshot = try DirectorySnapshot(path: scratch.snapshot)
      index = scratch.path.appending("search.index")
    }

    func writeIndex(of other: DirectorySnapshot? = nil) throws {
      try SearchIndexBuilder.write(of: other ?? snapshot, to: index, phones: .unknown)
    }
  }

  @Test func `takes the index that is written after the state was searched`() throws {
    let place = try Place()
    let asked = Counter()
    var support = SearchSupport(index: place.index)
    support.makeIndex = { _ in asked.add() }
    let directory = Directory(try DirectoryState(place.snapshot, for: .everything, support))
    #expect(try !directory.searcher().hasIndex)
    // One of another state is none.
    try place.writeIndex(of: Place(people: 3).snapshot)
    #expect(try !directory.searcher().hasIndex)
    #expect(try !directory.searcher().hasIndex)
    try place.writeIndex()
    #expect(try directory.searcher().hasIndex)
    #expect(asked.count == 1)
    // It is kept when the next sync replaces the file.
    try place.writeIndex(of: Place(people: 3).snapshot)
    #expect(try directory.searcher().hasIndex)
  }

  @Test func `has no index made for a name`() throws {
    let place = try Place()
    let asked = Counter()
    var support = SearchSupport(index: place.index)
    support.makeIndex = { _ in
      asked.add()
      try? place.writeIndex()
    }
    let directory = Directory(try DirectoryState(place.snapshot, for: .everything, support))
    guard case .found(let nodes) = try directory.lookUp("ada lund 7", limit: 5) else {
      Issue.record("no person is found")
      return
    }
    #expect(try nodes.map { try directory.listRow(at: $0).id } == ["u7"])
    #expect(asked.count == 0)
    #expect(try directory.searcher().hasIndex)
    #expect(asked.count == 1)
  }

  @Test func `is the same for all who ask at once, and each has those near to them`() throws {
    let place = try Place()
    try place.writeIndex()
    let state = try DirectoryState(
      place.snapshot,
      for: .everything,
      SearchSupport(index: place.index)
    )
    let told = Counter()
    let failures = Counter()
    DispatchQueue.concurrentPerform(iterations: 64) { number in
      let me = number % 4 == 0 ? "nobody" : "u\(number % 40)"
      let directory = Directory(state, for: SearchUser(me: me) { told.add() })
      var ids: [String] = []
      var options = SearchOptions("lund")
      options.limit = 3
      _ = try? directory.searcher().forEachHit(of: options) { ids.append($0.row.id) }
      if ids.count != 3 { failures.add() }
    }
    #expect(failures.count == 0)
    #expect(told.count >= 1)
    #expect(told.count <= 16)
  }

  @Test func `finds the same people by the table as by a scan of all values`() throws {
    var generator = SeededGenerator(seed: .random(in: .min ... .max))
    let seed = generator.state
    var company = Company()
    company.records.fields = [
      Field(usual: "manager", of: .user),
      Field(name: "team", of: .user, kind: .person, label: "Team", isMultiple: true),
    ]
    try company.department("d", name: "Optics")
    let ids = (0..<120).map { ["u\($0)", "ü \($0)", "q\"\($0)", "b\\\($0)"][$0 % 4] } + ["gone"]
    for id in ids.dropLast() {
      var values: [String: FieldValues.Value] = [:]
      if Int.random(in: 0..<4, using: &generator) > 0 {
        values["manager"] = ids.prefix(20).randomElement(using: &generator).map { .one($0) }
      }
      let count = Int.random(in: 0...4, using: &generator)
      let team = (0..<count).compactMap { _ in ids.randomElement(using: &generator) }
      if !team.isEmpty { values["team"] = .several(team + team.prefix(1)) }
      try company.user(id, in: "d", fields: FieldValues(values))
    }
    let state = try DirectoryState(company.snapshot(), for: .everything)
    let values = try #require(try state.fields.verifiedOfUsers())
    for field in ["manager", "team", "none"] {
      let links = try ReverseLinks(field, in: values, state.userIndex)
      for (user, id) in ids.dropLast().enumerated() {
        let scanned = try state.fields.users(naming: id, in: field)
        #expect(links.rows(naming: user) == scanned, "seed \(seed), \(field) \(id)")
        #expect(try state.named.rows(naming: id, in: field) == scanned, "seed \(seed), \(id)")
      }
      #expect(try state.named.rows(naming: "nobody at all", in: field) == [])
    }
  }

  @Test func `is not asked with the nodes of another one`() async throws {
    let (one, other) = (try Place(people: 2), try Place(people: 3))
    let (first, second) = (
      try Directory(one.snapshot, for: .everything), try Directory(other.snapshot, for: .everything)
    )
    let node = try #require(try first.node(of: DepartmentID("d")))
    var outline = try DirectoryOutline(second, SavedView())
    #expect(outline.row(of: node) == nil)
    #expect(outline.nearestRow(of: node) == nil)
    #expect(try outline.follow(to: first).node(node) == nil)
    #expect(outline.row(of: node) == 0)
    // The same snapshot, opened again, is the same state.
    let again = try DirectorySnapshot(path: one.scratch.snapshot)
    #expect(try Directory(again, for: .everything).card(at: node).id == "d")
    await #expect(processExitsWith: .failure) {
      let (one, other) = (try Place(people: 2), try Place(people: 3))
      let node = try #require(
        try Directory(one.snapshot, for: .everything).node(of: DepartmentID("d"))
      )
      _ = try Directory(other.snapshot, for: .everything).card(at: node)
    }
  }
}
