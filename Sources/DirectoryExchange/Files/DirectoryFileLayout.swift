import DirectoryModel

/// The columns of one of the directory's files, and how a row of it is read.
package protocol DirectoryFileLayout: Sendable {
  /// The columns in the order in which files are written.
  associatedtype Column: DirectoryColumn
  /// A row's values, borrowed from the reader.
  associatedtype Row

  /// The column whose value names the row in messages.
  static var naming: Column { get }
  /// Whose declared fields its rows have.
  static var owners: [RecordKind] { get }

  /// Checks a row's values and reports what is wrong with them.
  ///
  /// - Returns: The row, with defaults for values that were refused, or `nil` when it has no
  ///   usable id.
  static func row(of cells: inout RowCells<Column>) -> Row?
}

/// A column of a layout.
package protocol DirectoryColumn: CaseIterable, Hashable, Sendable {
  /// The names in the header, by place.
  static var names: [String] { get }
  /// Its place among the columns.
  var place: Int { get }
  /// Whether a file without it is refused; another missing column is read as empty.
  var isRequired: Bool { get }
  /// Whether somebody should be told when it is missing.
  var isMissed: Bool { get }
}

extension DirectoryColumn where Self: RawRepresentable<Int> {
  package var place: Int { rawValue }
}

extension DirectoryColumn {
  package var name: String { Self.names[place] }
  package var isMissed: Bool { true }
}

/// `departments.csv`: a department a row.
package enum DepartmentLayout: DirectoryFileLayout {
  package enum Column: Int, DirectoryColumn {
    case id, parent, name, description, sortOrder

    package static let names = ["id", "parent_id", "name", "description", "sort_order"]
    package var isRequired: Bool { self == .id || self == .parent || self == .name }
  }

  package static var naming: Column { .id }
  package static var owners: [RecordKind] { [.department] }

  package static func row(of cells: inout RowCells<Column>) -> DepartmentFields? {
    guard let id = cells.id(.id) else { return nil }
    return DepartmentFields(
      line: cells.line,
      id: id,
      parent: cells.reference(.parent),
      name: cells.name(.name),
      description: cells.text(.description, atMost: DirectoryLimits.descriptionScalars),
      sortOrder: cells.wholeNumber(.sortOrder),
      fields: cells.fields(of: .department)
    )
  }
}

/// `users.csv`: a person a row, with the main department and what they do there.
package enum UserLayout: DirectoryFileLayout {
  package enum Column: DirectoryColumn {
    case id, department, name, title
    case contact(Field)
    case sortOrder, leads

    package static let allCases: [Column] =
      [.id, .department, .name, .title] + Field.contacts.map { .contact($0) }
      + [.sortOrder, .leads]

    package static let names =
      ["id", "department_id", "name", "title"] + Field.contacts.map(\.name) + [
        "sort_order", "leads",
      ]

    package var place: Int {
      switch self {
      case .id: 0
      case .department: 1
      case .name: 2
      case .title: 3
      case .contact(let field): 4 + (field.column ?? 0)
      case .sortOrder: 4 + Field.contacts.count
      case .leads: 5 + Field.contacts.count
      }
    }

    package var isRequired: Bool { self == .id || self == .department || self == .name }
    package var isMissed: Bool { self != .leads }
  }

  package static var naming: Column { .id }
  package static var owners: [RecordKind] { [.user] }

  package static func row(of cells: inout RowCells<Column>) -> PersonFields? {
    guard let id = cells.id(.id) else { return nil }
    return PersonFields(
      line: cells.line,
      id: id,
      department: cells.reference(.department, orReport: "has no department"),
      name: cells.name(.name),
      title: cells.text(.title, atMost: DirectoryLimits.titleScalars),
      contacts: ContactValues {
        cells.text(.contact($0), atMost: DirectoryLimits.contactScalars)
      },
      sortOrder: cells.wholeNumber(.sortOrder),
      isPrimary: true,
      leads: cells.truth(.leads) ?? false,
      fields: cells.fields(of: .user)
    )
  }
}

/// `memberships.csv`: a further department of a person a row.
package enum MembershipLayout: DirectoryFileLayout {
  package enum Column: Int, DirectoryColumn {
    case user, department, title, sortOrder, leads

    package static let names = ["user_id", "department_id", "title", "sort_order", "leads"]
    package var isRequired: Bool { self == .user || self == .department }
    package var isMissed: Bool { self != .leads }
  }

  package static var naming: Column { .user }
  package static var owners: [RecordKind] { [] }

  package static func row(of cells: inout RowCells<Column>) -> MembershipFields? {
    guard let user = cells.id(.user), let department = cells.id(.department) else { return nil }
    return MembershipFields(
      line: cells.line,
      user: user,
      department: department,
      title: cells.text(.title, atMost: DirectoryLimits.titleScalars),
      sortOrder: cells.wholeNumber(.sortOrder),
      leads: cells.truth(.leads) ?? false
    )
  }
}
