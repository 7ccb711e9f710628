/// How long a watch waits before it does something again.
struct WatchBackoff {
  /// What is written within so short a time is read at once.
  static let shortest = Duration.milliseconds(50)
  private static let longest = Duration.seconds(10)
  private static let longestBackoff = Duration.seconds(60)

  /// Seconds, from the first failure on; `nil` after a success.
  private var backoff: Duration?
  /// How long the next pause is at least, since syncs found nothing where something was to be found.
  private var vain = Duration.zero

  /// How long to wait after a failure: a second, twice as long each time up to a minute, and half of it
  /// more or less, so that many readers do not come back to a server at the same moment.
  mutating func afterFailure() -> Duration {
    let next = min(backoff.map { $0 * 2 } ?? .seconds(1), Self.longestBackoff)
    backoff = next
    return Self.withJitter(next, by: 0.5)
  }

  /// How long after a sync the next one begins at the earliest: as long as the last one took, so that a
  /// long burst keeps the reader busy for half of the time.
  ///
  /// - Parameters:
  ///   - sync: How long the last sync took.
  ///   - foundNothing: Whether it was done for changes and found none.
  /// - Returns: From 50 milliseconds to ten seconds.
  mutating func beforeSync(after sync: Duration, foundNothing: Bool) -> Duration {
    vain = foundNothing ? max(vain * 2, Self.shortest) : .zero
    return min(max(sync, vain, Self.shortest), Self.longest)
  }

  /// Whether one sync after another found nothing where something was to be found.
  var isVain: Bool { vain > Self.shortest }

  mutating func succeed() { backoff = nil }

  static func withJitter(_ duration: Duration, by share: Double) -> Duration {
    duration * Double.random(in: 1 - share...1 + share)
  }
}
