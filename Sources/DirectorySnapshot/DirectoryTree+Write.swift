import DirectoryModel
import OutlineEngine
import SystemPackage

/// A state of the directory that is not in a file yet.
package protocol PendingSnapshot {
  /// A file much of which the new one repeats.
  var former: SnapshotFile? { get }

  func addSections(
    _ metadata: SnapshotMetadata,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError)
}

extension PendingSnapshot {
  /// Puts the state into a snapshot file, atomically: a process that opens `path` at any moment
  /// sees the old state or this one.
  ///
  /// The caller holds the writer's lock of the folder. The former file may be the one at `path`.
  ///
  /// - Parameters:
  ///   - path: Where the file goes.
  ///   - metadata: What it says of itself.
  ///   - announcing: Told the checksum before the file is in its place.
  /// - Returns: The checksum that names the written state, and what making it durable took.
  /// - Throws: `SnapshotError.cannotWrite`; what is at `path` is then what it was.
  /// - Complexity: O(bytes of the snapshot), at about the speed of memory.
  @discardableResult
  package func write(
    to path: FilePath,
    metadata: SnapshotMetadata,
    announcing: (UInt64) throws(SnapshotError) -> Void = { _ in }
  ) throws(SnapshotError) -> InstalledFile {
    var writer = try SnapshotFileWriter(
      target: path,
      sectionCount: SnapshotSection.allCases.count,
      former: former
    )
    try addSections(metadata, to: &writer)
    return try writer.commit(announcing: announcing)
  }

  /// Puts the state into a file without a name, which is removed with its last reader, and opens it.
  ///
  /// Messages call it `path`.
  package func scratch(
    metadata: SnapshotMetadata,
    path: FilePath
  ) throws(SnapshotError) -> DirectorySnapshot {
    var writer = try SnapshotFileWriter(
      scratchFor: path,
      sectionCount: SnapshotSection.allCases.count
    )
    try addSections(metadata, to: &writer)
    return try DirectorySnapshot(writer.mapped())
  }
}

extension DirectoryTree: PendingSnapshot {
  package var former: SnapshotFile? { nil }

  package func addSections(
    _ metadata: SnapshotMetadata,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try writer.add(metadata.encoded(hash: departmentIndex.hash), .metadataText, .metadataEnds)
    try writer.add(FieldDeclarations.encode(records.fields), .fieldsText, .fieldsEnds)
    let visibility = VisibilityDeclarations.encode(records.visibility)
    try writer.add(visibility, .visibilityText, .visibilityEnds)
    try addTree(to: &writer)
    try addDepartments(to: &writer)
    try addUsers(to: &writer)
    try addMemberships(to: &writer)
    try writer.add(hidden.departments, of: .department)
    try writer.add(hidden.users, of: .user)
  }

  private func addTree(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    try writer.add(.nodeParents, hierarchy.parents)
    try writer.add(.nodeEnds, hierarchy.ends)
    try writer.add(.nodeLevels, hierarchy.levels)
    try writer.add(.nodeGroups, hierarchy.groups)
    try writer.add(.nodeRecords, nodeRecords)
    try writer.add(.unplacedNodes, unplacedNodes)
    try writer.add(unplacedReasons, .unplacedReasonsText, .unplacedReasonsEnds)
  }

  private func addDepartments(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let table = records.departments
    try writer.add(table.ids, .departmentIDsText, .departmentIDsEnds)
    try writer.add(table.texts, of: .department)
    try writer.add(.departmentSortOrders, table.sortOrders)
    try writer.add(.departmentNodes, departmentNodes)
    try writer.add(.departmentPeople, departmentPeople)
    try writer.add(.departmentIndex, departmentIndex.slots)
  }

  private func addUsers(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let table = records.users
    try writer.add(table.ids, .userIDsText, .userIDsEnds)
    try writer.add(table.texts, of: .user)
    try writer.add(.userLeafStarts, userLeafStarts)
    try writer.add(.userLeafNodes, userLeafNodes)
    try writer.add(.userIndex, userIndex.slots)
  }

  private func addMemberships(to writer: inout SnapshotFileWriter) throws(SnapshotError) {
    let table = records.memberships
    try writer.add(.membershipUsers, membershipUsers)
    try writer.add(table.texts, of: .membership)
    try writer.add(.membershipSortOrders, table.sortOrders)
    try writer.add(.membershipPrimary, primary)
    try writer.add(.membershipLeads, [UInt64](bits: table.leads))
  }
}

extension [UInt64] {
  /// A bit set over flags.
  init(bits flags: [Bool]) {
    self.init(repeating: 0, count: (flags.count + 63) / 64)
    for (index, flag) in flags.enumerated() where flag {
      self[index / 64] |= 1 << UInt64(index % 64)
    }
  }
}

extension SnapshotFileWriter {
  /// The columns of `RecordKind.texts`; of one whose rows are all empty no ends.
  mutating func add(_ columns: [StringColumn], of kind: RecordKind) throws(SnapshotError) {
    for (name, column) in zip(kind.texts, columns) {
      let sections = SnapshotSection.text(name, of: kind)
      try add(column.byteCount == 0 ? StringColumn() : column, sections.bytes, sections.ends)
    }
  }

  mutating func add(
    _ column: StringColumn,
    _ text: SnapshotSection,
    _ ends: SnapshotSection
  ) throws(SnapshotError) {
    let result = column.withAllBytes { bytes, rows in
      Result { () throws(SnapshotError) in
        try add(text.rawValue, bytes.assumingMemoryBound(to: UInt8.self))
        try add(ends.rawValue, rows)
      }
    }
    try result.get()
  }

  mutating func add(
    _ strings: [String],
    _ text: SnapshotSection,
    _ ends: SnapshotSection
  ) throws(SnapshotError) {
    var bytes: [UInt8] = []
    var rows: [UInt32] = []
    for string in strings {
      bytes.append(contentsOf: string.utf8)
      rows.append(UInt32(bytes.count))
    }
    try add(text, bytes)
    try add(ends, rows)
  }
}
