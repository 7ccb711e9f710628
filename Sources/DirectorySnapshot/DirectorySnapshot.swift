import DirectoryModel
import Outlines
import Synchronization
import SystemPackage

/// One consistent state of the directory, read where it is mapped.
///
/// It is opened in parts: asking for a part verifies the checksums of its sections and the range
/// of every index stored in them, once; after that no stored number can lead astray, and reading
/// takes no checks and throws nothing. A part that nobody asks for is never touched.
package final class DirectorySnapshot: Sendable {
  package let metadata: SnapshotMetadata
  let file: SnapshotFile
  private let hash: SipHash13
  private let parts = Mutex(Parts())

  private struct Parts {
    var tree: TreePart?
    var departments: DepartmentPart?
    var departmentIndex: IndexPart?
    var users: UserPart?
    var contacts: ContactPart?
    var leaves: LeafPart?
    var userIndex: IndexPart?
    var memberships: MembershipPart?
  }

  /// Opens a snapshot.
  ///
  /// - Complexity: O(1); nodes and records are not touched.
  package init(path: FilePath) throws(SnapshotError) {
    file = try SnapshotFile(path: path)
    let text = try file.text(.metadataText, ends: .metadataEnds)
    guard let (metadata, hash) = SnapshotMetadata.decode(text) else {
      throw file.damaged(.metadataText)
    }
    self.metadata = metadata
    self.hash = hash
  }

  /// The checksum that names this state.
  package var checksum: UInt64 { file.checksum }
  package var byteCount: Int { file.byteCount }

  package func tree() throws(SnapshotError) -> TreePart {
    try part(\.tree) { () throws(SnapshotError) in try TreePart(file) }
  }

  package func departments() throws(SnapshotError) -> DepartmentPart {
    try part(\.departments) { () throws(SnapshotError) in try DepartmentPart(file) }
  }

  package func users() throws(SnapshotError) -> UserPart {
    try part(\.users) { () throws(SnapshotError) in try UserPart(file) }
  }

  package func contacts() throws(SnapshotError) -> ContactPart {
    let users = try users()
    return try part(\.contacts) { () throws(SnapshotError) in
      try ContactPart(file, userCount: users.count)
    }
  }

  package func memberships() throws(SnapshotError) -> MembershipPart {
    let users = try users()
    return try part(\.memberships) { () throws(SnapshotError) in
      try MembershipPart(file, userCount: users.count)
    }
  }

  package func leaves() throws(SnapshotError) -> LeafPart {
    let users = try users()
    let tree = try tree()
    return try part(\.leaves) { () throws(SnapshotError) in
      try LeafPart(file, userCount: users.count, hierarchy: tree.hierarchy)
    }
  }

  package func departmentIndex() throws(SnapshotError) -> IndexPart {
    let departments = try departments()
    return try part(\.departmentIndex) { () throws(SnapshotError) in
      try IndexPart(file, .departmentIndex, ids: departments.ids, hash: hash)
    }
  }

  package func userIndex() throws(SnapshotError) -> IndexPart {
    let users = try users()
    return try part(\.userIndex) { () throws(SnapshotError) in
      try IndexPart(file, .userIndex, ids: users.ids, hash: hash)
    }
  }

  /// Verifies every part.
  ///
  /// - Complexity: O(bytes of the file).
  package func verify() throws(SnapshotError) {
    _ = try (tree(), departments(), departmentIndex(), users(), contacts(), leaves())
    _ = try (userIndex(), memberships())
  }

  /// Two tasks that ask at once may both verify; they come to the same.
  private func part<Part>(
    _ slot: any WritableKeyPath<Parts, Part?> & Sendable,
    _ open: () throws(SnapshotError) -> Part
  ) throws(SnapshotError) -> Part where Part: Sendable {
    if let known = parts.withLock({ $0[keyPath: slot] }) { return known }
    let opened = try open()
    parts.withLock { $0[keyPath: slot] = opened }
    return opened
  }
}
