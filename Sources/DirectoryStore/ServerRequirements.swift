import DirectoryModel
import LibPQ

/// What a server and a database must be so that a directory can be in it.
enum ServerRequirements {
  /// PostgreSQL 13, which brought `xid8` and `pg_current_xact_id`.
  private static let oldestVersion = 130_000

  /// Throws unless version and encoding are those that we can work with.
  static func check(_ connection: borrowing PGConnection, doing: String) throws(StoreFailure) {
    guard connection.serverVersion >= oldestVersion else {
      throw .refusal(
        .badData,
        "cannot \(doing): the server is PostgreSQL \(connection.serverVersion / 10_000)",
        advice: "Staffbook needs PostgreSQL 13 or later"
      )
    }
    let encoding = connection.parameterStatus("server_encoding") ?? "unknown"
    guard encoding == "UTF8" else {
      throw .refusal(
        .badData,
        "cannot \(doing): the encoding of the database \(connection.database) is \(encoding), "
          + "which cannot represent every name",
        advice: "create it again with: create database … template template0 encoding 'UTF8'"
      )
    }
  }

  /// Throws unless the server takes changes; a standby refuses even to begin.
  static func checkWritable(
    _ connection: inout PGConnection,
    doing: String
  ) throws(StoreFailure) {
    let result = try connection.query("select pg_is_in_recovery()")
    guard result.bool(row: 0, column: 0) == true else { return }
    throw .refusal(
      .cannotWrite,
      "cannot \(doing): the server at \(connection.host) is a standby",
      advice:
        "name the primary in the connection setting, or add target_session_attrs=read-write to it"
    )
  }

  /// What a program wants of a database.
  enum Use: String {
    case reading = "min_reader"
    case writing = "min_writer"
  }

  /// Throws unless the database has the schema that this program knows, or a newer one that serves it.
  static func checkSchema(
    _ connection: inout PGConnection,
    for use: Use,
    doing: String
  ) throws(StoreFailure) {
    try check(connection, doing: doing)
    let known = Schema.newestVersion
    let version = try schemaVersion(&connection)
    if version > known {
      return try checkService(&connection, version, for: use, known, doing: doing)
    }
    guard version == known else {
      let state =
        version == 0
        ? "has no Staffbook schema"
        : "has version \(version) of the schema, and this program needs version \(known)"
      throw .refusal(
        .badData,
        "cannot \(doing): the database \(connection.database) \(state)",
        advice: try mayMigrate(&connection)
          ? "run: \(.migrate)"
          : "have the owner of the \(version == 0 ? "database" : "schema staffbook") run: \(.migrate)"
      )
    }
  }

  /// Whether the user owns the schema or, where there is none, may create it.
  private static func mayMigrate(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      select coalesce(
        (select pg_catalog.pg_has_role(n.nspowner, 'USAGE')
          from pg_catalog.pg_namespace n where n.nspname = 'staffbook'),
        pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'))
      """
    )
    return found.bool(row: 0, column: 0) == true
  }

  /// Throws unless a newer schema says that it serves programs that know no more than `known`.
  static func checkService(
    _ connection: inout PGConnection,
    _ version: Int,
    for use: Use,
    _ known: Int,
    doing: String
  ) throws(StoreFailure) {
    // A step whose row was put in by hand says nothing of whom it serves.
    let found = try connection.query(
      """
      select max(coalesce(\(use.rawValue), version)) from staffbook.migrations where version > $1::int4
      """,
      [.int64(Int64(known))]
    )
    let oldest = found.int(row: 0, column: 0) ?? version
    guard oldest <= known else {
      throw .directory(
        .databaseIsNewer(version, serving: oldest, known: known, for: use, doing: doing)
      )
    }
  }

  /// The newest applied migration; 0 where there is none.
  private static func schemaVersion(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Int {
    guard try connection.hasMigrations() else { return 0 }
    let version = try connection.query(
      "select coalesce(max(version), 0) from staffbook.migrations"
    )
    return version.int(row: 0, column: 0) ?? 0
  }
}

extension PGConnection {
  /// Whether the table of migrations exists.
  ///
  /// It asks the catalog itself: `to_regclass` may answer from a cache that knows nothing yet of
  /// what another session created while this one waited for the lock.
  mutating func hasMigrations() throws(StoreFailure) -> Bool {
    let found = try query(
      """
      select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'staffbook' and c.relname = 'migrations')
      """
    )
    return found.bool(row: 0, column: 0) == true
  }
}
