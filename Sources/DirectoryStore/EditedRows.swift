import DirectoryModel

/// The rows of one table that changes come to.
struct EditedTable: Sendable {
  /// Texts by column; `nil` is NULL.
  typealias Row = [RecordColumn: String?]

  let kind: RecordKind
  /// What tells rows apart.
  let keys: [RecordColumn]
  /// Everything else.
  var columns: [RecordColumn]
  var renamed: [(old: String, new: String)] = []
  var added: [Row] = []
  /// Whole rows, as they are to be.
  var changed: [Row] = []
  /// The columns in which any of them differs from what is there.
  private(set) var changedColumns: [RecordColumn] = []
  var removed: [Row] = []

  init(_ kind: RecordKind) {
    self.kind = kind
    keys = kind == .membership ? [.user, .department] : [.id]
    // The database gives identities.
    columns = kind.columns.filter { [keys] in !keys.contains($0) && $0 != .identity }
  }

  /// Takes a row as it is to be, unless it is so already.
  mutating func take(_ row: Row, from present: Row) {
    let differing = columns.filter { column in
      (row[column] ?? nil).map(ItemText.init) != (present[column] ?? nil).map(ItemText.init)
    }
    guard !differing.isEmpty else { return }
    changed.append(row)
    changedColumns = columns.filter { changedColumns.contains($0) || differing.contains($0) }
  }

  func without(_ column: RecordColumn) -> EditedTable {
    var table = self
    table.columns.removeAll { $0 == column }
    table.changedColumns.removeAll { $0 == column }
    return table
  }

  /// The same with one column, in which what is new is changed from nothing.
  func only(_ column: RecordColumn) -> EditedTable {
    var table = self
    let filled = added.filter { ($0[column] ?? nil) != "{}" }
    if changedColumns.contains(column) || !filled.isEmpty {
      table.changed = (changedColumns.contains(column) ? changed : []) + filled
      table.changedColumns = [column]
    } else {
      table.changed = []
    }
    return table
  }
}

/// What changes come to in rows, beside what is there.
struct EditedRows: Sendable {
  var departments = EditedTable(.department)
  var users = EditedTable(.user)
  var memberships = EditedTable(.membership)

  /// - Parameters:
  ///   - changes: What is to be done, none of it in conflict with what is there.
  ///   - present: The records as they are there.
  init(_ changes: [Change], _ present: CurrentRecords) {
    var newIDs: [DepartmentID: DepartmentID] = [:]
    for change in changes where change.kind == .department {
      if let id = change.newID { newIDs[DepartmentID(change.id)] = DepartmentID(id) }
    }
    for change in changes {
      let found = present.state(change.kind, change.id)?.naming(newIDs)
      add(change, change.before?.naming(newIDs), found)
    }
  }

  private mutating func add(
    _ change: Change,
    _ before: Change.State?,
    _ found: Change.State?
  ) {
    let id = change.newID ?? change.id
    if let new = change.newID { rename(change.kind, change.id, new) }
    let target: Change.State? =
      if let found, let before, let after = change.after {
        found.edited(before, after, of: change.kind)
      } else {
        change.after
      }
    let identity = change.identity
    switch change.kind {
    case .department: Self.add(id, identity, target, found, to: &departments)
    case .user:
      Self.add(id, identity, target, found, to: &users)
      // Those of removed records go along.
      if let target { addMemberships(id, target.memberships, found?.memberships ?? []) }
    case .membership: preconditionFailure("a change of a membership by itself")
    }
  }

  private mutating func rename(_ kind: RecordKind, _ old: String, _ new: String) {
    if kind == .department {
      departments.renamed.append((old, new))
    } else {
      users.renamed.append((old, new))
    }
  }

  private static func add(
    _ id: String,
    _ identity: RecordIdentity?,
    _ target: Change.State?,
    _ found: Change.State?,
    to table: inout EditedTable
  ) {
    switch (found.map { row(id, $0, table.kind) }, target.map { row(id, $0, table.kind) }) {
    case (nil, var new?):
      new[.identity] = .some(identity?.rawValue)
      table.added.append(new)
    case (let old?, let new?): table.take(new, from: old)
    case (let old?, nil): table.removed.append(old)
    case (nil, nil): break
    }
  }

  private mutating func addMemberships(
    _ user: String,
    _ target: [Change.Membership],
    _ found: [Change.Membership]
  ) {
    for membership in target {
      let row = Self.row(user, membership)
      if let old = found.first(where: { $0.place.id == membership.place.id }) {
        memberships.take(row, from: Self.row(user, old))
      } else {
        memberships.added.append(row)
      }
    }
    for old in found where !target.contains(where: { $0.place.id == old.place.id }) {
      memberships.removed.append(Self.row(user, old))
    }
  }

  private static func row(
    _ id: String,
    _ state: Change.State,
    _ kind: RecordKind
  ) -> EditedTable.Row {
    var row: EditedTable.Row = [.id: id]
    row[kind.keys[1]] = .some(state.primary?.id.rawValue)
    for (column, value) in zip(kind.valueColumns, state.values) { row[column] = value ?? "" }
    row[.fields] = state.fields.isEmpty ? "{}" : state.fields.text
    return row
  }

  private static func row(_ user: String, _ membership: Change.Membership) -> EditedTable.Row {
    var row: EditedTable.Row = [.user: user, .department: membership.place.id.rawValue]
    for (column, value) in zip(RecordKind.membership.valueColumns, membership.values) {
      row[column] = value ?? (column == .sortOrder ? "0" : column == .leads ? "false" : "")
    }
    return row
  }
}

extension Change.State {
  /// The state with other ids of departments.
  fileprivate func naming(_ newIDs: [DepartmentID: DepartmentID]) -> Change.State {
    guard !newIDs.isEmpty else { return self }
    var state = self
    if let id = primary?.id, let new = newIDs[id] { state.primary?.id = new }
    for index in memberships.indices {
      if let new = newIDs[memberships[index].place.id] { state.memberships[index].place.id = new }
    }
    return state
  }
}
