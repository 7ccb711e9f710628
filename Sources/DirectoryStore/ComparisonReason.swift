/// Why everything is read and compared by content, where only changes could have been.
package enum ComparisonReason: Hashable, Sendable {
  /// Nothing was read before.
  case firstSync
  /// The person asked for it.
  case requested
  /// What was remembered of the source is missing or belongs to another snapshot.
  case forgotten
  /// An earlier program wrote the snapshot, without the identities of records.
  case formerSnapshot
  /// Nothing tracks changes in a company's own tables.
  case untracked
  /// The database belongs to another cluster than the one read before.
  case otherSystem
  /// Another user reads, or other policies decide which rows this one may read.
  case otherAccess
  /// Policies hide rows from the user, and those that they come to hide leave no trace.
  case hiddenRows
  /// The tables were rebuilt, altered, or written past their triggers.
  case otherLayout
  /// Triggers are missing or off that record changes, as `table.trigger`.
  case brokenTriggers([String])
  /// A table was truncated, the database restored, or tombstones of a person were erased.
  case otherEpoch
  /// Deletions since the last read are no longer recorded.
  case prunedTooFar
  /// A transaction that was read is missing, as after a failover.
  case lostTransaction
  /// The standby lacked what was read before and did not catch up in time.
  case standbyBehind
  /// The names are to be sorted for another locale, or by another version of its rules.
  case otherLocale
  /// The changes do not fit what was read before.
  case unfitting
  /// Rows that were not recorded as changed differ.
  case otherContent
}

extension ComparisonReason: CustomStringConvertible {
  private static let namedTriggers = 3

  /// One phrase, to stand behind "because" or a colon.
  package var description: String {
    switch self {
    case .firstSync: "nothing was read before"
    case .requested: "as requested"
    case .forgotten: "the watermark is missing"
    case .formerSnapshot: "an earlier version of Staffbook wrote the snapshot"
    case .untracked: "changes to these tables are not tracked"
    case .otherSystem: "the database is in another cluster than before"
    case .otherAccess: "row-level security lets this database user read other rows than before"
    case .hiddenRows: "row-level security may hide rows from this database user"
    case .otherLayout: "the tables were restored or altered, or their triggers were disabled"
    case .brokenTriggers(let names):
      "the change tracking is incomplete, since triggers are missing or not enabled as required: "
        + names.prefix(Self.namedTriggers).joined(separator: ", ")
        + (names.count > Self.namedTriggers ? ", …" : "")
    case .otherEpoch: "a table was truncated, the database restored or a person forgotten"
    case .prunedTooFar: "the change tracking does not reach back to the last sync"
    case .lostTransaction: "a change that had been read is missing, as after a failover"
    case .standbyBehind: "the standby did not catch up with the state read before"
    case .otherLocale: "names are sorted for another locale or by newer rules"
    case .unfitting: "the changes do not apply to the state read before"
    case .otherContent: "rows differ without a tracked change"
    }
  }
}
