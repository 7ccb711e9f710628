import DirectoryModel
import LibPQ

/// Reads the directory out of PostgreSQL.
///
/// Connections block on a thread of their own, never one of the cooperative pool.
package actor DirectoryRepository {
  private let conninfo: String
  /// `nil` for our own tables.
  private let queries: DirectoryQueries?
  private static let doing = "load the directory"

  /// Makes a repository; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - queries: Queries over somebody's own tables, in place of ours.
  package init(conninfo: String, queries: DirectoryQueries? = nil) {
    self.conninfo = conninfo
    self.queries = queries
  }

  /// Reads everything in one consistent state, straight into columns.
  ///
  /// - Parameter progress: Called now and then, on the connection's thread.
  /// - Returns: The records, where they come from, and what a later sync starts from.
  /// - Throws: `unavailable`, `notPermitted`, or `badData` where there is no directory.
  /// - Complexity: O(bytes); one row at a time beside the records themselves.
  package func load(
    progress: (@Sendable (LoadProgress) -> Void)? = nil
  ) async throws(DirectoryError) -> LoadedDirectory {
    let database = try await Database.connect(conninfo: conninfo, doing: Self.doing)
    if let queries { return try await load(queries, from: database, progress: progress) }
    return try await database.run { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, doing: Self.doing)
      return try connection.inTransaction(.consistentRead) {
        (connection) throws(StoreFailure) in
        try Self.lockTables(&connection)
        let source = try SourceReader.read(&connection)
        var loader = RecordLoader(
          expectedRows: try SourceReader.estimatedRows(&connection),
          progress: progress
        )
        let records = try loader.load(&connection)
        return LoadedDirectory(records: records, source: source)
      }
    }
  }

  /// Waits for whoever truncates or alters a table.
  ///
  /// It must come before the first query: that takes the snapshot, and a TRUNCATE that ends
  /// between the snapshot and the first look at a table would show it empty under the old epoch.
  /// Reads somebody's own tables in one consistent state; nothing there tracks changes.
  private func load(
    _ queries: DirectoryQueries,
    from database: Database,
    progress: (@Sendable (LoadProgress) -> Void)?
  ) async throws(DirectoryError) -> LoadedDirectory {
    try await database.run { (connection) throws(StoreFailure) in
      try ServerRequirements.check(connection, doing: Self.doing)
      return try connection.inTransaction(.consistentRead) {
        (connection) throws(StoreFailure) in
        let source = try SourceReader.readUntracked(&connection)
        // Their queries mean the tables that their account sees, as in psql.
        try connection.perform("reset search_path")
        var loader = RecordLoader(
          RecordQueries(queries),
          expectedRows: nil,
          progress: progress
        )
        return LoadedDirectory(records: try loader.load(&connection), source: source)
      }
    }
  }

  private static func lockTables(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      lock table staffbook.epoch, staffbook.ledger, staffbook.tombstones,
        staffbook.departments, staffbook.users, staffbook.memberships in access share mode
      """
    )
  }
}
