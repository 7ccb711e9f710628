import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Platform

extension EditPlanner {
  mutating func remove(_ who: [String], recursive: Bool, peopleTo: String?) async throws {
    var target: DepartmentID?
    if let peopleTo { target = try await findDepartment(peopleTo) }
    var departments: [DepartmentID] = []
    for name in who {
      let key = try await find(name)
      if key.kind == .department {
        departments.append(DepartmentID(key.id))
      } else {
        draft.remove(key)
      }
    }
    if !departments.isEmpty {
      try await remove(departments, recursive: recursive, peopleTo: target)
    }
    try await forgetRemoved()
  }

  /// Takes the people who go out of the fields that name them, as the database would do.
  mutating func forgetRemoved() async throws {
    try await replaceNamed(draft.removed(.user), by: nil)
  }

  /// Has fields that name some people name another one, or no one; no person names him- or herself
  /// for it.
  mutating func replaceNamed(_ people: [String], by other: String?) async throws {
    guard !people.isEmpty else { return }
    let naming = try directory.records(naming: Set(people)).map {
      RecordKey($0.kind == .user ? .user : .department, $0.id)
    }
    try await load(naming)
    let removed = Set(people.map(ItemText.init))
    for key in naming {
      guard let state = draft[key] else { continue }
      var values = state.fields.values ?? [:]
      for field in editor.fields.of(key.kind) where field.kind == .person {
        guard let texts = values[field.name]?.texts,
          texts.contains(where: { removed.contains(ItemText($0)) })
        else { continue }
        var rest: [String] = []
        for text in texts {
          let text = removed.contains(ItemText(text)) ? other : text
          guard let text, key != RecordKey(.user, text) || text != other,
            !rest.contains(where: { ItemText($0) == ItemText(text) })
          else { continue }
          rest.append(text)
        }
        values[field.name] =
          rest.isEmpty ? nil : field.isMultiple ? .several(rest) : .one(rest[0])
      }
      draft[key]?.fields = FieldValues(values)
    }
  }

  private mutating func remove(
    _ roots: [DepartmentID],
    recursive: Bool,
    peopleTo target: DepartmentID?
  ) async throws {
    let (departments, records) = try await editor.subtrees(of: roots)
    let removed = Set(departments)
    let people = records.users.keys.sorted().filter { id in
      draft[.user(id)] != nil || !draft.has(.user(id))
    }
    let below = departments.count - Set(roots).count
    if let target, removed.contains(target) {
      throw refusal(.badData, "\(place(target).name) would be removed too")
    }
    if !recursive, target == nil, below + people.count > 0 {
      throw isNotEmpty(roots, below, people.count)
    }
    take(records, departments.map { .department($0) } + people.map { .user($0) })
    for id in people { try settle(id, removed, target) }
    for id in departments { draft.remove(.department(id)) }
  }

  private func isNotEmpty(_ roots: [DepartmentID], _ below: Int, _ people: Int) -> DirectoryError {
    let contents = [
      below > 0 ? counted(below, "department") : nil,
      people > 0 ? counted(people, "person", "people") : nil,
    ].compactMap { $0 }.joined(separator: " and ")
    let subject =
      roots.count == 1 ? "\(place(roots[0]).name) contains" : "these departments contain"
    return refusal(
      .refusedForNow,
      "\(subject) \(contents)",
      """
      nothing was changed; to keep the people, add \(.movePeople); to remove them too, add \
      \(.includeBelow)
      """
    )
  }

  /// Moves a person elsewhere, or removes anyone who is nowhere else.
  private mutating func settle(
    _ id: UserID,
    _ removed: Set<DepartmentID>,
    _ target: DepartmentID?
  ) throws {
    let key = RecordKey.user(id)
    guard let state = draft[key] else { return }
    if let target, !state.memberships.contains(where: { $0.place.id == target }),
      var membership = state.memberships.first(where: {
        $0.place.id == state.primary?.id && removed.contains($0.place.id)
      })
        ?? state.memberships.first(where: { removed.contains($0.place.id) })
    {
      membership.place = place(target)
      membership.set(.sortOrder, String(try lastOrder(of: .user, in: target)))
      // In front: what was the primary membership stays it.
      draft[key]?.memberships.insert(membership, at: 0)
    }
    try takeOut(key, of: removed)
    if draft[key]?.memberships.isEmpty == true { draft.remove(key) }
  }
}
