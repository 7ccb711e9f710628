import DirectoryModel
import DirectorySnapshot
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Records in a few words.
struct Fixture {
  var records = DirectoryRecords()

  mutating func department(
    _ id: String,
    under parent: String? = nil,
    name: String? = nil,
    order: Int64 = 0
  ) throws {
    try records.departments.append(
      DepartmentRecord(
        id: DepartmentID(id),
        parent: parent.map { DepartmentID($0) },
        name: name ?? id,
        description: "about \(id)",
        sortOrder: order
      )
    )
  }

  /// A user and the primary membership.
  mutating func user(
    _ id: String,
    in department: String,
    name: String? = nil,
    order: Int64 = 0
  ) throws {
    try records.users.append(
      UserRecord(
        id: UserID(id),
        primaryDepartment: DepartmentID(department),
        name: name ?? id,
        email: "\(id)@lumen.example",
        phone: "+1 555 0100"
      )
    )
    try member(id, of: department, order: order)
  }

  mutating func member(_ user: String, of department: String, order: Int64 = 0) throws {
    try records.memberships.append(
      MembershipRecord(
        user: UserID(user),
        department: DepartmentID(department),
        title: "title of \(user)",
        sortOrder: order
      )
    )
  }

  func tree(locale: String = "und") throws -> DirectoryTree {
    try TreeBuilder.build(records, locale: locale)
  }
}

/// A folder that goes with the test.
final class ScratchFolder: Sendable {
  let path: FilePath

  init() throws {
    var template = Array("/tmp/staffbook-snapshot-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }
    }
    path = FilePath(platformString: try #require(made))
  }

  deinit {
    for name in ["directory.snapshot", "directory.snapshot.new"] {
      _ = path.appending(name).withPlatformString { unlink($0) }
    }
    _ = path.withPlatformString { rmdir($0) }
  }

  var snapshot: FilePath { path.appending("directory.snapshot") }
}

let anyMetadata = SnapshotMetadata(
  takenAt: 1_700_000_000,
  locale: "und",
  collationVersion: "1/test",
  source: "a test",
  watermark: ["epoch": "e", "layout": "l"]
)

/// Writes a tree and opens it again.
func reopened(
  _ tree: DirectoryTree,
  in folder: ScratchFolder
) throws -> DirectorySnapshot {
  try tree.write(to: folder.snapshot, metadata: anyMetadata)
  return try DirectorySnapshot(path: folder.snapshot)
}
