/// What of a directory may be seen: which places of the tree, and which fields of each record.
///
/// It is decided by ids on the full state, so that it holds for every state of the directory, and it
/// says nothing of records that it does not name: `base` does, and the usual sets of fields. Two
/// sights of the same words are equal and can be the key of a cache.
package struct Sight: Hashable, Sendable {
  /// How much of a department is there.
  package enum Showing: Hashable, Sendable, CaseIterable {
    /// The department with its fields and the people directly in it.
    case whole
    /// A stub: its id, its name and where it is.
    case name
    /// Nothing; it is a stub nevertheless where something below it is shown.
    case nothing
  }

  /// A list of what is allowed: a field that is declared later is not in it.
  ///
  /// Fields go by their names: those of columns (`title`, `leads`, `sort_order`, `description`, contact
  /// fields) or of declarations. Values of a membership are fields of the person. A record always has
  /// its id and its name.
  package enum Fields: Hashable, Sendable {
    case all
    case only(Set<String>)

    package func contains(_ name: String) -> Bool {
      guard case .only(let names) = self else { return true }
      return names.contains(name) || Self.ofEveryRecord.contains(name)
    }

    /// What both show.
    package func intersection(_ other: Fields) -> Fields {
      guard case .only(let names) = self else { return other }
      guard case .only(let others) = other else { return self }
      return .only(names.intersection(others))
    }

    fileprivate static let ofEveryRecord: Set<String> = [
      RecordColumn.id.name, RecordColumn.name.name,
    ]
  }

  /// The fields of records of one kind.
  package struct FieldSets: Hashable, Sendable {
    /// Where nothing else is said.
    package var usual: Fields
    /// In departments and all below; a deeper one counts.
    package var below: [DepartmentID: Fields] = [:]

    package init(_ usual: Fields) { self.usual = usual }
  }

  /// How departments are shown where nothing else is said.
  package var base: Showing
  /// Departments with everything below; a deeper one counts.
  package var departments: [DepartmentID: Showing] = [:]
  /// All places of people, whatever their departments are.
  package var people: [UserID: Bool] = [:]
  /// Places of people, whatever their departments and people are.
  package var places: [MembershipKey: Bool] = [:]

  package var departmentFields: FieldSets
  /// A person in several departments has the fields that all of them show.
  package var personFields: FieldSets
  /// The fields of some people, whatever their departments are.
  package var fieldsOfPeople: [UserID: Fields] = [:]

  /// What shows everything or nothing until something else is said.
  package init(_ base: Showing, fields: Fields) {
    self.base = base
    departmentFields = FieldSets(fields)
    personFields = FieldSets(fields)
  }

  /// Everything, what has no place in the tree included.
  package static let everything = Sight(.whole, fields: .all)
  package static let nothing = Sight(.nothing, fields: .only([]))

  /// Whether a place is shown in a department that is shown so.
  package func shows(_ place: MembershipKey, in department: Showing) -> Bool {
    places[place] ?? people[place.user] ?? (department == .whole)
  }

  /// A field that is named and that no record has: what was meant by it is not known, so nothing may
  /// be shown.
  ///
  /// - Parameter declared: The declared fields.
  /// - Returns: The first by kind and name; `nil` where there is none.
  package func unknownField(_ declared: [Field]) -> (kind: RecordKind, name: String)? {
    let sets = [
      (RecordKind.department, [departmentFields.usual] + departmentFields.below.values),
      (.user, [personFields.usual] + personFields.below.values + fieldsOfPeople.values),
    ]
    for (kind, sets) in sets {
      let known = Fields.ofEveryRecord.union(kind.shownFields(declared))
      let named = Set(sets).reduce(into: Set<String>()) { named, set in
        if case .only(let names) = set { named.formUnion(names) }
      }
      if let unknown = named.subtracting(known).min() { return (kind, unknown) }
    }
    return nil
  }
}

extension RecordKind {
  /// The names of all fields that can be hidden, those of memberships being their people's.
  package func shownFields(_ declared: [Field]) -> [String] {
    let columns = self == .user ? valueColumns + RecordKind.membership.valueColumns : valueColumns
    return columns.filter { $0 != .name }.map(\.name) + declared.of(self).map(\.name)
  }
}

/// What of a record is not shown.
package struct HiddenFields: Hashable, Sendable {
  package var names: Set<String>
  /// Whether the record is a department of which only the name is shown.
  package var isStub: Bool

  package init(names: Set<String> = [], isStub: Bool = false) {
    self.names = names
    self.isStub = isStub
  }

  /// What a set of fields leaves out.
  package init(_ fields: Sight.Fields, of kind: RecordKind, _ declared: [Field]) {
    self.init(names: Set(kind.shownFields(declared).filter { !fields.contains($0) }))
  }

  package static let none = HiddenFields()

  package static func stub(_ declared: [Field]) -> HiddenFields {
    HiddenFields(names: Set(RecordKind.department.shownFields(declared)), isStub: true)
  }

  package func contains(_ column: RecordColumn) -> Bool { names.contains(column.name) }
}
