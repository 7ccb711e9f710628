/// What a sight shows of records that need not be there now: those of changes, plans and reports.
///
/// A record is judged by one of its states: by the values and departments that this names, and those by
/// where they are now. Of what is there now, or was removed, that is shown which is shown of it now, or
/// was when it was last there, too. `note` tells of what is not there now; of departments of which
/// nothing is known nothing is shown.
package struct Visibility {
  /// What is known of a department that is there now.
  package struct Department: Sendable {
    /// `nil` for a root.
    package var parent: DepartmentID?
    /// Where its own people stand among those of others, in what is seen; `nil` where nothing of the
    /// department is.
    package var order: Int?

    package init(parent: DepartmentID?, order: Int?) {
      self.parent = parent
      self.order = order
    }
  }

  /// What clauses ask of a person.
  private struct Person {
    /// The id, and the one that the person has now.
    var ids: [UserID]
    var departments: [DepartmentID]
    /// Whether one of the values of a field is a text; `nil` where they are not known.
    var has: (_ field: String, _ value: ItemText) throws -> Bool?
  }

  package let sight: Sight
  private let declared: [Field]
  private let department: (DepartmentID) throws -> Department?
  private let departments: (UserID) throws -> [DepartmentID]?
  private let hasValue: (UserID, _ field: String, _ value: ItemText) throws -> Bool
  /// Departments that may not be there now, and what was above them.
  private var others: [DepartmentID: DepartmentID?] = [:]
  /// People who were removed, as they were last.
  private var formerPeople: [UserID: Change.State] = [:]
  /// Ids that records had, and those that they were given.
  private var latterIDs: [RecordKey: String] = [:]

  /// - Parameters:
  ///   - sight: What may be seen.
  ///   - declared: The declared fields.
  ///   - department: What is known of a department now; `nil` where it has no place in the tree.
  ///   - departments: Where a person is now; `nil` for a person who is not there.
  ///   - hasValue: Whether a text is one of the values of a person's field now.
  package init(
    _ sight: Sight,
    _ declared: [Field],
    department: @escaping (DepartmentID) throws -> Department?,
    departments: @escaping (UserID) throws -> [DepartmentID]?,
    hasValue: @escaping (UserID, _ field: String, _ value: ItemText) throws -> Bool
  ) {
    self.sight = sight
    self.declared = declared
    self.department = department
    self.departments = departments
    self.hasValue = hasValue
  }

  // MARK: Records that are not there now

  /// Hears from a change of where a department was or will be that is not there now.
  package mutating func note(_ change: Change) {
    guard change.kind == .department, let state = change.after ?? change.before else { return }
    others[DepartmentID(change.newID ?? change.id)] = .some(state.primary?.id)
    if let newID = change.newID { others[DepartmentID(change.id)] = DepartmentID(newID) }
  }

  /// Hears what a record that is not there now was last; `nil` where that is not known.
  package mutating func note(_ last: Change.State?, of key: RecordKey) {
    if key.kind == .user {
      formerPeople[UserID(key.id)] = last ?? .forgotten(.user)
    } else if let last {
      others[DepartmentID(key.id)] = .some(last.primary?.id)
    }
  }

  /// Hears of an id that a record had, and the one that it was given.
  package mutating func note(_ former: RecordKey, renamed latter: String) {
    latterIDs[former] = latter
  }

  /// The id now of a record that may have had another.
  package func presentID(of key: RecordKey) throws -> String {
    guard latterIDs[key] != nil else { return key.id }
    var (current, latterIDs) = (key, latterIDs)
    while let latter = latterIDs.removeValue(forKey: current), try !isThere(current) {
      current = RecordKey(key.kind, latter)
    }
    return current.id
  }

  private func present(_ id: DepartmentID) throws -> DepartmentID {
    DepartmentID(try presentID(of: .department(id)))
  }

  private func present(_ id: UserID) throws -> UserID {
    UserID(try presentID(of: .user(id)))
  }

  private func isThere(_ key: RecordKey) throws -> Bool {
    try key.kind == .user
      ? departments(UserID(key.id)) != nil : department(DepartmentID(key.id)) != nil
  }

  /// What the sight says of a state in which records had the ids that they do not have any more.
  package func formerSight() throws -> Sight {
    var formerIDs: [RecordKey: [String]] = [:]
    for former in latterIDs.keys {
      let id = try presentID(of: former)
      if !former.id.utf8.elementsEqual(id.utf8) {
        formerIDs[RecordKey(former.kind, id), default: []].append(former.id)
      }
    }
    guard !formerIDs.isEmpty else { return sight }
    func all(_ targets: Sight.Targets) -> [Sight.Targets] {
      switch targets {
      case .department(let id):
        [targets]
          + (formerIDs[.department(id)] ?? []).map { Sight.Targets.department(DepartmentID($0)) }
      case .peopleDirectly(let id):
        [targets]
          + (formerIDs[.department(id)] ?? []).map {
            Sight.Targets.peopleDirectly(in: DepartmentID($0))
          }
      case .person(let id):
        [targets] + (formerIDs[.user(id)] ?? []).map { Sight.Targets.person(UserID($0)) }
      case .everything, .people: [targets]
      }
    }
    return Sight(
      sight.places.flatMap { clause in
        all(clause.targets).map { Sight.Places($0, clause.outcome) }
      },
      fields: sight.fields.flatMap { clause in
        all(clause.targets).map { Sight.Fields($0, clause.names, isShown: clause.isShown) }
      }
    )
  }

  /// Records that changes name, that are not there now, and of which nothing was heard.
  package func unknown(in changes: [Change]) throws -> Set<RecordKey> {
    var keys: Set<RecordKey> = []
    for change in changes {
      if !change.id.isEmpty { keys.insert(RecordKey(change)) }
      let named = declared.of(change.kind).filter { $0.kind == .person }.map(\.name)
      for state in [change.before, change.after].compactMap({ $0 }) {
        keys.formUnion(state.departments.map { .department($0) })
        let people = named.flatMap { state.fields.values?[$0]?.texts ?? [] }
        keys.formUnion(people.map { RecordKey(.user, $0) })
      }
    }
    return try unknown(among: keys)
  }

  /// Those of some records that are not there now, and of which nothing was heard.
  package func unknown(among keys: Set<RecordKey>) throws -> Set<RecordKey> {
    try Set(keys.map { RecordKey($0.kind, try presentID(of: $0)) }).filter { key in
      if key.kind == .user, formerPeople[UserID(key.id)] != nil { return false }
      if key.kind == .department, others[DepartmentID(key.id)] != nil { return false }
      return try !isThere(key)
    }
  }

  // MARK: Clauses

  /// A department and those above it, as far as the way up is known.
  private struct Ancestry {
    var departments: [DepartmentID] = []
    var isKnown = true

    /// `nil` where it may be.
    func leads(to id: DepartmentID) -> Bool? {
      departments.contains(id) ? true : isKnown ? false : nil
    }
  }

  private func ancestry(from id: DepartmentID) throws -> Ancestry {
    var others = others
    var ancestry = Ancestry()
    var next: DepartmentID? = id
    while let id = next {
      let current = try present(id)
      ancestry.departments += current == id ? [id] : [id, current]
      if let known = try department(current) {
        next = known.parent
      } else if let parent = others.removeValue(forKey: current) {
        next = parent
      } else {
        ancestry.isKnown = false
        return ancestry
      }
    }
    return ancestry
  }

  /// Whether a clause is about a place or a department, `ancestries` being its own, or about a
  /// record by all its places; `nil` where that is not known.
  private func fits(_ targets: Sight.Targets, _ ancestries: [Ancestry], _ person: Person?) throws
    -> Bool?
  {
    switch targets {
    case .everything: return true
    case .department(let id):
      let leads = ancestries.map { $0.leads(to: id) }
      return leads.contains(true) ? true : leads.contains(nil) ? nil : false
    case .peopleDirectly(let id): return person?.departments.contains(id) ?? false
    case .person(let id): return person?.ids.contains(id) ?? false
    case .people(let field, let value):
      guard let person else { return false }
      return try person.has(field, value)
    }
  }

  private func outcome(_ ancestry: Ancestry, _ person: Person? = nil) throws -> Sight.Outcome {
    for clause in sight.places {
      guard let fits = try fits(clause.targets, [ancestry], person) else { return .hidden }
      if fits { return clause.outcome }
    }
    return .hidden
  }

  private func hidden(
    of kind: RecordKind,
    _ ancestries: [Ancestry],
    _ person: Person? = nil
  ) throws -> HiddenFields {
    var clauses: [Sight.Fields] = []
    for clause in sight.fields {
      guard let fits = try fits(clause.targets, ancestries, person) else {
        return .all(of: kind, declared)
      }
      if fits { clauses.append(clause) }
    }
    return HiddenFields(clauses, of: kind, declared)
  }

  // MARK: Records as they are now, or were last

  /// A person as they are now, or were last.
  private func person(_ id: UserID) throws -> Person? {
    let current = try present(id)
    let ids = current == id ? [id] : [id, current]
    if let departments = try departments(current) {
      return Person(ids: ids, departments: departments) { try hasValue(current, $0, $1) }
    }
    guard let last = formerPeople[current] else { return nil }
    return Person(ids: ids, departments: try last.memberships.map { try present($0.place.id) }) {
      last.has($0, $1, current, declared)
    }
  }

  /// Whether a department is shown: as a stub also where it is only above something.
  ///
  /// - Complexity: O(level).
  package func shows(_ id: DepartmentID) throws -> Bool {
    try showsAll(of: id) || department(present(id))?.order != nil
  }

  /// Whether a department is shown as more than a stub.
  package func showsAll(of id: DepartmentID) throws -> Bool {
    try outcome(ancestry(from: id)) == .shown
  }

  package func shows(_ place: MembershipKey) throws -> Bool {
    guard let person = try person(place.user),
      try person.departments.contains(present(place.department))
    else { return false }
    return try outcome(ancestry(from: place.department), person) == .shown
  }

  /// Whether one of a person's places is shown.
  package func shows(_ id: UserID) throws -> Bool { try person(id).map(shows) ?? false }

  private func shows(_ person: Person) throws -> Bool {
    try person.departments.contains { try outcome(ancestry(from: $0), person) == .shown }
  }

  /// Whether a person who was in a department is shown, and there, if it is one of their places.
  package func shows(_ id: UserID, in department: DepartmentID?) throws -> Bool {
    guard let person = try person(id), try shows(person) else { return false }
    guard let department, person.departments.contains(department) else { return true }
    return try outcome(ancestry(from: department), person) == .shown
  }

  /// What of a department is hidden, whatever is shown of it.
  package func hidden(of id: DepartmentID) throws -> HiddenFields {
    try hidden(of: .department, [ancestry(from: id)])
  }

  /// What of a person is hidden, whatever is shown of them.
  package func hidden(of id: UserID) throws -> HiddenFields {
    guard let person = try person(id) else { return .all(of: .user, declared) }
    return try hidden(of: .user, person.departments.map(ancestry), person)
  }

  // MARK: Changes

  /// As much of a change as may be seen; `nil` where that says nothing.
  ///
  /// What a side does not show is not known there, places left out. A record that only one side shows
  /// is added or removed.
  package func visible(_ change: Change) throws -> Change? {
    guard sight != .everything else { return change }
    let id = change.newID ?? change.id
    func side(_ state: Change.State?) throws -> Change.State? {
      guard let state else { return nil }
      return change.kind == .department
        ? try visible(state, of: DepartmentID(id)) : try visible(state, of: UserID(id))
    }
    let (before, after) = (try side(change.before), try side(change.after))
    let areBoth = before != nil && after != nil
    return Change(
      change.kind,
      before == nil ? id : change.id,
      newID: areBoth ? change.newID : nil,
      from: before,
      to: after
    )
  }

  private func visible(
    _ state: Change.State,
    of id: DepartmentID
  ) throws -> Change.State? {
    var then = Ancestry()
    if let above = state.primary?.id { then = try ancestry(from: above) }
    then.departments += [id, try present(id)]
    let isShownNow = try showsAll(of: id)
    let isShown = try isShownNow && outcome(then) == .shown
    guard try isShown || !isShownNow && shows(id) else { return nil }
    var hidden = isShown ? try hidden(of: .department, [then]) : .stub(declared)
    hidden.names.formUnion(try self.hidden(of: id).names)
    var seen = try visible(state, .department, hidden)
    if let primary = state.primary, try !shows(primary.id) { seen.primary = nil }
    return seen
  }

  private func visible(_ state: Change.State, of id: UserID) throws -> Change.State? {
    let now = try person(id)
    if let now, try !shows(now) { return nil }
    let departments = try state.memberships.map { try present($0.place.id) }
    let then = Person(
      ids: [id, try present(id)],
      departments: departments.isEmpty ? now?.departments ?? [] : departments
    ) { field, value in
      try state.has(field, value, id, declared) ?? now?.has(field, value)
    }
    func isShown(_ department: DepartmentID) throws -> Bool {
      let ancestry = try ancestry(from: department)
      guard try outcome(ancestry, then) == .shown else { return false }
      guard let now, try now.departments.contains(present(department)) else { return true }
      return try outcome(ancestry, now) == .shown
    }
    let memberships = try state.memberships.filter { try isShown($0.place.id) }
    guard
      try state.memberships.isEmpty
        ? then.departments.contains(where: isShown) : !memberships.isEmpty
    else { return nil }
    var hidden = try hidden(of: .user, then.departments.map(ancestry), then)
    if now != nil { hidden.names.formUnion(try self.hidden(of: id).names) }
    var seen = try visible(state, .user, hidden)
    let columns = RecordKind.membership.valueColumns
    seen.memberships = memberships.map { membership in
      var membership = membership
      membership.values = Self.visible(membership.values, columns, hidden)
      return membership
    }
    if let primary = state.primary, !memberships.contains(where: { $0.place.id == primary.id }) {
      seen.primary =
        try state.memberships.isEmpty && shows(primary.id) ? primary : first(memberships)
    }
    return seen
  }

  /// The place that stands first in what is seen.
  private func first(_ memberships: [Change.Membership]) throws -> Change.Place? {
    try memberships.map { ($0.place, try department(present($0.place.id))?.order ?? .max) }
      .min { ($0.1, $0.0.id) < ($1.1, $1.0.id) }?.0
  }

  private func visible(
    _ state: Change.State,
    _ kind: RecordKind,
    _ hidden: HiddenFields
  ) throws -> Change.State {
    var seen = state
    seen.values = Self.visible(state.values, kind.valueColumns, hidden)
    var values: [String: FieldValues.Value] = [:]
    for field in declared.of(kind) where !hidden.names.contains(field.name) {
      guard let value = state.fields.values?[field.name] else { continue }
      guard field.kind == .person else {
        values[field.name] = value
        continue
      }
      let texts = try value.texts.filter { try shows(UserID($0)) }
      switch value {
      case .several: values[field.name] = texts.isEmpty ? nil : .several(texts)
      case .one: values[field.name] = texts.isEmpty ? nil : value
      }
    }
    seen.fields = FieldValues(values)
    return seen
  }

  private static func visible(
    _ values: [String?],
    _ columns: [RecordColumn],
    _ hidden: HiddenFields
  ) -> [String?] {
    zip(values, columns).map { hidden.contains($1) ? nil : $0 }
  }
}

extension Change.State {
  /// The departments that it names as places.
  package var departments: [DepartmentID] {
    memberships.map(\.place.id) + (primary.map { [$0.id] } ?? [])
  }

  /// Whether a text is one of the values of a person's field; `nil` where they are not known.
  fileprivate func has(
    _ field: String,
    _ value: ItemText,
    _ id: UserID,
    _ declared: [Field]
  ) -> Bool? {
    func isAny(_ texts: [String?]) -> Bool? {
      texts.contains { $0.map(ItemText.init) == value } ? true : texts.contains(nil) ? nil : false
    }
    if field == RecordColumn.id.name { return ItemText(id.rawValue) == value }
    let isWhole = !values.isEmpty && !values.contains(nil)
    if let column = RecordKind.user.valueColumns.firstIndex(where: { $0.name == field }) {
      return values.indices.contains(column) ? isAny([values[column]]) : nil
    }
    if let column = RecordKind.membership.valueColumns.firstIndex(where: { $0.name == field }) {
      guard !memberships.isEmpty else { return nil }
      return isAny(memberships.map { $0.values.indices.contains(column) ? $0.values[column] : nil })
    }
    guard let texts = fields.values?[field]?.texts else { return isWhole ? false : nil }
    return isAny(texts)
  }
}
