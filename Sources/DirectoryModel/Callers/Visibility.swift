/// What a sight shows of records that need not be there now: those of changes, plans and reports.
///
/// A record is judged by one of its states: by the values and departments that this names, and those by
/// where they are now. A department that is not there now is judged by what `note(_:)` has heard of it;
/// of what is unknown nothing is shown. Fields, and places that are there now, are shown only if they
/// are now, too.
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
    var id: UserID
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

  /// Hears from a change of where a department was or will be that is not there now.
  package mutating func note(_ change: Change) {
    guard change.kind == .department, let state = change.after ?? change.before else { return }
    others[DepartmentID(change.newID ?? change.id)] = .some(state.primary?.id)
    if let newID = change.newID { others[DepartmentID(change.id)] = DepartmentID(newID) }
  }

  /// Whether it is known where a department is, or was.
  package func knows(_ id: DepartmentID) throws -> Bool {
    try others[id] != nil || department(id) != nil
  }

  // MARK: Clauses

  /// A department and those above it, as far as the way up is known.
  private struct Way {
    var departments: [DepartmentID] = []
    var isKnown = true

    /// `nil` where it may be.
    func leads(to id: DepartmentID) -> Bool? {
      departments.contains(id) ? true : isKnown ? false : nil
    }
  }

  private func way(from id: DepartmentID) throws -> Way {
    var others = others
    var way = Way()
    var next: DepartmentID? = id
    while let current = next {
      way.departments.append(current)
      if let known = try department(current) {
        next = known.parent
      } else if let parent = others.removeValue(forKey: current) {
        next = parent
      } else {
        way.isKnown = false
        return way
      }
    }
    return way
  }

  /// Whether a clause is about a place or a department, `ways` being the one up from it, or about a
  /// record by all its places; `nil` where that is not known.
  private func fits(_ targets: Sight.Targets, _ ways: [Way], _ person: Person?) throws -> Bool? {
    switch targets {
    case .everything: return true
    case .department(let id):
      let leads = ways.map { $0.leads(to: id) }
      return leads.contains(true) ? true : leads.contains(nil) ? nil : false
    case .peopleDirectly(let id): return person?.departments.contains(id) ?? false
    case .person(let id): return person?.id == id
    case .people(let field, let value):
      guard let person else { return false }
      return try person.has(field, value)
    }
  }

  private func showing(_ way: Way, _ person: Person? = nil) throws -> Sight.Showing {
    for clause in sight.places {
      guard let fits = try fits(clause.targets, [way], person) else { return .hidden }
      if fits { return clause.showing }
    }
    return .hidden
  }

  private func hidden(
    of kind: RecordKind,
    _ ways: [Way],
    _ person: Person? = nil
  ) throws -> HiddenFields {
    var clauses: [Sight.Fields] = []
    for clause in sight.fields {
      guard let fits = try fits(clause.targets, ways, person) else {
        return .all(of: kind, declared)
      }
      if fits { clauses.append(clause) }
    }
    return HiddenFields(clauses, of: kind, declared)
  }

  // MARK: Records as they are now

  private func person(_ id: UserID) throws -> Person? {
    try departments(id).map { departments in
      Person(id: id, departments: departments) { try hasValue(id, $0, $1) }
    }
  }

  /// Whether a department is shown: as a stub also where it is only above something.
  ///
  /// - Complexity: O(level).
  package func shows(_ id: DepartmentID) throws -> Bool {
    try showsAll(of: id) || department(id)?.order != nil
  }

  /// Whether a department is shown as more than a stub.
  package func showsAll(of id: DepartmentID) throws -> Bool {
    try showing(way(from: id)) == .shown
  }

  package func shows(_ place: MembershipKey) throws -> Bool {
    guard let person = try person(place.user), person.departments.contains(place.department) else {
      return false
    }
    return try showing(way(from: place.department), person) == .shown
  }

  /// Whether one of a person's places is shown.
  package func shows(_ id: UserID) throws -> Bool {
    guard let person = try person(id) else { return false }
    return try person.departments.contains { try showing(way(from: $0), person) == .shown }
  }

  /// What of a department is hidden, whatever is shown of it.
  package func hidden(of id: DepartmentID) throws -> HiddenFields {
    try hidden(of: .department, [way(from: id)])
  }

  /// What of a person is hidden, whatever is shown of them.
  package func hidden(of id: UserID) throws -> HiddenFields {
    guard let person = try person(id) else { return .all(of: .user, declared) }
    return try hidden(of: .user, person.departments.map(way), person)
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
    var then = try way(from: state.primary?.id ?? id)
    if state.primary != nil { then.departments.append(id) }
    let isShown = try showing(then) == .shown
    let isThere = try department(id) != nil
    guard try isShown || isThere && shows(id) else { return nil }
    var hidden = isShown ? try hidden(of: .department, [then]) : .stub(declared)
    if isThere { hidden.names.formUnion(try self.hidden(of: id).names) }
    var seen = try visible(state, .department, hidden)
    if let main = state.primary, try !shows(main.id) { seen.primary = nil }
    return seen
  }

  private func visible(_ state: Change.State, of id: UserID) throws -> Change.State? {
    let now = try person(id)
    let then = Person(
      id: id,
      departments: state.posts.isEmpty ? now?.departments ?? [] : state.posts.map(\.place.id)
    ) { field, value in
      try state.has(field, value, id, declared) ?? now?.has(field, value)
    }
    func isShown(_ department: DepartmentID) throws -> Bool {
      let way = try way(from: department)
      guard try showing(way, then) == .shown else { return false }
      guard let now, now.departments.contains(department) else { return true }
      return try showing(way, now) == .shown
    }
    let posts = try state.posts.filter { try isShown($0.place.id) }
    guard try state.posts.isEmpty ? then.departments.contains(where: isShown) : !posts.isEmpty
    else { return nil }
    var hidden = try hidden(of: .user, then.departments.map(way), then)
    if now != nil { hidden.names.formUnion(try self.hidden(of: id).names) }
    var seen = try visible(state, .user, hidden)
    let columns = RecordKind.membership.valueColumns
    seen.posts = posts.map { post in
      var post = post
      post.values = Self.visible(post.values, columns, hidden)
      return post
    }
    if let main = state.primary, !posts.contains(where: { $0.place.id == main.id }) {
      seen.primary = try state.posts.isEmpty && shows(main.id) ? main : first(posts)
    }
    return seen
  }

  /// The place that stands first in what is seen.
  private func first(_ posts: [Change.Post]) throws -> Change.Place? {
    try posts.map { ($0.place, try department($0.place.id)?.order ?? .max) }
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
      guard !posts.isEmpty else { return nil }
      return isAny(posts.map { $0.values.indices.contains(column) ? $0.values[column] : nil })
    }
    guard let texts = fields.values?[field]?.texts else { return isWhole ? false : nil }
    return isAny(texts)
  }
}
