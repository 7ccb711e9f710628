import DirectoryModel
import DirectorySnapshot

/// Writes `departments.csv`, `users.csv` and `memberships.csv` as `import` takes them, in the order of
/// the tree.
///
/// A person's row stands at the place of the main department, or at the first written place where
/// that is not written, and always names the main department. Parents and main departments are named
/// whether they are written or not: the files then belong to a directory that has them.
package struct DirectoryFilesWriter {
  package var departments: File
  package var users: File
  package var memberships: File
  package private(set) var membershipCount = 0

  private let source: RecordSource
  private let hasLeads: Bool
  private let fieldsOfDepartments: FieldCells
  private let fieldsOfUsers: FieldCells
  /// Values of declared fields; `nil` where nobody has any.
  private let userValues: TextRows?
  private let emails: TextRows
  private let phones: TextRows
  private let names: TextRows

  /// - Throws: `SnapshotError`.
  package init(_ snapshot: DirectorySnapshot, _ source: RecordSource) throws {
    self.source = source
    let fields = try snapshot.fields()
    userValues = try fields.verifiedOfUsers()
    let hasLeads = try snapshot.memberships().hasLeads
    let fieldsOfDepartments = FieldCells(fields.declared.of(.department))
    let fieldsOfUsers = FieldCells(fields.declared.of(.user))
    // A directory in which nobody leads needs no column for it.
    func columns(_ names: [String]) -> [String] {
      hasLeads ? names : names.filter { $0 != "leads" }
    }
    departments = File(DepartmentLayout.Column.names + fieldsOfDepartments.names)
    users = File(columns(UserLayout.Column.names) + fieldsOfUsers.names)
    memberships = File(columns(MembershipLayout.Column.names))
    self.hasLeads = hasLeads
    self.fieldsOfDepartments = fieldsOfDepartments
    self.fieldsOfUsers = fieldsOfUsers
    emails = try snapshot.contacts().emails.verified()
    phones = try snapshot.contacts().phones.verified()
    names = try snapshot.users().names.verified()
  }

  /// Writes what a row stands for.
  ///
  /// - Throws: `.badData` for what has no place in its source's own tree; `SnapshotError`.
  package mutating func append(_ row: RowFields) throws {
    let node = row.place.node
    guard try source.tree.unplacedReason(of: node) == nil, !row.id.isEmpty else {
      throw DirectoryError(
        .badData,
        "cannot write files for import: \(String(decoding: row.name, as: UTF8.self)) has no place "
          + "in the tree",
        advice: "see the reason with: staffbook doctor; or export to one file, which includes it"
      )
    }
    if row.kind == .department {
      try appendDepartment(row)
    } else {
      try appendPlace(node)
    }
  }

  private mutating func appendDepartment(_ row: RowFields) throws {
    let record = try source.tree.departmentRecord(of: row.place.node)
    departments.append(row.id)
    departments.append(row.parent)
    departments.append(row.name)
    departments.append(row.description)
    departments.append(try source.departments.sortOrders[record])
    departments.append(fieldsOfDepartments, of: row.values)
    departments.endRecord()
  }

  private mutating func appendPlace(_ leaf: Int) throws {
    let isPrimary = try source.memberships.isPrimary(source.tree.record(of: leaf))
    if isPrimary {
      try appendUser(at: leaf)
    } else {
      // The first is the main department's where that is written.
      let first = try source.places(ofPersonAt: leaf).first
      if first == leaf { try appendUser(at: source.mainPlace(ofPersonAt: leaf)) }
      try appendMembership(at: leaf)
    }
  }

  private mutating func appendUser(at leaf: Int) throws {
    let membership = try source.tree.record(of: leaf)
    let user = try source.memberships.user(of: membership)
    users.append(source.userIDs, user)
    users.append(source.departmentIDs, try department(of: leaf))
    users.append(names, user)
    users.append(source.titles, membership)
    users.append(emails, user)
    users.append(phones, user)
    users.append(try source.memberships.sortOrders[membership])
    if hasLeads { users.append(try source.memberships.leads(membership)) }
    if let userValues {
      userValues.withBytes(at: user) { users.append(fieldsOfUsers, of: $0) }
    } else {
      users.append(fieldsOfUsers, of: nil)
    }
    users.endRecord()
  }

  private mutating func appendMembership(at leaf: Int) throws {
    let membership = try source.tree.record(of: leaf)
    memberships.append(source.userIDs, try source.memberships.user(of: membership))
    memberships.append(source.departmentIDs, try department(of: leaf))
    memberships.append(source.titles, membership)
    memberships.append(try source.memberships.sortOrders[membership])
    if hasLeads { memberships.append(try source.memberships.leads(membership)) }
    memberships.endRecord()
    membershipCount += 1
  }

  private func department(of leaf: Int) throws -> Int {
    guard let department = try source.tree.parent(of: leaf) else {
      throw DirectoryError(.badData, "cannot write a person who is in no department")
    }
    return try source.tree.departmentRecord(of: department)
  }

  /// The bytes that are to go into one of the files.
  package struct File {
    /// The caller empties them whenever it likes between two rows.
    package var bytes: [UInt8] = []
    private var csv = CSVWriter()

    fileprivate init(_ columns: [String]) {
      for column in columns { csv.append(column, to: &bytes) }
      endRecord()
    }

    fileprivate mutating func append(_ text: UnsafeRawBufferPointer?) {
      guard let text else { return csv.appendEmpty(to: &bytes) }
      guard let cell = SpreadsheetText.exact(text) else { return csv.append(text, to: &bytes) }
      cell.withUnsafeBytes { csv.append($0, to: &bytes) }
    }

    fileprivate mutating func append(_ number: Int64) { csv.append(number, to: &bytes) }

    fileprivate mutating func append(_ leads: Bool) {
      if leads { csv.append("true", to: &bytes) } else { csv.appendEmpty(to: &bytes) }
    }

    fileprivate mutating func append(_ fields: FieldCells, of values: UnsafeRawBufferPointer?) {
      fields.forEachCell(of: values) { append($0) }
    }

    fileprivate mutating func append(_ column: TextRows, _ row: Int) {
      column.withBytes(at: row) { append($0) }
    }

    fileprivate mutating func endRecord() { csv.endRecord(to: &bytes) }
  }
}
