/// A department or a person before and after: what a sync found, what an import or an edit is about
/// to do, and what history keeps.
///
/// What happens to a membership happens to its person.
package struct Change: Hashable, Sendable {
  /// Each change is the first of added, removed, moved and changed that applies; lists have them in
  /// the order of the cases.
  package enum Action: String, Sendable, CaseIterable {
    case added
    /// Other values, in the same place; of a person also other departments besides the primary one.
    case changed
    /// In another place: a department under another parent, or a person with another primary department.
    /// Values may differ too.
    case moved
    case removed
  }

  /// A department by id and name.
  package struct Place: Hashable, Sendable {
    package var id: DepartmentID
    /// As it is afterwards; of what is removed, as it was.
    package var name: String

    package init(id: DepartmentID, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// A person's membership in a department.
  package struct Membership: Hashable, Sendable {
    package var place: Place
    /// Of `RecordKind.membership.valueColumns`; `nil` for what is not known.
    package var values: [String?]

    package init(place: Place, values: [String?]) {
      self.place = place
      self.values = values
    }
  }

  /// One of the two sides: all of the record, or as much as differs.
  package struct State: Hashable, Sendable {
    package var name: String
    /// Of `RecordKind.valueColumns`; `nil` for what is not known.
    package var values: [String?]
    /// Values of declared fields.
    package var fields: FieldValues
    /// The department above, or the primary one; `nil` for none, and where it is not known.
    package var primary: Place?
    /// A person's memberships, the primary one included.
    package var memberships: [Membership]
    /// Whether the record was there, and values of it were erased since: they are `nil`.
    package var isForgotten = false

    package init(
      name: String,
      values: [String?] = [],
      fields: FieldValues = .none,
      primary: Place? = nil,
      memberships: [Membership] = []
    ) {
      self.name = name
      self.values = values
      self.fields = fields
      self.primary = primary
      self.memberships = memberships
    }

    /// A person of whom nothing but the name and the departments is known.
    package static func person(_ name: String, primary: Place?, memberships: [Membership]) -> State
    {
      let values = [name] + Field.contacts.map { _ in "" }
      return State(name: name, values: values, primary: primary, memberships: memberships)
    }

    /// A record that was there, and of which nothing is known any more.
    package static func forgotten(_ kind: RecordKind) -> State {
      var state = State(name: "", values: kind.valueColumns.map { _ in nil })
      state.isForgotten = true
      return state
    }
  }

  /// `department` or `user`.
  package var kind: RecordKind
  package var action: Action
  package var id: String
  /// The id afterwards, where it is another one; states before name the old ids, states after the
  /// new ones.
  package var newID: String?
  /// `nil` for what is added.
  package var before: State?
  /// `nil` for what is removed.
  package var after: State?
  /// Who or what the record is, whatever its id; `nil` where that is not known.
  package var identity: RecordIdentity?

  package init(
    kind: RecordKind,
    action: Action,
    id: String,
    newID: String? = nil,
    before: State? = nil,
    after: State? = nil,
    identity: RecordIdentity? = nil
  ) {
    self.kind = kind
    self.action = action
    self.id = id
    self.newID = newID
    self.before = before
    self.after = after
    self.identity = identity
  }

  /// The name afterwards; of what is removed, the last one.
  package var name: String {
    [after, before].lazy.compactMap { $0?.name }.first { !$0.isEmpty } ?? ""
  }

  /// Whether either side was erased from history: then it is unknown what the change came to.
  package var isForgotten: Bool { before?.isForgotten == true || after?.isForgotten == true }

  /// The department above, or the primary one, before and afterwards.
  package var from: Place? { before?.primary }
  package var to: Place? { after?.primary }

  /// Whether the department above, or the primary one, is another afterwards.
  package var hasMoved: Bool { action == .moved && from?.id != to?.id }
}

extension Change {
  /// Whether the record was, or was in, one of some departments before, or is in one of others afterwards.
  package func touches(_ former: Set<DepartmentID>, _ latter: Set<DepartmentID>) -> Bool {
    func isIn(_ state: State?, _ departments: Set<DepartmentID>) -> Bool {
      guard let state else { return false }
      return kind == .department && departments.contains(DepartmentID(id))
        || state.departments.contains { departments.contains($0) }
    }
    return isIn(before, former) || isIn(after, latter)
  }
}

extension RecordKind {
  /// The columns in which a record has values, beside ids, the identity and declared fields.
  package var valueColumns: [RecordColumn] { valueTexts + numbers }
}
