import DirectoryModel

/// What differs between a stored state and a new one, counted, and by name where that was asked.
///
/// Departments and people are what can differ; what happens to a membership happens to its person.
/// Each counts once, as the first of these that applies: added, removed, moved, changed.
package struct ChangeSummary: Sendable, Equatable {
  package enum Action: String, Sendable, CaseIterable {
    case added, changed, moved, removed
  }

  /// Departments or people by what happened to them.
  package struct Counts: Sendable, Hashable {
    package var added = 0
    package var changed = 0
    /// Departments under another parent; people who joined or left a department, or whose primary
    /// one is another.
    package var moved = 0
    package var removed = 0
    /// How many there were before.
    package var before = 0

    package init() {}

    package var total: Int { added + changed + moved + removed }

    package subscript(action: Action) -> Int {
      switch action {
      case .added: added
      case .changed: changed
      case .moved: moved
      case .removed: removed
      }
    }

    mutating func add(_ action: Action) {
      switch action {
      case .added: added += 1
      case .changed: changed += 1
      case .moved: moved += 1
      case .removed: removed += 1
      }
    }
  }

  /// What is another value than before.
  package struct Fields: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let name = Fields(rawValue: 1 << 0)
    package static let description = Fields(rawValue: 1 << 1)
    package static let sortOrder = Fields(rawValue: 1 << 2)
    package static let email = Fields(rawValue: 1 << 3)
    package static let phone = Fields(rawValue: 1 << 4)
    package static let title = Fields(rawValue: 1 << 5)
    /// The parent of a department; the departments of a person.
    package static let place = Fields(rawValue: 1 << 6)
    package static let primary = Fields(rawValue: 1 << 7)
    /// Values of declared fields; the entry names them.
    package static let declared = Fields(rawValue: 1 << 8)
    package static let leads = Fields(rawValue: 1 << 9)

    /// What stands in a column.
    init(_ column: RecordColumn) {
      switch column {
      case .name: self = .name
      case .description: self = .description
      case .email: self = .email
      case .phone: self = .phone
      case .title: self = .title
      case .fields: self = .declared
      case .sortOrder: self = .sortOrder
      case .leads: self = .leads
      case .parent, .department: self = .place
      case .primaryDepartment: self = .primary
      case .id, .user: self = []
      }
    }

    /// Those of `RecordKind.texts` whose rows are others.
    static func texts(
      of kind: RecordKind,
      _ new: [StringColumn],
      _ row: Int,
      _ old: [TextRows],
      _ oldRow: Int
    ) -> Fields {
      var fields: Fields = []
      for (index, column) in kind.texts.enumerated() {
        let isSame = new[index].withBytes(at: row) { new in
          old[index].withBytes(at: oldRow) { sameBytes(new, $0) }
        }
        if !isSame { fields.insert(Fields(column)) }
      }
      return fields
    }

    /// What makes a change a move.
    static let moves: Fields = [.place, .primary]
  }

  package struct Department: Sendable, Hashable {
    package var id: DepartmentID
    package var name: String

    package init(id: DepartmentID, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// A department or a person that differs.
  package struct Entry: Sendable, Hashable {
    package var action: Action
    /// Never `.membership`.
    package var kind: RecordKind
    package var id: String
    /// The name now; of what is removed, the last one.
    package var name: String
    /// The name before, where it is another.
    package var formerName: String?
    /// What differs, when neither added nor removed.
    package var fields: Fields = []
    /// The declared fields that differ, by name.
    package var declaredFields: [String] = []
    /// Departments it is no longer in, by id; of a department that moved, the parent it had.
    package var from: [Department] = []
    /// Departments it is in now and was not, by id; of a department that moved or is new, the
    /// parent; none for a root.
    ///
    /// Of a person whose primary department is merely another of those that were, `from` and `to`
    /// are the old and the new primary one.
    package var to: [Department] = []

    package init(action: Action, kind: RecordKind, id: String, name: String) {
      self.action = action
      self.kind = kind
      self.id = id
      self.name = name
    }

    /// Departments first, then by name, id and action; byte for byte.
    fileprivate static func precedes(_ left: Entry, _ right: Entry) -> Bool {
      if left.kind != right.kind { return left.kind == .department }
      if !left.name.utf8.elementsEqual(right.name.utf8) {
        return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
      }
      if !left.id.utf8.elementsEqual(right.id.utf8) {
        return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
      }
      return left.action.rawValue < right.action.rawValue
    }
  }

  package private(set) var departments = Counts()
  package private(set) var users = Counts()
  /// Departments before people, then by name and id; all that differ, or the first `limit` found of
  /// each kind and action.
  package private(set) var entries: [Entry] = []
  /// Whether something else differs that is nobody's own: the order of names, or what is Unplaced
  /// and why.
  package internal(set) var differsOtherwise = false
  /// Whether fields are declared otherwise.
  package internal(set) var declaresOtherwise = false
  private let limit: Int

  /// Nothing differs between states of so many departments and users.
  ///
  /// - Parameters:
  ///   - departments: How many there were before.
  ///   - users: How many there were before.
  ///   - limit: How many entries are kept of each kind and action; the counts are exact.
  package init(departments: Int, users: Int, limit: Int = .max) {
    self.departments.before = departments
    self.users.before = users
    self.limit = limit
  }

  /// A first state: everything is added, and nothing is listed.
  package init(firstDepartments: Int, firstUsers: Int) {
    self.init(departments: 0, users: 0, limit: 0)
    departments.added = firstDepartments
    users.added = firstUsers
  }

  /// Nothing differs: what is stored is what is there, and need not be written again.
  package var isEmpty: Bool {
    departments.total == 0 && users.total == 0 && !differsOtherwise && !declaresOtherwise
  }

  /// The counts of a kind that has entries.
  package subscript(kind: RecordKind) -> Counts { kind == .department ? departments : users }

  /// Counts a difference, and lists it while there is room.
  mutating func add(_ action: Action, _ kind: RecordKind, entry: () -> Entry) {
    if kind == .department { departments.add(action) } else { users.add(action) }
    if self[kind][action] <= limit { entries.append(entry()) }
  }

  /// The declared fields whose values are others, by name.
  static func declaredFields(
    _ new: StringColumn,
    _ row: Int,
    _ old: TextRows,
    _ oldRow: Int
  ) -> [String] {
    FieldValues(canonical: new[row]).names(differingFrom: FieldValues(canonical: old[oldRow]))
  }

  /// Brings the entries in order.
  mutating func finish() { entries.sort(by: Entry.precedes) }
}
