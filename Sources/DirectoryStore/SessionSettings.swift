import LibPQ

/// The settings that statements of ours rely on, whatever a role, a database or the environment
/// has set: the defaults of PostgreSQL, but for what is said here.
///
/// They go along with BEGIN and end with the transaction. So they cost no round trip, and behind a
/// pooler no other client inherits them. What is left alone is the user's choice and changes no
/// result: `role`, `synchronous_commit`, the tablespaces, the planner's settings.
enum SessionSettings {
  /// How long one lock is waited for, also that of a row or an import.
  static let lockPatience = Duration.seconds(30)

  /// The statements to send along with BEGIN, none of which takes a snapshot.
  ///
  /// - Parameters:
  ///   - connection: Whose server may lack some, and whose limit of silence a lock's may not reach.
  ///   - meansOwnTables: Whether names and times are to mean what they mean to the account, as in
  ///     psql: for the user's own queries.
  /// - Returns: SQL that ends with a semicolon.
  static func script(
    for connection: borrowing PGConnection,
    meansOwnTables: Bool = false
  ) -> String {
    var settings = [
      // Results come as text.
      ("bytea_output", "hex"), ("datestyle", "iso"), ("intervalstyle", "postgres"),
      ("extra_float_digits", "1"),
      ("standard_conforming_strings", "on"), ("row_security", "on"), ("jit", "off"),
      // We have limits of our own.
      ("statement_timeout", "0"), ("idle_in_transaction_session_timeout", "0"),
      ("lock_timeout", "\(lockMilliseconds(silenceLimit: connection.patience.silenceLimit))"),
    ]
    if !meansOwnTables { settings.append(("search_path", "pg_catalog, pg_temp")) }
    // It runs from BEGIN on: one of a millisecond may strike before it is switched off.
    if connection.serverVersion >= 170_000 { settings.append(("transaction_timeout", "0")) }
    return settings.map { "set local \($0) = \($1);" }.joined(separator: "\n")
  }

  /// Somewhat less than the limit of silence, so that a lock is not taken for a dead server.
  static func lockMilliseconds(silenceLimit: Duration?) -> Int {
    let silence = silenceLimit.map { max($0 - .milliseconds(500), .milliseconds(500)) }
    return Int(min(lockPatience, silence ?? lockPatience) / .milliseconds(1))
  }
}

extension PGTransactionOptions {
  /// For a look at what is there, statement by statement.
  static let look = PGTransactionOptions(isolation: .readCommitted, readOnly: true)
  /// For writing what was not read before.
  static let write = PGTransactionOptions(isolation: .readCommitted, readOnly: false)
}
