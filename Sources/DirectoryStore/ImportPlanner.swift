import CopyFormat
import DirectoryModel
import LibPQ

/// Compares sound staged rows with the directory, once: what differs is kept in temporary tables,
/// from which the plan is shown and then carried out.
///
///     import_departments   id, action
///     import_users         id, action
///     import_memberships   user_id, department_id, action
///     import_people        id, action      what the rows of users and memberships come to
///
/// An action is `a` added, `c` changed, `m` moved, `r` removed. What is the same stands in none.
struct ImportPlanner: Sendable {
  let replaces: Bool
  /// Whether a list says what else goes: `ImportOwnership`.
  var hasSource = false

  /// Every membership that the files ask for, the primary ones included.
  static let stagedMemberships = """
    (select id as user_id, department_id, title, sort_order, leads from pg_temp.staged_users
      union all
    select user_id, department_id, title, sort_order, leads from pg_temp.staged_memberships)
    """

  /// - Parameters:
  ///   - connection: In the import's transaction, all others locked out.
  ///   - isEmpty: Whether the directory is empty, so that all is new.
  ///   - listed: Whether the tables are wanted also where they only say that all is new.
  /// - Returns: What the import will do.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of files and, with `replaces`, of the database.
  func run(
    _ connection: inout PGConnection,
    isEmpty: Bool,
    listed: Bool
  ) throws(StoreFailure) -> ChangeTotals {
    var summary = try staged(&connection)
    if isEmpty {
      if listed { try compare(&connection) }
      summary.markAllAdded()
      return summary
    }
    try compare(&connection)
    try count("import_departments", &summary.departments, &connection)
    try count("import_people", &summary.users, &connection)
    try count("import_memberships", &summary.memberships, &connection)
    summary.users.unchanged += try notMentioned(&connection)
    return summary
  }

  /// The directory's rows, all taken for unchanged.
  private func staged(_ connection: inout PGConnection) throws(StoreFailure) -> ChangeTotals {
    let counts = try connection.query(
      """
      select (select count(*) from pg_temp.staged_departments),
        (select count(*) from pg_temp.staged_users),
        (select count(*) from pg_temp.staged_memberships)
      """
    )
    var summary = ChangeTotals()
    summary.departments.unchanged = counts.int(row: 0, column: 0) ?? 0
    summary.users.unchanged = counts.int(row: 0, column: 1) ?? 0
    summary.memberships.unchanged =
      summary.users.unchanged + (counts.int(row: 0, column: 2) ?? 0)
    return summary
  }

  /// Counts a table's actions; all but what is removed stands in the files.
  private func count(
    _ table: String,
    _ counts: inout ChangeCounts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let found = try connection.query(
      """
      select count(*) filter (where action = 'a'), count(*) filter (where action = 'c'),
        count(*) filter (where action = 'm'), count(*) filter (where action = 'r')
        from pg_temp.\(table)
      """
    )
    counts.added = found.int(row: 0, column: 0) ?? 0
    counts.changed = found.int(row: 0, column: 1) ?? 0
    counts.moved = found.int(row: 0, column: 2) ?? 0
    counts.removed = found.int(row: 0, column: 3) ?? 0
    counts.unchanged -= counts.added + counts.changed + counts.moved
  }

  /// People whom only further memberships touch, and whom the files of users do not name.
  private func notMentioned(_ connection: inout PGConnection) throws(StoreFailure) -> Int {
    let found = try connection.query(
      """
      select count(*) from pg_temp.import_people p where p.action in ('c', 'm')
        and not exists (select from pg_temp.staged_users s where s.id = p.id)
      """
    )
    return found.int(row: 0, column: 0) ?? 0
  }
}

extension ImportPlanner {
  private func compare(_ connection: inout PGConnection) throws(StoreFailure) {
    try compareDepartments(&connection)
    try compareUsers(&connection)
    try compareMemberships(&connection)
    try comparePeople(&connection)
    try connection.perform(
      "analyze pg_temp.import_departments, pg_temp.import_users, pg_temp.import_memberships"
    )
  }

  /// With `replaces` also what is only in the directory takes part.
  private var join: String { replaces ? "full join" : "left join" }

  private func compareDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_departments on commit drop as
        select coalesce(s.id, d.id) as id,
            case when d.id is null then 'a' when s.id is null then 'r'
              when s.parent_id is distinct from d.parent_id then 'm' else 'c' end::"char" as action
          from pg_temp.staged_departments s \(join) staffbook.departments d on d.id = s.id
          where d.id is null or s.id is null
            or (d.parent_id, d.name, d.description, d.sort_order, d.fields)
              is distinct from (s.parent_id, s.name, s.description, s.sort_order, s.fields)
        \(hasSource ? "union all select id, 'r' from pg_temp.import_closed" : "")
      """
    )
  }

  private func compareUsers(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_users on commit drop as
        select coalesce(s.id, u.id) as id,
            case when u.id is null then 'a' when s.id is null then 'r'
              when s.department_id <> u.primary_department_id then 'm'
              else 'c' end::"char" as action
          from pg_temp.staged_users s \(join) staffbook.users u on u.id = s.id
          where u.id is null or s.id is null
            or (u.name, \(Field.columns("u.")), u.primary_department_id, u.fields)
              is distinct from (s.name, \(Field.columns("s.")), s.department_id, s.fields)
        \(hasSource ? "union all select id, 'r' from pg_temp.import_leavers where is_removed" : "")
      """
    )
  }

  /// Without `replaces` the old primary membership goes where another takes its place, unless the
  /// files name it as a further one.
  private func compareMemberships(_ connection: inout PGConnection) throws(StoreFailure) {
    let replaced =
      replaces
      ? ""
      : """
       union all
      select u.id, u.primary_department_id, 'r'::"char"
        from staffbook.users u join pg_temp.staged_users s on s.id = u.id
        where s.department_id <> u.primary_department_id
          and not exists (select from pg_temp.staged_memberships m
            where m.user_id = u.id and m.department_id = u.primary_department_id)
      """
    try connection.perform(
      """
      create temporary table import_memberships on commit drop as
        select coalesce(s.user_id, m.user_id) as user_id,
            coalesce(s.department_id, m.department_id) as department_id,
            case when m.user_id is null then 'a' when s.user_id is null then 'r'
              else 'c' end::"char" as action
          from \(Self.stagedMemberships) s \(join) staffbook.memberships m
            on m.user_id = s.user_id and m.department_id = s.department_id
          where m.user_id is null or s.user_id is null
            or (m.title, m.sort_order, m.leads)
              is distinct from (s.title, s.sort_order, s.leads)\(replaced)
        \(hasSource ? "union all \(ImportOwnership.places)" : "")
      """
    )
  }

  private func comparePeople(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_people on commit drop as
        select id, case min(weight) when 0 then 'a' when 1 then 'r' when 2 then 'm'
            else 'c' end::"char" as action
          from (
            select id, case action when 'a' then 0 when 'r' then 1 when 'm' then 2 else 3 end
                as weight
              from pg_temp.import_users
            union all
            select user_id, 3 from pg_temp.import_memberships
            \(hasSource ? "union all select former, 3 from pg_temp.import_renames" : "")
          ) touched
          group by id
      """
    )
  }
}

extension ChangeTotals {
  /// Into an empty directory all is new.
  fileprivate mutating func markAllAdded() {
    departments = ChangeCounts(added: departments.unchanged)
    users = ChangeCounts(added: users.unchanged)
    memberships = ChangeCounts(added: memberships.unchanged)
  }
}
