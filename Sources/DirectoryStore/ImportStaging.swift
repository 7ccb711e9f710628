import CopyFormat
import DirectoryModel
import LibPQ

/// The temporary tables that an import's rows wait in, and the lock that keeps others out.
enum ImportStaging {
  /// Joins are left to hashing: a nested loop is quadratic where statistics are wrong, and a merge
  /// of memberships by department alone, which the planner likes for its index, is quadratic in
  /// the people of one department.
  private static let settings = """
    set local work_mem = '128MB';
    set local default_table_access_method = heap;
    set local enable_nestloop = off;
    set local enable_mergejoin = off;
    set local client_min_messages = warning;
    """

  private static let contacts = Field.list { "\($0.name) text not null" }

  /// A row's place is its file and line; no index, since every check reads whole tables.
  ///
  /// A new record has an identity where it is one that comes back.
  ///
  /// A leaf is a person in one department, as lists have it: which of a person's leaves is the
  /// primary membership is settled once all are there.
  private static let tables = """
    create temporary table staged_departments (
      file integer not null,
      line bigint not null,
      id text collate "C" not null,
      parent_id text collate "C",
      name text not null,
      description text not null,
      sort_order bigint not null,
      is_implied boolean not null,
      fields jsonb not null default '{}',
      identity uuid
    ) on commit drop;
    create temporary table staged_users (
      file integer not null,
      line bigint not null,
      id text collate "C" not null,
      department_id text collate "C" not null,
      name text not null,
      title text not null,
      \(contacts),
      sort_order bigint not null,
      leads boolean not null,
      has_left boolean not null default false,
      fields jsonb not null default '{}',
      identity uuid
    ) on commit drop;
    create temporary table staged_memberships (
      file integer not null,
      line bigint not null,
      user_id text collate "C" not null,
      department_id text collate "C" not null,
      title text not null,
      sort_order bigint not null,
      leads boolean not null
    ) on commit drop;
    create temporary table staged_leaves (
      file integer not null,
      line bigint not null,
      id text collate "C" not null,
      department_id text collate "C" not null,
      name text not null,
      title text not null,
      \(contacts),
      sort_order bigint not null,
      is_primary boolean,
      leads boolean not null,
      has_left boolean not null default false,
      fields jsonb not null default '{}'
    ) on commit drop;
    """

  /// Begins the transaction.
  ///
  /// A plan alone sees one state from its first statement on and locks no session out; an import
  /// sees, once it has the lock, what was committed until then.
  static func begin(
    _ connection: inout PGConnection,
    forPlanAlone isPlan: Bool,
    by authorship: Authorship,
    doing: String
  ) throws(StoreFailure) {
    try connection.script(
      "begin isolation level \(isPlan ? "repeatable read" : "read committed") read write;"
        + SessionSettings.script(for: connection) + settings
    )
    if !isPlan { try WriteTransaction.fireTriggers(&connection, doing: doing) }
    try WriteTransaction.noticeLostClients(&connection)
    try WriteTransaction.sign(authorship, &connection)
    try connection.script(tables)
  }

  /// Why the user may not write what an import writes; `nil` for one that may.
  static func missingRights(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectoryError? {
    let missing = try connection.query(
      """
      select string_agg(format('%s on staffbook.%s', lower(p.privilege), t.relation), ', '),
          current_user
        from (values ('departments'), ('users'), ('memberships')) t(relation),
          (values ('INSERT'), ('UPDATE'), ('DELETE')) p(privilege)
        where not has_table_privilege('staffbook.' || t.relation, p.privilege)
      """
    )
    guard let list = missing.text(row: 0, column: 0) else { return nil }
    return DirectoryError(
      .notPermitted,
      "cannot import the directory: \(missing.cell(1)) lacks the privileges \(list)",
      advice: "have an administrator grant it the role staffbook_editor, or connect as a user "
        + "that has these privileges"
    )
  }

  private static let lock = """
    lock table staffbook.departments, staffbook.users, staffbook.memberships
      in share row exclusive mode
    """

  /// Keeps other imports and edits out until the transaction ends, waiting for those that hold it.
  ///
  /// - Throws: SQLSTATE 55P03 when patience is at its end.
  static func lockOutWriters(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(lock)
  }

  static func send(
    _ batch: some ImportBatch,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.copyIn(batch.copyStatement) { (writer) throws(StoreFailure) in
      do throws(PostgresError) { try writer.write(batch.bytes) } catch { throw .postgres(error) }
    }
  }

  /// Leaves out departments that people only name where another row stands for them.
  static func dropNeedlessDepartments(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform("analyze pg_temp.staged_departments")
    try connection.perform(
      """
      delete from pg_temp.staged_departments s
        where s.is_implied and exists (select from pg_temp.staged_departments other
          where other.id = s.id and not other.is_implied)
      """
    )
  }

  /// Stages a department of the database, and those above it, as they are, where the files have none of
  /// them: people go there, so that it stays.
  static func keep(
    _ department: DepartmentID,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    _ = try connection.perform(
      """
      insert into pg_temp.staged_departments
          (file, line, id, parent_id, name, description, sort_order, is_implied, fields)
        with recursive kept as (
          select d.* from staffbook.departments d where d.id = $1
          union
          select d.* from staffbook.departments d join kept on d.id = kept.parent_id
        )
        select 0, 0, id, parent_id, name, description, sort_order, false, fields from kept
          where not exists (select from pg_temp.staged_departments s where s.id = kept.id)
      """,
      [.text(department.rawValue)]
    )
  }

  /// Statistics for the plans of checks and changes.
  static func prepareForPlanning(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      analyze pg_temp.staged_departments, pg_temp.staged_users, pg_temp.staged_memberships
      """
    )
  }
}
