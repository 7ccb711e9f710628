import DirectoryModel

/// Records as an edit leaves them, beside how they are.
///
/// The planner of an edit loads the records that it is about, changes them here, and takes the
/// changes.
struct EditDraft {
  private var before: [RecordKey: Change.State] = [:]
  private var after: [RecordKey: Change.State] = [:]
  private var newIDs: [RecordKey: String] = [:]
  /// Names of departments that no record here is about.
  private var names: [DepartmentID: String] = [:]
  /// In the order in which they came.
  private var keys: [RecordKey] = []

  /// Takes a record as it is; one that is here already stays as it is here.
  mutating func load(_ key: RecordKey, _ state: Change.State) {
    guard before[key] == nil, after[key] == nil else { return }
    keys.append(key)
    before[key] = state
    after[key] = state
  }

  /// Takes a record as it was and as it is.
  mutating func take(_ key: RecordKey, from former: Change.State?, to present: Change.State?) {
    keys.append(key)
    (before[key], after[key]) = (former, present)
  }

  mutating func add(_ key: RecordKey, _ state: Change.State) {
    keys.append(key)
    after[key] = state
  }

  mutating func remove(_ key: RecordKey) { after[key] = nil }

  mutating func giveID(_ id: String, to key: RecordKey) { newIDs[key] = id }

  mutating func note(_ place: Change.Place) { names[place.id] = place.name }

  func has(_ key: RecordKey) -> Bool { before[key] != nil || after[key] != nil }

  /// The record as it is to be; `nil` where it is not loaded, or goes.
  subscript(key: RecordKey) -> Change.State? {
    get { after[key] }
    set { if let newValue { after[key] = newValue } }
  }

  func former(_ key: RecordKey) -> Change.State? { before[key] }

  /// The ids of records that go.
  func removed(_ kind: RecordKind) -> [String] {
    keys.filter { $0.kind == kind && before[$0] != nil && after[$0] == nil }.map(\.id)
  }

  /// What differs: departments, then people, each in the order added, changed, moved, removed, and
  /// within it as they came.
  func changes() -> [Change] {
    var changes: [Change] = []
    for key in keys {
      let change = Change(
        key.kind,
        key.id,
        newID: newIDs[key],
        from: before[key].map { named($0, afterwards: false) },
        to: after[key].map { named($0, afterwards: true) }
      )
      if let change { changes.append(change) }
    }
    let rank = Dictionary(
      uniqueKeysWithValues: Change.Action.allCases.enumerated().map { ($1, $0) }
    )
    return [RecordKind.department, .user].flatMap { kind in
      Change.Action.allCases.flatMap { action in
        changes.filter { $0.kind == kind && rank[$0.action] == rank[action] }
      }
    }
  }

  /// The state with the ids and the names that departments have then.
  private func named(_ state: Change.State, afterwards: Bool) -> Change.State {
    var state = state
    if let primary = state.primary { state.primary = place(primary, afterwards) }
    for index in state.memberships.indices {
      state.memberships[index].place = place(state.memberships[index].place, afterwards)
    }
    return state
  }

  private func place(_ place: Change.Place, _ afterwards: Bool) -> Change.Place {
    let key = RecordKey.department(place.id)
    let name = after[key]?.name ?? before[key]?.name ?? names[place.id] ?? place.name
    let id = afterwards ? newIDs[key].map { DepartmentID($0) } : nil
    return Change.Place(id: id ?? place.id, name: name)
  }
}
