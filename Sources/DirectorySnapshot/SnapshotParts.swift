/// The departments, in no particular order.
package struct DepartmentPart: Sendable {
  package let ids: TextColumn
  package let names: TextColumn
  package let descriptions: TextColumn
  package let sortOrders: SnapshotColumn<Int64>
  private let nodes: SnapshotColumn<Int32>
  private let people: SnapshotColumn<UInt32>
  private let nodeCount: Int

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.departmentIDsText, ends: .departmentIDsEnds)
    names = try file.text(.departmentNamesText, ends: .departmentNamesEnds)
    descriptions = try file.text(.departmentDescriptionsText, ends: .departmentDescriptionsEnds)
    sortOrders = try file.column(.departmentSortOrders, as: Int64.self)
    nodes = try file.column(.departmentNodes, as: Int32.self)
    people = try file.column(.departmentPeople, as: UInt32.self)
    nodeCount = try file.column(.nodeParents, as: Int32.self).count
    let counts = [names.count, descriptions.count, sortOrders.count, nodes.count, people.count]
    guard counts.allSatisfy({ $0 == ids.count }) else { throw file.damaged(.departmentNodes) }
  }

  package var count: Int { ids.count }

  /// Position of a department's node.
  package func node(of row: Int) throws(SnapshotError) -> Int {
    let node = Int(try nodes[row])
    guard node >= 0, node < nodeCount else { throw nodes.damaged }
    return node
  }

  /// Distinct users in a department's subtree.
  package func people(of row: Int) throws(SnapshotError) -> Int { Int(try people[row]) }
}

/// Who the users are, in no particular order.
package struct UserPart: Sendable {
  package let ids: TextColumn
  package let names: TextColumn

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.userIDsText, ends: .userIDsEnds)
    names = try file.text(.userNamesText, ends: .userNamesEnds)
    guard names.count == ids.count else { throw file.damaged(.userNamesEnds) }
  }

  package var count: Int { ids.count }
}

/// How users are reached, row for row with `UserPart`.
package struct ContactPart: Sendable {
  package let emails: TextColumn
  package let phones: TextColumn

  init(_ file: SnapshotFile, userCount: Int) throws(SnapshotError) {
    emails = try file.text(.userEmailsText, ends: .userEmailsEnds)
    phones = try file.text(.userPhonesText, ends: .userPhonesEnds)
    guard emails.count == userCount, phones.count == userCount else {
      throw file.damaged(.userEmailsEnds)
    }
  }
}

/// The memberships, in no particular order.
package struct MembershipPart: Sendable {
  package let titles: TextColumn
  package let sortOrders: SnapshotColumn<Int64>
  private let users: SnapshotColumn<UInt32>
  private let primary: SnapshotColumn<UInt64>
  private let userCount: Int

  init(_ file: SnapshotFile, userCount: Int) throws(SnapshotError) {
    titles = try file.text(.membershipTitlesText, ends: .membershipTitlesEnds)
    sortOrders = try file.column(.membershipSortOrders, as: Int64.self)
    users = try file.column(.membershipUsers, as: UInt32.self)
    primary = try file.column(.membershipPrimary, as: UInt64.self)
    self.userCount = userCount
    guard titles.count == users.count, sortOrders.count == users.count,
      primary.count == (users.count + 63) / 64
    else { throw file.damaged(.membershipUsers) }
  }

  package var count: Int { users.count }

  /// Row of a membership's user.
  package func user(of row: Int) throws(SnapshotError) -> Int {
    let user = Int(try users[row])
    guard user < userCount else { throw users.damaged }
    return user
  }

  package func isPrimary(_ row: Int) throws(SnapshotError) -> Bool {
    guard row >= 0, row < count else { throw primary.damaged }
    return try primary[row / 64] >> UInt64(row % 64) & 1 == 1
  }
}

/// The places of every user.
package struct LeafPart: Sendable {
  private let starts: SnapshotColumn<UInt32>
  private let nodes: SnapshotColumn<Int32>
  private let nodeCount: Int

  init(_ file: SnapshotFile, userCount: Int, nodeCount: Int) throws(SnapshotError) {
    starts = try file.column(.userLeafStarts, as: UInt32.self)
    nodes = try file.column(.userLeafNodes, as: Int32.self)
    self.nodeCount = nodeCount
    guard starts.count == userCount + 1 else { throw file.damaged(.userLeafStarts) }
  }

  /// Positions of a user's leaves, in preorder.
  ///
  /// - Complexity: O(leaves of the user).
  package func nodes(of user: Int) throws(SnapshotError) -> [Int] {
    let start = Int(try starts[user])
    let end = Int(try starts[user + 1])
    guard start <= end, end <= nodes.count else { throw starts.damaged }
    var positions: [Int] = []
    positions.reserveCapacity(end - start)
    for index in start..<end {
      let node = Int(try nodes[index])
      guard node >= 0, node < nodeCount else { throw nodes.damaged }
      positions.append(node)
    }
    return positions
  }
}

/// Rows by id: an `IdentifierIndex` as it is stored.
package struct IndexPart: Sendable {
  private let slots: SnapshotColumn<UInt64>
  private let ids: TextColumn
  private let hash: SipHash13

  init(
    _ file: SnapshotFile,
    _ section: SnapshotSection,
    ids: TextColumn,
    hash: SipHash13
  ) throws(SnapshotError) {
    slots = try file.column(section, as: UInt64.self)
    self.ids = ids
    self.hash = hash
    guard slots.count.nonzeroBitCount == 1 else { throw slots.damaged }
  }

  /// The row of an id.
  ///
  /// - Complexity: O(1) expected; never more than one round.
  package func row(of id: String) throws(SnapshotError) -> Int? {
    var id = id
    let digest = id.withUTF8 { hash.hash(UnsafeRawBufferPointer($0)) }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    for _ in 0..<slots.count {
      let entry = try slots[slot]
      if entry == 0 { return nil }
      if entry >> 32 == digest >> 32 {
        // A row that no id has is an index outside the column, and throws.
        let row = Int(entry & 0xFFFF_FFFF) - 1
        let isSame = try ids.withBytes(at: row) { $0.elementsEqual(id.utf8) }
        if isSame { return row }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
