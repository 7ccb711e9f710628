import DirectoryModel

/// What several transactions come to, gathered from the newest to the oldest.
struct JournalSpan {
  /// The first state before, and the last one after.
  private struct States {
    var before: Change.State?
    var after: Change.State?
  }

  private var sides: [RecordKey: States] = [:]
  /// People of the older end whose values were erased: those who were removed have no id any more, and
  /// each was removed once more than added.
  private var nameless = 0
  private var hasNameless = false

  /// Adds a change that is older than those before.
  mutating func takeBack(_ change: Change) {
    if change.id.isEmpty {
      hasNameless = true
      nameless += (change.before == nil ? 0 : 1) - (change.after == nil ? 0 : 1)
    } else {
      sides[RecordKey(change), default: States(after: change.after)].before = change.before
    }
  }

  /// People whose values were erased and who did not change since: the newer end has them as the
  /// snapshot has.
  var forgottenUsers: [String] {
    sides.compactMap { key, sides in sides.after?.isForgotten == true ? key.id : nil }
  }

  /// Adds what a person is at the newer end.
  mutating func complete(_ id: String, _ state: Change.State) {
    sides[RecordKey(.user, id)]?.after = state
  }

  /// What differs from one end to the other, in no order.
  var changes: [Change] {
    let nameless =
      hasNameless
      ? Change(.user, "", from: .forgotten(.user), to: .forgotten(.user)) : nil
    return sides.compactMap { key, sides in
      Change(key.kind, key.id, from: sides.before, to: sides.after)
    } + (nameless.map { [$0] } ?? [])
  }

  /// What makes of the state at the newer end that at the older one.
  func past(fields: [Field]) throws(DirectoryError) -> DirectoryChanges {
    var changes = DirectoryChanges()
    changes.records.fields = fields
    changes.forgottenPeople =
      max(0, nameless) + sides.values.count { $0.before?.isForgotten == true }
    for (key, sides) in sides {
      switch key.kind {
      case .department: try add(DepartmentID(key.id), sides, to: &changes)
      case .user: try add(UserID(key.id), sides, to: &changes)
      case .membership: break
      }
    }
    return changes
  }

  private func add(
    _ id: DepartmentID,
    _ sides: States,
    to changes: inout DirectoryChanges
  ) throws(DirectoryError) {
    guard let before = sides.before else { return changes.removedDepartments.append(id) }
    try changes.records.departments.append(
      DepartmentRecord(
        id: id,
        parent: before.primary?.id,
        name: before.name,
        description: before[.description, of: .department],
        sortOrder: Int64(before[.sortOrder, of: .department]) ?? 0,
        fields: before.fields
      )
    )
  }

  private func add(
    _ id: UserID,
    _ sides: States,
    to changes: inout DirectoryChanges
  ) throws(DirectoryError) {
    let former = sides.before?.memberships ?? []
    for membership in sides.after?.memberships ?? []
    where !former.contains(where: { $0.place.id == membership.place.id }) {
      changes.removedMemberships.append(MembershipKey(user: id, department: membership.place.id))
    }
    guard let before = sides.before, let primary = before.primary else {
      return changes.removedUsers.append(id)
    }
    try changes.records.users.append(
      UserRecord(
        id: id,
        primaryDepartment: primary.id,
        name: before.name,
        contacts: ContactValues { before[.contact($0), of: .user] },
        fields: before.fields
      )
    )
    for membership in before.memberships {
      let state = Change.State(name: "", values: membership.values)
      try changes.records.memberships.append(
        MembershipRecord(
          user: id,
          department: membership.place.id,
          title: state[.title, of: .membership],
          sortOrder: Int64(state[.sortOrder, of: .membership]) ?? 0,
          leads: state[.leads, of: .membership] == "true"
        )
      )
    }
  }
}

extension Change.State {
  /// A value; empty where none is known.
  fileprivate subscript(column: RecordColumn, of kind: RecordKind) -> String {
    guard let index = kind.valueColumns.firstIndex(of: column), values.indices.contains(index)
    else { return "" }
    return values[index] ?? ""
  }
}
