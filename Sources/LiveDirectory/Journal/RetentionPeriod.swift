import DirectoryModel
import Platform

/// How long something is kept or holds, such as `2y`.
package struct RetentionPeriod: Hashable, Sendable {
  package enum Unit: Character, Sendable {
    case days = "d"
    case weeks = "w"
    case months = "m"
    case years = "y"
  }

  static let counts = 1...10_000

  var count: Int
  var unit: Unit

  init(count: Int, unit: Unit) {
    self.count = count
    self.unit = unit
  }

  /// Reads a number with its unit.
  ///
  /// - Parameters:
  ///   - text: What was given.
  ///   - unlimited: What may be given in its place, for the error.
  /// - Throws: `.usage`.
  package init(_ text: String, orElse unlimited: String = "forever") throws(DirectoryError) {
    guard let unit = text.last.flatMap(Unit.init), let count = Int(text.dropLast()),
      Self.counts.contains(count)
    else {
      throw DirectoryError(
        .usage,
        "\(text) is not a valid period",
        advice: "give a number with d, w, m or y, such as 90d or 2y, or \(unlimited)"
      )
    }
    self.init(count: count, unit: unit)
  }

  /// As `init(_:)` reads it.
  var text: String { "\(count)\(unit.rawValue)" }

  /// As PostgreSQL reads it.
  package var interval: String { "\(count) \(unit)" }

  /// The time so long before another one, both in microseconds since 1970, UTC.
  func beginning(before time: Int64) -> Int64 {
    var civil = CivilTime(clock: time / 1_000_000)
    let count = Int64(count)
    switch unit {
    case .days: civil.day -= count
    case .weeks: civil.day -= 7 * count
    case .months: civil.month -= count
    case .years: civil.year -= count
    }
    return civil.clock * 1_000_000
  }
}
