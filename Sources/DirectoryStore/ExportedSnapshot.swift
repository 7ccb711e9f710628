import DirectoryModel
import LibPQ

/// One state of the database, held open so that another program reads the very same one.
package struct ExportedSnapshot: Sendable {
  private let database: Database
  /// What the other program calls it (PostgreSQL: pg_export_snapshot()).
  package let name: String
  /// How many rows the tables of the schema `staffbook` have.
  package let rows: TableRows

  /// Begins the transaction that holds it, which ends with the last copy of this value.
  ///
  /// The schema may be of any version: what is to be migrated is backed up first.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - doing: What is being done, for messages: `back up the database`.
  ///   - access: How long to wait for the server, and whom to tell.
  /// - Throws: What keeps the database from being read; `.badData` where it holds no directory.
  /// - Complexity: Linear in the rows, which are counted.
  package init(
    conninfo: String,
    doing: String,
    access: DatabaseAccess
  ) async throws(DirectoryError) {
    database = try await Database.connect(conninfo: conninfo, doing: doing, access: access.alone)
    (name, rows) = try await database.run { (connection) throws(StoreFailure) in
      try connection.script(
        "begin isolation level repeatable read, read only;"
          + SessionSettings.script(for: connection)
      )
      guard try connection.hasMigrations() else {
        throw .refusal(.badData, "cannot \(doing): the database contains no directory")
      }
      let name = try connection.query("select pg_export_snapshot()").cell(0)
      return (name, try connection.asOwner(doing, TableRows.init))
    }
  }

  /// How many rows the tables of a database's directory have; none where it holds none.
  package static func rows(
    conninfo: String,
    doing: String,
    access: DatabaseAccess
  ) async throws(DirectoryError) -> TableRows {
    let database = try await Database.connect(conninfo: conninfo, doing: doing, access: access)
    return try await database.look { (connection) throws(StoreFailure) in
      try connection.hasMigrations() ? connection.asOwner(doing, TableRows.init) : TableRows()
    }
  }
}

/// How many rows the tables of the schema `staffbook` have, by their names.
package struct TableRows: Equatable, Sendable {
  package var counts: [String: Int] = [:]

  package init() {}

  package var departments: Int { counts["departments"] ?? 0 }
  package var users: Int { counts["users"] ?? 0 }
  package var memberships: Int { counts["memberships"] ?? 0 }
  /// Those of the history.
  package var transactions: Int { counts["transactions"] ?? 0 }
  package var tokens: Int { counts["tokens"] ?? 0 }
  /// The version of the schema: the newest step in `migrations`; 0 without any.
  package var schemaVersion = 0

  init(_ connection: inout PGConnection) throws(StoreFailure) {
    let tables = try connection.query(
      """
      select c.relname, format('select count(*) from staffbook.%I', c.relname)
        from pg_class c
        where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'r'
      """
    )
    for row in 0..<tables.rowCount {
      let found = try connection.query(tables.cell(1, row: row))
      counts[tables.cell(0, row: row)] = found.int(row: 0, column: 0)
    }
    let newest = try connection.query("select max(version) from staffbook.migrations")
    schemaVersion = newest.int(row: 0, column: 0) ?? 0
  }
}
