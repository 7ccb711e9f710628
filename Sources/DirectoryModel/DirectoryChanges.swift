/// What changed at a source between two of its states.
///
/// It is the rows that are there now, and the keys that are there no more, neither in any
/// particular order; a key is in one of them only.
package struct DirectoryChanges: Sendable {
  /// Rows that were added or written; some may be what they were before.
  package var records = DirectoryRecords()
  package var removedDepartments: [DepartmentID] = []
  package var removedUsers: [UserID] = []
  package var removedMemberships: [MembershipKey] = []
  /// Of a state of the past: people who were there, and of whom values were erased since.
  package var forgottenPeople = 0

  package init() {}

  /// Rows and removed keys together.
  package var count: Int {
    records.departments.count + records.users.count + records.memberships.count
      + removedDepartments.count + removedUsers.count + removedMemberships.count
  }

  package var isEmpty: Bool { count == 0 }

  /// All records after the changes.
  ///
  /// - Complexity: O(records).
  package func applied(
    to former: DirectoryRecords
  ) throws(DirectoryError) -> DirectoryRecords {
    var records = records
    var departments = Set(removedDepartments)
    for row in 0..<records.departments.count {
      departments.insert(DepartmentID(records.departments.ids[row]))
    }
    for row in 0..<former.departments.count
    where !departments.contains(DepartmentID(former.departments.ids[row])) {
      try records.departments.append(former.departments[row])
    }
    var users = Set(removedUsers)
    for row in 0..<records.users.count { users.insert(UserID(records.users.ids[row])) }
    for row in 0..<former.users.count where !users.contains(UserID(former.users.ids[row])) {
      try records.users.append(former.users[row])
    }
    var memberships = Set(removedMemberships)
    for row in 0..<records.memberships.count {
      let record = records.memberships[row]
      memberships.insert(MembershipKey(user: record.user, department: record.department))
    }
    for row in 0..<former.memberships.count {
      let record = former.memberships[row]
      let key = MembershipKey(user: record.user, department: record.department)
      if !memberships.contains(key) { try records.memberships.append(record) }
    }
    return records
  }
}

/// What tells memberships apart: a user is in a department once.
package struct MembershipKey: Hashable, Sendable {
  package var user: UserID
  package var department: DepartmentID

  package init(user: UserID, department: DepartmentID) {
    self.user = user
    self.department = department
  }
}
