/// A column of the three tables.
///
/// Code that reads, hashes, stores or compares records walks over these lists instead of naming the
/// columns once more.
package enum RecordColumn: Hashable, Sendable {
  case id, parent, primaryDepartment, user, department
  case name, description, title
  case contact(Field)
  /// Who or what a record is, whatever its id: `RecordIdentity`; nobody reads it.
  case identity
  /// The values of declared fields in one text: `FieldValues`.
  case fields
  case sortOrder, leads

  /// In SQL.
  package var name: String {
    switch self {
    case .id: "id"
    case .parent: "parent_id"
    case .primaryDepartment: "primary_department_id"
    case .user: "user_id"
    case .department: "department_id"
    case .name: "name"
    case .description: "description"
    case .title: "title"
    case .contact(let field): field.name
    case .identity: "identity"
    case .fields: "fields"
    case .sortOrder: "sort_order"
    case .leads: "leads"
    }
  }
}

extension RecordKind {
  /// The ids that a record consists of, its own first.
  package var keys: [RecordColumn] {
    switch self {
    case .department: [.id, .parent]
    case .user: [.id, .primaryDepartment]
    case .membership: [.user, .department]
    }
  }

  /// What a record says in words, the columns in which tables and snapshot keep it.
  package var texts: [RecordColumn] {
    switch self {
    case .department: Self.textsOfDepartments
    case .user: Self.textsOfUsers
    case .membership: Self.textsOfMemberships
    }
  }

  /// Those of `texts` that people read in columns of their own: neither the identity nor the
  /// values of declared fields.
  package var valueTexts: [RecordColumn] {
    switch self {
    case .department: Self.valueTextsOfDepartments
    case .user: Self.valueTextsOfUsers
    case .membership: Self.textsOfMemberships
    }
  }

  // Made once: some walk over them at every row.
  private static let valueTextsOfDepartments: [RecordColumn] = [.name, .description]
  private static let valueTextsOfUsers: [RecordColumn] =
    [.name] + Field.contacts.map { .contact($0) }
  private static let textsOfDepartments: [RecordColumn] =
    valueTextsOfDepartments + [.identity, .fields]
  private static let textsOfUsers: [RecordColumn] = valueTextsOfUsers + [.identity, .fields]
  private static let textsOfMemberships: [RecordColumn] = [.title]

  /// What a record says otherwise.
  package var numbers: [RecordColumn] {
    switch self {
    case .department: [.sortOrder]
    case .user: []
    case .membership: [.sortOrder, .leads]
    }
  }

  /// All columns, in the order in which they are read and hashed.
  package var columns: [RecordColumn] { keys + texts + numbers }
}
