import LibPQ
import TestSupport

/// A connection to the test server whose tables are its own (temporary) and dropped afterwards.
///
/// A database for each of so many small tests would take most of their time.
func withConnection(
  _ body: (inout PGConnection) async throws -> Void
) async throws {
  var connection = try PGConnection(conninfo: TestDatabase.serverConninfo())
  try connection.execute("set search_path to pg_temp")
  try await body(&connection)
}

extension PGConnection {
  /// The one cell of a query's one row.
  mutating func value(_ sql: String, _ parameters: [PGParameter] = []) throws -> String? {
    let result = try execute(sql, parameters)
    return result.text(row: 0, column: 0)
  }

  /// Closes the session that `other` uses, as an administrator would.
  mutating func terminate(_ other: borrowing PGConnection) throws {
    try execute("select pg_terminate_backend($1, 5000)", [.int64(Int64(other.backendPID))])
  }
}
