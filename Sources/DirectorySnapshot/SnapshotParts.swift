import OutlineEngine
import DirectoryModel

/// The departments, in no particular order.
package struct DepartmentPart: Sendable {
  package let ids: TextColumn
  package let names: TextColumn
  package let descriptions: TextColumn
  /// `RecordIdentity`; empty where the source does not tell, and in files of earlier programs.
  package let identities: TextColumn
  package let sortOrders: SnapshotColumn<Int64>
  private let nodes: SnapshotColumn<Int32>
  private let people: SnapshotColumn<UInt32>
  private let nodeCount: Int

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.departmentIDsText, ends: .departmentIDsEnds)
    names = try file.text(.name, of: .department, count: ids.count)
    descriptions = try file.text(.description, of: .department, count: ids.count)
    identities = try file.text(.identity, of: .department, count: ids.count)
    sortOrders = try file.column(.departmentSortOrders, as: Int64.self)
    nodes = try file.column(.departmentNodes, as: Int32.self)
    people = try file.column(.departmentPeople, as: UInt32.self)
    nodeCount = try file.column(.nodeParents, as: Int32.self).count
    let counts = [sortOrders.count, nodes.count, people.count]
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
  /// As in `DepartmentPart`.
  package let identities: TextColumn

  init(_ file: SnapshotFile) throws(SnapshotError) {
    ids = try file.text(.userIDsText, ends: .userIDsEnds)
    names = try file.text(.name, of: .user, count: ids.count)
    identities = try file.text(.identity, of: .user, count: ids.count)
  }

  package var count: Int { ids.count }
}

