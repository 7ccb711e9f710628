import DirectoryModel
import DirectorySnapshot
import SystemPackage
import TestSupport

/// A directory in a few words.
package struct Company {
  package var records = DirectoryRecords()

  package init() {}

  /// Adds one, whose name is the id if none is given.
  package mutating func department(
    _ id: String,
    under parent: String? = nil,
    name: String? = nil,
    description: String = "",
    order: Int64 = 0,
    fields: FieldValues = .none,
    identity: String? = nil
  ) throws {
    try records.departments.append(
      DepartmentRecord(
        id: DepartmentID(id),
        parent: parent.map { DepartmentID($0) },
        name: name ?? id,
        description: description,
        sortOrder: order,
        fields: fields,
        identity: identity.map { RecordIdentity($0) }
      )
    )
  }

  /// Adds a user, whose name is the id if none is given, and the primary membership with title and
  /// order.
  package mutating func user(
    _ id: String,
    in department: String,
    name: String? = nil,
    title: String = "",
    email: String = "",
    phone: String = "",
    order: Int64 = 0,
    leads: Bool = false,
    fields: FieldValues = .none,
    identity: String? = nil
  ) throws {
    try records.users.append(
      UserRecord(
        id: UserID(id),
        primaryDepartment: DepartmentID(department),
        name: name ?? id,
        contacts: [.email: email, .phone: phone],
        fields: fields,
        identity: identity.map { RecordIdentity($0) }
      )
    )
    try member(id, of: department, title: title, order: order, leads: leads)
  }

  package mutating func member(
    _ user: String,
    of department: String,
    title: String = "",
    order: Int64 = 0,
    leads: Bool = false
  ) throws {
    try records.memberships.append(
      MembershipRecord(
        user: UserID(user),
        department: DepartmentID(department),
        title: title,
        sortOrder: order,
        leads: leads
      )
    )
  }

  private static let metadata = SnapshotMetadata(
    takenAt: 1_700_000_000,
    locale: "C",
    collationVersion: "1/test",
    source: "a test"
  )

  /// Builds the snapshot in the order of code points.
  package func write(to path: FilePath) throws {
    try TreeBuilder.build(records, locale: "C").write(to: path, metadata: Self.metadata)
  }

  /// The same as a program of the version before wrote it, without identities.
  package func writeFormer(to path: FilePath) throws {
    let former = SnapshotFormat(magic: "STAFFBK\n", version: 4) { "section \($0)" }
    var writer = try SnapshotFileWriter(target: path, format: former, sectionCount: 100)
    try TreeBuilder.build(records, locale: "C").addSections(Self.metadata, to: &writer)
    _ = try writer.commit()
  }

  /// The snapshot, whose file was removed already: a mapping outlives its name.
  package func snapshot() throws -> DirectorySnapshot {
    let folder = try ScratchFolder()
    try write(to: folder.snapshot)
    return try DirectorySnapshot(path: folder.snapshot)
  }
}

extension ScratchFolder {
  /// Where the snapshot goes.
  package var snapshot: FilePath { path.appending("directory.snapshot") }
}
