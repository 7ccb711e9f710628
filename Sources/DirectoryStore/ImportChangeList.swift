import DirectoryModel
import LibPQ

/// Reads the plan's tables as changes by name, page by page.
///
/// Departments come first; within a kind what is added, changed, moved and removed, in this order,
/// each by name. A person's rows stand together: the person's own, where there is one, then one for
/// each membership.
enum ImportChangeList {
  /// Rows fetched at a time.
  private static let pageSize = 1_000

  /// Makes the changes ready to be read; before the plan is carried out.
  static func open(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      declare import_changes no scroll cursor for
        \(departments) union all \(people) union all \(memberships)
        order by 1, 2, 3, 4, 5
      """
    )
  }

  /// The next rows; none at the end.
  static func next(_ connection: inout PGConnection) throws(StoreFailure) -> [ImportChangeRow] {
    let page = try connection.query("fetch \(pageSize) from import_changes")
    return (0..<page.rowCount).map { ImportChangeRow(page, $0) }
  }

  /// Ends the reading.
  static func close(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("close import_changes")
  }

  /// The first ones of what is removed.
  ///
  /// - Parameters:
  ///   - kind: Departments or users.
  ///   - limit: The most of them.
  ///   - connection: In the import's transaction, before the plan is carried out.
  /// - Returns: Them with their places, in the order of names.
  /// - Throws: When the database cannot be asked.
  static func removed(
    _ kind: RecordKind,
    atMost limit: Int,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Change] {
    let table = kind == .department ? "departments" : "users"
    let found = try connection.query(
      """
      select t.id, t.name, d.id, d.name
        from staffbook.\(table) t join pg_temp.import_\(table) p on p.id = t.id
          left join staffbook.departments d on d.id = t.\(kind.keys[1].name)
        where p.action = 'r' order by t.name collate "C", t.id limit \(limit)
      """
    )
    return (0..<found.rowCount).map { row in
      let primary = found.text(row: row, column: 2).map { id in
        Change.Place(id: DepartmentID(id), name: found.cell(3, row: row))
      }
      return Change(
        kind: kind,
        action: .removed,
        id: found.cell(0, row: row),
        before: Change.State(name: found.cell(1, row: row), primary: primary)
      )
    }
  }

  /// Selects departments in the columns that `ImportChangeRow` names.
  ///
  ///     0 people after departments   1 weight of the action   2 name   3 id   4 place
  ///     5 action   6 row's action    7 from   8 its name      9 to    10 its name
  ///     11 … values, each old and new
  private static let departments = """
    select 0, \(weight("p.action")), coalesce(s.name, d.name) collate "C", p.id,
        '' collate "C", p.action, p.action, d.parent_id, coalesce(q.name, o.name), s.parent_id,
        coalesce(n.name, f.name), \(values(.department, old: "d", new: "s"))
      from pg_temp.import_departments p
        left join pg_temp.staged_departments s on s.id = p.id
        left join staffbook.departments d on d.id = p.id
        left join staffbook.departments o on o.id = d.parent_id
        left join pg_temp.staged_departments q on q.id = d.parent_id
        left join pg_temp.staged_departments n on n.id = s.parent_id
        left join staffbook.departments f on f.id = s.parent_id
    """

  private static let people = """
    select 1, \(weight("w.action")), coalesce(s.name, u.name), p.id, '', w.action, p.action,
        u.primary_department_id, coalesce(q.name, o.name), s.department_id, coalesce(n.name, f.name),
        \(values(.user, old: "u", new: "s"))
      from pg_temp.import_users p join pg_temp.import_people w on w.id = p.id
        left join pg_temp.staged_users s on s.id = p.id
        left join staffbook.users u on u.id = p.id
        left join staffbook.departments o on o.id = u.primary_department_id
        left join pg_temp.staged_departments q on q.id = u.primary_department_id
        left join pg_temp.staged_departments n on n.id = s.department_id
        left join staffbook.departments f on f.id = s.department_id
    """

  private static let memberships = """
    select 1, \(weight("w.action")), coalesce(s.name, u.name), p.user_id, p.department_id,
        w.action, p.action, null, null, null, coalesce(n.name, f.name),
        \(values(.membership, old: "m", new: "t"))
      from pg_temp.import_memberships p join pg_temp.import_people w on w.id = p.user_id
        left join pg_temp.staged_users s on s.id = p.user_id
        left join staffbook.users u on u.id = p.user_id
        left join pg_temp.staged_departments n on n.id = p.department_id
        left join staffbook.departments f on f.id = p.department_id
        left join \(ImportPlanner.stagedMemberships) t
          on t.user_id = p.user_id and t.department_id = p.department_id
        left join staffbook.memberships m
          on m.user_id = p.user_id and m.department_id = p.department_id
      where w.action <> 'r'
    """

  /// The old and new values of `RecordKind.valueColumns`, then those of declared fields: as many
  /// columns for every kind.
  private static func values(_ kind: RecordKind, old: String, new: String) -> String {
    let columns = kind.valueColumns + (kind.texts.contains(.fields) ? [.fields] : [])
    let most = RecordKind.allCases.map(\.valueColumns.count).max() ?? 0
    let cells = columns.map { "\(old).\($0.name)::text, \(new).\($0.name)::text" }
    let rest = Array(repeating: "null::text, null::text", count: max(0, most + 1 - cells.count))
    return (cells + rest).joined(separator: ", ")
  }

  private static func weight(_ action: String) -> String {
    "case \(action) when 'a' then 0 when 'c' then 1 when 'm' then 2 else 3 end"
  }
}

/// A row of the list; a person may take several.
struct ImportChangeRow: Sendable {
  private let cells: [String?]

  init(_ result: borrowing PGResult, _ row: Int) {
    cells = (0..<result.columnCount).map { result.text(row: row, column: $0) }
  }

  var kind: RecordKind { cells[0] == "0" ? .department : .user }
  var name: String { cells[2] ?? "" }
  var id: String { cells[3] ?? "" }
  /// The department of a membership; `nil` in a record's own row.
  var membership: Change.Place? {
    guard let id = cells[4], !id.isEmpty else { return nil }
    return Change.Place(id: DepartmentID(id), name: cells[10] ?? "")
  }

  /// What happens to the department or person.
  var action: Change.Action { Self.action(cells[5]) }
  /// What happens to the row.
  var rowAction: Change.Action { Self.action(cells[6]) }
  var from: Change.Place? { place(7) }
  var to: Change.Place? { place(9) }

  /// One of the values, before and after; `nil` where there is none.
  func old(_ value: Int) -> String? { cells[11 + 2 * value] }
  func new(_ value: Int) -> String? { cells[12 + 2 * value] }

  private func place(_ column: Int) -> Change.Place? {
    cells[column].map { .init(id: DepartmentID($0), name: cells[column + 1] ?? "") }
  }

  private static func action(_ text: String?) -> Change.Action {
    switch text {
    case "a": .added
    case "r": .removed
    case "m": .moved
    default: .changed
    }
  }
}
