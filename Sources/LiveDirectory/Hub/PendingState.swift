import DirectoryReading
import DirectorySnapshot
import Dispatch
import Platform
import Synchronization

/// A state that is being made, for those who wait for it.
final class PendingState: Sendable {
  private struct State {
    var made: Result<DirectoryState, SnapshotError>?
    var task: Task<Void, Never>?
    /// At first the one for whom it is made; none once it was given up.
    var waiting = 1
  }

  private let state = Mutex(State())
  private let work = DispatchGroup()

  init() { work.enter() }

  /// Makes it, until nobody waits for it.
  func make(on executor: BoundedExecutor, _ body: @escaping @Sendable () -> Void) {
    let task = Task(executorPreference: executor) { body() }
    state.withLock { $0.task = task }
  }

  /// Waits with the others.
  ///
  /// - Returns: `false` where it was given up.
  func join() -> Bool {
    state.withLock { state in
      guard state.waiting > 0 else { return false }
      state.waiting += 1
      return true
    }
  }

  private func leave() {
    let task = state.withLock { state in
      state.waiting -= 1
      return state.waiting == 0 ? state.task : nil
    }
    task?.cancel()
  }

  func finish(_ result: Result<DirectoryState, SnapshotError>) {
    state.withLock { $0.made = result }
    work.leave()
  }

  /// Waits for it.
  ///
  /// - Throws: Why it could not be made; `.interrupted` in a cancelled task.
  func result() throws(SnapshotError) -> DirectoryState {
    do throws(SnapshotError) {
      while work.wait(timeout: .now() + Self.patience) == .timedOut {
        try SnapshotError.checkCancellation()
      }
    } catch {
      leave()
      throw error
    }
    guard let made = state.withLock({ $0.made }) else { preconditionFailure("nothing was made") }
    return try made.get()
  }

  /// How often a waiting task looks whether it was cancelled.
  private static let patience = DispatchTimeInterval.milliseconds(20)
}
