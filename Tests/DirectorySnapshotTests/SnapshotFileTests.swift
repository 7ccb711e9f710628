import DirectoryTestSupport
import Platform
import TestSupport
import DirectoryModel
import OutlineEngine
import SystemPackage
import Testing

@testable import DirectorySnapshot

@Suite("The snapshot file")
struct SnapshotFileTests {
  private func company() throws -> Fixture {
    var fixture = Fixture()
    try fixture.department("root", name: "Lumen")
    try fixture.department("optics", under: "root", name: "Optics")
    try fixture.department("empty", under: "root", name: "Überbau")
    for index in 0..<12 { try fixture.user("u\(index)", in: "optics", name: "Person \(index)") }
    try fixture.member("u7", of: "root")
    return fixture
  }

  @Test func `what was built is what is read`() throws {
    let folder = try ScratchFolder()
    let tree = try company().tree()
    let snapshot = try reopened(tree, in: folder)
    try snapshot.verify()
    #expect(snapshot.metadata == anyMetadata)
    let part = try snapshot.tree()
    let hierarchy = try snapshot.hierarchy()
    #expect(Array(hierarchy.parents) == Array(tree.hierarchy.parents))
    #expect(Array(hierarchy.ends) == Array(tree.hierarchy.ends))
    #expect(Array(hierarchy.levels) == Array(tree.hierarchy.levels))
    let departments = try snapshot.departments()
    #expect(try (0..<3).map { try departments.people(of: $0) } == [12, 12, 0])
    let user = try #require(try snapshot.userIndex().row(of: "u7"))
    #expect(try snapshot.users().names[user] == "Person 7")
    #expect(try snapshot.contacts()[.email][user] == "u7@lumen.example")
    let leaves = Array(try snapshot.leaves().nodes(of: user))
    try #require(leaves.count == 2)
    let memberships = try snapshot.memberships()
    #expect(try leaves.map { try memberships.isPrimary(part.record(of: $0)) } == [true, false])
    #expect(try memberships.titles[part.record(of: leaves[0])] == "title of u7")
    #expect(try snapshot.userIndex().row(of: "nobody") == nil)
    #expect(try snapshot.departmentIndex().row(of: "optics") == 1)
  }

  @Test func `an empty directory is a file like any other`() throws {
    let folder = try ScratchFolder()
    let snapshot = try reopened(Fixture().tree(), in: folder)
    try snapshot.verify()
    #expect(try snapshot.tree().isEmpty)
  }

  @Test(arguments: [Int64.min, Int64.max, 1 << 40])
  func `a time that nothing can be counted from is damage`(takenAt: Int64) throws {
    let folder = try ScratchFolder()
    var metadata = anyMetadata
    metadata.takenAt = takenAt
    try company().tree().write(to: folder.snapshot, metadata: metadata)
    #expect(throws: SnapshotError.self) { try DirectorySnapshot(path: folder.snapshot) }
  }

  @Test func `the file is for its owner alone`() throws {
    let folder = try ScratchFolder()
    _ = try reopened(Fixture().tree(), in: folder)
    #expect(try folder.snapshot.stat().permissions == .ownerReadWrite)
  }

  @Test func `missing, foreign, older and newer files are told apart`() throws {
    let folder = try ScratchFolder()
    func error() -> SnapshotError? {
      #expect(throws: SnapshotError.self) { try DirectorySnapshot(path: folder.snapshot) }
    }
    #expect(error() == .missing(folder.snapshot))
    _ = try reopened(Fixture().tree(), in: folder)
    var image = try SnapshotImage(of: folder.snapshot)
    for (version, expected) in [
      (1, SnapshotError.olderFormat(folder.snapshot, version: 1)),
      (99, .newerFormat(folder.snapshot, version: 99)),
    ] {
      // Another version's header may be of any length.
      image.set(UInt64(version), at: 8, size: 4)
      try image.write(to: folder.snapshot)
      #expect(error() == expected)
      image.bytes.removeLast(image.bytes.count - 12)
      try image.write(to: folder.snapshot)
      #expect(error() == expected)
      image = try SnapshotImage(of: folder.snapshot)
    }
    for other in ["", "STAFFBK", "PK\u{3}\u{4} nothing of ours, but long enough to be a header"] {
      image.bytes = Array(other.utf8)
      try image.write(to: folder.snapshot)
      #expect(error() == .foreign(folder.snapshot))
    }
  }

  @Test func `what is no ordinary file is foreign, and nothing waits for it`() throws {
    let folder = try ScratchFolder()
    #expect(folder.snapshot.withPlatformString { mkfifo($0, 0o600) } == 0)
    #expect(throws: SnapshotError.foreign(folder.snapshot)) {
      try DirectorySnapshot(path: folder.snapshot)
    }
    #expect(throws: SnapshotError.foreign(folder.path)) {
      try DirectorySnapshot(path: folder.path)
    }
  }

  @Test func `a reader keeps its state when the file is replaced`() throws {
    let folder = try ScratchFolder()
    let old = try reopened(company().tree(), in: folder)
    let new = try reopened(Fixture().tree(), in: folder)
    #expect(try old.users().count == 12)
    #expect(try new.users().count == 0)
    #expect(old.checksum != new.checksum)
  }
}
