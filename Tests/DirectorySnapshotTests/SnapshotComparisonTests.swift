import TestSupport
import DirectoryTestSupport
import DirectoryModel
import SystemPackage
import Testing

@testable import DirectorySnapshot

@Suite("Comparing a snapshot with everything read anew")
struct SnapshotComparisonTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func stored(_ fill: (inout Fixture) throws -> Void) throws -> DirectorySnapshot {
    var fixture = Fixture()
    try fill(&fixture)
    return try reopened(fixture.tree(), in: folder)
  }

  private func summary(
    of old: DirectorySnapshot,
    metadata: SnapshotMetadata = anyMetadata,
    _ fill: (inout Fixture) throws -> Void
  ) throws -> ChangeSummary {
    var fixture = Fixture()
    try fill(&fixture)
    return try SnapshotComparison(
      of: old,
      with: fixture.tree(),
      metadata: metadata
    ).summary
  }

  private func company(_ fixture: inout Fixture) throws {
    try fixture.department("root", name: "Lumen")
    try fixture.department("lamps", under: "root", name: "Lamps")
    try fixture.user("ada", in: "lamps", name: "Ada Quill")
    try fixture.user("bo", in: "root", name: "Bo Finch")
  }

  @Test func `the same is nothing, in whatever order it comes`() throws {
    let old = try stored(company)
    let summary = try summary(of: old) { fixture in
      try fixture.user("bo", in: "root", name: "Bo Finch")
      try fixture.department("lamps", under: "root", name: "Lamps")
      try fixture.user("ada", in: "lamps", name: "Ada Quill")
      try fixture.department("root", name: "Lumen")
    }
    #expect(summary.isEmpty)
    #expect(summary.departments.before == 2 && summary.users.before == 2)
  }

  @Test func `names that only look the same are another name`() throws {
    let old = try stored { try $0.department("a", name: "Caf\u{E9}") }
    let summary = try summary(of: old) { try $0.department("a", name: "Cafe\u{301}") }
    #expect(summary.departments.changed == 1)
    let change = try #require(Array(summary.changes).first)
    #expect(change.differences.values.map(\.field) == ["name"])
  }

  @Test func `all is named in a stable order`() throws {
    let old = try stored(company)
    let summary = try summary(of: old) { fixture in
      try fixture.department("root", name: "Lumen")
      try fixture.department("lamps", name: "Lamps")
      try fixture.department("new", under: "lamps", name: "Candles")
      try fixture.user("ada", in: "new", name: "Ada Quill-Finch")
      try fixture.user("cy", in: "root", name: "Cy Ash")
    }
    #expect(
      summary.changes.map { "\($0.action) \($0.id)" } == [
        "added new", "moved lamps", "added cy", "moved ada", "removed bo",
      ]
    )
    let ada = try #require(Array(summary.changes).first { $0.id == "ada" })
    #expect(ada.before?.name == "Ada Quill")
    #expect(ada.from?.id == DepartmentID("lamps"))
    #expect(ada.to == Change.Place(id: DepartmentID("new"), name: "Candles"))
    #expect(ada.differences.joined.isEmpty && ada.differences.left.isEmpty)
    let lamps = try #require(Array(summary.changes).first { $0.id == "lamps" })
    #expect(lamps.from?.name == "Lumen")
    #expect(lamps.to == nil)
    #expect(summary.users.removed == 1 && summary.users.before == 2)
  }

  @Test func `the first of what is removed can be had alone`() throws {
    let old = try stored { fixture in
      try fixture.department("root")
      for index in 0..<50 { try fixture.user("u\(index)", in: "root") }
    }
    let summary = try summary(of: old) { fixture in
      try fixture.department("root")
      for index in 45..<60 { try fixture.user("u\(index)", in: "root") }
    }
    #expect(summary.users.removed == 45 && summary.users.added == 10)
    #expect(summary.users.before == 50 && summary.users.after == 15)
    let removed = summary.changes.removed(atMost: 3)
    #expect(removed.count == 3 && removed.allSatisfy { $0.action == .removed })
    #expect(summary.changes.count == 55)
  }

  @Test func `another order of names is a difference of no single record`() throws {
    let old = try stored(company)
    var metadata = anyMetadata
    metadata.collationVersion = "2/test"
    let summary = try summary(of: old, metadata: metadata, company)
    #expect(!summary.isEmpty)
    #expect(summary.changes.count == 0)
  }

  @Test func `what is Unplaced for another reason is to be written, and for the same one is not`()
    throws
  {
    func lost(under parent: String) -> (inout Fixture) throws -> Void {
      { fixture in
        try company(&fixture)
        try fixture.department("lost", under: parent)
        try fixture.member("nobody", of: "root")
        // Twice, and of other contents.
        try fixture.department("lamps", under: "root", name: "Lamps again")
      }
    }
    let old = try stored(lost(under: "nowhere"))
    #expect(try summary(of: old, lost(under: "nowhere")).isEmpty)
    let moved = try summary(of: old, lost(under: "elsewhere"))
    #expect(!moved.isEmpty)
    #expect(moved.changes.count == 0)
    let healed = try summary(of: old, company)
    #expect(healed.departments.removed == 1, "lost; Unplaced itself is not a record")
  }

  @Test func `a first state is all added`() {
    let summary = ChangeSummary(firstDepartments: 3, firstUsers: 5)
    #expect(summary.departments.added == 3 && summary.users.added == 5)
    #expect(!summary.isEmpty && summary.changes.count == 0)
  }
}
