import DirectoryModel
import OutlineEngine

extension SnapshotUpdate {
  /// The digest of the rows of a slice as they are after the changes, to compare with the source's.
  ///
  /// - Complexity: O(ids of the kind) comparisons of a few bytes, and O(bytes in the slice).
  package func digest(of slice: SourceSlice) -> RowDigest {
    let range = IdentifierRange(slice)
    var digest = RowDigest()
    forEachRow(of: slice.kind, where: range.contains) { _, hash in digest.add(hash) }
    return digest
  }

  /// Calls `body` with the id and the hash of every row as it is after the changes; a membership
  /// goes by its user's id.
  ///
  /// - Parameters:
  ///   - kind: Of the rows.
  ///   - isWanted: Whether a row of an id is to be hashed.
  ///   - body: Gets the id, for the time of the call, and the hash.
  /// - Complexity: O(ids of the kind), and O(bytes in what is wanted).
  package func forEachRow(
    of kind: RecordKind,
    where isWanted: (UnsafeRawBufferPointer) -> Bool,
    _ body: (UnsafeRawBufferPointer, RowHash) -> Void
  ) {
    switch kind {
    case .department: forEachDepartment(where: isWanted, body)
    case .user:
      forEachUser(where: isWanted) { id, row, change in body(id, hash(ofUser: row, change)) }
    case .membership:
      forEachUser(where: isWanted) { id, row, change in
        forEachMembership(of: row, change) { body(id, $0) }
      }
    }
  }

  private func forEachDepartment(
    where isWanted: (UnsafeRawBufferPointer) -> Bool,
    _ body: (UnsafeRawBufferPointer, RowHash) -> Void
  ) {
    let removed = Set(resolved.removedDepartments)
    for row in 0..<stored.departmentCount {
      stored.departmentIDs.withBytes(at: row) { id in
        if isWanted(id), !removed.contains(row) { body(id, hash(ofDepartment: row)) }
      }
    }
    for (index, content) in resolved.addedDepartments.enumerated() {
      resolved.records.departments.ids.withBytes(at: content) { id in
        if isWanted(id) { body(id, hash(ofDepartment: stored.departmentCount + index)) }
      }
    }
  }

  private func hash(ofDepartment row: Int) -> RowHash {
    var hash = RowHash()
    let parent = resolved.parent(of: row)
    addDepartmentID(row, to: &hash)
    if parent == RowChangeSet.root { hash.add("") } else { addDepartmentID(parent, to: &hash) }
    let table = resolved.records.departments
    if let content = resolved.content(ofDepartment: row) {
      hash.add(table.texts, content, of: .department)
      hash.add(table.sortOrders[content])
    } else {
      hash.add(stored.departmentTexts, row, of: .department)
      hash.add(stored.departmentSortOrders[row])
    }
    return hash
  }

  private func addDepartmentID(_ row: Int, to hash: inout RowHash) {
    if row < stored.departmentCount {
      stored.departmentIDs.withBytes(at: row) { hash.add($0) }
    } else {
      let content = resolved.addedDepartments[row - stored.departmentCount]
      resolved.records.departments.ids.withBytes(at: content) { hash.add($0) }
    }
  }

  /// Calls `body` with every wanted user that is there now, and with what changed of it.
  private func forEachUser(
    where isWanted: (UnsafeRawBufferPointer) -> Bool,
    _ body: (UnsafeRawBufferPointer, Int, RowChangeSet.UserChange?) -> Void
  ) {
    var changes = resolved.users[...]
    for row in 0..<stored.userCount {
      let change = changes.first.flatMap { $0.row == row ? $0 : nil }
      if change != nil { changes.removeFirst() }
      guard change?.isRemoved != true else { continue }
      stored.userIDs.withBytes(at: row) { id in
        if isWanted(id) { body(id, row, change) }
      }
    }
    for change in changes {
      let content = resolved.addedUsers[change.row - stored.userCount]
      resolved.records.users.ids.withBytes(at: content) { id in
        if isWanted(id) { body(id, change.row, change) }
      }
    }
  }

  private func hash(
    ofUser row: Int,
    _ change: RowChangeSet.UserChange?
  ) -> RowHash {
    var hash = RowHash()
    addUserID(row, to: &hash)
    let primary = change.map { $0.places.first(where: \.isPrimary)?.department }
    if let department = primary ?? stored.primaryDepartment(of: row) {
      addDepartmentID(department, to: &hash)
    } else {
      hash.add("")
    }
    if let content = change?.content {
      hash.add(resolved.records.users.texts, content, of: .user)
    } else {
      hash.add(stored.userTexts, row, of: .user)
    }
    return hash
  }

  private func addUserID(_ row: Int, to hash: inout RowHash) {
    if row < stored.userCount {
      stored.userIDs.withBytes(at: row) { hash.add($0) }
    } else {
      let content = resolved.addedUsers[row - stored.userCount]
      resolved.records.users.ids.withBytes(at: content) { hash.add($0) }
    }
  }

  private func forEachMembership(
    of row: Int,
    _ change: RowChangeSet.UserChange?,
    _ body: (RowHash) -> Void
  ) {
    if let change {
      for place in change.places {
        body(
          hash(user: row, place.department, content: place.content, membership: place.membership)
        )
      }
    } else {
      for node in stored.leaves(of: row) {
        body(
          hash(
            user: row,
            stored.department(ofLeaf: Int(node)),
            content: nil,
            membership: Int(stored.nodeRecords[Int(node)])
          )
        )
      }
    }
  }

  private func hash(
    user: Int,
    _ department: Int,
    content: Int?,
    membership: Int
  ) -> RowHash {
    var hash = RowHash()
    addUserID(user, to: &hash)
    addDepartmentID(department, to: &hash)
    if let content {
      let table = resolved.records.memberships
      hash.add(table.texts, content, of: .membership)
      hash.add(table.sortOrders[content])
      hash.add(table.leads[content])
    } else {
      hash.add(stored.membershipTexts, membership, of: .membership)
      hash.add(stored.membershipSortOrders[membership])
      hash.add(stored.leads(membership))
    }
    return hash
  }
}

extension RowHash {
  fileprivate mutating func add(_ columns: [StringColumn], _ row: Int, of kind: RecordKind) {
    for (column, text) in zip(kind.texts, columns) {
      text.withBytes(at: row) { add($0, of: column) }
    }
  }

  fileprivate mutating func add(_ columns: [TextRows], _ row: Int, of kind: RecordKind) {
    for (column, text) in zip(kind.texts, columns) {
      text.withBytes(at: row) { add($0, of: column) }
    }
  }
}

/// The ids of a slice, as bytes.
struct IdentifierRange {
  private let first: [UInt8]
  private let last: [UInt8]?

  init(_ slice: SourceSlice) {
    first = Array(slice.first.utf8)
    last = slice.last.map { Array($0.utf8) }
  }

  func contains(_ id: UnsafeRawBufferPointer) -> Bool {
    guard first.withUnsafeBytes({ compareBytes($0, id) <= 0 }) else { return false }
    guard let last else { return true }
    return last.withUnsafeBytes { compareBytes(id, $0) <= 0 }
  }
}
