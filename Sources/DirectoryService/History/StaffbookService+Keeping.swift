import DirectoryModel
import DirectoryStore

extension StaffbookService {
  /// Erases a person from history.
  ///
  /// - Parameters:
  ///   - who: The person, or the id of one who is gone.
  ///   - confirm: Asked with the name; nothing is erased unless it agrees.
  /// - Returns: In how many changes; `nil` where it did not agree.
  /// - Throws: What `confirm` throws, or why it cannot be erased.
  package func forget(_ who: String, confirm: (String) throws -> Bool) async throws -> Int? {
    let history = try await openHistory("forget \(who)")
    guard case .user(let id, let name) = try await subject(who, history) else {
      throw DirectoryError(.usage, "cannot forget \(who): it is a department")
    }
    guard try confirm("\(name) (\(id))") else { return nil }
    return try await history.forget(id, by: settings.authorship(reason: nil))
  }

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// - Parameter period: Such as `2y`, or `forever`.
  /// - Returns: How many transactions were removed.
  /// - Throws: `.usage` for what is no period, `.notPermitted`.
  package func keepHistory(_ period: String) async throws(DirectoryError) -> Int {
    let interval = try Self.interval(period)
    return try await openHistory("set how long history is kept")
      .keep(interval, by: settings.authorship(reason: nil))
  }

  /// Records what was changed past the triggers.
  package func catchUpHistory() async throws(DirectoryError) -> Int {
    try await openHistory("record what was changed").catchUp(by: settings.authorship(reason: nil))
  }

  /// - Returns: As PostgreSQL reads it; `nil` for ever.
  private static func interval(_ period: String) throws(DirectoryError) -> String? {
    if period == "forever" { return nil }
    let units: [Character: String] = ["d": "days", "w": "weeks", "m": "months", "y": "years"]
    guard let unit = period.last.flatMap({ units[$0] }), let number = Int(period.dropLast()),
      (1...10_000).contains(number)
    else {
      throw DirectoryError(
        .usage,
        "\(period) is no period",
        advice: "give a number with d, w, m or y, such as 90d or 2y, or say forever"
      )
    }
    return "\(number) \(unit)"
  }
}
