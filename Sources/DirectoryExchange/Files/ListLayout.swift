import DirectoryModel

/// A list of departments and people in one file: each row is a department, or a person in one
/// department, and a person in three departments has three rows.
///
/// It is what `export` writes as one CSV file, and what JSON, LDIF and vCards come down to.
package enum ListLayout: DirectoryFileLayout {
  package enum Column: DirectoryColumn {
    case kind, id, parent, name, description, title
    case contact(Field)
    case sortOrder, primary, level, people, path, leads

    package static let allCases: [Column] =
      [.kind, .id, .parent, .name, .description, .title]
      + Field.contacts.map { .contact($0) }
      + [.sortOrder, .primary, .level, .people, .path, .leads]

    package static let names = allCases.map { column in
      switch column {
      case .parent: "parent_id"
      case .contact(let field): field.name
      case .sortOrder: "sort_order"
      default: "\(column)"
      }
    }

    package var place: Int {
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

    package var isRequired: Bool {
      self == .kind || self == .id || self == .parent || self == .name
    }

    package var isMissed: Bool { place < Self.sortOrder.place }
  }

  /// A row, borrowed from the reader: valid until it goes on.
  package enum Row {
    case department(DepartmentFields)
    case person(PersonFields)
    /// A person's further department, where it comes apart from the person.
    case membership(MembershipFields)
  }

  package static var naming: Column { .id }
  package static var owners: [RecordKind] { [.department, .user] }

  package static func row(of cells: inout RowCells<Column>) -> Row? {
    let kind = cells[.kind]
    if kind.elementsEqual("department".utf8) {
      return department(&cells).map { .department($0) }
    }
    if kind.elementsEqual("user".utf8) { return person(&cells).map { .person($0) } }
    cells.report(
      kind.isEmpty
        ? "has no kind; it must be \"department\" or \"user\""
        : "kind \(QuotedValue.text(kind)) is neither \"department\" nor \"user\""
    )
    return nil
  }

  private static func department(_ cells: inout RowCells<Column>) -> DepartmentFields? {
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

  private static func person(_ cells: inout RowCells<Column>) -> PersonFields? {
    guard let id = cells.id(.id) else { return nil }
    return PersonFields(
      line: cells.line,
      id: id,
      department: cells.reference(.parent, orReport: "has no department"),
      name: cells.name(.name),
      title: cells.text(.title, atMost: DirectoryLimits.titleScalars),
      contacts: ContactValues {
        cells.text(.contact($0), atMost: DirectoryLimits.contactScalars)
      },
      sortOrder: cells.wholeNumber(.sortOrder),
      isPrimary: cells.truth(.primary),
      leads: cells.truth(.leads) ?? false,
      fields: cells.fields(of: .user)
    )
  }
}
