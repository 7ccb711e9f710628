import DirectoryModel
import OutlineEngine

/// Where every record goes: each department's and each membership's parent as a row.
///
/// A record that has no place in the tree goes under *Unplaced*, with the reason. So that none is
/// dropped, rows are appended where something is only referred to: a user for a membership whose
/// user is unknown, a membership for a user who has none, and the *Unplaced* department itself.
struct Placement {
  struct Unplaced {
    /// Row in the department table, or in the membership table.
    var record: Record
    var reason: String

    enum Record {
      case department(Int)
      case membership(Int)
    }
  }

  private static let unplacedMark: Int32 = -2
  private static let shownRingMembers = 8

  /// Row of the parent department for each department; −1 for a root.
  private(set) var departmentParents: [Int32]
  /// Row of the department for each membership.
  private(set) var membershipDepartments: [Int32]
  /// Row of the user for each membership.
  private(set) var membershipUsers: [UInt32]
  /// Bit set over memberships.
  private(set) var primary: [UInt64]
  private(set) var unplaced: [Unplaced] = []
  /// Row of the *Unplaced* department, where there is one.
  private(set) var unplacedDepartment: Int?
  let departmentIndex: IdentifierIndex
  let userIndex: IdentifierIndex
  /// Users that were read; rows beyond stand for unknown ones.
  let knownUserCount: Int

  /// Resolves all references.
  ///
  /// `records` grows by the rows named above, and its membership columns of ids are emptied:
  /// resolved, they are not needed any more.
  ///
  /// - Complexity: O(records), expected.
  init(
    _ records: inout DirectoryRecords,
    _ prepared: borrowing PreparedRows
  ) throws(DirectoryError) {
    departmentParents = []
    membershipDepartments = prepared.membershipDepartments.map { Int32(truncatingIfNeeded: $0) }
    membershipUsers = prepared.membershipUsers
    primary = prepared.primary
    knownUserCount = records.users.count
    departmentIndex = prepared.departments.finish()
    userIndex = prepared.users.finish()
    placeDepartments(records.departments, repeats: prepared.departments.repeats)
    for row in prepared.unresolved { try placeUnresolved(row, &records) }
    try placeUsersWithoutPrimaryMembership(&records)
    records.memberships.users = StringColumn()
    records.memberships.departments = StringColumn()
    try makeUnplacedDepartment(&records)
  }

  // MARK: Departments

  private mutating func placeDepartments(_ departments: DepartmentTable, repeats: [Int]) {
    departmentParents.reserveCapacity(departments.count + 1)
    for row in 0..<departments.count {
      departmentParents.append(parent(of: row, in: departments))
    }
    for row in repeats {
      leaveOut(department: row, reason: "the id \(departments.ids[row]) is used more than once")
    }
    breakRings(departments)
  }

  private mutating func parent(of row: Int, in departments: DepartmentTable) -> Int32 {
    if departments.parents.isEmpty(at: row) { return Hierarchy.noParent }
    let parent = departments.parents.withBytes(at: row) {
      departmentIndex.row(of: $0, in: departments.ids)
    }
    if let parent { return Int32(parent) }
    unplaced.append(
      Unplaced(
        record: .department(row),
        reason: "its parent \(departments.parents[row]) is unknown"
      )
    )
    return Self.unplacedMark
  }

  private mutating func leaveOut(department row: Int, reason: String) {
    if departmentParents[row] != Self.unplacedMark {
      unplaced.append(Unplaced(record: .department(row), reason: reason))
    }
    departmentParents[row] = Self.unplacedMark
  }

  /// Opens each ring at its first member, which takes the others along.
  private mutating func breakRings(_ departments: DepartmentTable) {
    let linked = departmentParents.map { $0 == Self.unplacedMark ? Hierarchy.noParent : $0 }
    for ring in LinkProblems.find(in: linked).rings {
      var names = ring.prefix(Self.shownRingMembers).map { departments.ids[$0] }
      if ring.count > names.count { names.append("… (\(ring.count) in all)") }
      names.append(departments.ids[ring[0]])
      leaveOut(
        department: ring[0],
        reason: "its parents form a cycle: " + names.joined(separator: " → ")
      )
    }
  }

