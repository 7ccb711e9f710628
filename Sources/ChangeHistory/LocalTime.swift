import Platform

/// Moments by a local clock, for people.
package enum LocalTime {
  /// - Parameters:
  ///   - moment: Seconds since 1970, UTC.
  ///   - zone: Whose clock.
  /// - Returns: Such as `2026-03-01 14:05:09 +01:00`.
  package static func text(_ moment: Int64, in zone: Zone) -> String {
    let ahead = zone.offset(at: moment)
    var seconds = time_t(moment + ahead)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "\(moment) s after 1970" }
    let offset = Int(abs(ahead)) / 60
    let date = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    return digits(date, "-") + " " + digits(clock, ":") + (ahead < 0 ? " -" : " +")
      + digits([offset / 60, offset % 60], ":")
  }

  /// Numbers of at least two digits.
  private static func digits(_ numbers: [Int], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
  }
}
