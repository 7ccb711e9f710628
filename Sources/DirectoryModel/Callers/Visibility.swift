/// What a sight shows of records that need not be there now: those of changes, plans and reports.
///
/// It is judged on the full state: a record by the departments that one of its states names, and those
/// by where they are now. A department that is not there now is judged by what `note(_:)` has heard of
/// it; of what is unknown nothing is shown.
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

  package let sight: Sight
  private let declared: [Field]
  private let department: (DepartmentID) throws -> Department?
  private let departments: (UserID) throws -> [DepartmentID]
  /// Departments that may not be there now, and what was above them.
  private var others: [DepartmentID: DepartmentID?] = [:]

  /// - Parameters:
  ///   - sight: What may be seen.
  ///   - declared: The declared fields.
  ///   - department: What is known of a department now; `nil` where it has no place in the tree.
  ///   - departments: Where a person is now; none for somebody who is not there.
  package init(
    _ sight: Sight,
    _ declared: [Field],
    department: @escaping (DepartmentID) throws -> Department?,
    departments: @escaping (UserID) throws -> [DepartmentID]
  ) {
    self.sight = sight
    self.declared = declared
    self.department = department
    self.departments = departments
  }

  /// Hears from a change of where a department was or will be that is not there now.
  package mutating func note(_ change: Change) {
    guard change.kind == .department, let state = change.after ?? change.before else { return }
    others[DepartmentID(change.newID ?? change.id)] = .some(state.main?.id)
    if let newID = change.newID { others[DepartmentID(change.id)] = DepartmentID(newID) }
  }

  /// Whether it is known where a department is, or was.
  package func knows(_ id: DepartmentID) throws -> Bool {
    try others[id] != nil || department(id) != nil
  }

  // MARK: Records as they are now

  /// What the sight says of a department, whatever it is above.
  package func said(of id: DepartmentID) throws -> Sight.Showing {
    try said(of: id, sight.departments, sight.base) ?? .nothing
  }

  /// The departments that a person is in.
  package func places(of id: UserID) throws -> [DepartmentID] { try departments(id) }

  /// How a department is shown: as a stub also where it is only above something.
  ///
  /// - Complexity: O(level).
  package func showing(_ id: DepartmentID) throws -> Sight.Showing {
    try stubbed(said(of: id), id)
  }

  package func shows(_ place: MembershipKey) throws -> Bool {
    let showing = try said(of: place.department, sight.departments, sight.base)
    return sight.shows(place, in: showing ?? .nothing)
  }

  /// Whether one of a person's places is shown.
  package func shows(_ id: UserID) throws -> Bool {
    try departments(id).contains { try shows(MembershipKey(user: id, department: $0)) }
  }

  /// The fields of a department, whatever is shown of it.
  package func fields(of id: DepartmentID) throws -> Sight.Fields {
    try said(of: id, sight.departmentFields.below, sight.departmentFields.usual) ?? .only([])
  }

  /// The fields of a person, whatever is shown of them.
  package func fields(of id: UserID) throws -> Sight.Fields {
    try fields(of: id, in: departments(id))
  }

  private func fields(of id: UserID, in departments: [DepartmentID]) throws -> Sight.Fields {
    let sets = sight.personFields
    if let own = sight.fieldsOfPeople[id] { return own }
    guard !departments.isEmpty else { return .only([]) }
    return try departments.reduce(.all) { fields, department in
      fields.intersection(try said(of: department, sets.below, sets.usual) ?? .only([]))
    }
  }

  /// What was said of the nearest department from one upward, or of all; `nil` where the way up is not
  /// known.
  private func said<Value>(
    of id: DepartmentID,
    _ values: [DepartmentID: Value],
    _ usual: Value
  ) throws -> Value? {
    var others = others
    var next: DepartmentID? = id
    while let current = next {
      if let value = values[current] { return value }
      if let known = try department(current) {
        next = known.parent
      } else if let parent = others.removeValue(forKey: current) {
        next = parent
      } else {
        return nil
      }
    }
    return usual
  }

  private func stubbed(_ showing: Sight.Showing, _ id: DepartmentID) throws -> Sight.Showing {
    guard showing == .nothing, try department(id)?.order != nil else { return showing }
    return .name
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
    let showing = try stubbed(
      said(of: id, state, sight.departments, sight.base) ?? .nothing,
      id
    )
    guard showing != .nothing else { return nil }
    let sets = sight.departmentFields
    let then = try said(of: id, state, sets.below, sets.usual) ?? .only([])
    let now = try department(id) == nil ? .all : fields(of: id)
    let fields = showing == .name ? .only([]) : then.intersection(now)
    var seen = try visible(state, .department, fields)
    if let main = state.main, try self.showing(main.id) == .nothing { seen.main = nil }
    return seen
  }

  /// What was said of a department where a state has it.
  private func said<Value>(
    of id: DepartmentID,
    _ state: Change.State,
    _ values: [DepartmentID: Value],
    _ usual: Value
  ) throws -> Value? {
    if let own = values[id] { return own }
    guard let main = state.main else { return try said(of: id, values, usual) }
    return try said(of: main.id, values, usual)
  }

  private func visible(_ state: Change.State, of id: UserID) throws -> Change.State? {
    let posts = try state.posts.filter {
      try shows(MembershipKey(user: id, department: $0.place.id))
    }
    guard try state.posts.isEmpty ? shows(id) : !posts.isEmpty else { return nil }
    let places = try departments(id) + state.posts.map(\.place.id)
    let fields = try fields(of: id, in: places)
    var seen = try visible(state, .user, fields)
    let columns = RecordKind.membership.valueColumns
    seen.posts = posts.map { post in
      var post = post
      post.values = Self.visible(post.values, columns, fields)
      return post
    }
    if let main = state.main, !posts.contains(where: { $0.place.id == main.id }) {
      seen.main = try state.posts.isEmpty && showing(main.id) != .nothing ? main : first(posts)
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
    _ fields: Sight.Fields
  ) throws -> Change.State {
    var seen = state
    seen.values = Self.visible(state.values, kind.valueColumns, fields)
    var values: [String: FieldValues.Value] = [:]
    for field in declared.of(kind) where fields.contains(field.name) {
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
    _ fields: Sight.Fields
  ) -> [String?] {
    zip(values, columns).map { fields.contains($1.name) ? $0 : nil }
  }
}
