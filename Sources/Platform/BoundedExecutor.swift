import Dispatch
import Synchronization

/// Runs tasks on a bounded number of threads, where they may block.
///
/// The cooperative pool has as many threads as cores; one that waits for a disk or a lock would be missing
/// everywhere else. Tasks begin in the order in which they came.
package final class BoundedExecutor: TaskExecutor {
  private struct State {
    var running = 0
    var waiting: [UnownedJob] = []
    /// How many at the front have been begun.
    var begun = 0

    mutating func next() -> UnownedJob? {
      guard begun < waiting.count else {
        running -= 1
        return nil
      }
      defer {
        begun += 1
        if begun == waiting.count || begun >= 1_024 {
          waiting.removeFirst(begun)
          begun = 0
        }
      }
      return waiting[begun]
    }
  }

  private let threads: Int
  private let queue: DispatchQueue
  private let state = Mutex(State())

  /// - Parameters:
  ///   - threads: How many at most.
  ///   - label: What debuggers call them.
  package init(threads: Int, label: String) {
    self.threads = threads
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let begins = state.withLock { state in
      guard state.running == threads else {
        state.running += 1
        return true
      }
      state.waiting.append(job)
      return false
    }
    if begins { queue.async { self.run(job) } }
  }

  private func run(_ first: UnownedJob) {
    var next: UnownedJob? = first
    while let job = next {
      job.runSynchronously(on: asUnownedTaskExecutor())
      next = state.withLock { $0.next() }
    }
  }
}
