import DirectoryModel
import DirectoryTestSupport
import SystemPackage
import TestSupport
import Testing
import TextRules

@testable import DirectorySnapshot

@Suite("Identities in a snapshot")
struct IdentityTests {
  private let folder: ScratchFolder
  private let metadata: SnapshotMetadata

  init() throws {
    folder = try ScratchFolder()
    metadata = SnapshotMetadata(
      takenAt: 1,
      locale: "und",
      collationVersion: try Collator(locale: "und").version,
      source: "a test"
    )
  }

  /// Of Ada and of Lamps as told, of everybody else that of the id, and of Bo none.
  private func company(ada: String, lamps: String = "l", adasName: String = "Ada") throws -> Fixture
  {
    var fixture = Fixture()
    try fixture.department("root", name: "Lumen")
    try fixture.department("lamps", under: "root", name: "Lamps", identity: lamps)
    try fixture.user("ada", in: "lamps", name: adasName, identity: ada)
    try fixture.user("bo", in: "root", name: "Bo", identity: "")
    return fixture
  }

  private func stored(_ fixture: Fixture) throws -> DirectorySnapshot {
    try fixture.tree().write(to: folder.snapshot, metadata: metadata)
    return try DirectorySnapshot(path: folder.snapshot)
  }

  /// The file as the version before wrote it: without sections for identities.
  private func makeFormer() throws -> DirectorySnapshot {
    let new: [SnapshotSection] = [
      .departmentIdentitiesText, .departmentIdentitiesEnds, .userIdentitiesText,
      .userIdentitiesEnds,
    ]
    var image = try SnapshotImage(of: folder.snapshot)
    image.set(4, at: 8, size: 4)
    for (index, section) in image.sections.enumerated()
    where new.contains(where: { $0.rawValue == section.id }) {
      image.set(UInt64(900 + index), at: 64 + 24 * index, size: 4)
    }
    image.seal()
    try image.write(to: folder.snapshot)
    return try DirectorySnapshot(path: folder.snapshot)
  }

  private func identities(_ snapshot: DirectorySnapshot) throws -> [String: String] {
    var identities: [String: String] = [:]
    let (departments, users) = (try snapshot.parts().departments, try snapshot.parts().users)
    for row in 0..<departments.count {
      identities[try departments.ids[row]] = try departments.identities[row]
    }
    for row in 0..<users.count { identities[try users.ids[row]] = try users.identities[row] }
    return identities
  }

  private func changes(of summary: ChangeSummary) -> [String] {
    summary.changes.map { "\($0.action) \($0.id) \($0.name) \($0.identity?.rawValue ?? "-")" }
  }

  // MARK: Reading

  @Test func `are read as they were built`() throws {
    let snapshot = try stored(company(ada: "a"))
    try snapshot.verify()
    let expected = ["root": "department root", "lamps": "l", "ada": "a", "bo": ""]
    #expect(try identities(snapshot) == expected)
    #expect(!snapshot.isOfFormerVersion)
  }

  @Test func `are blank where the source tells none`() throws {
    var company = Company()
    try company.department("root")
    try company.user("u", in: "root")
    let snapshot = try company.snapshot()
    try snapshot.verify()
    #expect(try snapshot.users().identities.isBlank)
    #expect(try identities(snapshot) == ["root": "", "u": ""])
  }

  @Test func `go with what is shown, whatever is hidden of it`() throws {
    var fixture = try company(ada: "a")
    // A field of the company's own may be called so.
    fixture.records.fields.append(Field(name: "identity", of: .user, label: "Passport"))
    let sight = Sight(
      [.init(.everything, .shown)],
      fields: [.init(.everything, .all, isShown: false)]
    )
    let excerpt = try stored(fixture).excerpt(sight)
    try excerpt.verify()
    let expected = ["root": "department root", "lamps": "l", "ada": "a", "bo": ""]
    #expect(try identities(excerpt) == expected)
  }

  @Test func `are no field by which people are told`() throws {
    let snapshot = try stored(company(ada: "a"))
    #expect(try snapshot.facts.people(with: "identity", ItemText("a"), in: snapshot) == [])
    let row = try #require(try snapshot.userIndex().row(of: "ada"))
    #expect(try !snapshot.person(row, has: "identity", ItemText("a")))
    let state = try #require(try snapshot.state(of: .user, "ada"))
    #expect(state.values == ["Ada", "ada@lumen.example", "+1 555 0100"])
  }

  // MARK: The version before

  @Test func `of a file of the version before are blank, and all else is read`() throws {
    let now = try SnapshotContents(stored(company(ada: "", lamps: "")))
    let snapshot = try makeFormer()
    #expect(snapshot.isOfFormerVersion)
    try snapshot.verify()
    #expect(try identities(snapshot) == ["root": "", "lamps": "", "ada": "", "bo": ""])
    #expect(try snapshot.users().names.verified()[0] == "Ada")
    let former = try SnapshotContents(snapshot)
    let differing = zip(now.lines, former.lines).filter { $0 != $1 }
    #expect(differing.count == 2, "the root's row, and the column")
    #expect(try !snapshot.excerpt(.everything).isOfFormerVersion)
  }

