import CLibPQ
import Platform

extension PGConnection {
  /// How a wait for a notification ended.
  package enum NotificationWait: Sendable {
    case notified
    /// The other descriptor became readable first.
    case interrupted
    /// The time was over first.
    case timedOut
  }

  /// Waits for a notification of a channel that the session listens to. (libpq: PQnotifies)
  ///
  /// - Parameters:
  ///   - deadline: How long; `nil` for ever. While the machine sleeps, the time need not go on.
  ///   - descriptor: Another one to wait for; it is not read from.
  /// - Returns: What came first. All notifications that had come are taken.
  /// - Throws: That the connection is lost, or `cancelled` soon after the task is.
  package mutating func waitForNotification(
    until deadline: ContinuousClock.Instant?,
    orReadable descriptor: CInt? = nil
  ) throws(PostgresError) -> NotificationWait {
    while true {
      if takeNotifications() > 0 { return .notified }
      let socket = PQsocket(handle)
      guard socket >= 0 else { throw failure(of: nil) }
      // Who waits for hours is not woken more often than that.
      let next = ContinuousClock.now + .seconds(1)
      let end = deadline.map { min($0, next) } ?? next
      guard !Task.isCancelled else { throw .cancelled }
      switch SocketWait.first([socket, descriptor ?? -1], until: end) {
      case nil: if end == deadline { return .timedOut }
      case 0: guard PQconsumeInput(handle) == 1 else { throw failure(of: nil) }
      default: return .interrupted
      }
    }
  }

  /// Takes the notifications that have come with answers or otherwise.
  ///
  /// - Returns: How many there were.
  @discardableResult
  package mutating func takeNotifications() -> Int {
    var count = 0
    while let notification = PQnotifies(handle) {
      PQfreemem(notification)
      count += 1
    }
    return count
  }
}
