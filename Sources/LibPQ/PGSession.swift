import Dispatch
import Synchronization

/// A connection that async code can use: its calls block a thread of their own, never the pool's.
///
/// A session does one thing at a time; calls queue up. Cancelling the task that waits cancels the
/// statement, which then fails with SQLSTATE 57014, and no other is sent: it fails as `cancelled`.
/// COMMIT and ROLLBACK alone are not touched. A server that does not heed it is left after five seconds.
package actor PGSession {
  private let executor = PGExecutor()
  /// Both are there once `open` is through, which no caller can overtake.
  private var connection: PGConnection?
  private var gate: CancelGuard?
  private let isBusy = Atomic(false)

  /// Whether the connection was there, and in no transaction, when it was last used.
  package nonisolated var isIdle: Bool { !isBusy.load(ordering: .acquiring) }

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
    var connection = try PGConnection(conninfo: conninfo, options: options, notices: notices)
    gate = CancelGuard(try connection.makeCanceller())
    connection.gate = gate
    self.connection = consume connection
  }

  /// Runs `body` with the connection, on the session's own thread.
  package func withConnection<R: Sendable, E: Error>(
    _ body: @Sendable (inout PGConnection) throws(E) -> R
  ) async throws(E) -> R {
    guard let gate else { preconditionFailure("a session unopened") }
    let call = gate.begin()
    let outcome = await withTaskCancellationHandler {
      run(body)
    } onCancel: {
      gate.cancel(call)
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
    if let gate, !gate.end() { connection.breakOff() }
    let isIdle = connection.isAlive && connection.transactionStatus == .idle
    isBusy.store(!isIdle, ordering: .releasing)
    self.connection = consume connection
    return outcome
  }
}

/// Runs an actor's jobs one after another on a queue of its own, where they may block.
///
/// The cooperative pool has as many threads as cores; a thread of it that waits for the server
/// would be missing everywhere else. An actor with connections does this:
///
///     private let executor = PGExecutor(label: "staffbook.store")
///     nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///
/// An actor's `init` runs on its caller's thread: connect in a method, not there.
package final class PGExecutor: SerialExecutor {
  private let queue: DispatchQueue

  package init(label: String = "staffbook.postgres") {
    queue = DispatchQueue(label: label)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
