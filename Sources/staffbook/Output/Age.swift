import ChangeHistory
import DirectoryReading
import LiveDirectory
import Platform

/// When something was, for people.
enum Age {
  /// A moment by the local clock, and how long ago it was.
  ///
  /// - Parameter moment: Seconds since 1970, UTC.
  /// - Returns: Such as `2026-03-01 14:05:09 +01:00 (2 hours ago)`.
  static func moment(_ moment: Int64) -> String {
    "\(LocalTime.text(moment, in: .ofProcess)) (\(text(since: moment)) ago)"
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

  /// What to say of a snapshot that is older than the configuration wants; `nil` for one that is not.
  static func warning(of directory: Directory, _ session: Session) -> String? {
    DirectoryOpener(session).staleness(of: directory).map {
      "the snapshot is \(text(since: $0)) old; update it with: staffbook sync"
    }
  }
}

extension Duration {
  /// The duration as a number of seconds.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}

extension Double {
  /// A duration in seconds for people: 3.2 s, or 32 ms below a second.
  var asDuration: String {
    if self < 1 { return "\(Int((self * 1_000).rounded())) ms" }
    let tenths = Int((self * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
