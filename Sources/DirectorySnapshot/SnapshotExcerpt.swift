import DirectoryModel
import Outlines

/// What of a snapshot somebody may not see.
package struct SnapshotMask: Sendable {
  /// A field that no record has any more: a built-in one by its column's name, or a declared one.
  package struct Field: Hashable, Sendable {
    package var owner: RecordKind
    package var name: String

    package init(_ owner: RecordKind, _ name: String) {
      self.owner = owner
      self.name = name
    }
  }

  /// Whether a department is left out, and with it everything below.
  package var hidesDepartment: @Sendable (DepartmentID) -> Bool
  /// Whether a person's place in a department is left out.
  package var hidesPlace: @Sendable (UserID, DepartmentID) -> Bool
  package var hiddenFields: Set<Field>

  package init(
    hidingFields hiddenFields: Set<Field>,
    departments hidesDepartment: @escaping @Sendable (DepartmentID) -> Bool,
    places hidesPlace: @escaping @Sendable (UserID, DepartmentID) -> Bool
  ) {
    self.hiddenFields = hiddenFields
    self.hidesDepartment = hidesDepartment
    self.hidesPlace = hidesPlace
  }
}

extension DirectorySnapshot {
  /// A snapshot of what a mask leaves of this one, as if nothing else had ever been there.
  ///
  /// People without a place are not in it. Whose primary place is left out has the first that is left
  /// as the primary one. Values of fields of the kind `person` that name somebody who is left out are
  /// left out themselves, and so are values that nobody declared, of which nothing is known. The group
  /// *Unplaced* is never in it: its reasons name records that may be left out.
  ///
  /// - Returns: A snapshot that lies in a file without a name, and goes with it.
  /// - Throws: `SnapshotError.damaged`, and `.cannotWrite` where there is no room for it.
  /// - Complexity: O(bytes of the snapshot); the columns of what is left are in memory meanwhile.
  package func excerpt(_ mask: SnapshotMask) throws(SnapshotError) -> DirectorySnapshot {
    let stored = try StoredDirectory(self)
    let excerpt: DirectoryTree
    do throws(DirectoryError) {
      excerpt = try SnapshotExcerpt(stored, mask).tree()
    } catch {
      // Text that was there had room.
      throw file.damaged(.metadataText)
    }
    var metadata = metadata
    metadata.watermark = [:]
    return try DirectorySnapshot(excerpt.scratchFile(metadata: metadata, path: path))
  }
}

/// Copies what is left of a stored directory, in its order.
private struct SnapshotExcerpt {
  private let stored: StoredDirectory
  private let mask: SnapshotMask
  /// Positions that are left, rising.
  private var nodes: [Int32] = []
  private var departments: RowPlace
  private var users: RowPlace
  private var memberships: RowPlace

  /// Which rows are left, and what number each has then.
  private struct RowPlace {
    private(set) var rows: [Int] = []
    private var numbers: [UInt32]

    init(count: Int) { numbers = [UInt32](repeating: .max, count: count) }

    func contains(_ row: Int) -> Bool { numbers[row] != .max }

    /// The number of a row that is left.
    subscript(row: Int) -> UInt32 { numbers[row] }

    mutating func insert(_ row: Int) { numbers[row] = 0 }

    /// Rows keep their order.
    mutating func number() {
      for row in numbers.indices where numbers[row] != .max {
        numbers[row] = UInt32(truncatingIfNeeded: rows.count)
        rows.append(row)
      }
    }
  }

  init(_ stored: StoredDirectory, _ mask: SnapshotMask) {
    self.stored = stored
    self.mask = mask
    departments = RowPlace(count: stored.departmentCount)
    users = RowPlace(count: stored.userCount)
    memberships = RowPlace(count: stored.membershipCount)
    walk()
    departments.number()
    users.number()
    memberships.number()
  }

  private mutating func walk() {
    let hierarchy = stored.hierarchy
    var department = DepartmentID("")
    var departmentNode = -1
    var node = 0
    while node < hierarchy.count {
      let record = Int(stored.nodeRecords[node])
      if hierarchy.isGroup(node) {
        let id = stored.departmentIDs[record]
        // Only *Unplaced* has an empty id.
        guard !id.isEmpty, !mask.hidesDepartment(DepartmentID(id)) else {
          node = hierarchy.subtree(of: node).upperBound
          continue
        }
        departments.insert(record)
        nodes.append(Int32(truncatingIfNeeded: node))
      } else if let above = hierarchy.parent(of: node) {
        if above != departmentNode {
          departmentNode = above
          department = DepartmentID(stored.departmentIDs[Int(stored.nodeRecords[above])])
        }
        let user = Int(stored.membershipUsers[record])
        if !mask.hidesPlace(UserID(stored.userIDs[user]), department) {
          memberships.insert(record)
          users.insert(user)
          nodes.append(Int32(truncatingIfNeeded: node))
        }
      }
      node += 1
    }
  }

  // MARK: What is left

