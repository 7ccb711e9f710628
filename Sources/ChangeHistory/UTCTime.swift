import Platform

/// Times as ISO 8601 writes them, for programs and messages.
package enum UTCTime {
  /// - Parameter time: Microseconds since 1970, UTC.
  /// - Returns: Such as `2026-03-01T13:05:09Z`.
  package static func text(_ time: Int64) -> String {
    var seconds = time_t(time / 1_000_000)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "\(time)" }
    let date = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    return digits(date, "-") + "T" + digits(clock, ":") + "Z"
  }

  private static func digits(_ numbers: [Int], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
  }
}
