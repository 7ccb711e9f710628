import DirectoryModel
import OutlineEngine
import SystemPackage

extension SnapshotUpdate: PendingSnapshot {
  package var former: SnapshotFile? { stored.file }

  /// Takes some 40 bytes of memory for each node where one of them has another place, and none for text;
  /// locale and collation are those of the old file.
  package func addSections(
    _ metadata: SnapshotMetadata,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try writer.add(metadata.encoded(hash: stored.hash), .metadataText, .metadataEnds)
    try writer.add(FieldDeclarations.encode(resolved.records.fields), .fieldsText, .fieldsEnds)
    let visibility = resolved.records.visibility ?? stored.visibility
    try writer.add(
      VisibilityDeclarations.encode(visibility),
      .visibilityText,
      .visibilityEnds
    )
    let shape = keepsPlaces ? nil : Shape(of: self)
    try addTree(shape, to: &writer)
    try addDepartments(shape, to: &writer)
    try addUsers(shape, to: &writer)
    try addMemberships(shape, to: &writer)
  }

  /// What follows from where the nodes stand, and from which rows there are.
  private struct Shape {
    let preorder: PreorderEdit
    let hierarchy: Hierarchy
    let membershipUsers: [UInt32]
    let placed: DerivedColumns

    init(of update: SnapshotUpdate) {
      preorder = PreorderEdit(
        update.edit,
        update.stored,
        departments: update.plans.departments,
        memberships: update.plans.memberships
      )
      hierarchy = Hierarchy(parents: preorder.parents, groups: preorder.groups)
      membershipUsers = update.membershipUsers
      placed = DerivedColumns(
        hierarchy: hierarchy,
        records: preorder.records,
        membershipUsers: membershipUsers,
        departmentCount: update.departmentCount,
        userCount: update.userCount,
        personCount: update.userCount
      )
    }
  }

  private func addTree(
    _ shape: Shape?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    try add(.nodeParents, shape?.hierarchy.parents, to: &writer)
    try add(.nodeEnds, shape?.hierarchy.ends, to: &writer)
    try add(.nodeLevels, shape?.hierarchy.levels, to: &writer)
    try add(.nodeGroups, shape?.hierarchy.groups, to: &writer)
    try add(.nodeRecords, shape?.preorder.records, to: &writer)
    try writer.add(.unplacedNodes, [Int32]())
    try writer.add(.unplacedReasonsText, [UInt8]())
    try writer.add(.unplacedReasonsEnds, [UInt32]())
  }

  private func addDepartments(
    _ shape: Shape?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (
      resolved.records.departments, plans.departments, departmentPatches
    )
    try add(
      text(stored.departmentIDs, table.ids, plan, patches),
      .departmentIDsText,
      .departmentIDsEnds,
      to: &writer
    )
    try addTexts(.department, to: &writer)
    try add(
      .departmentSortOrders,
      sortOrders(stored.departmentSortOrders, table.sortOrders, plan, patches),
      to: &writer
    )
    try add(.departmentNodes, shape?.placed.departmentNodes, to: &writer)
    try add(.departmentPeople, shape?.placed.departmentPeople, to: &writer)
    try add(.departmentIndex, shape.map { _ in departmentIndex.slots }, to: &writer)
  }

  private func addUsers(
    _ shape: Shape?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (resolved.records.users, plans.users, userPatches)
    try add(
      text(stored.userIDs, table.ids, plan, patches),
      .userIDsText,
      .userIDsEnds,
      to: &writer
    )
    try addTexts(.user, to: &writer)
    try add(.userLeafStarts, shape?.placed.userLeafStarts, to: &writer)
    try add(.userLeafNodes, shape?.placed.userLeafNodes, to: &writer)
    try add(.userIndex, shape.map { _ in userIndex.slots }, to: &writer)
  }

  private func addMemberships(
    _ shape: Shape?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    let (table, plan, patches) = (
      resolved.records.memberships, plans.memberships, membershipPatches
    )
    try add(.membershipUsers, shape?.membershipUsers, to: &writer)
    try addTexts(.membership, to: &writer)
    try add(
      .membershipSortOrders,
      sortOrders(stored.membershipSortOrders, table.sortOrders, plan, patches),
      to: &writer
    )
    try writer.add(.membershipPrimary, primary)
    try writer.add(.membershipLeads, leads)
  }

  /// Adds a column; `nil` for one that is as it was.
  private func add<Element: BitwiseCopyable>(
    _ section: SnapshotSection,
    _ elements: [Element]?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    guard let elements else { return try writer.copy(section, of: stored.file) }
    try writer.add(section, elements)
  }

  private func add<Element: BitwiseCopyable>(
    _ section: SnapshotSection,
    _ elements: OutlineColumn<Element>?,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    guard let elements else { return try writer.copy(section, of: stored.file) }
    try writer.add(section, elements)
  }

  private func add(
    _ patch: TextPatch,
    _ bytes: SnapshotSection,
    _ ends: SnapshotSection,
    to writer: inout SnapshotFileWriter
  ) throws(SnapshotError) {
    if patch.isIdentity {
      try writer.copy(bytes, of: stored.file)
      try writer.copy(ends, of: stored.file)
    } else {
      try patch.write(to: &writer, bytes, ends)
    }
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
      try add(text, sections.bytes, sections.ends, to: &writer)
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
