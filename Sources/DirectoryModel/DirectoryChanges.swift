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

  package init() {}

  /// Rows and removed keys together.
  package var count: Int {
    records.departments.count + records.users.count + records.memberships.count
      + removedDepartments.count + removedUsers.count + removedMemberships.count
  }

  package var isEmpty: Bool { count == 0 }
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