/// The declared fields and their values, row for row with `UserPart` and `DepartmentPart`.
package struct FieldPart: Sendable {
  /// In the order in which they are shown.
  package let declared: [Field]
  package let ofUsers: TextColumn
  package let ofDepartments: TextColumn

  init(
    _ file: SnapshotFile,
    userCount: Int,
    departmentCount: Int
  ) throws(SnapshotError) {
    ofUsers = try file.text(.fields, of: .user, count: userCount)
    ofDepartments = try file.text(.fields, of: .department, count: departmentCount)
    declared = try FieldDeclarations.read(file)
  }

  /// Calls `body` with the text that `FieldValues` describes, borrowed; empty for no values.
  package func withValues<Result>(
    ofUser row: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(SnapshotError) -> Result {
    try ofUsers.withBytes(at: row, body)
  }

  package func withValues<Result>(
    ofDepartment row: Int,
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(SnapshotError) -> Result {
    try ofDepartments.withBytes(at: row, body)
  }

  package func values(ofUser row: Int) throws(SnapshotError) -> FieldValues {
    FieldValues(canonical: try ofUsers[row])
  }

  package func values(ofDepartment row: Int) throws(SnapshotError) -> FieldValues {
    FieldValues(canonical: try ofDepartments[row])
  }

  /// The values of all users, proved, for scans; `nil` where there are none.
  package func verifiedOfUsers() throws(SnapshotError) -> TextRows? {
    ofUsers.isBlank ? nil : try ofUsers.verified()
  }

  /// Rows of the users who name a person in a field.
  ///
  /// - Complexity: O(bytes of the values of all users).
  package func users(naming id: String, in field: String) throws(SnapshotError) -> [Int] {
    guard let rows = try verifiedOfUsers() else { return [] }
    let (wanted, name) = (Array(id.utf8), Array(field.utf8))
    // The value as it is written, quotes and all, without the braces and the name around it.
    var writer = FieldValuesWriter()
    writer.append("", wanted)
    let written = writer.finished().dropFirst(5).dropLast()
    return rows.withView { view in
      var found: [Int] = []
      view.forEachRow(holding: Array(written)) { row in
        var reader = FieldValuesReader(view[row])
        while reader.next() {
          if reader.isNamed(name), reader.values.contains(wanted) { found.append(row) }
        }
      }
      return found
    }
  }

  /// The values of all departments, proved, for scans; `nil` where none has any.
  package func verifiedOfDepartments() throws(SnapshotError) -> TextRows? {
    ofDepartments.isBlank ? nil : try ofDepartments.verified()
  }
}

/// The memberships, in no particular order.
package struct MembershipPart: Sendable {
  package let titles: TextColumn
  package let sortOrders: SnapshotColumn<Int64>
  private let users: SnapshotColumn<UInt32>
  private let primary: SnapshotColumn<UInt64>
  private let leadership: SnapshotColumn<UInt64>
  private let userCount: Int

  init(_ file: SnapshotFile, userCount: Int) throws(SnapshotError) {
    sortOrders = try file.column(.membershipSortOrders, as: Int64.self)
    users = try file.column(.membershipUsers, as: UInt32.self)
    titles = try file.text(.title, of: .membership, count: users.count)
    primary = try file.column(.membershipPrimary, as: UInt64.self)
    leadership = try file.column(.membershipLeads, as: UInt64.self)
    self.userCount = userCount
    let words = (users.count + 63) / 64
    guard sortOrders.count == users.count, primary.count == words, leadership.count == words else {
      throw file.damaged(.membershipUsers)
    }
  }

  package var count: Int { users.count }

  /// Row of a membership's user.
  package func user(of row: Int) throws(SnapshotError) -> Int {
    let user = Int(try users[row])
    guard user < userCount else { throw users.damaged }
    return user
  }

  package func isPrimary(_ row: Int) throws(SnapshotError) -> Bool { try bit(row, of: primary) }

  /// Whether anybody leads a department.
  ///
  /// - Complexity: O(memberships / 64).
  package var hasLeads: Bool {
    get throws(SnapshotError) {
      for word in 0..<leadership.count where try leadership[word] != 0 { return true }
      return false
    }
  }

  /// Whether the user leads the department.
  package func leads(_ row: Int) throws(SnapshotError) -> Bool { try bit(row, of: leadership) }

  private func bit(
    _ row: Int,
    of column: SnapshotColumn<UInt64>
  ) throws(SnapshotError) -> Bool {
    guard row >= 0, row < count else { throw column.damaged }
    return try column[row / 64] >> UInt64(row % 64) & 1 == 1
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
    var positions: [Int] = []
    try forEachNode(of: user) { positions.append($0) }
    return positions
  }

  /// Calls `body` with the position of each of a user's leaves, in preorder.
  ///
  /// - Complexity: O(leaves of the user).
  package func forEachNode(
    of user: Int,
    _ body: (Int) -> Void
  ) throws(SnapshotError) {
    let start = Int(try starts[user])
    let end = Int(try starts[user + 1])
    guard start <= end, end <= nodes.count else { throw starts.damaged }
    for index in start..<end {
      let node = Int(try nodes[index])
      guard node >= 0, node < nodeCount else { throw nodes.damaged }
      body(node)
    }
  }

  /// The same for a set of users, a bit for each, in their order.
  ///
  /// - Complexity: O(users / 64 + leaves); for many, the bytes of the section the first time.
  package func forEachNode(
    ofUsers words: [UInt64],
    _ body: (Int) -> Void
  ) throws(SnapshotError) {
    let count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    // One look at everything instead of one at the mark of each block.
    let all = count > starts.count / 64 ? try (starts.verified(), nodes.verified()) : nil
    for (word, bits) in words.enumerated() {
      var rest = bits
      while rest != 0 {
        let user = word << 6 | rest.trailingZeroBitCount
        rest &= rest &- 1
        guard let (starts, nodes) = all else {
          try forEachNode(of: user, body)
          continue
        }
        guard user + 1 < starts.count else { throw self.starts.damaged }
        let (start, end) = (Int(starts[user]), Int(starts[user + 1]))
        guard start <= end, end <= nodes.count else { throw self.starts.damaged }
        for index in start..<end {
          let node = Int(nodes[index])
          guard node >= 0, node < nodeCount else { throw self.nodes.damaged }
          body(node)
        }
      }
    }
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
    return try id.withUTF8 { bytes in
      Result { () throws(SnapshotError) in try row(of: UnsafeRawBufferPointer(bytes)) }
    }.get()
  }

  /// The same by an id's UTF-8.
  func row(of id: UnsafeRawBufferPointer) throws(SnapshotError) -> Int? {
    let digest = hash.hash(id)
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: digest) & mask
    for _ in 0..<slots.count {
      let entry = try slots[slot]
      if entry == 0 { return nil }
      if entry >> 32 == digest >> 32 {
        // A row that no id has is an index outside the column, and throws.
        let row = Int(entry & 0xFFFF_FFFF) - 1
        let isSame = try ids.withBytes(at: row) { sameBytes($0, id) }
        if isSame { return row }
      }
      slot = (slot + 1) & mask
    }
    return nil
  }
}
