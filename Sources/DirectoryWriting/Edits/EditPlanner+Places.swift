import DirectoryModel
import DirectoryReading
import DirectoryStore

extension EditPlanner {
  mutating func addUser(
    _ name: String,
    _ department: String,
    _ id: String?,
    _ title: String?,
    _ values: [String]
  ) async throws {
    try ValueRules.require(name, in: .name)
    let place = try await findPlace(department)
    let key = RecordKey(.user, try await newID(id, name, .user))
    var membership = Change.Membership(place: place, values: [title ?? "", "0", "false"])
    try ValueRules.require(title ?? "", in: .title)
    membership.set(.sortOrder, String(try lastOrder(of: .user, in: place.id)))
    draft.add(key, .person(name, primary: place, memberships: [membership]))
    try await assign(values, to: key)
  }

  mutating func addDepartment(
    _ name: String,
    _ parent: String?,
    _ id: String?,
    _ values: [String]
  ) async throws {
    try ValueRules.require(name, in: .name)
    var above: Change.Place?
    if let parent { above = try await findPlace(parent) }
    let key = RecordKey(.department, try await newID(id, name, .department))
    let order = try lastOrder(of: .department, in: above?.id)
    draft.add(key, Change.State(name: name, values: [name, "", String(order)], primary: above))
    try await assign(values, to: key)
  }

  /// The id that is given, or one that is made from the name.
  mutating func newID(
    _ id: String?,
    _ name: String,
    _ kind: RecordKind
  ) async throws(DirectoryError) -> String {
    guard let id else {
      return try await newIDs([(kind, name)])[0]
    }
    try ValueRules.require(id, in: .id)
    try await requireFree(id, kind)
    if try await !editor.used([id], by: kind).isEmpty {
      let noun = kind == .user ? "person" : "department"
      notes.append("the id \(id) was that of another \(noun) before")
    }
    return id
  }

  /// Ids for what comes without one.
  func newIDs(
    _ records: [(kind: RecordKind, name: String)]
  ) async throws(DirectoryError) -> [String] {
    try await IDGenerator.make(for: records, editor) { draft[$0] != nil }
  }

  /// The order of the last one: who is new stands there.
  func lastOrder(
    of kind: DirectoryRow.Kind,
    in department: DepartmentID?
  ) throws -> Int64 {
    guard let department else { return try directory.siblings(in: nil).last?.sortOrder ?? 0 }
    guard let node = try directory.node(of: department) else { return 0 }
    return try directory.lastSibling(kind, in: node)?.sortOrder ?? 0
  }

  mutating func move(_ who: [String], _ to: String?, _ from: String?) async throws {
    var target: DepartmentID?
    if let to { target = try await findDepartment(to) }
    var left: DepartmentID?
    if let from { left = try await findDepartment(from) }
    for name in who {
      let key = try await find(name)
      if key.kind == .department {
        guard from == nil else {
          throw refusal(.usage, "\(name) is a department, and a department has only one parent")
        }
        try move(department: key, to: target)
      } else {
        guard let target else {
          throw refusal(.badData, "\(name) is a person, and people must be in a department")
        }
        try move(user: key, to: target, from: left)
      }
    }
  }

  mutating func move(
    department key: RecordKey,
    to target: DepartmentID?
  ) throws {
    let own = DepartmentID(key.id)
    if let target {
      guard try !isInside(target, own) else {
        let name = draft[key]?.name ?? ""
        throw refusal(
          .badData,
          target == own
            ? "\(name) cannot be in itself" : "\(place(target).name) is inside \(name)"
        )
      }
    }
    guard draft[key]?.primary?.id != target else { return }
    let above = target.map { place($0) }
    draft[key]?.primary = above
    try setValue(.sortOrder, String(try lastOrder(of: .department, in: target)), of: key)
  }

  /// Whether a department is below another or is it, by the snapshot; the database has the last word.
  private func isInside(_ department: DepartmentID, _ other: DepartmentID) throws -> Bool {
    guard let node = try directory.node(of: department), let above = try directory.node(of: other)
    else { return false }
    return try directory.isInside(node, above)
  }

  private mutating func move(
    user key: RecordKey,
    to target: DepartmentID,
    from left: DepartmentID?
  ) throws {
    guard var state = draft[key] else { return }
    let from = left ?? state.primary?.id
    guard let index = state.memberships.firstIndex(where: { $0.place.id == from }) else {
      throw refusal(.notFound, "\(state.name) is not in \(left.map { place($0).name } ?? "it")")
    }
    guard from != target else { return }
    var membership = state.memberships.remove(at: index)
    membership.place = place(target)
    membership.set(.sortOrder, String(try lastOrder(of: .user, in: target)))
    if !state.memberships.contains(where: { $0.place.id == target }) {
      state.memberships.append(membership)
    }
    if state.primary?.id == from { state.primary = place(target) }
    draft[key] = state
  }

  mutating func join(_ who: String, _ department: String, _ title: String?) async throws {
    let key = try await find(who, .user)
    let place = try await findPlace(department)
    guard let state = draft[key], !state.memberships.contains(where: { $0.place.id == place.id })
    else {
      throw refusal(
        .badData,
        "\(draft[key]?.name ?? who) is in \(place.name) already",
        title == nil ? nil : "to change a title, use set with title@DEPARTMENT=…"
      )
    }
    var membership = Change.Membership(place: place, values: [title ?? "", "0", "false"])
    try ValueRules.require(title ?? "", in: .title)
    membership.set(.sortOrder, String(try lastOrder(of: .user, in: place.id)))
    draft[key]?.memberships.append(membership)
  }

  mutating func leave(_ who: String, _ department: String) async throws {
    let key = try await find(who, .user)
    let id = try await findDepartment(department)
    try takeOut(key, of: [id])
    guard draft[key]?.memberships.isEmpty == false else {
      throw refusal(
        .badData,
        "\(draft[key]?.name ?? who) is in no other department",
        "move the person to another department, or add the person to one first"
      )
    }
  }

  /// Ends memberships; of those that are left the first becomes the primary one where that ended.
  mutating func takeOut(_ key: RecordKey, of departments: Set<DepartmentID>) throws {
    guard var state = draft[key] else { return }
    let memberships = state.memberships.filter { !departments.contains($0.place.id) }
    guard memberships.count < state.memberships.count else {
      let name = departments.first.map { place($0).name } ?? ""
      throw refusal(.notFound, "\(state.name) is not in \(name)")
    }
    state.memberships = memberships
    if let primary = state.primary, departments.contains(primary.id) {
      state.primary = memberships.first?.place ?? primary
    }
    draft[key] = state
  }

  mutating func makePrimary(_ who: String, _ department: String) async throws {
    let key = try await find(who, .user)
    let id = try await findDepartment(department)
    guard let membership = draft[key]?.memberships.first(where: { $0.place.id == id }) else {
      throw refusal(
        .notFound,
        "\(draft[key]?.name ?? who) is not in \(place(id).name)",
        "add the person to that department first"
      )
    }
    draft[key]?.primary = membership.place
  }
}
