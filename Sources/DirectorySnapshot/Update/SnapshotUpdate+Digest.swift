import DirectoryModel
import Outlines

extension SnapshotUpdate {
  /// The digest of the rows of a slice as they are after the changes, to compare with the source's.
  ///
  /// - Complexity: O(ids of the kind) comparisons of a few bytes, and O(bytes in the slice).
  package func digest(of slice: SourceSlice) -> RowDigest {
    let range = IdentifierRange(slice)
    var digest = RowDigest()
    switch slice.kind {
    case .department: addDepartments(in: range, to: &digest)
    case .user: forEachUser(in: range) { addUser($0, $1, to: &digest) }
    case .membership: forEachUser(in: range) { addMemberships($0, $1, to: &digest) }
    }
    return digest
  }

  private func addDepartments(in range: IdentifierRange, to digest: inout RowDigest) {
    let removed = Set(resolved.removedDepartments)
    for row in 0..<stored.departmentCount {
      guard stored.departmentIDs.withBytes(at: row, { range.contains($0) }), !removed.contains(row)
      else { continue }
      digest.add(hash(ofDepartment: row))
    }
    for (index, content) in resolved.addedDepartments.enumerated()
    where resolved.records.departments.ids.withBytes(at: content, { range.contains($0) }) {
      digest.add(hash(ofDepartment: stored.departmentCount + index))
    }
  }

  private func hash(ofDepartment row: Int) -> RowHash {
    var hash = RowHash()
    let parent = resolved.parent(of: row)
    addDepartmentID(row, to: &hash)
    if parent == ResolvedChanges.root { hash.add("") } else { addDepartmentID(parent, to: &hash) }
    let table = resolved.records.departments
    if let content = resolved.content(ofDepartment: row) {
      table.names.withBytes(at: content) { hash.add($0) }
      table.descriptions.withBytes(at: content) { hash.add($0) }
      hash.add(table.sortOrders[content])
    } else {
      stored.departmentNames.withBytes(at: row) { hash.add($0) }
      stored.departmentDescriptions.withBytes(at: row) { hash.add($0) }
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

  /// Calls `body` with every user in the range that is there now, and with what changed of it.
  private func forEachUser(
    in range: IdentifierRange,
    _ body: (Int, ResolvedChanges.UserChange?) -> Void
  ) {
    var changes = resolved.users[...]
    for row in 0..<stored.userCount {
      let change = changes.first.flatMap { $0.row == row ? $0 : nil }
      if change != nil { changes.removeFirst() }
      guard change?.isRemoved != true, stored.userIDs.withBytes(at: row, { range.contains($0) })
      else { continue }
      body(row, change)
    }
    for change in changes {
      let content = resolved.addedUsers[change.row - stored.userCount]
      if resolved.records.users.ids.withBytes(at: content, { range.contains($0) }) {
        body(change.row, change)
      }
    }
  }

  private func addUser(
    _ row: Int,
    _ change: ResolvedChanges.UserChange?,
    to digest: inout RowDigest
  ) {
    var hash = RowHash()
    addUserID(row, to: &hash)
    let primary = change.map { $0.places.first(where: \.isPrimary)?.department }
    if let department = primary ?? stored.primaryDepartment(of: row) {
      addDepartmentID(department, to: &hash)
    } else {
      hash.add("")
    }
    if let content = change?.content {
      let table = resolved.records.users
      table.names.withBytes(at: content) { hash.add($0) }
      table.emails.withBytes(at: content) { hash.add($0) }
      table.phones.withBytes(at: content) { hash.add($0) }
    } else {
      stored.userNames.withBytes(at: row) { hash.add($0) }
      stored.userEmails.withBytes(at: row) { hash.add($0) }
      stored.userPhones.withBytes(at: row) { hash.add($0) }
    }
    digest.add(hash)
  }

  private func addUserID(_ row: Int, to hash: inout RowHash) {
    if row < stored.userCount {
      stored.userIDs.withBytes(at: row) { hash.add($0) }
    } else {
      let content = resolved.addedUsers[row - stored.userCount]
      resolved.records.users.ids.withBytes(at: content) { hash.add($0) }
    }
  }

  private func addMemberships(
    _ row: Int,
    _ change: ResolvedChanges.UserChange?,
    to digest: inout RowDigest
  ) {
    if let change {
      for place in change.places {
        digest.add(
          hash(user: row, place.department, content: place.content, membership: place.membership)
        )
      }
    } else {
      for node in stored.leaves(of: row) {
        digest.add(
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
      resolved.records.memberships.titles.withBytes(at: content) { hash.add($0) }
      hash.add(resolved.records.memberships.sortOrders[content])
    } else {
      stored.membershipTitles.withBytes(at: membership) { hash.add($0) }
      hash.add(stored.membershipSortOrders[membership])
    }
    return hash
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
