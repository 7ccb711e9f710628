import Platform

/// When something was, for people.
enum Age {
  /// A moment by the local clock, and how long ago it was.
  ///
  /// - Parameter moment: Seconds since 1970, UTC.
  /// - Returns: Such as `2026-03-01 14:05:09 +01:00 (2 hours ago)`.
  static func moment(_ moment: Int64) -> String {
    var seconds = time_t(moment)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return "\(text(since: moment)) ago" }
    let offset = abs(parts.tm_gmtoff) / 60
    let date = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    return digits(date, "-") + " " + digits(clock, ":") + (parts.tm_gmtoff < 0 ? " -" : " +")
      + digits([offset / 60, offset % 60], ":") + " (\(text(since: moment)) ago)"
  }

  /// Numbers of at least two digits.
  private static func digits(_ numbers: [Int], _ separator: String) -> String {
    numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: separator)
  }

  /// The time since a moment.
  ///
  /// - Parameter moment: Seconds since 1970, UTC.
  /// - Returns: Such as `2 hours`.
  static func text(since moment: Int64) -> String {
    let seconds = max(0, Int64(time(nil)) &- moment)
    for (size, name) in [(86_400 as Int64, "day"), (3_600, "hour"), (60, "minute")]
    where seconds >= size {
      return counted(seconds / size, name)
    }
    return counted(seconds, "second")
  }

  private static func counted(_ count: Int64, _ name: String) -> String {
    count == 1 ? "1 \(name)" : "\(count) \(name)s"
  }
}
