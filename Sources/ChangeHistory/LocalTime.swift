import Platform

/// Moments by a local clock, for people.
package enum LocalTime {
  /// - Parameters:
  ///   - moment: Seconds since 1970, UTC.
  ///   - zone: Whose clock.
  /// - Returns: Such as `2026-03-01 14:05:09 +01:00`.
  package static func text(_ moment: Int64, in zone: Zone) -> String {
    let ahead = zone.offset(at: moment)
    let local = CivilTime(clock: moment &+ ahead)
    return "\(local.date) \(local.time) \(ahead < 0 ? "-" : "+")"
      + CivilTime(clock: abs(ahead)).time.prefix(5)
  }
}

/// Times as ISO 8601 writes them, for programs and messages.
package enum UTCTime {
  /// - Parameter time: Microseconds since 1970, UTC.
  /// - Returns: Such as `2026-03-01T13:05:09Z`.
  package static func text(_ time: Int64) -> String {
    let civil = CivilTime(clock: time / 1_000_000)
    return "\(civil.date)T\(civil.time)Z"
  }
}
