import DirectoryModel
import LibPQ

/// Carries out changes of single records: locks them, compares them with what the changes take for
/// granted, and writes what differs, in an order in which every constraint holds.
///
/// Two edits that touch the same records wait for each other at their rows, always in the order
/// tree, departments, users, memberships, each by id; everybody else goes on.
struct EditWriter: Sendable {
  let changes: [Change]
  /// What they mean for lists; `nil` for nothing.
  var effect: ListEffect?

  /// - Returns: What keeps the changes from being made; nothing is written then.
  /// - Throws: `.notPermitted` where row-level security hides a row from writing.
  func run(_ connection: inout PGConnection) throws(StoreFailure) -> [ChangeConflict] {
    try lock(&connection)
    let present = try CurrentRecordQueries.read(
      departments: ids(.department).map { DepartmentID($0) },
      users: ids(.user).map { UserID($0) },
      &connection
    )
    let conflicts = changes.flatMap { $0.conflicts(with: present.state($0.kind, $0.id)) }
    guard conflicts.isEmpty else { return conflicts }
    try requireLocked(present, &connection)
    let rows = EditedRows(changes, present)
    try write(rows, &connection)
    if let effect { try SourceRecordWriter(effect: effect, changes: changes).run(&connection) }
    // Now rather than at COMMIT, so that what is wrong is said before that.
    try connection.perform("set constraints all immediate")
    return []
  }

  private func of(_ kind: RecordKind) -> [Change] { changes.filter { $0.kind == kind } }

  private func ids(_ kind: RecordKind) -> [String] { of(kind).map(\.id) }
}

// MARK: - Locks

extension EditWriter {
  private func lock(_ connection: inout PGConnection) throws(StoreFailure) {
    var tables: [String] = []
    if !of(.department).isEmpty { tables.append("staffbook.departments") }
    if !of(.user).isEmpty { tables += ["staffbook.users", "staffbook.memberships"] }
    // Imports come before or behind; taken at the first row instead, it would be a deadlock.
    try connection.perform("lock table \(tables.joined(separator: ", ")) in row exclusive mode")
    if changesTree {
      // The trigger takes the lock that keeps moves free of rings; no row is touched.
      try connection.perform("update staffbook.departments set parent_id = parent_id where false")
    }
    try lock(.department, &connection)
    try lock(.user, &connection)
    let users = ids(.user)
    guard !users.isEmpty else { return }
    try connection.perform(
      """
      select from staffbook.memberships where user_id = any($1)
        order by user_id, department_id for update
      """,
      [.textArray(users)]
    )
  }

  private var changesTree: Bool {
    of(.department).contains { $0.action == .added || $0.action == .moved || $0.newID != nil }
  }

  /// What is removed, or gets another id, is also locked against those who refer to it.
  private func lock(
    _ kind: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let changed = of(kind)
    var ids = Set(changed.map { ItemText($0.id) })
    if kind == .department { ids.formUnion(referredDepartments) }
    guard !ids.isEmpty else { return }
    let isStrong = changed.contains { $0.action == .removed || $0.newID != nil }
    try connection.perform(
      """
      select from staffbook.\(kind.plural) where id = any($1) order by id
        for \(isStrong ? "update" : changed.isEmpty ? "key share" : "no key update")
      """,
      [.textArray(ids.map(\.text))]
    )
  }

  /// Departments that records are put into or taken out of.
  private var referredDepartments: Set<ItemText> {
    var ids: Set<ItemText> = []
    for change in changes where change.action != .changed {
      for state in [change.before, change.after] {
        if let primary = state?.primary { ids.insert(ItemText(primary.id.rawValue)) }
        for membership in state?.memberships ?? [] {
          ids.insert(ItemText(membership.place.id.rawValue))
        }
      }
    }
    return ids
  }

  /// Throws where a row can be read and not be locked: a policy keeps it from us.
  private func requireLocked(
    _ present: CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    for kind in [RecordKind.department, .user] {
      let ids = of(kind).map(\.id).filter { present.state(kind, $0) != nil }
      guard !ids.isEmpty else { continue }
      let found = try connection.query(
        "select id from staffbook.\(kind.plural) where id = any($1) for key share",
        [.textArray(ids)]
      )
      guard found.rowCount < ids.count else { continue }
      let locked = Set((0..<found.rowCount).map { ItemText(found.cell(0, row: $0)) })
      let missing = ids.first { !locked.contains(ItemText($0)) } ?? ""
      throw .directory(
        .forbiddenRow(
          "the \(kind.rawValue) \(present.state(kind, missing)?.name ?? "") (\(missing))"
        )
      )
    }
  }
}

// MARK: - Rows

