import DirectoryModel
import LibPQ

/// Carries a read from host to host until one gives what was asked for.
///
/// A host that is dead, breaks off or does not answer in time is passed over, and so is a standby
/// that lacks what was read before. When none is left, the standby that was nearest gets the rest
/// of its time; after that, it is read as it is.
struct SourceSession {
  /// What to do on a connection.
  ///
  /// - Returns: `nil`, allowed only if it may wait, when the host lacks what was read before.
  typealias Attempt<R> =
    @Sendable (
      _ connection: inout PGConnection,
      _ mayWait: Bool
    ) throws(StoreFailure) -> R?

  /// How often what fails in passing is tried, in all.
  private static let attempts = 5
  /// How long a lagging host is waited for while there are others.
  private static let firstPatience = Duration.milliseconds(200)
  private static let longestPause = Duration.milliseconds(250)

  private let conninfo: String
  private let options: ReadOptions
  private let access: DatabaseAccess
  private let deadline: ContinuousClock.Instant
  /// Hosts that have had their chance.
  private var passedOver: [PGHost] = []
  /// Whether a server is left that has not been.
  private var hasOthers = true
  private var failures = 0

  static func run<R: Sendable>(
    _ conninfo: String,
    _ options: ReadOptions,
    _ access: DatabaseAccess,
    _ attempt: @escaping Attempt<R>
  ) async throws(DirectoryError) -> R {
    var session = SourceSession(conninfo, options, access)
    while true {
      if let result = try await session.tryNextHost(attempt) { return result }
    }
  }

  private init(_ conninfo: String, _ options: ReadOptions, _ access: DatabaseAccess) {
    self.conninfo = conninfo
    self.access = access
    self.options = options
    deadline = ContinuousClock.now + options.standbyPatience
  }

  /// Asks the first host that has not been passed over.
  ///
  /// - Returns: `nil` when the next one is to be asked.
  private mutating func tryNextHost<R: Sendable>(
    _ attempt: @escaping Attempt<R>
  ) async throws(DirectoryError) -> R? {
    let lease: ConnectionLease
    do throws(PostgresError) {
      lease = try await connect()
    } catch {
      // Those who were passed over are better than none.
      guard hasOthers, !passedOver.isEmpty else {
        throw DirectoryError(error, doing: DirectoryRepository.doing)
      }
      hasOthers = false
      passedOver = []
      return nil
    }
    let session = lease.session
    do throws(StoreFailure) {
      if let result = try await readWithTimeout(session, attempt) { return result }
      await passOver(session)
      return nil
    } catch {
      try await giveUpOrGoOn(after: error, session)
      return nil
    }
  }

  private func connect() async throws(PostgresError) -> ConnectionLease {
    try await access.pool.lease(
      conninfo,
      PGConnectionOptions(
        targetSessionAttributes: options.preferStandby ? "prefer-standby" : nil,
        silenceLimit: options.silenceLimit,
        passedOver: passedOver
      ),
      reporting: access.notice
    )
  }

  /// Reads, again and again while the host is behind and may still catch up.
  private func readWithTimeout<R: Sendable>(
    _ session: PGSession,
    _ attempt: @escaping Attempt<R>
  ) async throws(StoreFailure) -> R? {
    let hostCount = hasOthers ? await session.withConnection { $0.hostCount } : 1
    let hasAlternatives = hasOthers && hostCount > passedOver.count + 1
    let limit =
      hasAlternatives ? min(deadline, ContinuousClock.now + Self.firstPatience) : deadline
    var pause = Duration.milliseconds(5)
    let began = ContinuousClock.now
    var hasTold = false
    while true {
      let isLast = !hasAlternatives && ContinuousClock.now >= limit
      let result = try await session.withConnection { (connection) throws(StoreFailure) in
        try attempt(&connection, !isLast)
      }
      if let result { return result }
      guard ContinuousClock.now < limit || !hasAlternatives else { return nil }
      if !hasTold, ContinuousClock.now - began >= WaitReporter.delay {
        hasTold = true
        access.notice(
          "waiting for the standby to catch up with the state read before; giving up after "
            + "\(options.standbyPatience.components.seconds) seconds"
        )
      }
      do {
        try await Task.sleep(for: pause)
      } catch {
        throw .directory(.interrupted)
      }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  private mutating func passOver(_ session: PGSession) async {
    passedOver.append(await session.withConnection { PGHost(name: $0.host, port: $0.port) })
  }

  /// Throws unless another try is worth while: on the same host for what passes, on others where
  /// the connection is lost.
  private mutating func giveUpOrGoOn(
    after failure: StoreFailure,
    _ session: PGSession
  ) async throws(DirectoryError) {
    failures += 1
    // A lock has been waited for as long as we wait.
    guard case .postgres(let error) = failure, failures < Self.attempts, !Task.isCancelled,
      error.isTransient && error.sqlstate != .lockNotAvailable || error.isConnectionGone
    else { throw failure.directoryError(doing: DirectoryRepository.doing) }
    guard error.isConnectionGone else { return }
    let hostCount = await session.withConnection { $0.hostCount }
    guard hostCount > passedOver.count + 1, hasOthers else {
      throw failure.directoryError(doing: DirectoryRepository.doing)
    }
    await passOver(session)
  }
}
