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
  /// `nil` where the source does not tell.
  package var identity: RecordIdentity?

  package init(
    id: DepartmentID,
    parent: DepartmentID?,
    name: String,
    description: String = "",
    sortOrder: Int64 = 0,
    fields: FieldValues = .none,
    identity: RecordIdentity? = nil
  ) {
    self.id = id
    self.parent = parent
    self.name = name
    self.description = description
    self.sortOrder = sortOrder
    self.fields = fields
    self.identity = identity
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
  /// `nil` where the source does not tell.
  package var identity: RecordIdentity?

  package init(
    id: UserID,
    primaryDepartment: DepartmentID,
    name: String,
    contacts: ContactValues<String> = [:],
    fields: FieldValues = .none,
    identity: RecordIdentity? = nil
  ) {
    self.id = id
    self.primaryDepartment = primaryDepartment
    self.name = name
    self.contacts = contacts
    self.fields = fields
    self.identity = identity
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

/// An id as the database keeps it: text that is equal only byte for byte.
///
/// `String ==` merges composed and decomposed forms; ids never do, so equality, order and hash
/// all go by UTF-8. That order is the order of code points, and of PostgreSQL's collation "C".
package protocol DirectoryIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
  var rawValue: String { get }
  init(_ rawValue: String)
}

extension DirectoryIdentifier {
  package static func == (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.elementsEqual(right.rawValue.utf8)
  }

  package static func < (left: Self, right: Self) -> Bool {
    left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    // At once: byte by byte takes many times as long.
    var text = rawValue
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }

  package var description: String { rawValue }

  /// The former key of a record that is not there any more: its last id and its identity with U+0000
  /// between them, which is in neither, so that it is nobody's id.
  package static func former(_ id: String, _ identity: RecordIdentity) -> Self {
    Self(id + "\u{0}" + identity.rawValue)
  }
}

/// The id of a department.
package struct DepartmentID: DirectoryIdentifier {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The id of a user.
package struct UserID: DirectoryIdentifier {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Who or what a record is: given to a department or a person once, and to nobody else ever.
///
/// An id, which people see, may change and may be given to somebody else later. Of our own
/// database an identity is a UUID in lower case with hyphens, of a company's own tables any text.
package struct RecordIdentity: DirectoryIdentifier {
  package let rawValue: String
  package init(_ rawValue: String) { self.rawValue = rawValue }

  /// One as columns hold it, where an empty text is none.
  package init?(stored text: String) {
    guard !text.isEmpty else { return nil }
    self.init(text)
  }
}
