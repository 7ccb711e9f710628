import DirectoryModel
import LibPQ

/// Deletions that were accepted for all readers.
package struct AcceptedDeletions: Hashable, Sendable {
  package var departments = 0
  package var users = 0
  package var memberships = 0
  /// The transactions that removed them; their tombstones carry the same numbers.
  package var transactions: [UInt64] = []

  package init() {}

  /// However many records disappear.
  static let everything: AcceptedDeletions = {
    var accepted = AcceptedDeletions()
    (accepted.departments, accepted.users, accepted.memberships) = (.max, .max, .max)
    return accepted
  }()

  package var isEmpty: Bool { transactions.isEmpty }
}

/// Records accepted deletions, and finds those that a reader has not seen yet.
enum ImportAcceptance {
  /// Records what the running transaction removes, in the transaction itself.
  static func record(
    _ summary: ChangeTotals,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      insert into staffbook.accepted_deletions (departments, users, memberships)
        values ($1::int8, $2::int8, $3::int8)
      """,
      [
        .int64(Int64(summary.departments.removed)), .int64(Int64(summary.users.removed)),
        .int64(Int64(summary.memberships.removed)),
      ]
    )
  }

  /// What was accepted since a reader last looked.
  ///
  /// A transaction counts when its row is visible, it lies at or above the reader's watermark, and
  /// the reader has not seen it: its number with its ledger's token is not among `seen`. Rows of
  /// another cluster, which a restore brings, and numbers that this one has not reached count for
  /// nothing; then the brake holds where it need not, and never the other way round.
  ///
  /// - Parameters:
  ///   - xmin: The reader's W. It means something only for the same system identifier.
  ///   - seen: Ledger entries at or above W that the reader has.
  ///   - connection: In the transaction whose snapshot the reader reads.
  /// - Returns: The sums, and the transactions.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: An index range of a small table, and a ledger look-up for each of its rows.
  static func since(
    _ xmin: UInt64,
    seen: [LedgerEntry],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> AcceptedDeletions {
    let rows = try connection.query(
      """
      select a.changed_in, a.departments, a.users, a.memberships
        from staffbook.accepted_deletions a
          left join staffbook.ledger l on l.changed_in = a.changed_in
        where a.changed_in >= $1::xid8
          and a.changed_in < pg_snapshot_xmax(pg_current_snapshot())
          and a.system_identifier = (select system_identifier from pg_control_system())
          and not exists (
            select from unnest($2::xid8[], $3::uuid[]) s(changed_in, token)
              where s.changed_in = a.changed_in and s.token = l.token)
        order by a.changed_in
      """,
      [
        .text(String(xmin)), .textArray(seen.map { String($0.transaction) }),
        .textArray(seen.map(\.token.description)),
      ]
    )
    var accepted = AcceptedDeletions()
    for row in 0..<rows.rowCount {
      accepted.transactions.append(UInt64(rows.cell(0, row: row)) ?? 0)
      accepted.departments.add(rows.int(row: row, column: 1) ?? 0)
      accepted.users.add(rows.int(row: row, column: 2) ?? 0)
      accepted.memberships.add(rows.int(row: row, column: 3) ?? 0)
    }
    return accepted
  }
}

extension Int {
  /// Adds a count from the database, which may hold any: what does not fit is as many as there are.
  fileprivate mutating func add(_ count: Int) {
    let (sum, overflow) = addingReportingOverflow(count)
    self = overflow ? .max : sum
  }
}
