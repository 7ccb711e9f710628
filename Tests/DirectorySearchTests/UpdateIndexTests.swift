import DirectoryTestSupport
import TestSupport
import Seeds
import DirectoryModel
import DirectorySnapshot
import SystemPackage
import Testing
import TextRules

@testable import DirectorySearch

@Suite("An index brought up to date by changes")
struct UpdateIndexTests {
  struct History: Sendable, CustomStringConvertible {
    var departments: Int
    var people: Int
    var rounds: Int
    var changes: ClosedRange<Int>
    /// `nil` for changes to people alone.
    var movesDepartments = true
    var limit = 10_000

    var description: String {
      "\(rounds) × \(changes) changes of \(people) people"
        + (movesDepartments ? "" : " alone") + (limit < 10_000 ? ", at most \(limit)" : "")
    }
  }

  static let histories = [
    History(departments: 1, people: 0, rounds: rounds(20, thorough: 40), changes: 1...3),
    History(departments: 5, people: 15, rounds: rounds(30, thorough: 60), changes: 1...4),
    History(departments: 12, people: 60, rounds: rounds(15, thorough: 30), changes: 1...25),
    History(
      departments: 8,
      people: 60,
      rounds: rounds(20, thorough: 40),
      changes: 1...6,
      movesDepartments: false
    ),
    History(
      departments: 8,
      people: 80,
      rounds: rounds(20, thorough: 40),
      changes: 1...8,
      limit: 30
    ),
    History(
      departments: 20,
      people: 1_200,
      rounds: rounds(2, thorough: 3),
      changes: 20...300
    ),
  ]

  @Test(arguments: histories)
  func `finds what a new index finds and what looking at every record finds`(
    _ history: History
  ) throws {
    var generator = SeededGenerator(seed: .random(in: .min ... .max))
    let seed = generator.state
    var company = ChangingCompany(
      departments: history.departments,
      people: history.people,
      using: &generator
    )
    var folder = try IndexedFolder(company)
    var updates = 0
    for round in 0..<history.rounds {
      let count = Int.random(in: history.changes, using: &generator)
      if history.movesDepartments {
        company.change(count, using: &generator)
      } else {
        company.changePeople(count, using: &generator)
      }
      if try folder.update(to: &company, limit: history.limit) { updates += 1 }
      try compare(
        folder,
        company.company(),
        queries: history.people > 1_000 ? 4 : 8,
        "seed \(seed), round \(round)",
        using: &generator
      )
    }
    #expect(updates > history.rounds / 4, "seed \(seed)")
    if history.limit < 10_000 { #expect(updates < history.rounds, "seed \(seed)") }
  }

  /// Compares searches of all three kinds.
  private func compare(
    _ folder: IndexedFolder,
    _ company: Company,
    queries: Int,
    _ context: String,
    using generator: inout SeededGenerator
  ) throws {
    let updated = try folder.engine()
    let (scan, new) = try folder.otherEngines()
    for query in 0..<queries {
      let text = RandomCompany.query(company, using: &generator)
      var request = SearchRequest(SearchQuery(text), in: try scope(scan, using: &generator))
      if Bool.random(using: &generator) {
        request.limit = Int.random(in: 0...12, using: &generator)
        request.offset = Int.random(in: 0...4, using: &generator)
      }
      let found = try updated.search(request)
      let expected = try new.search(request)
      #expect(found == expected, "\(context), “\(text)”")
      request.limit = nil
      request.offset = 0
      let all = try updated.search(request)
      let other = query % 4 == 0 ? scan : new
      #expect(try all == other.search(request), "\(context), “\(text)”")
      if all.hits.isEmpty {
        #expect(
          try updated.suggestion(for: request.query) == new.suggestion(for: request.query),
          "\(context), “\(text)”"
        )
      }
      try compareBeginnings(text, updated, scan, new, context)
    }
    try compareWholeNames(company, updated, scan, new, context)
  }

  /// Each name, and what no one is called.
  private func compareWholeNames(
    _ company: Company,
    _ updated: SearchEngine,
    _ scan: SearchEngine,
    _ new: SearchEngine,
    _ context: String
  ) throws {
    let records = company.records
    let names =
      (0..<records.departments.count).map { records.departments[$0].name }
      + (0..<records.users.count).map { records.users[$0].name }
    for name in names.shuffled().prefix(12) + ["", " ", "nobody", "\u{301}"] {
      for owner in [RecordKind.department, .user] {
        let expected = try scan.rows(named: name, owner)
        #expect(try updated.rows(named: name, owner) == expected, "\(context), “\(name)”")
        #expect(try new.rows(named: name, owner) == expected, "\(context), “\(name)”")
      }
    }
  }

