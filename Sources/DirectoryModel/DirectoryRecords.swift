/// Everything one consistent read of the source delivered, in columns, in no particular order.
package struct DirectoryRecords: Sendable {
  package var departments = DepartmentTable()
  package var users = UserTable()
  package var memberships = MembershipTable()
  /// The declared fields, in order; all of them, also where only some rows were read.
  package var fields: [Field] = []
  /// Who may see whom; `nil` where that was not read.
  package var visibility: VisibilityRules?

  package init() {}
}

/// Department records in columns.
package struct DepartmentTable: Sendable {
  package var ids = StringColumn()
  /// The parent's id; empty for a root, which no id can be.
  package var parents = StringColumn()
  /// The columns of `RecordKind.texts`.
  package var texts = RecordKind.department.texts.map { _ in StringColumn() }
  package var sortOrders: [Int64] = []

  package init() {}

  package var count: Int { sortOrders.count }
  package var names: StringColumn { texts[0] }
  /// Empty where the source does not tell.
  package var identities: StringColumn { texts[texts.count - 2] }

  package mutating func append(_ record: DepartmentRecord) throws(DirectoryError) {
    try ids.append(record.id.rawValue)
    try parents.append(record.parent?.rawValue ?? "")
    let identity = record.identity?.rawValue ?? ""
    let values = [record.name, record.description, identity, record.fields.text]
    for (index, text) in values.enumerated() { try texts[index].append(text) }
    sortOrders.append(record.sortOrder)
  }

  package subscript(row: Int) -> DepartmentRecord {
    DepartmentRecord(
      id: DepartmentID(ids[row]),
      parent: parents.isEmpty(at: row) ? nil : DepartmentID(parents[row]),
      name: texts[0][row],
      description: texts[1][row],
      sortOrder: sortOrders[row],
      fields: FieldValues(canonical: texts[texts.count - 1][row]),
      identity: RecordIdentity(stored: identities[row])
    )
  }
}

/// User records in columns.
package struct UserTable: Sendable {
  package var ids = StringColumn()
  package var primaryDepartments = StringColumn()
  /// The columns of `RecordKind.texts`.
  package var texts = RecordKind.user.texts.map { _ in StringColumn() }

  package init() {}

  package var count: Int { ids.count }
  package var names: StringColumn { texts[0] }
  /// Empty where the source does not tell.
  package var identities: StringColumn { texts[texts.count - 2] }

  package mutating func append(_ record: UserRecord) throws(DirectoryError) {
    try ids.append(record.id.rawValue)
    try primaryDepartments.append(record.primaryDepartment.rawValue)
    let identity = record.identity?.rawValue ?? ""
    let values = [record.name] + record.contacts.all + [identity, record.fields.text]
    for (index, text) in values.enumerated() { try texts[index].append(text) }
  }

  package subscript(row: Int) -> UserRecord {
    UserRecord(
      id: UserID(ids[row]),
      primaryDepartment: DepartmentID(primaryDepartments[row]),
      name: texts[0][row],
      contacts: ContactValues(from: 1) { texts[$0][row] },
      fields: FieldValues(canonical: texts[texts.count - 1][row]),
      identity: RecordIdentity(stored: identities[row])
    )
  }
}

/// Membership records in columns, each user's primary one among them.
package struct MembershipTable: Sendable {
  package var users = StringColumn()
  package var departments = StringColumn()
  /// The columns of `RecordKind.texts`.
  package var texts = RecordKind.membership.texts.map { _ in StringColumn() }
  package var sortOrders: [Int64] = []
  package var leads: [Bool] = []

  package init() {}

  package var count: Int { sortOrders.count }

  package mutating func append(_ record: MembershipRecord) throws(DirectoryError) {
    try users.append(record.user.rawValue)
    try departments.append(record.department.rawValue)
    try texts[0].append(record.title)
    sortOrders.append(record.sortOrder)
    leads.append(record.leads)
  }

  package subscript(row: Int) -> MembershipRecord {
    MembershipRecord(
      user: UserID(users[row]),
      department: DepartmentID(departments[row]),
      title: texts[0][row],
      sortOrder: sortOrders[row],
      leads: leads[row]
    )
  }
}

/// Receives records while a read is still under way.
package protocol RecordObserver: AnyObject, Sendable {
  /// A read begins, perhaps again after one that failed: whatever arrived before is void.
  func readBegins()

  /// More rows have arrived: those of departments first, then users, then memberships.
  ///
  /// - Parameter records: All rows so far; borrowed, on the thread that reads.
  func rowsArrived(_ records: borrowing DirectoryRecords)
}
