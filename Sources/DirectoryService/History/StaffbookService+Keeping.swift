import DirectoryModel
import DirectoryReading
import DirectoryStore

extension StaffbookService {
  /// Erases a person from history.
  ///
  /// - Parameters:
  ///   - who: The person, or the id of one who is gone.
  ///   - confirm: Asked with the name and whether it is a guess; nothing is erased unless it agrees.
  /// - Returns: In how many changes; `nil` where it did not agree.
  /// - Throws: What `confirm` throws, or why it cannot be erased.
  package func forget(_ who: String, confirm: (String, Bool) throws -> Bool) async throws -> Int? {
    let isJournal = settings.source.queries != nil
    let history = try await openHistory("forget \(who)")
    guard case .user(let id, let name) = try await subject(who, history) else {
      throw DirectoryError(.usage, "cannot forget \(who): it is a department")
    }
    let row = DirectoryRow(kind: .user, id: id.rawValue, name: name)
    let isGuess = !DepartmentName(who).isExact(for: row)
    guard try confirm("\(name) (\(id))", isGuess) else { return nil }
    if isJournal { return try await forgetInJournal(id) }
    return try await openRecord("forget \(who)").forget(
      id,
      by: settings.authorship(reason: nil)
    )
  }

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// - Parameter period: Such as `2y`, or `forever`.
  /// - Returns: How many transactions were removed.
  /// - Throws: `.usage` for what is no period, `.notPermitted`.
  package func keepHistory(_ period: String) async throws(DirectoryError) -> Int {
    let period = period == "forever" ? nil : try KeptPeriod(period)
    if settings.source.queries != nil { return try await keepJournal(period) }
    return try await openRecord("set how long history is kept")
      .keep(period?.interval, by: settings.authorship(reason: nil))
  }

  /// Records what was changed past the triggers.
  package func catchUpHistory() async throws(DirectoryError) -> Int {
    try await openRecord("record what was changed").catchUp(by: settings.authorship(reason: nil))
  }
}
