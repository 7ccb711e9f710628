/// How long a connection waits for its server, and who is asked and told meanwhile.
package struct PGPatience: Sendable {
  /// How often in a row a server may be silent for as long as the limit while it is at work.
  private static let mostLimits = 10

  /// How long the server may be silent while it owes something; `nil` is for ever.
  package var silenceLimit: Duration?
  /// Asked once the limit has passed, on the thread that waits, whether the server is at work.
  ///
  /// If so, it may be silent for as long again, ten times in all.
  package var isAtWork: (@Sendable () -> Bool)?
  /// Told on the thread that waits, once the server has been silent for so long.
  package var reminder: (after: Duration, tell: @Sendable () -> Void)?

  package init(silenceLimit: Duration? = nil) { self.silenceLimit = silenceLimit }

  /// Whether the connection must not block where nobody is asked or told.
  var isWatchful: Bool { silenceLimit != nil || reminder != nil }

  /// Waits until the socket has something to read or, where asked for, room to write.
  ///
  /// - Returns: The limit that has passed; `nil` when the socket is ready.
  func wait(for socket: CInt, toWrite: Bool = false) -> Duration? {
    func isReady(until deadline: ContinuousClock.Instant?) -> Bool {
      SocketWait.isReady(socket, toWrite: toWrite, until: deadline)
    }
    let began = ContinuousClock.now
    if let reminder {
      if isReady(until: began + reminder.after) { return nil }
      reminder.tell()
    }
    guard let silenceLimit else {
      _ = isReady(until: nil)
      return nil
    }
    var limit = silenceLimit
    while !isReady(until: began + limit) {
      guard limit < silenceLimit * Self.mostLimits, let isAtWork, isAtWork() else {
        // The answer may have come while the server was asked.
        return isReady(until: .now) ? nil : limit
      }
      limit += silenceLimit
    }
    return nil
  }
}
