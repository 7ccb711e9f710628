import DirectoryModel
import DirectorySnapshot
import DirectoryStore

/// Keeps a full snapshot from being replaced by one that lost much of it: more likely somebody's
/// mistake than a company in dissolution.
enum SyncBrake {
  /// Removed records that are named; all are counted.
  static let namedCount = 20

  /// Stops where too much is gone, and names the first removed ones.
  ///
  /// - Parameters:
  ///   - changes: What a sync would change.
  ///   - accepted: Deletions that somebody accepted for all readers: these are not too many.
  /// - Throws: `.refusedForNow`.
  static func check(
    _ changes: ChangeSummary,
    accepted: AcceptedDeletions
  ) throws(DirectoryError) {
    let (departments, users) = (changes.departments, changes.users)
    if departments.removed <= accepted.departments, users.removed <= accepted.users { return }
    let before = departments.before + users.before
    let isEmptied =
      before > 0 && departments.removed + users.removed == before
      && departments.added + users.added == 0
    guard isEmptied || isTooMuch(departments) || isTooMuch(users) else { return }
    throw DirectoryError(
      .refusedForNow,
      message(departments, users, isEmptied: isEmptied),
      advice: "if this is intended, run: staffbook sync --accept-deletions",
      details: names(of: changes)
    )
  }

  private static func isTooMuch(_ counts: ChangeSummary.Counts) -> Bool {
    DeletionLimit.isPassed(removed: counts.removed, of: counts.before)
  }

  private static func message(
    _ departments: ChangeSummary.Counts,
    _ users: ChangeSummary.Counts,
    isEmptied: Bool
  ) -> String {
    if isEmptied {
      return "cannot sync: the database is empty, and the snapshot contains "
        + SyncReport.count(users.before, "person", "people") + " in "
        + SyncReport.count(departments.before, "department")
    }
    return "cannot sync: \(users.removed) of "
      + SyncReport.count(users.before, "person", "people")
      + " and \(departments.removed) of " + SyncReport.count(departments.before, "department")
      + " are gone from the database"
  }

  private static func names(of changes: ChangeSummary) -> [String] {
    let removed = changes.entries.lazy.filter { $0.action == .removed }.prefix(namedCount)
    var lines = Array(removed.map(\.line))
    let all = changes.departments.removed + changes.users.removed
    if all > lines.count { lines.append("and \(all - lines.count) more") }
    return lines
  }
}
