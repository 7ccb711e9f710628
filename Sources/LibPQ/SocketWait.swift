import Platform

/// Waiting for a socket. (poll(2))
enum SocketWait {
  /// How long a wait that the user may give up goes on before they are asked again.
  private static let slice = Duration.milliseconds(100)

  /// Waits until there is something to read, or room to write; errors and hang-ups count, since
  /// the next reader or writer finds out.
  ///
  /// - Returns: `false` when the time is over first, or when it is given up.
  static func isReady(
    _ socket: CInt,
    toWrite: Bool = false,
    toRead: Bool = true,
    until deadline: ContinuousClock.Instant?,
    unless isGivenUp: () -> Bool
  ) -> Bool {
    let events = (toWrite ? POLLOUT : 0) | (toRead ? POLLIN : 0)
    var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
    while true {
      let next = ContinuousClock.now + slice
      let ready = poll(&entry, 1, milliseconds(until: deadline.map { min($0, next) } ?? next))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { return true }
      if ready == 0, let deadline, ContinuousClock.now >= deadline { return false }
      if isGivenUp() { return false }
    }
  }

  /// Waits until one of several descriptors has something to read; one below 0 never has.
  ///
  /// - Returns: The first one's index; `nil` when the time is over before.
  static func first(_ descriptors: [CInt], until deadline: ContinuousClock.Instant?) -> Int? {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while true {
      let ready = poll(&entries, nfds_t(entries.count), milliseconds(until: deadline))
      if ready > 0 { return entries.firstIndex { $0.revents != 0 } }
      if ready < 0, errno != EINTR { return 0 }
      if ready == 0, let deadline, ContinuousClock.now >= deadline { return nil }
    }
  }

  /// Milliseconds left, rounded up; -1 means no limit.
  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    let left = (deadline - ContinuousClock.now).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
    guard left.seconds < 1_000_000 else { return 1_000_000_000 }
    return CInt(left.seconds) * 1000 + CInt(left.attoseconds / 1_000_000_000_000_000) + 1
  }
}
