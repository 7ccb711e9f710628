import DirectoryModel
import LibPQ

/// Whether the bookkeeping in a database can be trusted, on which reading only changes rests.
package struct TrackingInspection: Sendable {
  package var serverVersion: Int
  package var isStandby: Bool
  /// Triggers that are missing or not enabled as they must be, as `table.trigger`.
  package var brokenTriggers: [String]
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
    let database = try await Database.connect(conninfo: conninfo, doing: doing)
    return try await database.run { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, doing: doing)
      let broken = try connection.query(Self.brokenTriggers)
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
        brokenTriggers: (0..<broken.rowCount).map { broken.cell(0, row: $0) },
        tombstones: facts.int(row: 0, column: 1) ?? 0,
        ledgerEntries: facts.int(row: 0, column: 2) ?? 0,
        oldestPreparedAge: facts.int(row: 0, column: 3)
      )
    }
  }

  /// The triggers of the third migration; `tgenabled` as pg_trigger(5) has it: `A` fires always,
  /// `R` for replicated rows.
  private static let brokenTriggers = """
    select t.relation || '.' || t.trigger
      from (
        select r.relation, g.trigger, g.state
          from (values ('departments'), ('users'), ('memberships')) r(relation),
            (values ('zzz_mark_change', 'A'), ('bury_deleted', 'A'), ('bury_renamed', 'A'),
              ('enter_in_ledger', 'A'), ('enter_replicated_in_ledger', 'R'),
              ('renew_epoch', 'A')) g(trigger, state)
        union all values ('tombstones', 'renew_epoch', 'A'), ('ledger', 'renew_epoch', 'A')
      ) t
      left join pg_trigger p on p.tgname = t.trigger
        and p.tgrelid = to_regclass('staffbook.' || t.relation)
      where p.tgenabled is distinct from t.state::"char"
      order by 1
    """
}
