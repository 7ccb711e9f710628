/// Why everything is read and compared by content, where only changes could have been.
package enum ComparisonReason: Hashable, Sendable, CaseIterable {
  /// Nothing was read before.
  case firstSync
  /// The person asked for it.
  case requested
  /// What was remembered of the source is missing or belongs to another snapshot.
  case forgotten
  /// Nothing tracks changes in somebody's own tables.
  case untracked
  /// The database belongs to another cluster than the one read before.
  case otherSystem
  /// The tables were made anew, altered, or written past their triggers.
  case otherLayout
  /// A table was truncated, or the database restored.
  case otherEpoch
  /// Deletions since the last read are no longer on record.
  case prunedTooFar
  /// A transaction that was read is gone, as after a failover.
  case lostTransaction
  /// The standby lacked what was read before and did not catch up in time.
  case standbyBehind
  /// The names are to be sorted for another locale, or by another version of its rules.
  case otherLocale
  /// The changes do not fit what was read before.
  case unfitting
  /// Rows that were not on record as changed differ.
  case otherContent
}

extension ComparisonReason: CustomStringConvertible {
  /// One phrase, to stand behind "because" or a colon.
  package var description: String {
    switch self {
    case .firstSync: "nothing was read before"
    case .requested: "it was asked for"
    case .forgotten: "what was remembered of the source is missing"
    case .untracked: "nothing tracks changes in these tables"
    case .otherSystem: "the database belongs to another cluster than before"
    case .otherLayout: "the tables were restored or altered, or their triggers were off"
    case .otherEpoch: "a table was truncated or the database restored"
    case .prunedTooFar: "the record of changes does not reach back to the last sync"
    case .lostTransaction: "a change that was read is gone, as after a failover"
    case .standbyBehind: "the standby did not catch up with what was read before"
    case .otherLocale: "names are sorted for another locale or by newer rules"
    case .unfitting: "the changes do not fit what was read before"
    case .otherContent: "rows differ that were not on record as changed"
    }
  }
}
