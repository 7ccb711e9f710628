import Dispatch

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
