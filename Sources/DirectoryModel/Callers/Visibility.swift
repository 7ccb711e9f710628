/// What a sight shows of records that need not be there now: those of changes, plans and reports.
///
/// A record is judged by one of its states: by the values and departments that this names, and those by
/// where they were at the time of the state. Of what is there now, or was removed, that is shown which is
/// shown of it now, or was when it was last there, too. `note` tells of what is not there now; of
/// departments of which nothing is known nothing is shown. Times are microseconds since 1970, UTC; `nil`
/// is now.
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
    /// What the person is known by.
    var id: UserID
    /// By their ids at `time`.
    var departments: [DepartmentID]
    /// When the person was there; `nil` is now.
    var time: Int64?
    /// Whether one of the values of a field is a text; `nil` where they are not known.
    var has: (_ field: String, _ value: ItemText) throws -> Bool?
  }

  /// What may be seen of records by what they are known by.
  package private(set) var sight: Sight
  private let declared: [Field]
  private let department: (DepartmentID) throws -> Department?
  private let departments: (UserID) throws -> [DepartmentID]?
  private let hasValue: (UserID, _ field: String, _ value: ItemText) throws -> Bool
  /// `nil` where the state in place tells no identities.
  private let identity: ((RecordKey) throws -> RecordIdentity?)?
  /// Departments that may not be there now, and what was above them.
  private var others: [DepartmentID: DepartmentID?] = [:]
  /// What was above departments.
  private var formerParents = FormerParents()
  /// People who were removed, as they were last, and when.
  private var formerPeople: [UserID: (state: Change.State, time: Int64?)] = [:]
  /// People at times of the past; `nil` for those who were not there.
  private var pastPeople: [Int64: [UserID: Change.State?]] = [:]
  private var holders = FormerHolders()

  /// - Parameters:
  ///   - sight: What may be seen.
  ///   - declared: The declared fields.
  ///   - department: What is known of a department now; `nil` where it has no place in the tree.
  ///   - departments: Where a person is now; `nil` for a person who is not there.
  ///   - hasValue: Whether a text is one of the values of a person's field now.
  ///   - identity: Who has an id now; `nil` where that is not told.
  package init(
    _ sight: Sight,
    _ declared: [Field],
    department: @escaping (DepartmentID) throws -> Department?,
    departments: @escaping (UserID) throws -> [DepartmentID]?,
    hasValue: @escaping (UserID, _ field: String, _ value: ItemText) throws -> Bool,
    identity: ((RecordKey) throws -> RecordIdentity?)? = nil
  ) {
    self.identity = identity
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

  /// Hears what a record that is not there now was last, and when; `nil` where that is not known.
  package mutating func note(_ last: Change.State?, of key: RecordKey, at time: Int64? = nil) {
    if key.kind == .user {
      formerPeople[UserID(key.id)] = (last ?? .forgotten(.user), time)
    } else if let last {
      others[DepartmentID(key.id)] = .some(last.primary?.id)
    }
  }

  /// Hears where departments were.
  package mutating func note(_ parents: FormerParents) { formerParents = parents }

  /// Hears what people whom records name were at a time; `nil` where one was not there.
  package mutating func note(_ people: [UserID: Change.State?], at time: Int64) {
    pastPeople[time, default: [:]].merge(people) { $1 }
  }

  /// Hears all terms of some ids, in the order of time.
  ///
  /// A rule about a record that is not there any more knows it by any of its ids, and one that hides what
  /// has an id also hides those that had it and are not there any more. Of a record that the state in place
  /// has by another id than the history nothing is shown.
  package mutating func note(_ terms: [FormerHolders.Term]) throws {
    var known: [RecordIdentity: String] = [:]
    var former: [RecordKey: [String]] = [:]
    var heard: [FormerHolders.Term] = []
    for var term in terms {
      let key = RecordKey(term.key.kind, term.holder)
      if term.last != nil {
        if let identity = key.formerIdentity { known[identity] = key.id }
        former[term.key, default: []].append(key.id)
      } else if let own = term.identity, let identity, try identity(key) != own {
        term.holder = UserID.former(term.holder, own).rawValue
      }
      heard.append(term)
    }
    holders.note(heard)
    guard !former.isEmpty else { return }
    func ids(_ kind: RecordKind, _ id: String, _ isShown: Bool) -> [String] {
      let key = RecordKey(kind, id)
      let own = key.formerIdentity.flatMap { known[$0] } ?? id
      return [own] + (isShown ? [] : former[key] ?? [])
    }
    sight = sight.mapped { targets, isShown in
      switch targets {
      case .department(let id):
        ids(.department, id.rawValue, isShown).map { .department(DepartmentID($0)) }
      case .peopleDirectly(let id):
        ids(.department, id.rawValue, isShown).map { .peopleDirectly(in: DepartmentID($0)) }
      case .person(let id): ids(.user, id.rawValue, isShown).map { .person(UserID($0)) }
      case .people(let field, let value) where declared.namesPeople(field):
        ids(.user, value.text, isShown).map { .people(field: field, value: ItemText($0)) }
      case .everything, .people: [targets]
      }
    }
  }

  /// What the record is known by that had an id at a time: its id now, or its former key.
  ///
  /// Now, an id that nobody has is that of the record that had it last.
  package func presentID(of key: RecordKey, at time: Int64? = nil) throws -> String {
    if let time { return holders.holder(of: key, at: time) ?? key.id }
    guard let last = holders.lastHolder(of: key), try !isThere(key) else { return key.id }
    return last
  }

  /// What all records are known by that have an id or ever had it.
  package func presentIDs(of key: RecordKey) throws -> Set<RecordKey> {
    var ids = Set(holders.holders(of: key).map { RecordKey(key.kind, $0) })
    if try ids.isEmpty || isThere(key) { ids.insert(key) }
    return ids
  }

  /// When a record was there last that is known by a former key, and by which id.
  package func lastMoment(of key: RecordKey) -> RecordMoment? { holders.lastMoment(of: key) }

  private func present(_ id: DepartmentID, at time: Int64? = nil) throws -> DepartmentID {
    DepartmentID(try presentID(of: .department(id), at: time))
  }

  private func present(_ id: UserID, at time: Int64? = nil) throws -> UserID {
    UserID(try presentID(of: .user(id), at: time))
  }

  private func isThere(_ key: RecordKey) throws -> Bool {
    try key.kind == .user
      ? departments(UserID(key.id)) != nil : department(DepartmentID(key.id)) != nil
  }

  /// What the sight says of a state of the past: the same of the same records, by the ids that they had
  /// then.
  package func sight(at time: Int64) throws -> Sight {
    let former = holders.formerIDs(at: time)
    guard !former.isEmpty else { return sight }
    func ids(_ key: RecordKey) throws -> [String] { try formerIDs(of: key, at: time, former) }
    func targets(_ targets: Sight.Targets) throws -> [Sight.Targets] {
      switch targets {
      case .department(let id): try ids(.department(id)).map { .department(DepartmentID($0)) }
      case .peopleDirectly(let id):
        try ids(.department(id)).map { .peopleDirectly(in: DepartmentID($0)) }
      case .person(let id): try ids(.user(id)).map { .person(UserID($0)) }
      case .people(let field, let value) where declared.namesPeople(field):
        try ids(RecordKey(.user, value.text)).map { .people(field: field, value: ItemText($0)) }
      case .everything, .people: [targets]
      }
    }
    return try sight.mapped { clause, _ in try targets(clause) }
  }

  /// The ids that a record had at a time: one, or none where it was not there or this is not known.
  package func formerIDs(of key: RecordKey, at time: Int64) throws -> [String] {
    try formerIDs(of: key, at: time, holders.formerIDs(at: time))
  }

  private func formerIDs(
    of key: RecordKey,
    at time: Int64,
    _ former: [RecordKey: [String]]
  ) throws -> [String] {
    if let former = former[key] { return former }
    return try RecordKey(key.kind, presentID(of: key, at: time)) == key ? [key.id] : []
  }

  /// People whom the states of some changes name as values.
  package func named(in states: [Change.State]) -> Set<UserID> {
    let fields = declared.filter { $0.kind == .person }.map(\.name)
    return Set(
      states.flatMap { state in
        fields.flatMap { state.fields.values?[$0]?.texts ?? [] }.map { UserID($0) }
      }
    )
  }

  /// The ids that the sides of a change name, its own among them.
  package func keys(in change: Change) -> Set<RecordKey> {
    keys(in: change.before, of: change).union(keys(in: change.after, of: change))
  }

  /// Those that a side names.
  private func keys(in state: Change.State?, of change: Change) -> Set<RecordKey> {
    guard let state, !change.id.isEmpty else { return [] }
    return Set(state.departments.map { .department($0) })
      .union(named(in: [state]).map { .user($0) })
      .union([RecordKey(change)])
  }

  /// Records that a change between two times names, that are not there now, and of which nothing was
  /// heard; `nil` is now.
  package func unknown(
    in change: Change,
    from before: Int64?,
    to after: Int64?
  ) throws -> Set<RecordKey> {
    try unknown(among: keys(in: change.before, of: change), at: before)
      .union(unknown(among: keys(in: change.after, of: change), at: after))
  }

  /// Those of the records that had some ids at a time that are not there now, and of which nothing was
  /// heard.
  package func unknown(
    among keys: Set<RecordKey>,
    at time: Int64? = nil
  ) throws -> Set<RecordKey> {
    try Set(keys.map { RecordKey($0.kind, try presentID(of: $0, at: time)) }).filter { key in
      if key.kind == .user, formerPeople[UserID(key.id)] != nil { return false }
      if key.kind == .department {
        let id = DepartmentID(key.id)
        if others[id] != nil || formerParents.end(of: id) != nil { return false }
      }
      return try !isThere(key)
    }
  }

  // MARK: Clauses

  /// A department and those above it, as far as the way up is known.
  private struct Ancestry {
    var departments: [DepartmentID] = []
    var isKnown = true

    var ofUnknownEnd: Ancestry { Ancestry(departments: departments, isKnown: false) }

    /// `nil` where it may be.
    func leads(to id: DepartmentID) -> Bool? {
      departments.contains(id) ? true : isKnown ? false : nil
    }
  }

  private func ancestry(from id: DepartmentID, at time: Int64? = nil) throws -> Ancestry {
    try ancestry(of: present(id, at: time), at: time)
  }

  /// The same of what a department is known by.
  private func ancestry(of department: DepartmentID, at time: Int64?) throws -> Ancestry {
    var (ancestry, passed) = (Ancestry(), Set<DepartmentID>())
    var (next, time): (DepartmentID?, Int64?) = (department, time)
    while let current = next {
      // A ring in tables of one's own leads nowhere.
      guard passed.insert(current).inserted else { return ancestry.ofUnknownEnd }
      ancestry.departments.append(current)
      if let then = time, let place = formerParents.place(of: current, at: then) {
        guard case .under(let parent) = place else { return ancestry.ofUnknownEnd }
        next = try parent.map { try present($0, at: then) }
      } else if let known = try self.department(current) {
        next = known.parent
      } else if let end = formerParents.end(of: current),
        case .under(let parent) = formerParents.place(of: current, at: end)
      {
        (next, time) = (try parent.map { try present($0, at: end) }, end)
      } else if let parent = others[current] {
        next = parent
      } else {
        return ancestry.ofUnknownEnd
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
    case .peopleDirectly(let id): return try person.map { try isDirectly($0, in: id) } ?? false
    case .person(let id): return person?.id == id
    case .people(let field, let value):
      guard let person else { return false }
      return try person.has(field, value)
    }
  }

  /// Whether a person is in a department, which is given as what it is known by.
  private func isDirectly(_ person: Person, in department: DepartmentID) throws -> Bool {
    try person.departments.contains { try present($0, at: person.time) == department }
  }

  /// What above each of a person's places is.
  private func ancestries(_ person: Person) throws -> [Ancestry] {
    try person.departments.map { try ancestry(from: $0, at: person.time) }
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

  /// A person who had an id at a time, as they are now, or were last.
  private func person(_ id: UserID, at time: Int64? = nil) throws -> Person? {
    let current = try present(id, at: time)
    if let departments = try departments(current) {
      return Person(id: current, departments: departments) { try hasValue(current, $0, $1) }
    }
    guard let (last, end) = formerPeople[current] else { return nil }
    return Person(id: current, departments: last.memberships.map(\.place.id), time: end) {
      try has($0, $1, last, current, at: end)
    }
  }

  /// Whether a text is one of the values of a person's field in a state of a time; `nil` where they are
  /// not known.
  private func has(
    _ field: String,
    _ value: ItemText,
    _ state: Change.State,
    _ id: UserID,
    at time: Int64?
  ) throws -> Bool? {
    guard let time, declared.namesPeople(field), field != RecordColumn.id.name,
      let texts = state.fields.values?[field]?.texts
    else { return state.has(field, value, id, declared) }
    return try texts.contains { try ItemText(present(UserID($0), at: time).rawValue) == value }
  }

  /// Whether a department is shown: as a stub also where it is only above something.
  ///
  /// - Complexity: O(level).
  package func shows(_ id: DepartmentID) throws -> Bool {
    try showsAll(of: id) || department(present(id))?.order != nil
  }

  /// Whether a department was another one, or below it, at a time; not where that is not known.
  package func isIn(_ id: DepartmentID, or above: DepartmentID, at time: Int64) throws -> Bool {
    try ancestry(from: id, at: time).leads(to: present(above)) ?? false
  }

  /// Whether a department is shown as more than a stub.
  package func showsAll(of id: DepartmentID) throws -> Bool {
    try outcome(ancestry(from: id)) == .shown
  }

  package func shows(_ place: MembershipKey) throws -> Bool {
    guard let person = try person(place.user),
      try isDirectly(person, in: present(place.department))
    else { return false }
    return try outcome(ancestry(from: place.department, at: person.time), person) == .shown
  }

  /// Whether one of a person's places is shown.
  package func shows(_ id: UserID) throws -> Bool { try person(id).map(shows) ?? false }

  /// The same, and whether one was at a time of which it is known where the person was.
  private func shows(_ id: UserID, at time: Int64?) throws -> Bool {
    guard try shows(present(id, at: time)) else { return false }
    guard let time, let known = pastPeople[time]?[id] else { return true }
    guard let state = known else { return false }
    return try shows(
      Person(
        id: present(id, at: time),
        departments: state.memberships.map(\.place.id),
        time: time
      ) { try has($0, $1, state, id, at: time) }
    )
  }

  private func shows(_ person: Person) throws -> Bool {
    try ancestries(person).contains { try outcome($0, person) == .shown }
  }

  /// Whether a person who was in a department is shown, and there, if it is one of their places.
  ///
  /// Both are given as what they are known by.
  package func shows(_ id: UserID, in department: DepartmentID?) throws -> Bool {
    guard let person = try person(id), try shows(person) else { return false }
    guard let department, try isDirectly(person, in: department) else { return true }
    return try outcome(ancestry(of: department, at: person.time), person) == .shown
  }

  /// What of a department is hidden, whatever is shown of it.
  package func hidden(of id: DepartmentID) throws -> HiddenFields {
    try hidden(of: .department, [ancestry(from: id)])
  }

  /// What of a person is hidden, whatever is shown of them.
  package func hidden(of id: UserID) throws -> HiddenFields {
    guard let person = try person(id) else { return .all(of: .user, declared) }
    return try hidden(of: .user, ancestries(person), person)
  }

  // MARK: Changes

  /// As much of a change as may be seen.
  ///
  /// What a side does not show is not known there, places left out. A record that only one side shows
  /// is added or removed. Of a department that is hidden but for its name only a change of now is shown:
  /// whether anything below it was shown at another time is not known.
  ///
  /// - Parameters:
  ///   - change: What happened to a record.
  ///   - before: The time of the state before; `nil` is now.
  ///   - after: That of the state afterwards.
  /// - Returns: `nil` where that says nothing.
  /// - Throws: What the closures throw.
  package func visible(
    _ change: Change,
    from before: Int64? = nil,
    to after: Int64? = nil
  ) throws -> Change? {
    guard sight != .everything else { return change }
    let id = change.newID ?? change.id
    func side(_ state: Change.State?, _ id: String, _ time: Int64?) throws -> Change.State? {
      guard let state else { return nil }
      let key = RecordKey(change.kind, try presentID(of: RecordKey(change.kind, id), at: time))
      // History knows of somebody who got the id since.
      if time != nil, let own = change.identity, key.formerIdentity == nil, let identity,
        let other = try identity(key), other != own
      {
        return nil
      }
      return change.kind == .department
        ? try visible(state, of: DepartmentID(id), at: time)
        : try visible(state, of: UserID(id), at: time)
    }
    let (before, after) = (
      try side(change.before, id, before), try side(change.after, id, after)
    )
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
    of id: DepartmentID,
    at time: Int64?
  ) throws -> Change.State? {
    let own = try present(id, at: time)
    var then = Ancestry()
    if let above = state.primary?.id { then = try ancestry(from: above, at: time) }
    then.departments.append(own)
    let isShownNow = try showsAll(of: own)
    let isShown = try isShownNow && outcome(then) == .shown
    guard try isShown || time == nil && !isShownNow && shows(id) else { return nil }
    var hidden = isShown ? try hidden(of: .department, [then]) : .stub(declared)
    hidden.names.formUnion(try self.hidden(of: own).names)
    var seen = try visible(state, .department, hidden, at: time)
    if time == nil, let primary = state.primary, try !shows(primary.id) { seen.primary = nil }
    return seen
  }

  private func visible(
    _ state: Change.State,
    of id: UserID,
    at time: Int64?
  ) throws -> Change.State? {
    let own = try present(id, at: time)
    let now = try person(own)
    if let now, try !shows(now) { return nil }
    if now == nil, RecordKey.user(own).formerIdentity != nil { return nil }
    let departments = state.memberships.map(\.place.id)
    let then = Person(
      id: own,
      departments: departments.isEmpty ? now?.departments ?? [] : departments,
      time: departments.isEmpty ? now?.time : time
    ) { field, value in
      try has(field, value, state, own, at: time) ?? now?.has(field, value)
    }
    func isShown(_ id: DepartmentID) throws -> Bool {
      guard try outcome(ancestry(from: id, at: then.time), then) == .shown else { return false }
      let department = try present(id, at: then.time)
      guard let now, try isDirectly(now, in: department) else { return true }
      return try outcome(ancestry(of: department, at: now.time), now) == .shown
    }
    let memberships = try state.memberships.filter { try isShown($0.place.id) }
    guard
      try state.memberships.isEmpty
        ? then.departments.contains(where: isShown) : !memberships.isEmpty
    else { return nil }
    var hidden = try hidden(of: .user, ancestries(then), then)
    if now != nil { hidden.names.formUnion(try self.hidden(of: own).names) }
    var seen = try visible(state, .user, hidden, at: time)
    let columns = RecordKind.membership.valueColumns
    seen.memberships = memberships.map { membership in
      var membership = membership
      membership.values = Self.visible(membership.values, columns, hidden)
      return membership
    }
    if let primary = state.primary, !memberships.contains(where: { $0.place.id == primary.id }) {
      seen.primary =
        try state.memberships.isEmpty && shows(present(primary.id, at: time))
        ? primary : first(memberships, at: time)
    }
    return seen
  }

  /// The place that stands first in what is seen.
  private func first(
    _ memberships: [Change.Membership],
    at time: Int64?
  ) throws -> Change.Place? {
    try memberships.map {
      ($0.place, try department(present($0.place.id, at: time))?.order ?? .max)
    }
    .min { ($0.1, $0.0.id) < ($1.1, $1.0.id) }?.0
  }

  private func visible(
    _ state: Change.State,
    _ kind: RecordKind,
    _ hidden: HiddenFields,
    at time: Int64?
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
      let texts = try value.texts.filter { try shows(UserID($0), at: time) }
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
