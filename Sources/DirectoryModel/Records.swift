/// A unit of the organisation, as the repository reads it.
package struct DepartmentRecord: Hashable, Sendable {
  package var id: DepartmentID
  /// `nil` for a root.
  package var parent: DepartmentID?
  package var name: String
  package var description: String
  /// Smaller comes first among siblings.
  package var sortOrder: Int64
  package var fields: FieldValues

  package init(
    id: DepartmentID,
    parent: DepartmentID?,
    name: String,
    description: String = "",
    sortOrder: Int64 = 0,
    fields: FieldValues = .none
  ) {
    self.id = id
    self.parent = parent
    self.name = name
    self.description = description
    self.sortOrder = sortOrder
    self.fields = fields
  }
}

/// A person, as the repository reads it.
package struct UserRecord: Hashable, Sendable {
  package var id: UserID
  /// The department of the user's one primary membership.
  package var primaryDepartment: DepartmentID
  package var name: String
  package var contacts: ContactValues<String>
  package var fields: FieldValues

  package init(
    id: UserID,
    primaryDepartment: DepartmentID,
    name: String,
    contacts: ContactValues<String> = [:],
    fields: FieldValues = .none
  ) {
    self.id = id
    self.primaryDepartment = primaryDepartment
    self.name = name
    self.contacts = contacts
    self.fields = fields
  }
}

/// A user in a department, the primary one included.
package struct MembershipRecord: Hashable, Sendable {
  package var user: UserID
  package var department: DepartmentID
  /// What the user does in this department.
  package var title: String
  /// Smaller comes first among the department's people.
  package var sortOrder: Int64
  /// Whether the user leads the department.
  package var leads: Bool

  package init(
    user: UserID,
    department: DepartmentID,
    title: String = "",
    sortOrder: Int64 = 0,
    leads: Bool = false
  ) {
    self.user = user
    self.department = department
    self.title = title
    self.sortOrder = sortOrder
    self.leads = leads
  }
}