  // MARK: Memberships

  /// Places a membership whose user or department is unknown.
  private mutating func placeUnresolved(
    _ row: Int,
    _ records: inout DirectoryRecords
  ) throws(DirectoryError) {
    membershipDepartments[row] = Self.unplacedMark
    guard membershipUsers[row] != PreparedRows.unknown else {
      try addUnknownUser(of: row, to: &records)
      return
    }
    let id = records.memberships.departments[row]
    unplaced.append(
      Unplaced(record: .membership(row), reason: "the department \(id) is unknown")
    )
  }

  /// A membership of an unknown user still shows the id and where it wanted to be.
  private mutating func addUnknownUser(
    of row: Int,
    to records: inout DirectoryRecords
  ) throws(DirectoryError) {
    let id = records.memberships.users[row]
    let department = DepartmentID(records.memberships.departments[row])
    membershipUsers[row] = UInt32(records.users.count)
    try records.users.append(
      UserRecord(id: UserID(id), primaryDepartment: department, name: id)
    )
    unplaced.append(
      Unplaced(
        record: .membership(row),
        reason: "a membership in department \(department) names the unknown user \(id)"
      )
    )
  }

  /// Places those who belong to no department, and those who do not belong to the one that is said to
  /// be their primary one, and so are not seen there.
  private mutating func placeUsersWithoutPrimaryMembership(
    _ records: inout DirectoryRecords
  ) throws(DirectoryError) {
    var hasMembership = [Bool](repeating: false, count: records.users.count)
    var hasPrimary = hasMembership
    for (row, user) in membershipUsers.enumerated() {
      hasMembership[Int(user)] = true
      if primary[row / 64] & 1 << UInt64(row % 64) != 0 { hasPrimary[Int(user)] = true }
    }
    for user in 0..<knownUserCount where !hasPrimary[user] {
      let reason: String
      if !hasMembership[user] {
        reason = reasonWithoutMembership(user, in: records.users)
      } else if records.users.primaryDepartments.isEmpty(at: user) {
        continue
      } else {
        reason =
          "has no membership in its primary department \(records.users.primaryDepartments[user])"
      }
      let row = records.memberships.count
      for index in records.memberships.texts.indices {
        try records.memberships.texts[index].append("")
      }
      records.memberships.sortOrders.append(0)
      records.memberships.leads.append(false)
      membershipUsers.append(UInt32(user))
      membershipDepartments.append(Self.unplacedMark)
      unplaced.append(Unplaced(record: .membership(row), reason: reason))
    }
    let words = (membershipUsers.count + 63) / 64
    primary.append(contentsOf: repeatElement(0, count: words - primary.count))
  }

  private func reasonWithoutMembership(_ user: Int, in users: UserTable) -> String {
    let indexed = users.ids.withBytes(at: user) { userIndex.row(of: $0, in: users.ids) }
    return indexed == user
      ? "belongs to no department" : "the id \(users.ids[user]) is used more than once"
  }

  // MARK: Unplaced

  private mutating func makeUnplacedDepartment(
    _ records: inout DirectoryRecords
  ) throws(DirectoryError) {
    guard !unplaced.isEmpty else { return }
    let row = records.departments.count
    unplacedDepartment = row
    try records.departments.append(
      DepartmentRecord(
        id: DepartmentID(""),
        parent: nil,
        name: "Unplaced",
        description: "Records that have no place in the tree",
        sortOrder: .max
      )
    )
    for index in departmentParents.indices where departmentParents[index] == Self.unplacedMark {
      departmentParents[index] = Int32(row)
    }
    departmentParents.append(Hierarchy.noParent)
    for index in membershipDepartments.indices
    where membershipDepartments[index] == Self.unplacedMark {
      membershipDepartments[index] = Int32(row)
    }
  }
}
