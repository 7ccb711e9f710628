import DirectoryModel
import LibPQ

/// Reads what stands beside the records: where a state is from, and how much there is.
enum SourceReader {
  /// Reads where a state is from, in a database without our tables.
  static func readUntracked(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectorySource {
    let facts = try connection.query(
      """
      select pg_catalog.pg_is_in_recovery(),
        (extract(epoch from pg_catalog.clock_timestamp()) * 1000000)::pg_catalog.int8
      """
    )
    return source(
      connection,
      isStandby: facts.bool(row: 0, column: 0) ?? false,
      takenAt: Int64(facts.cell(1)) ?? 0,
      watermark: nil,
      // Rules come from the configuration then.
      isAdministrator: true
    )
  }

  static func source(
    _ connection: borrowing PGConnection,
    isStandby: Bool,
    takenAt: Int64,
    watermark: SourceWatermark?,
    isAdministrator: Bool
  ) -> DirectorySource {
    var source = DirectorySource(
      host: connection.host,
      database: connection.database,
      isStandby: isStandby,
      takenAt: takenAt,
      watermark: watermark
    )
    source.isAdministrator = isAdministrator
    return source
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

/// What one consistent look at the source brought.
package enum SourceReadResult: Sendable {
  /// All of it, and why only changes would not do.
  case everything(LoadedDirectory, because: ComparisonReason)
  /// What changed since the watermark, and a slice of the rows as they are now, by content.
  ///
  /// There is no slice where none was asked for, or where the server hashes in another way than
  /// we do.
  case changes(DirectoryChanges, DirectorySource, slice: SourceSlice?)

  /// Where and when it was read.
  package var source: DirectorySource {
    switch self {
    case .everything(let loaded, _): loaded.source
    case .changes(_, let source, _): source
    }
  }
}

/// Which rows to compare by content besides.
package struct SliceRequest: Hashable, Sendable {
  package var kind: RecordKind
  /// Where to begin, which need not be the id of a row; "" is the very beginning.
  package var first: String
  /// Roughly how many rows; memberships of one user are never parted.
  package var rows: Int

  package init(kind: RecordKind, first: String, rows: Int = 5_000) {
    self.kind = kind
    self.first = first
    self.rows = rows
  }
}
