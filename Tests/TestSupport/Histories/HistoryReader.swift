import LibPQ
import Synchronization

/// Anyone who keeps a copy of the directory and brings it up to date again and again: what
/// histories are played to.
package protocol HistoryReader: Sendable {
  /// Brings the copy up to a source.
  ///
  /// - Parameters:
  ///   - conninfo: The source.
  ///   - witness: To be called once, on the connection and in the transaction of the read.
  /// - Returns: What was done and what the copy holds now.
  /// - Throws: When the source cannot be read; the copy is then as it was.
  func sync(with conninfo: String, witness: @escaping HistoryWitness) async throws -> HistorySync
}

/// Looks at the tables as the transaction sees them.
package typealias HistoryWitness = @Sendable (inout PGConnection) throws(PostgresError) -> Void

/// One sync as its reader reports it.
package struct HistorySync: Sendable {
  /// Why everything was read; `nil` when only changes were.
  package var comparedBecause: String?
  package var rows: DirectoryRows

  package init(comparedBecause: String?, rows: DirectoryRows) {
    self.comparedBecause = comparedBecause
    self.rows = rows
  }
}

/// The truth about one read: its snapshot is exported, and a second session reads the tables under
/// it while the first is still there. (manual, "Snapshot Synchronization Functions")
package final class SnapshotWitness: Sendable {
  private let conninfo: String
  private let seen = Mutex<DirectoryRows?>(nil)

  /// - Parameter conninfo: The same server and database as the reader's.
  package init(_ conninfo: String) { self.conninfo = conninfo }

  /// The tables; `nil` before the witness was called.
  package var rows: DirectoryRows? { seen.withLock { $0 } }

  package func look(_ connection: inout PGConnection) throws(PostgresError) {
    let snapshot =
      try connection.execute("select pg_catalog.pg_export_snapshot()")
      .text(row: 0, column: 0) ?? ""
    var second = try PGConnection(conninfo: conninfo)
    let rows = try second.transaction(
      PGTransactionOptions(
        isolation: .repeatableRead,
        readOnly: true,
        prologue: "set transaction snapshot '\(snapshot)'"
      )
    ) { (second) throws(PostgresError) in try DirectoryRows(&second) }
    seen.withLock { $0 = rows }
  }
}
