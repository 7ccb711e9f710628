import DirectoryModel
import DirectoryStore
import Platform

/// Keeps a directory from losing much at once unless it is confirmed: more likely a
/// failed export, or a mistake, than a company in dissolution.
package struct DeletionGuard {
  /// Removed records that are named; all are counted.
  package static let namedCount = 20

  /// A sync may lose this many of a kind, whatever their share: it destroys nothing, and of a small
  /// company a few are soon more than a fifth.
  package static let harmlessCount = 50
  /// Of a hundred records of a kind so many may be removed, whatever their number.
  private static let harmlessPercentage = 20

  /// What would remove them.
  package enum Cause {
    case sync, importing
  }

  private let cause: Cause
  private let totals: ChangeTotals
  private let isEmptied: Bool

  /// Gives `nil` unless too much goes.
  ///
  /// - Parameters:
  ///   - cause: What is to be done; an import may remove a fifth, however few that are.
  ///   - totals: What would change.
  ///   - accepted: Deletions that were accepted for all readers: these are not too many.
  package init?(
    on cause: Cause,
    _ totals: ChangeTotals,
    accepted: AcceptedDeletions = AcceptedDeletions()
  ) {
    let (departments, users) = (totals.departments, totals.users)
    if departments.removed <= accepted.departments, users.removed <= accepted.users { return nil }
    isEmptied = departments.after + users.after == 0
    let harmless = cause == .sync ? Self.harmlessCount : 0
    func isTooMuch(_ counts: ChangeCounts) -> Bool {
      counts.removed > harmless && counts.removed * 100 > counts.before * Self.harmlessPercentage
    }
    guard isEmptied || isTooMuch(departments) || isTooMuch(users) else { return nil }
    self.cause = cause
    self.totals = totals
  }

  /// - Parameter removed: The first ones that would go.
  /// - Returns: `.refusedForNow`, which names them.
  package func refusal(naming removed: [Change]) -> DirectoryError {
    let all = totals.departments.removed + totals.users.removed
    let rest = all > removed.count ? ["and \(all - removed.count) more"] : []
    return DirectoryError(
      .refusedForNow,
      isEmptied ? emptiedText : lossText,
      advice: cause == .sync
        ? "if this is intended, run: \(.syncAcceptingDeletions)"
        : "nothing was changed; if this is intended, repeat the command with \(.acceptDeletions)",
      details: removed.map(\.text) + rest
    )
  }

  private var emptiedText: String {
    let contents =
      counted(totals.users.before, "person", "people") + " in "
      + counted(totals.departments.before, "department")
    return cause == .sync
      ? "cannot sync: the database is empty, and the snapshot contains \(contents)"
      : "cannot import: the files are empty, and the database contains \(contents)"
  }

  private var lossText: String {
    let losses = [
      (totals.users, "person", "people"), (totals.departments, "department", "departments"),
    ].filter { $0.0.removed > 0 }.map { counts, one, many in
      "\(counts.removed) of \(counted(counts.before, one, many))"
    }.joined(separator: " and ")
    return cause == .sync
      ? "cannot sync: \(losses) have disappeared from the database"
      : "cannot import: \(losses) would be removed"
  }
}
