import DirectoryModel

/// A column of the tables of departments, people and memberships.
package enum TableColumn: Hashable, Sendable {
  case kind, id, parent, name, description, title
  case contact(Field)
  case sortOrder, primary, level, people, path, leads

  static let all: [TableColumn] =
    [.kind, .id, .parent, .name, .description, .title]
    + Field.contacts.map { .contact($0) }
    + [.sortOrder, .primary, .level, .people, .path, .leads]

  /// Its place in `all`.
  var place: Int {
    let last = Field.contacts.count
    return switch self {
    case .kind: 0
    case .id: 1
    case .parent: 2
    case .name: 3
    case .description: 4
    case .title: 5
    case .contact(let field): 6 + (field.column ?? 0)
    case .sortOrder: 6 + last
    case .primary: 7 + last
    case .level: 8 + last
    case .people: 9 + last
    case .path: 10 + last
    case .leads: 11 + last
    }
  }

  /// What lists call it.
  package var name: String {
    switch self {
    case .parent: "parent_id"
    case .contact(let field): field.name
    case .sortOrder: "sort_order"
    default: "\(self)"
    }
  }
}

/// A row of a table, borrowed from the reader: valid until it goes on.
package enum TableRow {
  case department(DepartmentFields)
  case person(PersonFields)
  /// A person's further department.
  case membership(MembershipFields)
}

/// The columns of a kind of table, and how a row of it is read.
package struct TableLayout: Sendable {
  /// What each row is; `nil` where the rows say so themselves.
  private let kind: RecordKind?
  /// In the order in which files are written.
  package let columns: [TableColumn]
  /// The columns' names in the header.
  package let names: [String]

  private init(
    _ kind: RecordKind?,
    _ columns: [TableColumn],
    _ names: [TableColumn: String] = [:]
  ) {
    self.kind = kind
    self.columns = columns
    self.names = columns.map { names[$0] ?? $0.name }
  }

  /// `departments.csv`: a department a row.
  package static let departments = TableLayout(
    .department,
    [.id, .parent, .name, .description, .sortOrder]
  )

  /// `users.csv`: a person a row, with the primary department and what they do there.
  package static let users = TableLayout(
    .user,
    [.id, .parent, .name, .title] + Field.contacts.map { .contact($0) }
      + [.sortOrder, .leads],
    [.parent: "department_id"]
  )

  /// `memberships.csv`: a further department of a person a row.
  package static let memberships = TableLayout(
    .membership,
    [.id, .parent, .title, .sortOrder, .leads],
    [.id: "user_id", .parent: "department_id"]
  )

  /// A list of departments and people: each row is a department, or a person in one department, and a
  /// person in three departments has three rows.
  ///
  /// It is what `export` writes as one CSV file, and what JSON, LDIF and vCards come down to.
  package static let list = TableLayout(nil, TableColumn.all)

  /// Whose declared fields its rows have.
  package var owners: [RecordKind] {
    guard let kind else { return [.department, .user] }
    return kind == .membership ? [] : [kind]
  }

  func name(of column: TableColumn) -> String {
    columns.firstIndex(of: column).map { names[$0] } ?? column.name
  }

  /// Columns without which a file is refused; another missing column is read as empty.
  var required: [TableColumn] { columns.filter { [.kind, .id, .parent, .name].contains($0) } }

  /// Whether a usual heading stands for the column as its name does.
  func isKnownByHeading(_ column: TableColumn) -> Bool {
    switch column {
    case .title, .contact: true
    default: false
    }
  }

  /// Whether a file without the column is told of.
  func isMissed(_ column: TableColumn) -> Bool {
    switch column {
    case .primary, .level, .people, .path, .leads: false
    case .sortOrder: kind != nil
    default: true
    }
  }

  /// Checks a row's values and reports what is wrong with them.
  ///
  /// - Parameters:
  ///   - cells: The values.
  ///   - further: What the row of a list is if it does not say so itself.
  ///   - isLeaver: Whether it is of a person who has left, and needs no department.
  /// - Returns: The row, with defaults for values that were refused, or `nil` when it has no
  ///   usable id.
  func row(
    of cells: inout RowCells,
    as further: RecordKind? = nil,
    isLeaver: Bool = false
  ) -> TableRow? {
    guard let kind = kind ?? further ?? cells.kind(), let id = cells.id(.id) else { return nil }
    switch kind {
    case .department:
      return .department(
        DepartmentFields(
          line: cells.line,
          id: id,
          parent: cells.reference(.parent),
          name: cells.name(),
          description: cells.text(.description, atMost: DirectoryLimits.descriptionScalars),
          sortOrder: cells.wholeNumber(.sortOrder),
          fields: cells.fields(of: .department)
        )
      )
    case .user:
      return .person(
        PersonFields(
          line: cells.line,
          id: id,
          department: cells.reference(.parent, orReport: isLeaver ? nil : "has no department"),
          name: cells.name(),
          title: cells.text(.title, atMost: DirectoryLimits.titleScalars),
          contacts: ContactValues {
            cells.text(.contact($0), atMost: DirectoryLimits.contactScalars)
          },
          sortOrder: cells.wholeNumber(.sortOrder),
          isPrimary: self.kind == .user ? true : cells.truth(.primary),
          leads: cells.truth(.leads) ?? false,
          fields: cells.fields(of: .user)
        )
      )
    case .membership:
      guard let department = cells.id(.parent) else { return nil }
      return .membership(
        MembershipFields(
          line: cells.line,
          user: id,
          department: department,
          title: cells.text(.title, atMost: DirectoryLimits.titleScalars),
          sortOrder: cells.wholeNumber(.sortOrder),
          leads: cells.truth(.leads) ?? false
        )
      )
    }
  }
}
