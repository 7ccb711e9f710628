import DirectoryModel
import Outlines
import SystemPackage

extension SnapshotUpdate {
  /// Puts the new state into a snapshot file, atomically, as `DirectoryTree.write(to:metadata:)`.
  ///
  /// The caller holds the writer's lock of the folder. The old file may be the one at `path`.
  ///
  /// - Parameters:
  ///   - path: Where the file goes.
  ///   - metadata: What it says of itself; locale and collation are those of the old one.
  ///   - announcing: Told the checksum before the file is in its place.
  /// - Returns: The checksum that names the written state, and what making it durable took.
  /// - Throws: `SnapshotError.cannotWrite`; what is at `path` is then what it was.
  /// - Complexity: O(bytes of the snapshot), at about the speed of memory; some 40 bytes of memory
  ///   for each node, and none for text.
  @discardableResult
  package func write(
    to path: FilePath,
    metadata: SnapshotMetadata,
    announcing: (UInt64) throws(SnapshotError) -> Void = { _ in }
  ) throws(SnapshotError) -> WrittenFile {
    var writer = try SnapshotFileWriter(
      target: path,
      sectionCount: SnapshotSection.allCases.count
    )
    try addSections(metadata, to: &writer)
    return try writer.commit(announcing: announcing)
  }

  /// Puts the new state into a file that has no name, and opens it: nobody else sees it, and it is
  /// gone with the last reader.
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

  private func addSections(
    _ metadata: SnapshotMetadata,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try writer.add(metadata.encoded(hash: stored.hash), .metadataText, .metadataEnds)
    try writer.add(FieldDeclarations.encode(resolved.records.fields), .fieldsText, .fieldsEnds)
    let placed = try addTree(to: &writer)
    try addDepartments(placed, to: &writer)
    try addUsers(placed, to: &writer)
    try addMemberships(to: &writer)
  }

  private func addTree(
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) -> PlacedColumns {
    let preorder = PreorderEdit(
      edit,
      stored,
      departments: plans.departments,
      memberships: plans.memberships
    )
    let hierarchy = Hierarchy(parents: preorder.parents, groups: preorder.groups)
    try writer.add(.nodeParents, hierarchy.parents)
    try writer.add(.nodeEnds, hierarchy.ends)
    try writer.add(.nodeLevels, hierarchy.levels)
    try writer.add(.nodeGroups, hierarchy.groups)
    try writer.add(.nodeRecords, preorder.records)
    try writer.add(.unplacedNodes, [Int32]())
    try writer.add(.unplacedReasonsText, [UInt8]())
    try writer.add(.unplacedReasonsEnds, [UInt32]())
    return PlacedColumns(
      hierarchy: hierarchy,
      records: preorder.records,
      membershipUsers: membershipUsers,
      departmentCount: departmentCount,
      userCount: userCount,
      personCount: userCount
    )
  }

  private func addDepartments(
    _ placed: PlacedColumns,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (
      resolved.records.departments, plans.departments, departmentPatches
    )
    try text(stored.departmentIDs, table.ids, plan, patches)
      .write(to: &writer, .departmentIDsText, .departmentIDsEnds)
    try addTexts(.department, to: &writer)
    try writer.add(
      .departmentSortOrders,
      sortOrders(stored.departmentSortOrders, table.sortOrders, plan, patches)
    )
    try writer.add(.departmentNodes, placed.departmentNodes)
    try writer.add(.departmentPeople, placed.departmentPeople)
    try writer.add(.departmentIndex, departmentIndex.slots)
  }

  private func addUsers(
    _ placed: PlacedColumns,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (resolved.records.users, plans.users, userPatches)
    try text(stored.userIDs, table.ids, plan, patches)
      .write(to: &writer, .userIDsText, .userIDsEnds)
    try addTexts(.user, to: &writer)
    try writer.add(.userLeafStarts, placed.userLeafStarts)
    try writer.add(.userLeafNodes, placed.userLeafNodes)
    try writer.add(.userIndex, userIndex.slots)
  }

  private func addMemberships(
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (
      resolved.records.memberships, plans.memberships, membershipPatches
    )
    try writer.add(.membershipUsers, membershipUsers)
    try addTexts(.membership, to: &writer)
    try writer.add(
      .membershipSortOrders,
      sortOrders(stored.membershipSortOrders, table.sortOrders, plan, patches)
    )
    try writer.add(.membershipPrimary, primary)
    try writer.add(.membershipLeads, leads)
  }

  private func addTexts(
    _ kind: RecordKind,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    for (column, text) in zip(kind.texts, texts(of: kind)) {
      let sections = SnapshotSection.text(column, of: kind)
      guard text.byteCount > 0 else {
        try writer.add(sections.bytes, [UInt8]())
        try writer.add(sections.ends, [UInt32]())
        continue
      }
      try text.write(to: &writer, sections.bytes, sections.ends)
    }
  }
}

extension Hierarchy {
  /// The hierarchy of nodes in preorder that name their parents.
  ///
  /// - Parameters:
  ///   - parents: For each node the position of its parent, which comes before it; −1 for a root.
  ///   - groups: Bit set over nodes.
  /// - Complexity: O(nodes).
  init(parents: [Int32], groups: [UInt64]) {
    var levels = [Int32](repeating: 0, count: parents.count)
    var ends = [Int32](repeating: 0, count: parents.count)
    for (node, parent) in parents.enumerated() where parent >= 0 {
      levels[node] = levels[Int(parent)] + 1
    }
    for node in parents.indices.reversed() {
      ends[node] = max(ends[node], Int32(truncatingIfNeeded: node + 1))
      let parent = Int(parents[node])
      if parent >= 0 { ends[parent] = max(ends[parent], ends[node]) }
    }
    self.init(
      parents: OutlineColumn(parents),
      ends: OutlineColumn(ends),
      levels: OutlineColumn(levels),
      groups: OutlineColumn(groups)
    )
  }
}
