import Dispatch
import Synchronization

/// Two pieces of work at the same time.
package enum ConcurrentPair {
  /// - Returns: What both gave.
  /// - Throws: What the first one threw, otherwise the second; `.interrupted`, before either is begun,
  ///   in a cancelled task.
  package static func run<First: Sendable, Second: Sendable>(
    _ first: @Sendable () throws(SnapshotError) -> First,
    _ second: @Sendable () throws(SnapshotError) -> Second
  ) throws(SnapshotError) -> (First, Second) {
    try SnapshotError.checkCancellation()
    let firstResult = Mutex<Result<First, SnapshotError>?>(nil)
    let secondResult = Mutex<Result<Second, SnapshotError>?>(nil)
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      if index == 0 {
        let result = Result { () throws(SnapshotError) in try first() }
        firstResult.withLock { $0 = result }
      } else {
        let result = Result { () throws(SnapshotError) in try second() }
        secondResult.withLock { $0 = result }
      }
    }
    guard let first = firstResult.withLock({ $0.take() }),
      let second = secondResult.withLock({ $0.take() })
    else { preconditionFailure("work that was not done") }
    return (try first.get(), try second.get())
  }
}
