import DirectoryModel
import DirectoryStore

/// Keeps a directory from losing much at once without somebody saying that it is meant: more likely a
/// failed export, or somebody's mistake, than a company in dissolution.
struct DeletionBrake {
  /// Removed records that are named; all are counted.
  static let namedCount = 20

  /// Removed records of a kind may be this many, whatever their share.
  static let harmlessCount = 50
  /// Of a hundred records of a kind so many may be removed, whatever their number.
  private static let harmlessPercentage = 20

  /// What would remove them.
  enum Cause {
    case sync, importing
  }

  private let totals: ChangeTotals
  private let isEmptied: Bool

  /// Gives `nil` unless too much goes.
  ///
  /// - Parameters:
  ///   - totals: What would change.
  ///   - accepted: Deletions that somebody accepted for all readers: these are not too many.
  init?(_ totals: ChangeTotals, accepted: AcceptedDeletions = AcceptedDeletions()) {
    let (departments, users) = (totals.departments, totals.users)
    if departments.removed <= accepted.departments, users.removed <= accepted.users { return nil }
    isEmptied = departments.after + users.after == 0
    guard isEmptied || Self.isTooMuch(departments) || Self.isTooMuch(users) else { return nil }
    self.totals = totals
  }

  private static func isTooMuch(_ counts: ChangeCounts) -> Bool {
    counts.removed > harmlessCount && counts.removed * 100 > counts.before * harmlessPercentage
  }

  /// - Parameters:
  ///   - cause: What is refused.
  ///   - removed: The first ones that would go.
  /// - Returns: `.refusedForNow`, which names them.
  func refusal(of cause: Cause, naming removed: [Change]) -> DirectoryError {
    let all = totals.departments.removed + totals.users.removed
    let rest = all > removed.count ? ["and \(all - removed.count) more"] : []
    return DirectoryError(
      .refusedForNow,
      isEmptied ? emptiedText(cause) : lossText(cause),
      advice: cause == .sync
        ? "if this is intended, run: \(.syncAcceptingDeletions)"
        : "nothing was changed; if this is intended, add \(.acceptDeletions)",
      details: removed.map(\.text) + rest
    )
  }

  private func emptiedText(_ cause: Cause) -> String {
    let contents =
      count(totals.users.before, "person", "people") + " in "
      + count(totals.departments.before, "department")
    return cause == .sync
      ? "cannot sync: the database is empty, and the snapshot contains \(contents)"
      : "cannot import: the files are empty, and the database contains \(contents)"
  }

  private func lossText(_ cause: Cause) -> String {
    let losses = [
      (totals.users, "person", "people"), (totals.departments, "department", "departments"),
    ].filter { $0.0.removed > 0 }.map { counts, one, many in
      "\(counts.removed) of \(count(counts.before, one, many))"
    }.joined(separator: " and ")
    return cause == .sync
      ? "cannot sync: \(losses) are gone from the database"
      : "cannot import: \(losses) would be removed"
  }
}
