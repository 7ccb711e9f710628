import DirectoryModel
import Platform

/// How long history is kept, such as `2y`.
package struct KeptPeriod: Hashable, Sendable {
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
  package init(_ text: String) throws(DirectoryError) {
    guard let unit = text.last.flatMap(Unit.init), let count = Int(text.dropLast()),
      Self.counts.contains(count)
    else {
      throw DirectoryError(
        .usage,
        "\(text) is no period",
        advice: "give a number with d, w, m or y, such as 90d or 2y, or say forever"
      )
    }
    self.init(count: count, unit: unit)
  }

  /// As PostgreSQL reads it.
  package var interval: String { "\(count) \(unit)" }

  /// The time so long before another one, both in microseconds since 1970, UTC.
  func beginning(before time: Int64) -> Int64 {
    var seconds = time_t(time / 1_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let count = CInt(count)
    switch unit {
    case .days: parts.tm_mday -= count
    case .weeks: parts.tm_mday -= 7 * count
    case .months: parts.tm_mon -= count
    case .years: parts.tm_year -= count
    }
    return Int64(timegm(&parts)) * 1_000_000
  }
}
