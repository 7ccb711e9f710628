import DirectoryModel

/// Writes `departments.csv`, `users.csv` and `memberships.csv` as `import` takes them, in the order of
/// the tree.
///
/// A person's row stands at the place of the primary department, or at the first written place
/// where that is not written, and always names the primary department. Parents and primary
/// departments are named whether they are written or not: the files then belong to a directory that
/// has them.
package struct DirectoryFilesWriter {
  package var departments: File
  package var users: File
  package var memberships: File
  package private(set) var membershipCount = 0

  private let records: any RecordLookup
  private let hasLeads: Bool
  private let hiddenOfDepartments: Set<String>
  private let hiddenOfUsers: Set<String>
  private let fieldsOfDepartments: FieldCells
  private let fieldsOfUsers: FieldCells

  /// - Parameters:
  ///   - records: The records.
  ///   - fields: The declared fields.
  ///   - hasLeads: Whether anybody leads a department: otherwise there is no column for it.
  ///   - hidden: Columns that no department, and no person, shows; they are left out, so that an
  ///     import of the files leaves the values as they are.
  package init(
    _ records: any RecordLookup,
    fields: [Field],
    hasLeads: Bool,
    hidden: (ofDepartments: Set<String>, ofUsers: Set<String>) = ([], [])
  ) {
    self.records = records
    let fieldsOfDepartments = FieldCells(fields.of(.department))
    let fieldsOfUsers = FieldCells(fields.of(.user))
    func columns(_ names: [String]) -> [String] {
      names.filter { !hidden.ofUsers.contains($0) && (hasLeads || $0 != "leads") }
    }
    departments = File(
      TableLayout.departments.names.filter { !hidden.ofDepartments.contains($0) }
        + fieldsOfDepartments.names
    )
    (hiddenOfDepartments, hiddenOfUsers) = hidden
    users = File(columns(TableLayout.users.names) + fieldsOfUsers.names)
    memberships = File(columns(TableLayout.memberships.names))
    self.hasLeads = hasLeads
    self.fieldsOfDepartments = fieldsOfDepartments
    self.fieldsOfUsers = fieldsOfUsers
  }

  /// Bytes that were not taken yet.
  package var byteCount: Int {
    departments.bytes.count + users.bytes.count + memberships.bytes.count
  }

  /// Writes what a row stands for.
  ///
  /// - Throws: `.badData` for what has no place in its source's own tree; what the look-up throws.
  package mutating func append(_ row: RowFields) throws {
    let node = row.place.node
    guard try records.unplacedReason(of: node) == nil, !row.id.isEmpty else {
      throw DirectoryError(
        .badData,
        "cannot write files for import: \(String(decoding: row.name, as: UTF8.self)) has no place "
          + "in the tree",
        advice: "see the reason with: \(.examine); or export to one file, which includes it"
      )
    }
    if row.kind == .department {
      try appendDepartment(row)
    } else {
      try appendPlace(node)
    }
  }

  private mutating func appendDepartment(_ row: RowFields) throws {
    departments.append(row.id)
    departments.append(row.parent)
    departments.append(row.name)
    if !hiddenOfDepartments.contains("description") { departments.append(row.description) }
    if !hiddenOfDepartments.contains("sort_order") {
      departments.append(try records.sortOrder(of: row.place.node))
    }
    departments.append(fieldsOfDepartments, of: row.values)
    departments.endRecord()
  }

  private mutating func appendPlace(_ place: Int) throws {
    if try records.isPrimary(place) {
      try appendUser(at: place)
    } else {
      // The first is the primary department's where that is written.
      let first = try records.places(ofPersonAt: place).first
      if first == place { try appendUser(at: records.primaryPlace(ofPersonAt: place)) }
      try appendMembership(at: place)
    }
  }

  private mutating func appendUser(at place: Int) throws {
    try append(.users, at: place)
    try records.withValues(ofPersonAt: place) { users.append(fieldsOfUsers, of: $0) }
    users.endRecord()
  }

  private mutating func appendMembership(at place: Int) throws {
    try append(.memberships, at: place)
    memberships.endRecord()
    membershipCount += 1
  }

  /// Appends the columns of a place of a person.
  private mutating func append(_ layout: TableLayout, at place: Int) throws {
    let file = layout.columns.contains(.name) ? \Self.users : \Self.memberships
    func append(_ text: RecordColumn, of node: Int) throws {
      try records.withText(text, of: node) { self[keyPath: file].append($0) }
    }
    for column in layout.columns where shows(column) {
      switch column {
      case .parent: try append(.id, of: department(of: place))
      case .name: try append(.name, of: place)
      case .title: try append(.title, of: place)
      case .contact(let field): try append(.contact(field), of: place)
      case .sortOrder: self[keyPath: file].append(try records.sortOrder(of: place))
      case .leads: self[keyPath: file].append(try records.leads(place))
      default: try append(.id, of: place)
      }
    }
  }

  /// Whether the files of people have a column.
  private func shows(_ column: TableColumn) -> Bool {
    switch column {
    case .id, .parent, .name: true
    case .leads: hasLeads && !hiddenOfUsers.contains(column.name)
    default: !hiddenOfUsers.contains(column.name)
    }
  }

  private func department(of place: Int) throws -> Int {
    guard let department = try records.department(above: place) else {
      throw DirectoryError(.badData, "cannot write a person who is in no department")
    }
    return department
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

    fileprivate mutating func append(_ number: Int64?) {
      if let number { csv.append(number, to: &bytes) } else { csv.appendEmpty(to: &bytes) }
    }

    fileprivate mutating func append(_ leads: Bool) {
      if leads { csv.append("true", to: &bytes) } else { csv.appendEmpty(to: &bytes) }
    }

    fileprivate mutating func append(_ fields: FieldCells, of values: UnsafeRawBufferPointer?) {
      fields.forEachCell(of: values) { append($0) }
    }

    fileprivate mutating func endRecord() { csv.endRecord(to: &bytes) }
  }
}
