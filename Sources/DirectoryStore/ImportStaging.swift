import DirectoryModel
import LibPQ

/// The temporary tables that an import's rows wait in.
enum ImportStaging {
  /// Joins are left to hashing: a nested loop is quadratic where statistics are wrong, and a merge
  /// of memberships by department alone, which the planner likes for its index, is quadratic in
  /// the people of one department.
  private static let transaction = """
    begin isolation level read committed read write;
    set local lock_timeout = '10s';
    set local work_mem = '128MB';
    set local jit = off;
    set local enable_nestloop = off;
    set local enable_mergejoin = off;
    set local client_min_messages = warning;
    lock table staffbook.departments, staffbook.users, staffbook.memberships
      in share row exclusive mode;
    """

  /// A row's place is its file and line; no index, since every check reads whole tables.
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
    """

  static func begin(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.script(transaction)
    try noticeLostClients(&connection)
    try connection.script(tables)
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
