import DirectoryModel
import LibPQ

/// The temporary tables that an import's rows wait in, and the lock that keeps others out.
enum ImportStaging {
  /// Joins are left to hashing: a nested loop is quadratic where statistics are wrong, and a merge
  /// of memberships by department alone, which the planner likes for its index, is quadratic in
  /// the people of one department.
  private static let settings = """
    set local lock_timeout = '10s';
    set local work_mem = '128MB';
    set local jit = off;
    set local enable_nestloop = off;
    set local enable_mergejoin = off;
    set local client_min_messages = warning;
    """

  /// A row's place is its file and line; no index, since every check reads whole tables.
  ///
  /// A leaf is a person in one department, as lists have it: which of a person's leaves is the
  /// primary membership is settled once all are there.
  private static let tables = """
    create temporary table staged_departments (
      file smallint not null,
      line bigint not null,
      id text collate "C" not null,
      parent_id text collate "C",
      name text not null,
      description text not null,
      sort_order bigint not null
    ) on commit drop;
    create temporary table staged_users (
      file smallint not null,
      line bigint not null,
      id text collate "C" not null,
      department_id text collate "C" not null,
      name text not null,
      title text not null,
      email text not null,
      phone text not null,
      sort_order bigint not null
    ) on commit drop;
    create temporary table staged_memberships (
      file smallint not null,
      line bigint not null,
      user_id text collate "C" not null,
      department_id text collate "C" not null,
      title text not null,
      sort_order bigint not null
    ) on commit drop;
    create temporary table staged_leaves (
      file smallint not null,
      line bigint not null,
      id text collate "C" not null,
      department_id text collate "C" not null,
      name text not null,
      title text not null,
      email text not null,
      phone text not null,
      sort_order bigint not null,
      is_primary boolean
    ) on commit drop;
    """

  /// Begins the transaction.
  ///
  /// A plan alone sees one state from its first statement on and locks nobody out; an import sees,
  /// once it has the lock, what was committed until then.
  static func begin(
    _ connection: inout PGConnection,
    forPlanAlone isPlan: Bool
  ) throws(StoreFailure) {
    if !isPlan { try requireRights(&connection) }
    try connection.script(
      "begin isolation level \(isPlan ? "repeatable read" : "read committed") read write"
    )
    try connection.script(settings)
    try noticeLostClients(&connection)
    try connection.script(tables)
  }

  /// Throws unless the user may write; long files would otherwise be read in vain.
  private static func requireRights(_ connection: inout PGConnection) throws(StoreFailure) {
    let missing = try connection.query(
      """
      select string_agg(format('%s on staffbook.%s', lower(p.privilege), t.relation), ', '),
          current_user
        from (values ('departments'), ('users'), ('memberships')) t(relation),
          (values ('INSERT'), ('UPDATE'), ('DELETE')) p(privilege)
        where not has_table_privilege('staffbook.' || t.relation, p.privilege)
      """
    )
    guard let list = missing.text(row: 0, column: 0) else { return }
    throw .directory(
      DirectoryError(
        .notPermitted,
        "cannot import the directory: \(missing.cell(1)) has no right to \(list)",
        advice: "let the owner grant insert, update and delete on the three tables, or use a user "
          + "that has them"
      )
    )
  }

  /// Lets the server end a statement whose client was killed, which otherwise runs to its end and
  /// locks everybody else out (`client_connection_check_interval`, since PostgreSQL 14).
  private static func noticeLostClients(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      select set_config(name, '1s', true) from pg_settings
        where name = 'client_connection_check_interval'
      """
    )
  }

  private static let lock = """
    lock table staffbook.departments, staffbook.users, staffbook.memberships
      in share row exclusive mode
    """

  /// Keeps other imports and edits out until the transaction ends.
  ///
  /// - Parameters:
  ///   - connection: In the import's transaction.
  ///   - patience: Seconds to wait for whoever is there.
  ///   - waiting: Called once when there is somebody to wait for.
  /// - Throws: SQLSTATE 55P03 when patience is at its end.
  static func lockOthersOut(
    _ connection: inout PGConnection,
    patience: Int,
    waiting: () -> Void
  ) throws(StoreFailure) {
    try connection.script("savepoint before_lock")
    do throws(StoreFailure) {
      try connection.perform(lock + " nowait")
    } catch {
      guard case .postgres(let reason) = error, reason.sqlstate == .lockNotAvailable else {
        throw error
      }
      try connection.script("rollback to before_lock")
      waiting()
      try connection.script("set local lock_timeout = '\(patience)s'")
      try connection.perform(lock)
      try connection.script("set local lock_timeout = '10s'")
    }
    try connection.script("release before_lock")
  }

  static func send(
    _ batch: some ImportBatch,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    do throws(PostgresError) {
      try connection.copyIn(type(of: batch).copyStatement) { (writer) throws(PostgresError) in
        try writer.write(batch.bytes)
      }
    } catch {
      throw .postgres(error)
    }
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