  private func compareBeginnings(
    _ text: String,
    _ updated: SearchEngine,
    _ scan: SearchEngine,
    _ new: SearchEngine,
    _ context: String
  ) throws {
    for owner in [RecordKind.department, .user] {
      func rows(_ engine: SearchEngine, _ limit: Int) throws -> [Int] {
        let deadline = ContinuousClock.now + .seconds(60)
        return try engine.rows(withNamesBeginning: text, owner, limit: limit, deadline: deadline)
          .rows
      }
      let context = "\(context), \(owner) “\(text)”"
      let found = try rows(updated, .max)
      #expect(try found == rows(new, .max), "\(context)")
      #expect(try found.sorted() == rows(scan, .max), "\(context)")
      #expect(try rows(updated, 2) == Array(found.prefix(2)), "\(context)")
    }
  }

  private func scope(
    _ engine: SearchEngine,
    using generator: inout SeededGenerator
  ) throws -> SearchScope {
    func node() throws -> Int {
      try engine.node(
        ofDepartment: Int.random(in: 0..<engine.shape.count, using: &generator)
      )
    }
    return switch Int.random(in: 0...6, using: &generator) {
    case 0: SearchScope(within: [try node()])
    case 1: SearchScope(within: [], outside: [try node()])
    default: .everywhere
    }
  }
}

/// A folder with a snapshot and its index, as a sync keeps them.
struct IndexedFolder {
  let folder: ScratchFolder
  private(set) var snapshot: DirectorySnapshot
  private let metadata: SnapshotMetadata

  var path: FilePath { folder.path.appending("search.index") }
  var changesPath: FilePath { SearchIndex.changesPath(of: path) }

  init(_ company: ChangingCompany) throws {
    folder = try ScratchFolder()
    metadata = SnapshotMetadata(
      takenAt: 0,
      locale: "C",
      collationVersion: try Collator(locale: "C").version,
      source: "a test"
    )
    let records = try company.company().records
    try TreeBuilder.build(records, locale: "C").write(to: folder.snapshot, metadata: metadata)
    snapshot = try DirectorySnapshot(path: folder.snapshot)
    try SearchIndexBuilder.write(of: snapshot, to: path, phones: .unknown)
  }

  /// Replaces the snapshot as an incremental sync does, and updates the index.
  ///
  /// - Returns: Whether the index was updated; otherwise it was rebuilt.
  mutating func update(to company: inout ChangingCompany, limit: Int? = nil) throws -> Bool {
    let (old, rows) = try replaceSnapshot(by: &company)
    let written = try SearchIndexUpdate.write(
      of: snapshot,
      since: old,
      rows,
      beside: path,
      phones: .unknown,
      limit: limit
    )
    if written == nil {
      try SearchIndexBuilder.write(of: snapshot, to: path, phones: .unknown)
    }
    return written != nil
  }

  /// Replaces the snapshot alone.
  mutating func replaceSnapshot(
    by company: inout ChangingCompany
  ) throws -> (old: DirectorySnapshot, rows: RowMapping) {
    let old = snapshot
    let update = try SnapshotUpdate(of: old, changes: company.takeChanges(), locale: "C")
    try update.write(to: folder.snapshot, metadata: metadata)
    snapshot = try DirectorySnapshot(path: folder.snapshot)
    return (old, update.updatedRows)
  }

  /// Searches with the index.
  func engine() throws -> SearchEngine {
    guard case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: .unknown) else {
      throw TestFailure("the index just written is not usable")
    }
    return try SearchEngine(snapshot, phones: .unknown, index: index)
  }

  /// Searches without an index, and with one that is rebuilt elsewhere.
  func otherEngines() throws -> (scan: SearchEngine, new: SearchEngine) {
    let other = try ScratchFolder()
    let path = other.path.appending("search.index")
    try SearchIndexBuilder.write(of: snapshot, to: path, phones: .unknown)
    guard case .usable(let index) = SearchIndex.open(path, for: snapshot, phones: .unknown) else {
      throw TestFailure("the index just written is not usable")
    }
    return (
      try SearchEngine(snapshot, phones: .unknown),
      try SearchEngine(snapshot, phones: .unknown, index: index)
    )
  }
}
