import DirectoryModel
import LibPQ

/// Whether the bookkeeping in a database can be trusted, on which reading only changes rests.
package struct TrackingInspection: Sendable {
  package var serverVersion: Int
  package var isStandby: Bool
  package var brokenTriggers: [BrokenTrigger]
  /// Those without which no process is notified of changes.
  package var silentTriggers: [BrokenTrigger]
  /// Deleted keys that are remembered, and writing transactions; both shrink by pruning.
  package var tombstones: Int
  package var ledgerEntries: Int
  /// Seconds since the oldest prepared transaction of this database was prepared; `nil` without one.
  package var oldestPreparedAge: Int?
  package var history: HistoryInspection
}

/// Whether history has everything that the tables show.
package struct HistoryInspection: Sendable {
  package var brokenTriggers: [BrokenTrigger]
  /// Microseconds since 1970, UTC: what was before is not known.
  package var began: Int64
  package var transactions: Int
  /// Records that are other than history has them; `nil` where nothing points to it.
  package var unrecorded: Int?
  /// Why what was recorded cannot be seen; `nil` where it can.
  package var cause: Cause?

  package enum Cause: Sendable {
    /// Policies hide records, and the role is not a member of `staffbook_historian`.
    case policies(role: String)
    /// The role may not compare history with the records.
    case rights(role: String)
  }
}

extension HistoryInspection {
  /// Compares every record if asked to, or if the tables look like it.
  static func read(
    _ connection: inout PGConnection,
    isThorough: Bool
  ) throws(StoreFailure) -> HistoryInspection {
    let broken = try BrokenTrigger.read(BrokenTrigger.historyQuery, &connection)
    let rights = try connection.query(
      """
      select current_user, bool_and(coalesce(
          has_function_privilege(to_regprocedure('staffbook.' || f.name), 'execute'), false))
        from (values ('layout()'), ('count_unrecorded()'), ('may_read_history(name)')) f(name)
      """
    )
    guard rights.bool(row: 0, column: 1) == true else {
      return HistoryInspection(
        brokenTriggers: broken,
        began: 0,
        transactions: 0,
        cause: .rights(role: rights.cell(0))
      )
    }
    let facts = try connection.query(
      """
      select (extract(epoch from h.began) * 1000000)::int8,
          (select count(*) from staffbook.transactions),
          h.layout <> staffbook.layout(), staffbook.may_read_history()
        from staffbook.history h
      """
    )
    var inspection = HistoryInspection(
      brokenTriggers: broken,
      began: Int64(facts.int(row: 0, column: 0) ?? 0),
      transactions: facts.int(row: 0, column: 1) ?? 0,
      cause: facts.bool(row: 0, column: 3) == false ? .policies(role: rights.cell(0)) : nil
    )
    let isSuspect = facts.bool(row: 0, column: 2) == true
    if isThorough || isSuspect || !broken.isEmpty {
      inspection.unrecorded = try connection.query("select staffbook.count_unrecorded()")
        .int(row: 0, column: 0)
    }
    return inspection
  }
}

extension BrokenTrigger {
  static func read(
    _ query: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [BrokenTrigger] {
    let broken = try connection.query(query + " order by 1")
    return (0..<broken.rowCount).map { row in
      BrokenTrigger(name: broken.cell(0, row: row), remedy: broken.text(row: row, column: 1))
    }
  }
}

extension DirectoryRepository {
  /// Looks at what the schema is made of, and at what its records name; `nil` for a source of own
  /// queries.
  ///
  /// - Throws: As `inspectTracking(isThorough:)`.
  /// - Complexity: Linear in the records, which the server reads.
  package func inspectSchema() async throws(DirectoryError) -> SchemaInspection? {
    guard queries == nil else { return nil }
    return try await look("look at the schema") { (connection) throws(StoreFailure) in
      try SchemaInspection(&connection)
    }
  }

  /// Looks at the triggers and tables that track changes; `nil` for a source of own queries, where
  /// nothing does.
  ///
  /// - Parameter isThorough: Whether every record is compared with history.
  /// - Returns: What was found.
  /// - Throws: `.unavailable`, `.notPermitted`, or `.badData` where there is no directory.
  package func inspectTracking(
    isThorough: Bool = false
  ) async throws(DirectoryError) -> TrackingInspection? {
    guard queries == nil else { return nil }
    return try await look("look at the database") { (connection) throws(StoreFailure) in
      let broken = try BrokenTrigger.read(BrokenTrigger.query, &connection)
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
        brokenTriggers: broken,
        silentTriggers: try BrokenTrigger.read(BrokenTrigger.noticeQuery, &connection),
        tombstones: facts.int(row: 0, column: 1) ?? 0,
        ledgerEntries: facts.int(row: 0, column: 2) ?? 0,
        oldestPreparedAge: facts.int(row: 0, column: 3),
        history: try HistoryInspection.read(&connection, isThorough: isThorough)
      )
    }
  }

  func look<R: Sendable>(
    _ doing: String,
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await Database.look(at: conninfo, for: .reading, doing: doing, access: access, body)
  }
}
