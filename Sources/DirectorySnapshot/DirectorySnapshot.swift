import DirectoryModel
import OutlineEngine
import Synchronization
import SystemPackage

/// One consistent state of the directory, read where it is mapped.
///
/// It is opened in parts, which costs nothing: a part looks at the sizes of its sections only. Each
/// block of the file is proved against its checksum when something in it is read for the first
/// time, and each stored number is checked against what it points into when it is used. So what is
/// read is what was written, or `SnapshotError.damaged`; and what is not read costs nothing.
package final class DirectorySnapshot: Sendable {
  package let metadata: SnapshotMetadata
  let file: SnapshotFile
  let hash: SipHash13
  let facts = FieldValueIndex()
  private let knownParts = Mutex<PartCache?>(nil)
  private let provenHierarchy = Mutex<Hierarchy?>(nil)
  /// Whether every byte was proved; what is mapped does not change.
  let isProved = Atomic(false)

  /// Opens a snapshot.
  ///
  /// - Throws: `SnapshotError`: what is wrong with the file as a whole.
  /// - Complexity: O(1) but for 8 bytes for each 64 KiB; nodes and records are not touched.
  package convenience init(path: FilePath) throws(SnapshotError) {
    try self.init(SnapshotFile(path: path, format: .directory))
  }

  /// Takes a file of the format `directory` that is open already.
  package init(_ file: SnapshotFile) throws(SnapshotError) {
    self.file = file
    let text = try file.text(.metadataText, ends: .metadataEnds)
    guard let (metadata, hash) = try SnapshotMetadata.decode(text) else {
      throw file.damaged(.metadataText)
    }
    self.metadata = metadata
    self.hash = hash
  }

  /// Where the file was opened; another state may be there by now.
  package var path: FilePath { file.path }

  /// Whether an earlier program wrote the file: it has no identities then, and the next sync
  /// compares everything.
  package var isOfFormerVersion: Bool { file.isOfFormerVersion }

  /// The checksum that names this state.
  package var checksum: UInt64 { file.checksum }
  package var byteCount: Int { file.byteCount }

  package func tree() throws(SnapshotError) -> TreePart { try TreePart(file) }

  package func departments() throws(SnapshotError) -> DepartmentPart { try DepartmentPart(file) }

  package func users() throws(SnapshotError) -> UserPart { try UserPart(file) }

  /// How users are reached, row for row with `UserPart`.
  package func contacts() throws(SnapshotError) -> ContactValues<TextColumn> {
    let count = try users().count
    return try ContactValues { (field) throws(SnapshotError) in
      try file.text(.contact(field), of: .user, count: count)
    }
  }

  package func fields() throws(SnapshotError) -> FieldPart {
    try FieldPart(file, userCount: users().count, departmentCount: departments().count)
  }

  /// Who may see whom; an excerpt does not tell, and so shows nothing to anybody.
  ///
  /// - Complexity: O(rules and people in groups).
  package func visibilityRules() throws(SnapshotError) -> VisibilityRules {
    try VisibilityDeclarations.read(file) ?? VisibilityRules([], isUnderstood: false)
  }

  package func memberships() throws(SnapshotError) -> MembershipPart {
    try MembershipPart(file, userCount: users().count)
  }

  package func leaves() throws(SnapshotError) -> LeafPart {
    try LeafPart(file, userCount: users().count, nodeCount: tree().count)
  }

  package func departmentIndex() throws(SnapshotError) -> IndexPart {
    try IndexPart(file, .departmentIndex, ids: departments().ids, hash: hash)
  }

  package func userIndex() throws(SnapshotError) -> IndexPart {
    try IndexPart(file, .userIndex, ids: users().ids, hash: hash)
  }

  /// The parts that rules are decided by, opened once.
  func parts() throws(SnapshotError) -> PartCache {
    if let known = knownParts.withLock({ $0 }) { return known }
    let parts = try PartCache(self)
    knownParts.withLock { $0 = parts }
    return parts
  }

  /// The shape of the tree with all its columns proved, for engines that read them without a check.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes) the first time, then O(1).
  package func hierarchy() throws(SnapshotError) -> Hierarchy {
    if let known = provenHierarchy.withLock({ $0 }) { return known }
    _ = try tree()
    let hierarchy = Hierarchy(
      parents: try file.column(.nodeParents, as: Int32.self).verified(),
      ends: try file.column(.nodeEnds, as: Int32.self).verified(),
      levels: try file.column(.nodeLevels, as: Int32.self).verified(),
      groups: try file.column(.nodeGroups, as: UInt64.self).verified()
    )
    do { try hierarchy.validate() } catch { throw file.damaged(.nodeParents) }
    provenHierarchy.withLock { $0 = hierarchy }
    return hierarchy
  }

  /// A section's elements, all proved; for those who read or copy whole columns.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the section) the first time.
  package func column<Element: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ section: SnapshotSection,
    as type: Element.Type
  ) throws(SnapshotError) -> OutlineColumn<Element> {
    try file.column(section, as: type).verified()
  }
}

/// Parts of a snapshot for those who ask of them for every one of many viewers.
final class PartCache: Sendable {
  let tree: TreePart
  let departments: DepartmentPart
  let departmentIndex: IndexPart
  let users: UserPart
  let userIndex: IndexPart
  let memberships: MembershipPart
  let leaves: LeafPart

  fileprivate init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    departmentIndex = try snapshot.departmentIndex()
    users = try snapshot.users()
    userIndex = try snapshot.userIndex()
    memberships = try snapshot.memberships()
    leaves = try snapshot.leaves()
  }
}
