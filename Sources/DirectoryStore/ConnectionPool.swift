import LibPQ
import Synchronization

/// The connections of a process, few and used again.
///
/// At most `capacity` are there at a time; a caller who wants another waits in line. One comes back
/// only outside of any transaction, and before it is lent again the server drops all that its
/// session had set; one that was closed meanwhile is passed over. A connection is never lent for
/// another connection string, nor one of several hosts for another wish for a standby.
package final class ConnectionPool: Sendable {
  /// Connections that are there at a time, lent or not.
  static let capacity = 4
  /// How long one is kept while unused.
  private static let rest = Duration.seconds(10)
  /// How long a connection that others have is waited for: they may be waiting for another one.
  private static let patience = Duration.seconds(30)

  /// What a connection must have been made for to be lent again.
  fileprivate struct Purpose: Equatable {
    var conninfo: String
    /// `nil` where there is but one host to choose from.
    var attributes: String?
  }

  private struct IdleConnection {
    var session: PGSession
    var purpose: Purpose
    var since: ContinuousClock.Instant
  }

  private struct Waiting {
    var number: Int
    var turn: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var lent = 0
    /// In the order in which they came back.
    var parked: [IdleConnection] = []
    /// Who came first is first.
    var waiting: [Waiting] = []
    var count = 0
    var isSweeping = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Lends a connection, which comes back with the last reference to the lease.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - options: What the connection is to do.
  ///   - notices: Where the server's notices go meanwhile.
  ///   - notice: Told what is waited for.
  /// - Returns: The connection, as if it were new.
  /// - Throws: Why there is no connection; `cancelled`.
  /// - Complexity: One round trip for a connection that was used before.
  func lease(
    _ conninfo: String,
    _ options: PGConnectionOptions,
    notices: @escaping PGConnection.NoticeHandler = { _ in },
    reporting notice: @escaping WaitReporter.Notice
  ) async throws(PostgresError) -> ConnectionLease {
    try await takePlace()
    do throws(PostgresError) {
      while let (session, purpose) = takeParked(conninfo, options) {
        if try await session.isRenewed(options, notices) {
          await session.withConnection { $0.report(conninfo, to: notice) }
          return ConnectionLease(self, session, purpose)
        }
      }
      let session = try await PGSession.connect(
        conninfo: conninfo,
        options: options,
        notices: notices,
        reporting: notice
      )
      let hasChoice = await session.withConnection { connection in
        connection.report(conninfo, to: notice)
        return connection.mayBeOneOfMany
      }
      let purpose = Purpose(
        conninfo: conninfo,
        attributes: hasChoice ? options.targetSessionAttributes : nil
      )
      let isFit = options.passedOver.isEmpty
      return ConnectionLease(self, session, isFit ? purpose : nil)
    } catch {
      leavePlace()
      throw error
    }
  }

  private func takeParked(
    _ conninfo: String,
    _ options: PGConnectionOptions
  ) -> (PGSession, Purpose)? {
    state.withLock { state in
      let index = state.parked.lastIndex { parked in
        parked.purpose.conninfo == conninfo && options.passedOver.isEmpty
          && [nil, options.targetSessionAttributes].contains(parked.purpose.attributes)
      }
      guard let index else {
        // Room for a new one.
        if state.lent + state.parked.count > Self.capacity { state.parked.removeFirst() }
        return nil
      }
      let parked = state.parked.remove(at: index)
      return (parked.session, parked.purpose)
    }
  }

  /// Takes a connection back; one without a purpose is closed.
  fileprivate func takeBack(_ session: PGSession, _ purpose: Purpose?) {
    if let purpose, session.isIdle {
      let sweeps = state.withLock { state in
        state.parked.append(IdleConnection(session: session, purpose: purpose, since: .now))
        defer { state.isSweeping = true }
        return !state.isSweeping
      }
      if sweeps { sweep() }
    }
    leavePlace()
  }

  /// Closes what was not used, until there is nothing more.
  ///
  /// The task is not owned: it ends by itself, and does not keep the pool.
  private func sweep() {
    Task { [weak self] in
      var hasMore = true
      while hasMore {
        try await Task.sleep(for: Self.rest)
        guard let self else { return }
        hasMore = state.withLock { state in
          state.parked.removeAll { ContinuousClock.now - $0.since >= Self.rest }
          state.isSweeping = !state.parked.isEmpty
          return state.isSweeping
        }
      }
    }
  }
}

// MARK: - Places

extension ConnectionPool {
  /// Waits until fewer connections are lent than there may be.
  private func takePlace() async throws(PostgresError) {
    guard !Task.isCancelled else { throw .cancelled }
    let number = state.withLock { state -> Int? in
      state.count += 1
      guard state.lent >= Self.capacity else {
        state.lent += 1
        return nil
      }
      return state.count
    }
    guard let number else { return }
    let limit = Task {
      try await Task.sleep(for: Self.patience)
      self.stopWaiting(number)
    }
    defer { limit.cancel() }
    let isOurs = await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        let isNow = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.lent >= Self.capacity else {
            state.lent += 1
            return true
          }
          state.waiting.append(Waiting(number: number, turn: turn))
          return nil
        }
        if let isNow { turn.resume(returning: isNow) }
      }
    } onCancel: {
      stopWaiting(number)
    }
    guard !isOurs else { return }
    guard !Task.isCancelled else { throw .cancelled }
    throw .connectionFailed(
      reason: "all \(Self.capacity) connections of this program were in use for "
        + "\(Self.patience.components.seconds) seconds"
    )
  }

  private func stopWaiting(_ number: Int) {
    let waiting = state.withLock { state in
      state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
    }
    waiting?.turn.resume(returning: false)
  }

  /// Gives the place to who has waited longest.
  private func leavePlace() {
    let next = state.withLock { state -> Waiting? in
      if state.waiting.isEmpty {
        state.lent -= 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.turn.resume(returning: true)
  }
}

/// A connection that is lent; it goes back with the last reference, or when it is ended.
final class ConnectionLease: Sendable {
  let session: PGSession
  private let pool: ConnectionPool
  private let purpose: ConnectionPool.Purpose?
  private let hasEnded = Atomic(false)

  fileprivate init(
    _ pool: ConnectionPool,
    _ session: PGSession,
    _ purpose: ConnectionPool.Purpose?
  ) {
    (self.pool, self.session, self.purpose) = (pool, session, purpose)
  }

  deinit { end() }

  /// Gives the connection back before the last reference goes; no one may use it any more.
  func end() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    pool.takeBack(session, purpose)
  }
}

extension PGSession {
  /// Makes the session what a new one would be; `false` where it is lost.
  ///
  /// - Throws: `cancelled`.
  fileprivate func isRenewed(
    _ options: PGConnectionOptions,
    _ notices: @escaping PGConnection.NoticeHandler
  ) async throws(PostgresError) -> Bool {
    do throws(PostgresError) {
      return try await withConnection { (connection) throws(PostgresError) in
        connection.patience = PGWaiting(silenceLimit: options.silenceLimit)
        guard connection.isStillAlive() else { return false }
        try connection.resetSession()
        connection.receiveNotices(notices)
        return true
      }
    } catch {
      guard !Task.isCancelled else { throw .cancelled }
      return false
    }
  }
}

extension PGConnection {
  /// Whether the same connection string may lead to another server.
  fileprivate var mayBeOneOfMany: Bool { hostCount > 1 || !address.isEmpty && host != address }
}
