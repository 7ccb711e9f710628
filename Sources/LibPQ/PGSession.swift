import Dispatch
import Synchronization

/// A connection that async code can use: its calls block a thread of their own, never the pool's.
///
/// A session does one thing at a time; calls queue up. Cancelling the task that waits cancels the
/// statement, which then fails with SQLSTATE 57014.
package actor PGSession {
  private let executor = PGExecutor()
  /// Both are there once `open` is through, which no caller can overtake.
  private var connection: PGConnection?
  private var canceller: PGCanceller?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private init() {}

  /// Connects; see `PGConnection.init(conninfo:options:notices:)`.
  package static func connect(
    conninfo: String,
    options: PGConnectionOptions = PGConnectionOptions(),
    notices: @escaping PGConnection.NoticeHandler = { _ in }
  ) async throws(PostgresError) -> PGSession {
    let session = PGSession()
    try await session.open(conninfo: conninfo, options: options, notices: notices)
    return session
  }

  private func open(
    conninfo: String,
    options: PGConnectionOptions,
    notices: @escaping PGConnection.NoticeHandler
  ) throws(PostgresError) {
    let connection = try PGConnection(conninfo: conninfo, options: options, notices: notices)
    canceller = try connection.makeCanceller()
    self.connection = consume connection
  }

  /// Runs `body` with the connection, on the session's own thread.
  package func withConnection<R: Sendable, E: Error>(
    _ body: @Sendable (inout PGConnection) throws(E) -> R
  ) async throws(E) -> R {
    let call = RunningCall(canceller)
    let outcome = await withTaskCancellationHandler {
      defer { call.end() }
      return run(body)
    } onCancel: {
      call.cancel()
    }
    return try outcome.get()
  }

  private func run<R, E: Error>(
    _ body: (inout PGConnection) throws(E) -> R
  ) -> Result<R, E> {
    guard var connection = connection.take() else { preconditionFailure("a session unopened") }
    let outcome: Result<R, E>
    do throws(E) {
      outcome = .success(try body(&connection))
    } catch {
      outcome = .failure(error)
    }
    self.connection = consume connection
    return outcome
  }
}

/// One use of a connection, which can be cancelled until it ends and not a moment longer: a late
/// cancel would hit the next statement.
private final class RunningCall: Sendable {
  private let canceller: PGCanceller?
  private let isRunning = Mutex(true)

  init(_ canceller: PGCanceller?) { self.canceller = canceller }

  /// Waits for a cancel that is on its way.
  func end() { isRunning.withLock { $0 = false } }

  /// Returns at once; talking to the server blocks, and whoever cancels must not wait for it.
  func cancel() {
    DispatchQueue.global().async {
      self.isRunning.withLock { isRunning in
        // A server that cannot be reached ends the statement by itself.
        if isRunning { try? self.canceller?.cancel() }
      }
    }
  }
}
