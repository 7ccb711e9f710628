import Dispatch
import Synchronization

/// Runs tasks on a bounded number of threads, where they may block.
///
/// The cooperative pool has as many threads as cores; one that waits for a disk or a lock would be missing
/// everywhere else. Tasks begin in the order in which they came.
package final class BoundedExecutor: TaskExecutor {
  private struct State {
    /// Those that have nothing to do.
    var idle: [DispatchQueue]
    var waiting: [UnownedJob] = []
    /// How many at the front have been begun.
    var begun = 0

    /// What a thread does next; `nil` where it rests.
    mutating func next(_ queue: DispatchQueue) -> UnownedJob? {
      guard begun < waiting.count else {
        idle.append(queue)
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

  private let state: Mutex<State>

  /// - Parameters:
  ///   - threads: How many at most.
  ///   - label: What debuggers call them.
  package init(threads: Int, label: String) {
    // A serial queue has a thread of its own, also where all that Dispatch shares among others are
    // blocked.
    state = Mutex(State(idle: (0..<threads).map { _ in DispatchQueue(label: label) }))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let queue = state.withLock { state in
      let queue = state.idle.popLast()
      if queue == nil { state.waiting.append(job) }
      return queue
    }
    if let queue { queue.async { self.run(job, queue) } }
  }

  private func run(_ first: UnownedJob, _ queue: DispatchQueue) {
    var next: UnownedJob? = first
    while let job = next {
      job.runSynchronously(on: asUnownedTaskExecutor())
      next = state.withLock { $0.next(queue) }
    }
  }
}
