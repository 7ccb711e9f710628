/// What of a directory a viewer may see: what rules come to for one, who is not in it any more.
///
/// Two ordered lists, in each of which the first clause that fits decides; what no clause about places
/// fits is hidden, and of what no clause about fields fits the declaration decides. A sight is judged
/// again on every state of the directory, and equal ones are one class of viewers and the key of a
/// cache.
package struct Sight: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable, CaseIterable {
    case shown, hidden
    /// The person is found by a whole address or number only, and has no places.
    case unlisted
  }

  /// What a clause is about.
  package enum Targets: Hashable, Sendable {
    case everything
    /// A department with everything below.
    case department(DepartmentID)
    /// The people who have a place directly in a department, in all places.
    case peopleDirectly(in: DepartmentID)
    /// A person in all places.
    case person(UserID)
    /// People one of whose values of a field is this text, in all places.
    case people(field: String, value: ItemText)
  }

  /// Fields by their names.
  ///
  /// Those are of columns (`title`, `leads`, `sort_order`, `description`, contact
  /// fields) or of declarations. Values of a membership are fields of the person. A record always has
  /// its id and its name.
  package enum Names: Hashable, Sendable {
    case all
    case some(Set<String>)

    package func contains(_ name: String) -> Bool {
      guard case .some(let names) = self else { return true }
      return names.contains(name)
    }
  }

  /// Decides of departments and of places of people.
  package struct Places: Hashable, Sendable {
    package var targets: Targets
    package var outcome: Outcome

    package init(_ targets: Targets, _ outcome: Outcome) {
      (self.targets, self.outcome) = (targets, outcome)
    }
  }

  /// Decides of fields of records.
  package struct Fields: Hashable, Sendable {
    package var targets: Targets
    package var names: Names
    package var isShown: Bool

    package init(_ targets: Targets, _ names: Names, isShown: Bool) {
      (self.targets, self.names, self.isShown) = (targets, names, isShown)
    }
  }

  package var places: [Places]
  /// A person fits a department by any place, hidden ones too.
  package var fields: [Fields]

  package init(_ places: [Places], fields: [Fields] = []) {
    (self.places, self.fields) = (places, fields)
  }

  /// The same with other targets in the place of each; it is told whether the clause shows them.
  func mapped(_ targets: (Targets, _ isShown: Bool) throws -> [Targets]) rethrows -> Sight {
    Sight(
      try places.flatMap { clause in
        try targets(clause.targets, clause.outcome == .shown).map { Places($0, clause.outcome) }
      },
      fields: try fields.flatMap { clause in
        try targets(clause.targets, clause.isShown).map {
          Fields($0, clause.names, isShown: clause.isShown)
        }
      }
    )
  }

  /// Everything, what has no place in the tree included.
  package static let everything = Sight(
    [Places(.everything, .shown)],
    fields: [Fields(.everything, .all, isShown: true)]
  )
  package static let nothing = Sight([])
}

extension RecordKind {
  /// The names of all fields that can be hidden, those of memberships being their people's.
  package func shownFields(_ declared: [Field]) -> [String] {
    let columns = self == .user ? valueColumns + RecordKind.membership.valueColumns : valueColumns
    return columns.filter { $0 != .name }.map(\.name) + declared.of(self).map(\.name)
  }

  /// Those of departments and of people.
  package static func shownFields(_ declared: [Field]) -> Set<String> {
    Set(department.shownFields(declared) + user.shownFields(declared))
  }

  /// Whether people can be told by the values of a field, which is one that says something in words.
  package static func isField(ofPeople name: String, _ declared: [Field]) -> Bool {
    ([RecordColumn.id] + user.valueTexts + membership.valueTexts)
      .contains { $0.name == name } || declared.of(.user).contains { $0.name == name }
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

  /// What clauses leave of a record's fields: of each the first that names it decides, and without one
  /// the declaration.
  ///
  /// - Parameters:
  ///   - clauses: Those that fit the record, in order.
  ///   - kind: `.department` or `.user`.
  ///   - declared: The declared fields.
  package init(
    _ clauses: some Sequence<Sight.Fields>,
    of kind: RecordKind,
    _ declared: [Field]
  ) {
    var open = Set(kind.shownFields(declared))
    names = []
    isStub = false
    for clause in clauses {
      let decided = open.filter(clause.names.contains)
      if !clause.isShown { names.formUnion(decided) }
      open.subtract(decided)
    }
    for field in declared.of(kind) where !field.isVisible && open.contains(field.name) {
      names.insert(field.name)
    }
  }

  package static let none = HiddenFields()

  package static func stub(_ declared: [Field]) -> HiddenFields {
    HiddenFields(names: Set(RecordKind.department.shownFields(declared)), isStub: true)
  }

  /// All fields of a record.
  package static func all(of kind: RecordKind, _ declared: [Field]) -> HiddenFields {
    HiddenFields(names: Set(kind.shownFields(declared)))
  }

  package func contains(_ column: RecordColumn) -> Bool { names.contains(column.name) }
}
