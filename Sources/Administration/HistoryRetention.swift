import ChangeHistory
import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import SiteSettings

/// How long history is kept, and what is erased from it.
package struct HistoryRetention: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  private var site: Site { session.site }
  private var caller: Caller { session.caller }

  /// Erases a person from history, under every id that they had.
  ///
  /// - Parameters:
  ///   - who: The person, by id or name; also one who was removed.
  ///   - confirm: Asked with the name and all ids; nothing is erased unless it agrees.
  /// - Returns: What was erased; `nil` where it did not agree.
  /// - Throws: What `confirm` throws, or why it cannot be erased.
  package func forget(_ who: String, confirm: (String) throws -> Bool) async throws -> Erasure? {
    let doing = "forget \(who)"
    let record = try await session.openHistory(doing)
    guard
      case .user(let id, let name) = try await HistoryReader(session).subject(
        who,
        record,
        isExact: true
      )
    else {
      throw DirectoryError(.usage, "cannot \(doing): it is a department")
    }
    guard site.settings.source.queries == nil else {
      guard try confirm("\(name) (\(id))") else { return nil }
      return Erasure(changes: try await DirectoryJournal(site).forget(id))
    }
    let database = try await site.openRecord(doing)
    let ids = try await database.ids(of: id).map(\.rawValue)
    let former = ids.count > 1 ? ", formerly \(ids.dropFirst().joined(separator: ", "))" : ""
    guard try confirm("\(name) (\(ids.first ?? id.rawValue)\(former))") else { return nil }
    return try await database.forget(id, by: caller.authorship(reason: nil))
  }

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// - Parameter period: Such as `2y`, or `forever`.
  /// - Returns: How many transactions were removed.
  /// - Throws: `.usage` for what is not a valid period, `.notPermitted`.
  package func keepHistory(_ period: String) async throws(DirectoryError) -> Int {
    let period = period == "forever" ? nil : try RetentionPeriod(period)
    if site.settings.source.queries != nil {
      return try await DirectoryJournal(site).keep(period)
    }
    return try await site.openRecord("set how long history is kept")
      .keep(period?.interval, by: caller.authorship(reason: nil))
  }

  /// Records what was changed past the triggers.
  package func catchUpHistory() async throws(DirectoryError) -> Int {
    try await site.openRecord("record what was changed").catchUp(
      by: caller.authorship(reason: nil)
    )
  }
}
