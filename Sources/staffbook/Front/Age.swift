#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// How long ago something was, for people.
enum Age {
  /// The time since a moment.
  ///
  /// - Parameter moment: Seconds since 1970, UTC.
  /// - Returns: Such as `2 hours`.
  static func text(since moment: Int64) -> String {
    let seconds = max(0, Int64(time(nil)) - moment)
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
