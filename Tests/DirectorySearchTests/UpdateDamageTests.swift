import DirectoryTestSupport
import Platform
import TestSupport
import Seeds
import DirectoryModel
import DirectorySnapshot
import SystemPackage
import Testing

@testable import DirectorySearch

@Suite("An updated index that is not what it should be")
struct UpdateDamageTests {
  /// A folder whose index was updated, with new people, moved ones and a renamed department.
  private func updatedFolder() throws -> IndexedFolder {
    var generator = SeededGenerator(seed: 17)
    var company = ChangingCompany(departments: 6, people: 40, using: &generator)
    var folder = try IndexedFolder(company)
    company.change(20, using: &generator)
    try #require(try folder.update(to: &company))
    return folder
  }

  private func state(_ folder: IndexedFolder) -> SearchIndex.State {
    SearchIndex.open(folder.path, for: folder.snapshot, phones: .unknown)
  }

  @Test func `without its changes it is of another snapshot`() throws {
    let folder = try updatedFolder()
    _ = folder.changesPath.withPlatformString { unlink($0) }
    guard case .foreign = state(folder) else {
      Issue.record("it is \(state(folder))")
      return
    }
  }

  @Test func `changes of another index are not its own`() throws {
    let folder = try updatedFolder()
    let changes = try bytes(of: folder.changesPath)
    // The same content, rebuilt of the former snapshot, is another index all the same.
    var generator = SeededGenerator(seed: 18)
    let other = try IndexedFolder(
      ChangingCompany(departments: 6, people: 40, using: &generator)
    )
    try write(changes, to: other.changesPath)
    try write(try bytes(of: other.path), to: folder.path)
    guard case .foreign = state(folder) else {
      Issue.record("it is \(state(folder))")
      return
    }
  }

  @Test func `changes are of one snapshot only`() throws {
    var generator = SeededGenerator(seed: 19)
    var company = ChangingCompany(departments: 3, people: 20, using: &generator)
    var folder = try IndexedFolder(company)
    company.change(5, using: &generator)
    try #require(try folder.update(to: &company))
    company.change(5, using: &generator)
    _ = try folder.replaceSnapshot(by: &company)
    guard case .foreign = state(folder) else {
      Issue.record("it is \(state(folder))")
      return
    }
  }

  @Test func `other rules of telephone numbers need an index of their own`() throws {
    let folder = try updatedFolder()
    let rules = try #require(DialingPlan(country: "DE"))
    guard case .foreign = SearchIndex.open(folder.path, for: folder.snapshot, phones: rules) else {
      Issue.record("it is usable")
      return
    }
  }

  @Test func `an index that misses a step is made anew`() throws {
    var generator = SeededGenerator(seed: 20)
    var company = ChangingCompany(departments: 3, people: 20, using: &generator)
    var folder = try IndexedFolder(company)
    company.change(5, using: &generator)
    _ = try folder.replaceSnapshot(by: &company)
    company.change(5, using: &generator)
    #expect(try !folder.update(to: &company))
    #expect(try folder.engine().index?.changes == nil)
  }

  @Test func `an index made anew leaves no changes behind`() throws {
    let folder = try updatedFolder()
    try SearchIndexBuilder.write(of: folder.snapshot, to: folder.path, phones: .unknown)
    #expect(throws: Errno.noSuchFileOrDirectory) { try bytes(of: folder.changesPath) }
  }

  @Test(arguments: [false, true])
  func `a file cut anywhere is not usable`(ofChanges: Bool) throws {
    let folder = try updatedFolder()
    let path = ofChanges ? folder.changesPath : folder.path
    let whole = try bytes(of: path)
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<60 {
      let count = Int.random(in: 0..<whole.count, using: &generator)
      try write(Array(whole[..<count]), to: path)
      guard case .unusable = state(folder) else {
        Issue.record("cut to \(count) of \(whole.count) it is \(state(folder))")
        continue
      }
    }
  }

  /// Damage is found where it is met: as an error, or not at all because no one looks there.
  @Test(arguments: [false, true])
  func `a changed byte gives an error or no difference`(ofChanges: Bool) throws {
    let folder = try updatedFolder()
    let path = ofChanges ? folder.changesPath : folder.path
    let whole = try bytes(of: path)
    let queries = [
      "an", "anna", "lund", "zw", "lnud", "x.example", "30", "\"ann lee\"", "-an lund",
    ]
    let sound = try folder.engine()
    var expected: [SearchOutcome] = []
    for query in queries { expected.append(try sound.search(SearchRequest(SearchQuery(query)))) }
    var generator = SeededGenerator(seed: 22)
    var failures = 0
    for _ in 0..<120 {
      let at = Int.random(in: whole.indices, using: &generator)
      var damaged = whole
      damaged[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try write(damaged, to: path)
      guard case .usable(let index) = state(folder) else {
        failures += 1
        continue
      }
      let engine = try SearchEngine(folder.snapshot, phones: .unknown, index: index)
      for (query, expected) in zip(queries, expected) {
        do {
          #expect(try engine.search(SearchRequest(SearchQuery(query))) == expected, "byte \(at)")
        } catch {
          guard case .snapshot(.damaged(let at, _)) = error, at == path else { throw error }
          failures += 1
        }
      }
    }
    #expect(failures > 100)
  }

  /// Checksums find damage and not forgery: numbers that lead astray are an error, never a trap.
  @Test(arguments: [false, true])
  func `forged numbers are an error or a wrong answer, never a trap`(ofChanges: Bool) throws {
    let folder = try updatedFolder()
    let base = try ForgedFile(of: folder.path)
    let changes = try ForgedFile(of: folder.changesPath)
    var generator = SeededGenerator(seed: 23)
    for _ in 0..<150 {
      var (forgedBase, forgedChanges) = (base, changes)
      if ofChanges {
        forgedChanges.forge(8, using: &generator)
      } else {
        forgedBase.forge(8, using: &generator)
      }
      let checksum = try forgedBase.write(to: folder.path, SearchIndexFormat.format)
      // The header is the first section; its second number names the index.
      forgedChanges.set(checksum, at: 1, of: 0)
      try forgedChanges.write(to: folder.changesPath, SearchIndexFormat.changesFormat)
      guard case .usable(let index) = state(folder) else { continue }
      let engine = try SearchEngine(folder.snapshot, phones: .unknown, index: index)
      for query in ["an", "zw", "lnud", "x.example", "30", "\"ann lee\"", "-an lund", "-\"lee\" a"]
      {
        _ = try? engine.search(SearchRequest(SearchQuery(query)))
        _ = try? engine.suggestion(for: SearchQuery(query))
      }
    }
  }
}
