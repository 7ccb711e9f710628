/// Everything one consistent read of the source delivered, in columns, in no particular order.
package struct DirectoryRecords: Sendable {
  package var departments = DepartmentTable()
  package var users = UserTable()
  package var memberships = MembershipTable()

  package init() {}
}

/// Department records in columns.
package struct DepartmentTable: Sendable {
  package var ids = StringColumn()
  /// The parent's id; empty for a root, which no id can be.
  package var parents = StringColumn()
  package var names = StringColumn()
  package var descriptions = StringColumn()
  package var sortOrders: [Int64] = []

  package init() {}

  package var count: Int { sortOrders.count }

  package mutating func append(_ record: DepartmentRecord) throws(DirectoryError) {
    try ids.append(record.id.rawValue)
    try parents.append(record.parent?.rawValue ?? "")
    try names.append(record.name)
    try descriptions.append(record.description)
    sortOrders.append(record.sortOrder)
  }

  package subscript(row: Int) -> DepartmentRecord {
    DepartmentRecord(
      id: DepartmentID(ids[row]),
      parent: parents.isEmpty(at: row) ? nil : DepartmentID(parents[row]),
      name: names[row],
      description: descriptions[row],
      sortOrder: sortOrders[row]
    )
  }
}

/// User records in columns.
package struct UserTable: Sendable {
  package var ids = StringColumn()
  package var primaryDepartments = StringColumn()
  package var names = StringColumn()
  package var emails = StringColumn()
  package var phones = StringColumn()

  package init() {}

  package var count: Int { ids.count }

  package mutating func append(_ record: UserRecord) throws(DirectoryError) {
    try ids.append(record.id.rawValue)
    try primaryDepartments.append(record.primaryDepartment.rawValue)
    try names.append(record.name)
    try emails.append(record.email)
    try phones.append(record.phone)
  }

  package subscript(row: Int) -> UserRecord {
    UserRecord(
      id: UserID(ids[row]),
      primaryDepartment: DepartmentID(primaryDepartments[row]),
      name: names[row],
      email: emails[row],
      phone: phones[row]
    )
  }
}

/// Membership records in columns, each user's primary one among them.
package struct MembershipTable: Sendable {
  package var users = StringColumn()
  package var departments = StringColumn()
  package var titles = StringColumn()
  package var sortOrders: [Int64] = []

  package init() {}

  package var count: Int { sortOrders.count }

  package mutating func append(_ record: MembershipRecord) throws(DirectoryError) {
    try users.append(record.user.rawValue)
    try departments.append(record.department.rawValue)
    try titles.append(record.title)
    sortOrders.append(record.sortOrder)
  }

  package subscript(row: Int) -> MembershipRecord {
    MembershipRecord(
      user: UserID(users[row]),
      department: DepartmentID(departments[row]),
      title: titles[row],
      sortOrder: sortOrders[row]
    )
  }
}