  @Test func `of the version before are completed by a comparison, which tells no change`() throws {
    let new = try company(ada: "a")
    _ = try stored(new)
    let former = try makeFormer()
    let comparison = try SnapshotComparison(of: former, with: new.tree(), metadata: metadata)
    #expect(comparison.summary.hasOtherIdentities && !comparison.summary.isEmpty)
    #expect(comparison.summary.changes.count == 0 && comparison.summary.totals.isEmpty)
    #expect(!comparison.summary.differsOtherwise)
    // Also where there are none: the file is of a version that is not read for ever.
    let none = try company(ada: "", lamps: "")
    let second = try SnapshotComparison(of: former, with: none.tree(), metadata: metadata)
    #expect(!second.summary.isEmpty)
    let complete = try stored(new)
    let third = try SnapshotComparison(of: complete, with: new.tree(), metadata: metadata)
    #expect(third.summary.isEmpty)
  }

  @Test func `of a file of this version do not go missing`() throws {
    _ = try stored(company(ada: "a"))
    _ = try makeFormer()
    var image = try SnapshotImage(of: folder.snapshot)
    image.set(5, at: 8, size: 4)
    image.seal()
    try image.write(to: folder.snapshot)
    let snapshot = try DirectorySnapshot(path: folder.snapshot)
    #expect(throws: SnapshotError.damaged(folder.snapshot, part: "userIdentitiesText")) {
      try snapshot.users()
    }
  }

  // MARK: Comparing

  @Test(arguments: [("", "a"), ("a", "")])
  func `that come or go are to be written, and are not told`(old: String, new: String) throws {
    let stored = try stored(company(ada: old))
    let fixture = try company(ada: new)
    let comparison = try SnapshotComparison(of: stored, with: fixture.tree(), metadata: metadata)
    var changes = DirectoryChanges()
    changes.records = fixture.records
    let update = try SnapshotUpdate(of: stored, changes: changes, locale: "und")
    for summary in [comparison.summary, update.summary] {
      #expect(summary.hasOtherIdentities && !summary.isEmpty)
      #expect(summary.changes.count == 0 && summary.totals.isEmpty)
    }
    try update.write(to: folder.snapshot, metadata: metadata)
    #expect(try identities(DirectorySnapshot(path: folder.snapshot))["ada"] == new)
  }

  @Test func `that are others are those of other records`() throws {
    let stored = try stored(company(ada: "a"))
    let fixture = try company(ada: "b", lamps: "m", adasName: "Zoe")
    let comparison = try SnapshotComparison(of: stored, with: fixture.tree(), metadata: metadata)
    var changes = DirectoryChanges()
    changes.records = fixture.records
    let update = try SnapshotUpdate(of: stored, changes: changes, locale: "und")
    for summary in [comparison.summary, update.summary] {
      #expect(
        self.changes(of: summary) == [
          "added lamps Lamps m", "removed lamps Lamps l", "added ada Zoe b", "removed ada Ada a",
        ]
      )
      #expect(summary.users.before == 2 && summary.users.after == 2)
      #expect(!summary.hasOtherIdentities)
    }
    try update.write(to: folder.snapshot, metadata: metadata)
    let written = try identities(DirectorySnapshot(path: folder.snapshot))
    #expect(written["ada"] == "b" && written["lamps"] == "m")
  }

  @Test func `are told with a change of something else`() throws {
    let stored = try stored(company(ada: "a"))
    let fixture = try company(ada: "a", adasName: "Ada Lund")
    let comparison = try SnapshotComparison(of: stored, with: fixture.tree(), metadata: metadata)
    #expect(changes(of: comparison.summary) == ["changed ada Ada Lund a"])
    let change = try #require(Array(comparison.summary.changes).first)
    #expect(change.differences.values.map(\.field) == ["name"])
  }

  @Test func `are in the digests of rows, stored ones and changed ones`() throws {
    let stored = try stored(company(ada: "a"))
    for fixture in [try company(ada: "a"), try company(ada: "b", lamps: "")] {
      var changes = DirectoryChanges()
      changes.records = fixture.records
      let update = try SnapshotUpdate(of: stored, changes: changes, locale: "und")
      var (departments, users) = (RowDigest(), RowDigest())
      for row in 0..<2 {
        departments.add(RowHash(of: fixture.records.departments[row]))
        users.add(RowHash(of: fixture.records.users[row]))
      }
      for (kind, digest) in [(RecordKind.department, departments), (.user, users)] {
        let slice = SourceSlice(kind: kind, first: "", last: nil, digest: digest)
        #expect(update.digest(of: slice) == digest, "\(kind)")
      }
    }
  }
}
