import DirectoryModel
import LibPQ

/// Whether the bookkeeping in a database can be trusted, on which reading only changes rests.
package struct TrackingInspection: Sendable {
  package var serverVersion: Int
  package var isStandby: Bool
  package var brokenTriggers: [BrokenTrigger]
  /// Deleted keys that are remembered, and writing transactions; both shrink by pruning.
  package var tombstones: Int
  package var ledgerEntries: Int
  /// Seconds since the oldest prepared transaction of this database was prepared; `nil` without one.
  package var oldestPreparedAge: Int?
}

extension DirectoryRepository {
  /// Looks at the triggers and tables that track changes; `nil` for a source of own queries, where
  /// nothing does.
  ///
  /// - Throws: `.unavailable`, `.notPermitted`, or `.badData` where there is no directory.
  package func inspectTracking() async throws(DirectoryError) -> TrackingInspection? {
    let doing = "look at the database"
    guard queries == nil else { return nil }
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: doing,
      patience: DatabasePatience(silenceLimit: options.silenceLimit, notice: notice)
    )
    return try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, doing: doing)
      let broken = try connection.query(BrokenTrigger.query + " order by 1")
      let facts = try connection.query(
        """
        select pg_is_in_recovery(), (select count(*) from staffbook.tombstones),
          (select count(*) from staffbook.ledger),
          (select extract(epoch from clock_timestamp() - min(prepared))::int8
            from pg_prepared_xacts where database = current_database())
        """
      )
      return TrackingInspection(
        serverVersion: connection.serverVersion,
        isStandby: facts.bool(row: 0, column: 0) ?? false,
        brokenTriggers: (0..<broken.rowCount).map { row in
          BrokenTrigger(name: broken.cell(0, row: row), remedy: broken.text(row: row, column: 1))
        },
        tombstones: facts.int(row: 0, column: 1) ?? 0,
        ledgerEntries: facts.int(row: 0, column: 2) ?? 0,
        oldestPreparedAge: facts.int(row: 0, column: 3)
      )
    }
  }
}
