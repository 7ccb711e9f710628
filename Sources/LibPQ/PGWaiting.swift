/// How long a connection waits for its server, and who is asked and told meanwhile.
package struct PGWaiting: Sendable {
  /// How often in a row a server may be silent for as long as the limit while it is at work.
  private static let mostLimits = 10
  /// How many times as long as for the first reminder it takes to every other one: on a busy machine
  /// the first may come too early to learn anything, and what is waited for may change.
  private static let reminderPause = 5
  /// How long a server that was asked to cancel a statement may take to do so.
  static let cancelPatience = Duration.seconds(5)

  /// How long the server may be silent while it owes something; `nil` is for ever.
  package var silenceLimit: Duration?
  /// Asked once the limit has passed, on the thread that waits, whether the server is at work.
  ///
  /// If so, it may be silent for as long again, ten times in all.
  package var isAtWork: (@Sendable () -> Bool)?
  /// Told on the thread that waits, once the server has been silent for so long, and now and then
  /// from there on.
  package var reminder: (after: Duration, tell: @Sendable () -> Void)?

  /// Whether the wait is cut short in a cancelled task.
  var endsWhenCancelled = true

  package init(silenceLimit: Duration? = nil) { self.silenceLimit = silenceLimit }

  /// Waits until the socket has something to read or, where asked for, room to write.
  ///
  /// - Returns: The limit that has passed; `nil` when the socket is ready.
  func wait(for socket: CInt, toWrite: Bool = false) -> Duration? {
    let began = ContinuousClock.now
    var nextReminder = reminder.map { began + $0.after }
    var cancelEnd: ContinuousClock.Instant?
    func isGivenUp() -> Bool {
      guard endsWhenCancelled, Task.isCancelled else { return false }
      let end = cancelEnd ?? .now + Self.cancelPatience
      cancelEnd = end
      return .now >= end
    }
    func isReady(until deadline: ContinuousClock.Instant?) -> Bool {
      while let reminder, let next = nextReminder, deadline.map({ next < $0 }) ?? true {
        if SocketWait.isReady(socket, toWrite: toWrite, until: next, unless: isGivenUp) {
          return true
        }
        if isGivenUp() { return false }
        reminder.tell()
        nextReminder = .now + reminder.after * Self.reminderPause
      }
      return SocketWait.isReady(socket, toWrite: toWrite, until: deadline, unless: isGivenUp)
    }
    guard let silenceLimit else { return isReady(until: nil) ? nil : Self.cancelPatience }
    var limit = silenceLimit
    while !isReady(until: began + limit) {
      if isGivenUp() { return Self.cancelPatience }
      guard limit < silenceLimit * Self.mostLimits, let isAtWork, isAtWork() else {
        // The answer may have come while the server was asked.
        return isReady(until: .now) ? nil : limit
      }
      limit += silenceLimit
    }
    return nil
  }
}