extension EditWriter {
  private func write(
    _ rows: EditedRows,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    for table in [rows.departments, rows.users] { try rename(table, &connection) }
    // Fields of departments may name people who are not there yet.
    try insert(rows.departments.without(.fields), &connection)
    try update(rows.departments.without(.fields), &connection)
    try insert(rows.users, &connection)
    try update(rows.users, &connection)
    try delete(rows.memberships, &connection)
    try insert(rows.memberships, &connection)
    try update(rows.memberships, &connection)
    try update(rows.departments.only(.fields), &connection)
    try delete(rows.users, &connection)
    try delete(rows.departments, &connection)
  }

  private func rename(
    _ table: EditedTable,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !table.renamed.isEmpty else { return }
    let count = try connection.perform(
      """
      update staffbook.\(table.kind.plural) t set id = n.latter
        from unnest($1::text[], $2::text[]) n(former, latter) where t.id = n.former
      """,
      [.textArray(table.renamed.map(\.old)), .textArray(table.renamed.map(\.new))]
    )
    try require(count, of: table.renamed.count, in: table)
  }

  private func insert(
    _ table: EditedTable,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !table.added.isEmpty else { return }
    let columns =
      table.keys + table.columns + table.kind.columns.filter { $0 == .identity }
    let count = try connection.perform(
      """
      insert into staffbook.\(table.kind.plural) (\(columns.names))
        select \(columns.casts(of: "n")) from unnest(\(columns.parameters)) n(\(columns.names))
      """,
      columns.arrays(of: table.added)
    )
    try require(count, of: table.added.count, in: table)
  }

  /// Names no column that stays as it is: who may write some columns alone may do so.
  private func update(
    _ table: EditedTable,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !table.changed.isEmpty, !table.changedColumns.isEmpty else { return }
    let columns = table.keys + table.changedColumns
    let sets = table.changedColumns.map { "\($0.name) = \($0.cast(of: "n"))" }
    let count = try connection.perform(
      """
      update staffbook.\(table.kind.plural) t set \(sets.joined(separator: ", "))
        from unnest(\(columns.parameters)) n(\(columns.names))
        where \(table.keys.matching)
      """,
      columns.arrays(of: table.changed)
    )
    try require(count, of: table.changed.count, in: table)
  }

  private func delete(
    _ table: EditedTable,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !table.removed.isEmpty else { return }
    let count = try connection.perform(
      """
      delete from staffbook.\(table.kind.plural) t
        using unnest(\(table.keys.parameters)) n(\(table.keys.names)) where \(table.keys.matching)
      """,
      table.keys.arrays(of: table.removed)
    )
    try require(count, of: table.removed.count, in: table)
  }

  /// A row that is there and was not written was kept from us without a word.
  private func require(
    _ count: Int,
    of expected: Int,
    in table: EditedTable
  ) throws(StoreFailure) {
    try Self.require(count, of: expected, of: table.kind)
  }

  static func require(
    _ count: Int,
    of expected: Int,
    of kind: RecordKind
  ) throws(StoreFailure) {
    guard count < expected else { return }
    let rows = expected == 1 ? "the row" : "\(expected - count) of \(expected) rows"
    throw .directory(.forbiddenRow("\(rows) of staffbook.\(kind.plural)"))
  }
}

extension DirectoryError {
  /// The row is there and readable, and the database does not let it be written.
  fileprivate static func forbiddenRow(_ what: String) -> DirectoryError {
    DirectoryError(
      .notPermitted,
      "cannot change \(what): the database does not let this user write it",
      advice: "nothing was changed; the policies of row-level security decide who may, or a "
        + "trigger that is not Staffbook's: ask an administrator"
    )
  }
}

extension RecordColumn {
  /// The value of a text in the column's type.
  fileprivate func cast(of table: String) -> String {
    switch self {
    case .sortOrder: "\(table).\(name)::int8"
    case .leads: "\(table).\(name)::boolean"
    case .fields: "\(table).\(name)::jsonb"
    // Of whoever comes back; everybody else gets a new one.
    case .identity: "coalesce(\(table).\(name)::uuid, gen_random_uuid())"
    default: "\(table).\(name)"
    }
  }
}

extension [RecordColumn] {
  fileprivate var names: String { map(\.name).joined(separator: ", ") }

  fileprivate var parameters: String {
    indices.map { "$\($0 + 1)::text[]" }.joined(separator: ", ")
  }

  fileprivate func casts(of table: String) -> String {
    map { $0.cast(of: table) }.joined(separator: ", ")
  }

  fileprivate var matching: String {
    map { "t.\($0.name) = n.\($0.name)" }.joined(separator: " and ")
  }

  fileprivate func arrays(of rows: [EditedTable.Row]) -> [PGParameter] {
    map { column in .textArray(rows.map { $0[column] ?? nil }) }
  }
}