  func tree() throws(DirectoryError) -> DirectoryTree {
    var records = DirectoryRecords()
    records.fields = stored.fields.filter { !hides($0.owner, $0.name) }
    for row in departments.rows {
      try append(stored.departmentIDs, row, to: &records.departments.ids)
      records.departments.sortOrders.append(stored.departmentSortOrders[row])
    }
    for row in users.rows { try append(stored.userIDs, row, to: &records.users.ids) }
    for row in memberships.rows {
      records.memberships.sortOrders.append(stored.membershipSortOrders[row])
      records.memberships.leads.append(stored.leads(row))
    }
    let fields = records.fields
    try copy(
      stored.departmentTexts,
      departments,
      .department,
      fields,
      to: &records.departments.texts
    )
    try copy(stored.userTexts, users, .user, fields, to: &records.users.texts)
    try copy(
      stored.membershipTexts,
      memberships,
      .membership,
      fields,
      to: &records.memberships.texts
    )
    return DirectoryTree(
      records,
      hierarchy: hierarchy,
      nodeRecords: nodeRecords,
      membershipUsers: memberships.rows.map { users[Int(stored.membershipUsers[$0])] },
      primary: primary
    )
  }

  private func append(
    _ column: TextRows,
    _ row: Int,
    to copy: inout StringColumn
  ) throws(DirectoryError) {
    column.withBytes(at: row) { copy.appendBytes($0) }
    try copy.endRow()
  }

  private func copy(
    _ columns: [TextRows],
    _ place: RowPlace,
    _ kind: RecordKind,
    _ fields: [Field],
    to copies: inout [StringColumn]
  ) throws(DirectoryError) {
    for (index, name) in kind.texts.enumerated() where !hides(kind, name.name) {
      guard name == .fields else {
        for row in place.rows { try append(columns[index], row, to: &copies[index]) }
        continue
      }
      let left = VisibleValues(fields.of(kind), stored, users.contains)
      for row in place.rows {
        let values = columns[index].withBytes(at: row) { left.values(of: $0) }
        values.withUnsafeBytes { copies[index].appendBytes($0) }
        try copies[index].endRow()
      }
    }
  }

  /// A title stands with the membership and is a field of the person.
  private func hides(_ kind: RecordKind, _ name: String) -> Bool {
    mask.hiddenFields.contains(SnapshotMask.Field(kind == .membership ? .user : kind, name))
  }

  private var nodeRecords: [UInt32] {
    nodes.map { node in
      let record = Int(stored.nodeRecords[Int(node)])
      return stored.hierarchy.isGroup(Int(node)) ? departments[record] : memberships[record]
    }
  }

  private var hierarchy: Hierarchy {
    let old = stored.hierarchy
    // How many nodes are left before each position.
    var before = [Int32](repeating: 0, count: old.count + 1)
    for node in nodes { before[Int(node) + 1] = 1 }
    for position in 0..<old.count { before[position + 1] += before[position] }
    var parents: [Int32] = []
    var groups = [UInt64](repeating: 0, count: (nodes.count + 63) / 64)
    for (position, node) in nodes.enumerated() {
      parents.append(old.parent(of: Int(node)).map { before[$0] } ?? Hierarchy.noParent)
      if old.isGroup(Int(node)) { groups[position / 64] |= 1 << UInt64(position % 64) }
    }
    return Hierarchy(
      parents: OutlineColumn(parents),
      ends: OutlineColumn(nodes.map { before[Int(old.ends[Int($0)])] }),
      levels: OutlineColumn(nodes.map { old.levels[Int($0)] }),
      groups: OutlineColumn(groups)
    )
  }

  /// Bit set over the memberships that are left.
  private var primary: [UInt64] {
    var primary = [UInt64](repeating: 0, count: (memberships.rows.count + 63) / 64)
    func mark(_ membership: Int) {
      let number = Int(memberships[membership])
      primary[number / 64] |= 1 << UInt64(number % 64)
    }
    for user in users.rows {
      let own = stored.leaves(of: user).map { Int(stored.nodeRecords[Int($0)]) }
        .filter { memberships.contains($0) }
      if let main = own.first(where: stored.isPrimary) ?? own.first { mark(main) }
    }
    return primary
  }
}

/// Takes out of a record's values those that are left.
private struct VisibleValues {
  private let stored: StoredDirectory
  private let isThere: (Int) -> Bool
  /// The declared fields that are left, by name.
  private let kinds: [[UInt8]: FieldKind]

  init(_ fields: [Field], _ stored: StoredDirectory, _ isThere: @escaping (Int) -> Bool) {
    self.stored = stored
    self.isThere = isThere
    kinds = Dictionary(
      fields.map { (Array($0.name.utf8), $0.kind) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func values(of text: UnsafeRawBufferPointer) -> [UInt8] {
    guard !text.isEmpty else { return [] }
    var reader = FieldValuesReader(text)
    var writer = FieldValuesWriter()
    while reader.next() {
      guard let kind = kinds[reader.name] else { continue }
      let values = kind == .person ? reader.values.filter(isVisible) : reader.values
      let name = String(decoding: reader.name, as: UTF8.self)
      if reader.isSeveral {
        if !values.isEmpty { writer.append(name, list: values) }
      } else if let value = values.first {
        writer.append(name, value)
      }
    }
    return writer.finished()
  }

  private func isVisible(_ id: [UInt8]) -> Bool {
    id.withUnsafeBytes { stored.userRow(of: $0) }.map(isThere) ?? false
  }
}
