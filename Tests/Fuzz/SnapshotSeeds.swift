import DirectoryModel
import DirectorySnapshot
import Platform
import SystemPackage

/// Sound snapshots to begin with.
enum SnapshotSeeds {
  /// Whole files: an empty directory, a small company, and one with records that have no place.
  static func files() throws -> [[UInt8]] {
    try [company(people: 0), company(people: 3), company(people: 9, withStrays: true)]
  }

  /// Sequences of edits of `template`, as `SnapshotReading.edits` takes them.
  static func edits() throws -> [[UInt8]] {
    [[], Array(repeating: 0, count: 12), Array(0..<48)]
  }

  /// The file that edits start from.
  static func template() throws -> [UInt8] { try company(people: 9, withStrays: true) }

  private static func company(people: Int, withStrays: Bool = false) throws -> [UInt8] {
    var records = DirectoryRecords()
    if people > 0 {
      for (id, parent) in [
        ("root", nil), ("optics", "root"), ("lens", "optics"), ("sales", "root"),
      ] {
        try records.departments.append(
          DepartmentRecord(
            id: DepartmentID(id),
            parent: parent.map { DepartmentID($0) },
            name: id,
            identity: RecordIdentity("identity of \(id)")
          )
        )
      }
    }
    for index in 0..<people {
      let (user, home) = (UserID("u\(index)"), DepartmentID(index % 2 == 0 ? "lens" : "sales"))
      try records.users.append(
        UserRecord(
          id: user,
          primaryDepartment: home,
          name: "Åsa \(index)",
          contacts: [.email: "a@b.example"],
          identity: index == 0 ? nil : RecordIdentity("identity of \(user)")
        )
      )
      try records.memberships.append(MembershipRecord(user: user, department: home, title: "t"))
    }
    if withStrays {
      try records.departments.append(
        DepartmentRecord(id: DepartmentID("lost"), parent: DepartmentID("nowhere"), name: "Lost")
      )
      try records.memberships.append(
        MembershipRecord(user: UserID("u1"), department: DepartmentID("lens"))
      )
    }
    return try bytes(of: TreeBuilder.build(records, locale: "C", hash: SipHash13(key0: 1, key1: 2)))
  }

  private static func bytes(of tree: DirectoryTree) throws -> [UInt8] {
    let path = FilePath("/tmp/staffbook-fuzz-\(UInt64.random(in: .min ... .max)).snapshot")
    let metadata = SnapshotMetadata(
      takenAt: 0,
      locale: "C",
      collationVersion: "1",
      source: "a fuzzer"
    )
    try tree.write(to: path, metadata: metadata)
    defer { unlink(path) }
    return try MappedFile(path: path).withBytes { Array($0) }
  }

  private static func unlink(_ path: FilePath) {
    _ = path.withPlatformString { remove($0) }
  }
}
