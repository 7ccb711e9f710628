import TestSupport
import DirectoryTestSupport
import DirectoryModel
import SystemPackage
import Testing
import TextRules

@testable import DirectorySnapshot

@Suite("Changes that do not lead to a new state by themselves")
struct UpdateObstacleTests {
  /// root > a > b, and user u in a and b, primarily in a.
  private func stored(
    in folder: ScratchFolder,
    locale: String = "und",
    _ more: (inout Fixture) throws -> Void = { _ in }
  ) throws -> DirectorySnapshot {
    var fixture = Fixture()
    try fixture.department("root")
    try fixture.department("a", under: "root")
    try fixture.department("b", under: "a")
    try fixture.user("u", in: "a")
    try fixture.member("u", of: "b")
    try more(&fixture)
    let metadata = SnapshotMetadata(
      takenAt: 1,
      locale: locale,
      collationVersion: try Collator(locale: locale).version,
      source: "a test"
    )
    try fixture.tree(locale: locale).write(to: folder.snapshot, metadata: metadata)
    return try DirectorySnapshot(path: folder.snapshot)
  }

  private func cause(
    _ change: (inout Fixture, inout DirectoryChanges) throws -> Void
  ) throws -> UpdateRefusal? {
    let folder = try ScratchFolder()
    var fixture = Fixture()
    var changes = DirectoryChanges()
    try change(&fixture, &changes)
    changes.records = fixture.records
    return try cause(changes, stored(in: folder))
  }

  private func cause(
    _ changes: DirectoryChanges,
    _ stored: DirectorySnapshot,
    locale: String = "und"
  ) throws -> UpdateRefusal? {
    do throws(SnapshotUpdateError) {
      _ = try SnapshotUpdate(of: stored, changes: changes, locale: locale)
      return nil
    } catch {
      guard case .needsEverything(let cause) = error else { throw error }
      return cause
    }
  }

