import DirectoryModel
import LibPQ

/// Reads what a transaction's snapshot is of: the source and its watermark.
enum SourceReader {
  static func read(_ connection: inout PGConnection) throws(StoreFailure) -> DirectorySource {
    let facts = try connection.query(
      """
      select (select system_identifier from pg_control_system()), staffbook.layout(), e.epoch,
          pg_snapshot_xmin(s), pg_snapshot_xmax(s), pg_is_in_recovery(),
          (extract(epoch from clock_timestamp()) * 1000000)::int8
        from pg_current_snapshot() s, staffbook.epoch e
      """
    )
    guard facts.rowCount == 1, let xmin = UInt64(facts.cell(3)), let xmax = UInt64(facts.cell(4))
    else {
      throw .directory(
        DirectoryError(
          .badData,
          "cannot load the directory: the row of staffbook.epoch is missing",
          advice: "let the owner run: insert into staffbook.epoch default values"
        )
      )
    }
    let watermark = SourceWatermark(
      systemIdentifier: facts.cell(0),
      layout: facts.cell(1),
      epoch: facts.cell(2),
      xmin: xmin,
      seen: try seen(&connection, from: xmin, below: xmax),
      newest: try newest(&connection, below: xmax)
    )
    return source(
      connection,
      isStandby: facts.bool(row: 0, column: 5) ?? false,
      takenAt: Int64(facts.cell(6)) ?? 0,
      watermark: watermark
    )
  }

  /// Reads where a snapshot is of, in a database without our tables.
  static func readUntracked(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectorySource {
    let facts = try connection.query(
      "select pg_is_in_recovery(), (extract(epoch from clock_timestamp()) * 1000000)::int8"
    )
    return source(
      connection,
      isStandby: facts.bool(row: 0, column: 0) ?? false,
      takenAt: Int64(facts.cell(1)) ?? 0,
      watermark: nil
    )
  }

  private static func source(
    _ connection: borrowing PGConnection,
    isStandby: Bool,
    takenAt: Int64,
    watermark: SourceWatermark?
  ) -> DirectorySource {
    DirectorySource(
      host: connection.host,
      port: connection.port,
      database: connection.database,
      user: connection.user,
      serverVersion: connection.serverVersion,
      isStandby: isStandby,
      takenAt: takenAt,
      watermark: watermark
    )
  }

  private static func seen(
    _ connection: inout PGConnection,
    from xmin: UInt64,
    below xmax: UInt64
  ) throws(StoreFailure) -> [LedgerEntry] {
    entries(
      try connection.query(
        """
        select changed_in, token from staffbook.ledger
          where changed_in >= $1::xid8 and changed_in < $2::xid8 order by changed_in
        """,
        [.text(String(xmin)), .text(String(xmax))]
      )
    )
  }

  /// More entries than there can be transactions under way: one of them at least is settled.
  private static func newest(
    _ connection: inout PGConnection,
    below xmax: UInt64
  ) throws(StoreFailure) -> [LedgerEntry] {
    entries(
      try connection.query(
        """
        select changed_in, token from staffbook.ledger where changed_in < $1::xid8
          order by changed_in desc
          limit current_setting('max_connections')::int8
            + current_setting('max_prepared_transactions')::int8 + 1
        """,
        [.text(String(xmax))]
      )
    )
  }

  private static func entries(_ result: borrowing PGResult) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    for row in 0..<result.rowCount {
      let transaction = UInt64(result.text(row: row, column: 0) ?? "") ?? 0
      let token = result.text(row: row, column: 1) ?? ""
      entries.append(LedgerEntry(transaction: transaction, token: token))
    }
    return entries
  }

  /// Rows of all three tables by the planner's statistics; `nil` before the first ANALYZE.
  static func estimatedRows(_ connection: inout PGConnection) throws(StoreFailure) -> Int? {
    let result = try connection.query(
      """
      select case when min(reltuples) >= 0 then sum(reltuples)::int8 end from pg_class
        where oid in ('staffbook.departments'::regclass, 'staffbook.users'::regclass,
          'staffbook.memberships'::regclass)
      """
    )
    return result.int(row: 0, column: 0)
  }
}
