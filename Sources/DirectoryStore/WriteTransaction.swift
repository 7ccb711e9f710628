import DirectoryModel
import LibPQ

/// What every transaction that writes the directory needs beyond its isolation.
enum WriteTransaction {
  /// Runs `body` in one transaction of a database that takes it.
  static func run<R: Sendable>(
    _ conninfo: String,
    _ access: DatabaseAccess,
    by authorship: Authorship,
    doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    let database = try await Database.connect(conninfo: conninfo, doing: doing, access: access)
    try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: .writing, doing: doing)
      try ServerRequirements.checkWritable(&connection, doing: doing)
    }
    return try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.write) { (connection) throws(StoreFailure) in
        try sign(authorship, &connection)
        return try body(&connection)
      }
    }
  }

  /// Begins one that sees, statement by statement, what was committed until then.
  static func begin(
    _ connection: inout PGConnection,
    by authorship: Authorship,
    doing: String
  ) throws(StoreFailure) {
    try connection.script(
      "begin isolation level read committed read write;" + SessionSettings.script(for: connection)
    )
    try fireTriggers(&connection, doing: doing)
    try noticeLostClients(&connection)
    try sign(authorship, &connection)
  }

  /// Tells the transaction's history who is meant to have done it, and why.
  static func sign(
    _ authorship: Authorship,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      select set_config('staffbook.actor', $1, true), set_config('staffbook.reason', $2, true)
      """,
      [.text(authorship.actor), .text(authorship.reason)]
    )
  }

  /// Makes foreign keys be checked where an administrator set `session_replication_role` to
  /// `replica` for the role or the database: rows that point to nothing would be let in.
  static func fireTriggers(
    _ connection: inout PGConnection,
    doing: String
  ) throws(StoreFailure) {
    do throws(StoreFailure) {
      try connection.perform(
        """
        select set_config('session_replication_role', 'origin', true)
          where current_setting('session_replication_role') = 'replica'
        """
      )
    } catch {
      guard case .postgres(let reason) = error, reason.sqlstate == .insufficientPrivilege else {
        throw error
      }
      throw .refusal(
        .notPermitted,
        "cannot \(doing): session_replication_role is replica for this user or "
          + "database, which turns off foreign keys, and only a superuser may change that",
        advice: "have an administrator reset it (alter role … reset session_replication_role)"
      )
    }
  }

  /// Lets the server end a statement whose client was killed, which otherwise runs to its end and
  /// locks everybody else out (`client_connection_check_interval`, since PostgreSQL 14).
  static func noticeLostClients(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      select set_config(name, '1s', true) from pg_settings
        where name = 'client_connection_check_interval'
      """
    )
  }
}

extension PGConnection {
  /// What helps where PostgreSQL refuses what owners may do.
  ///
  /// Source: PostgreSQL 13 to 18, aclchk.c (`permission denied for database`), which CREATE SCHEMA asks for.
  private static func ownersRemedy(_ message: String) -> String {
    message.contains("permission denied for database")
      ? "have the owner of the database grant CREATE on it to this user"
      : "only the owner of the schema staffbook may do that"
  }

  /// Does what only the owner of the schema may do, and says so where the database does not permit it.
  mutating func asOwner<R>(
    _ doing: String,
    _ body: (inout PGConnection) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    do throws(StoreFailure) { return try body(&self) } catch {
      guard case .postgres(let reason) = error, reason.sqlstate == .insufficientPrivilege else {
        throw error
      }
      throw .refusal(
        .notPermitted,
        DirectoryError(reason, doing: doing).message,
        advice:
          "nothing was changed; \(Self.ownersRemedy(DirectoryError(reason, doing: doing).message))"
      )
    }
  }
}