  @Test func `a parent that is unknown or was removed`() throws {
    #expect(
      try cause { fixture, _ in try fixture.department("c", under: "nowhere") }
        == .unknownParent(of: DepartmentID("c"), DepartmentID("nowhere"))
    )
    #expect(
      try cause { fixture, changes in
        try fixture.department("c", under: "b")
        changes.removedDepartments = [DepartmentID("b")]
      } == .unknownParent(of: DepartmentID("c"), DepartmentID("b"))
    )
  }

  @Test func `departments below themselves`() throws {
    let ring = try cause { fixture, _ in try fixture.department("a", under: "b") }
    #expect(ring == .ring(DepartmentID("a")) || ring == .ring(DepartmentID("b")))
    #expect(
      try cause { fixture, _ in try fixture.department("c", under: "c") }
        == .ring(DepartmentID("c"))
    )
  }

  @Test func `a department that was removed and is not empty`() throws {
    #expect(
      try cause { _, changes in changes.removedDepartments = [DepartmentID("a")] }
        == .departmentInUse(DepartmentID("a"))
    )
    #expect(
      try cause { _, changes in changes.removedDepartments = [DepartmentID("b")] }
        == .departmentInUse(DepartmentID("b"))
    )
  }

  @Test func `memberships of unknown users, in unknown departments, and left by removed users`()
    throws
  {
    #expect(
      try cause { fixture, _ in try fixture.member("x", of: "a") }
        == .unknownUser(MembershipKey(user: UserID("x"), department: DepartmentID("a")))
    )
    #expect(
      try cause { fixture, _ in try fixture.member("u", of: "x") }
        == .unknownDepartment(MembershipKey(user: UserID("u"), department: DepartmentID("x")))
    )
    #expect(
      try cause { _, changes in changes.removedUsers = [UserID("u")] }
        == .membershipOfNobody(UserID("u"))
    )
  }

  @Test func `a user without membership, or without the primary one`() throws {
    let keys = ["a", "b"].map {
      MembershipKey(user: UserID("u"), department: DepartmentID($0))
    }
    #expect(
      try cause { _, changes in changes.removedMemberships = keys }
        == .userWithoutMembership(UserID("u"))
    )
    #expect(
      try cause { _, changes in changes.removedMemberships = [keys[0]] }
        == .unknownPrimary(UserID("u"))
    )
    #expect(
      try cause { fixture, _ in
        try fixture.records.users.append(
          UserRecord(id: UserID("v"), primaryDepartment: DepartmentID("a"), name: "V")
        )
      } == .userWithoutMembership(UserID("v"))
    )
  }

  @Test func `a key that comes twice`() throws {
    #expect(
      try cause { fixture, _ in
        try fixture.department("c")
        try fixture.department("c")
      } == .repeatedKey("c")
    )
    #expect(
      try cause { fixture, _ in
        try fixture.member("u", of: "a")
        try fixture.member("u", of: "a")
      } == .repeatedKey("u in a")
    )
  }

  @Test func `a stored state with something Unplaced`() throws {
    let folder = try ScratchFolder()
    let stored = try stored(in: folder) { try $0.department("lost", under: "nowhere") }
    #expect(try cause(DirectoryChanges(), stored) == .unplaced)
  }

  @Test func `another locale, and other rules of the same`() throws {
    let folder = try ScratchFolder()
    let stored = try stored(in: folder)
    #expect(try cause(DirectoryChanges(), stored, locale: "sv") == .otherOrder)
    #expect(try cause(DirectoryChanges(), stored) == nil)
    var fixture = Fixture()
    try fixture.department("root")
    // `anyMetadata` says und, by rules that is not in use.
    try fixture.tree().write(to: folder.snapshot, metadata: anyMetadata)
    let other = try DirectorySnapshot(path: folder.snapshot)
    #expect(try cause(DirectoryChanges(), other) == .otherOrder)
  }

  @Test func `an unknown locale is the caller's mistake`() throws {
    let folder = try ScratchFolder()
    let stored = try stored(in: folder)
    #expect(throws: SnapshotUpdateError.self) {
      try SnapshotUpdate(of: stored, changes: DirectoryChanges(), locale: "xx-nowhere")
    }
  }

  @Test func `what never existed may be removed, and what is written is not removed`() throws {
    let folder = try ScratchFolder()
    let stored = try stored(in: folder)
    var fixture = Fixture()
    try fixture.user("u", in: "a")
    var changes = DirectoryChanges()
    changes.records = fixture.records
    changes.removedDepartments = [DepartmentID("never")]
    changes.removedUsers = [UserID("never"), UserID("u")]
    changes.removedMemberships = [
      MembershipKey(user: UserID("never"), department: DepartmentID("a")),
      MembershipKey(user: UserID("u"), department: DepartmentID("never")),
      MembershipKey(user: UserID("u"), department: DepartmentID("a")),
    ]
    let update = try SnapshotUpdate(of: stored, changes: changes, locale: "und")
    #expect(update.summary.isEmpty)
    #expect(update.summary.changes.count == 0)
  }

  @Test func `a damaged file is named as such`() throws {
    let folder = try ScratchFolder()
    // More than a block, so that it opens.
    _ = try stored(in: folder) { fixture in
      for index in 0..<3_000 { try fixture.department("d\(index)") }
    }
    let file = try FileDescriptor.open(folder.snapshot, .readWrite)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = try bytes.withUnsafeMutableBytes { try file.read(fromAbsoluteOffset: 0, into: $0) }
    let email = Array("u@lumen".utf8)
    let at = try #require(
      (0..<count - email.count).first { bytes[$0...].starts(with: email) }
    )
    try file.writeAll(toAbsoluteOffset: Int64(at), [UInt8(ascii: "v")])
    try file.close()
    let damaged = try DirectorySnapshot(path: folder.snapshot)
    #expect(throws: SnapshotUpdateError.self) {
      try SnapshotUpdate(of: damaged, changes: DirectoryChanges(), locale: "und")
    }
  }
}
