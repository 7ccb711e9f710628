import DirectoryModel
import DirectoryReading
import DirectoryStore

extension EditPlanner {
  /// Gives fields of a record the values that the user wrote.
  mutating func assign(_ values: [String], to key: RecordKey) async throws {
    for text in values { try await assign(Assignment(text), to: key) }
  }

  private mutating func assign(_ assignment: Assignment, to key: RecordKey) async throws {
    let field = assignment.field
    switch (key.kind, field, assignment.department) {
    case (_, "id", nil): try await giveID(assignment, to: key)
    case (.user, "title", _), (.user, "lead", _), (.user, "leads", _), (.user, "order", _):
      try await assignToMembership(assignment, of: key)
    case (_, _, _?):
      throw refusal(
        .usage,
        "\(field)@… is not a field of a membership",
        "those are title@DEPARTMENT, lead@DEPARTMENT and order@DEPARTMENT"
      )
    case (.department, "parent", nil):
      try assignment.requirePlainSet()
      let parent = assignment.value.isEmpty ? nil : try await findDepartment(assignment.value)
      try move(department: key, to: parent)
    case (.department, "order", nil): try setValue(.sortOrder, assignment.number(), of: key)
    default:
      if let column = key.kind.valueColumns.first(where: {
        $0.name == field && $0 != .sortOrder
      }) {
        try assignment.requirePlainSet()
        try setValue(column, assignment.value, of: key)
      } else {
        try await assignDeclared(assignment, to: key)
      }
    }
  }

  mutating func setValue(
    _ column: RecordColumn,
    _ value: String,
    of key: RecordKey
  ) throws(DirectoryError) {
    try ValueRules.require(value, in: column)
    guard let index = key.kind.valueColumns.firstIndex(of: column) else { return }
    draft[key]?.values[index] = value
    if column == .name { draft[key]?.name = value }
  }

  private mutating func giveID(
    _ assignment: Assignment,
    to key: RecordKey
  ) async throws(DirectoryError) {
    try assignment.requirePlainSet()
    let id = assignment.value
    try ValueRules.require(id, in: .id)
    guard RecordKey(key.kind, id) != key else { return }
    try await requireFree(id, key.kind)
    draft.giveID(id, to: key)
  }

  func requireFree(_ id: String, _ kind: RecordKind) async throws(DirectoryError) {
    guard try await editor.taken([id], by: kind).isEmpty, draft[RecordKey(kind, id)] == nil
    else {
      throw refusal(
        .badData,
        "there is a \(kind == .user ? "person" : "department") with the id \(id) already"
      )
    }
  }

  private mutating func assignToMembership(
    _ assignment: Assignment,
    of key: RecordKey
  ) async throws {
    try assignment.requirePlainSet()
    var id = try primaryDepartment(of: key)
    if let name = assignment.department { id = try await findDepartment(name) }
    guard let id, let index = draft[key]?.memberships.firstIndex(where: { $0.place.id == id })
    else {
      throw refusal(
        .notFound,
        "\(draft[key]?.name ?? key.id) is not in \(assignment.department ?? "any department")"
      )
    }
    let (column, value): (RecordColumn, String) =
      switch assignment.field {
      case "title": (.title, assignment.value)
      case "order": (.sortOrder, try assignment.number())
      default: (.leads, try assignment.flag())
      }
    try ValueRules.require(value, in: column)
    draft[key]?.memberships[index].set(column, value)
  }

  /// A person's primary department, which is that of the places that the caller sees.
  private func primaryDepartment(of key: RecordKey) throws -> DepartmentID? {
    guard let person = draft[key], let visibility else { return draft[key]?.primary?.id }
    let all = Change(.user, key.id, from: nil, to: person)
    return try all.flatMap { try visibility.visible($0) }?.after?.primary?.id
  }

  private mutating func assignDeclared(
    _ assignment: Assignment,
    to key: RecordKey
  ) async throws {
    let hidden = directory.hiddenFields(of: key.kind)
    let declared = editor.fields.of(key.kind).filter { !hidden.contains($0.name) }
    guard let field = declared.first(where: { $0.name == assignment.field }) else {
      let own = key.kind.valueColumns.filter { $0 != .sortOrder }.map(\.name)
      let others = key.kind == .user ? ["title", "lead", "order"] : ["parent", "order"]
      let names = ["id"] + own + others + declared.map(\.name)
      let meant = EditDistance.nearest(to: assignment.field, among: names)
      throw refusal(
        .usage,
        "\(key.kind.inWords) have no field \(assignment.field)",
        Advice(
          (meant.map { "did you mean \($0)? The" } ?? "the")
            + " fields are \(names.joined(separator: ", "))"
        )
      )
    }
    var values = draft[key]?.fields.values ?? [:]
    values[field.name] = try await newValue(of: field, values[field.name], assignment)
    draft[key]?.fields = FieldValues(values)
  }

  /// - Returns: `nil` for none.
  private mutating func newValue(
    of field: Field,
    _ old: FieldValues.Value?,
    _ assignment: Assignment
  ) async throws -> FieldValues.Value? {
    let hidden = try hiddenPeople(in: old, of: field)
    guard field.isMultiple else {
      try assignment.requirePlainSet()
      guard hidden.isEmpty else { throw isHidden }
      guard !assignment.value.isEmpty else { return nil }
      return .one(try await checked(assignment.value, field))
    }
    var texts = assignment.operation == .set ? [] : old?.texts ?? []
    for value in assignment.list {
      let value = try await checked(value, field)
      let place = texts.firstIndex { $0.utf8.elementsEqual(value.utf8) }
      switch (assignment.operation, place) {
      case (.take, let place?): texts.remove(at: place)
      case (.take, nil): throw refusal(.notFound, "\(field.name) does not contain \"\(value)\"")
      case (_, nil): texts.append(value)
      case (_, _?): break
      }
    }
    if assignment.operation == .set {
      // Those whom the caller does not see were not meant, and stay where they are.
      for (place, id) in hidden { texts.insert(id, at: min(place, texts.count)) }
    }
    return texts.isEmpty ? nil : .several(texts)
  }

  /// The people whom a value names and the caller does not see, and where they stand in it.
  private func hiddenPeople(
    in value: FieldValues.Value?,
    of field: Field
  ) throws -> [(place: Int, id: String)] {
    guard field.kind == .person, let visibility else { return [] }
    return try (value?.texts ?? []).enumerated().filter {
      try !visibility.shows(UserID($0.element))
    }
    .map { (place: $0.offset, id: $0.element) }
  }

  /// The value as it is kept; a person is named as everywhere.
  mutating func checked(_ value: String, _ field: Field) async throws -> String {
    if takesIDs { return value }
    if field.kind == .person { return try await find(value, .user).id }
    if let problem = ValueRules.problem(value, field) {
      throw refusal(.badData, "\(field.name): \(problem)")
    }
    return value
  }
}

extension Change.Membership {
  mutating func set(_ column: RecordColumn, _ value: String) {
    guard let index = RecordKind.membership.valueColumns.firstIndex(of: column) else { return }
    values[index] = value
  }

  func value(_ column: RecordColumn) -> String {
    guard let index = RecordKind.membership.valueColumns.firstIndex(of: column) else { return "" }
    return values[index] ?? ""
  }
}
