import Dispatch
import Platform
import Synchronization
import Testing

@Suite("A bounded executor")
struct BoundedExecutorTests {
  private final class Counts: Sendable {
    struct Values {
      var running = 0
      var most = 0
      var done: [Int] = []
    }

    let values = Mutex(Values())
  }

  @Test func `runs tasks that block, and no more at once than it may`() async {
    let executor = BoundedExecutor(threads: 3, label: "test")
    let counts = Counts()
    let gate = DispatchSemaphore(value: 0)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<3_000 {
        group.addTask(executorPreference: executor) {
          counts.values.withLock { counts in
            counts.running += 1
            counts.most = max(counts.most, counts.running)
            if counts.running == 3 { for _ in 0..<3_000 { gate.signal() } }
          }
          gate.wait()
          counts.values.withLock { counts in
            counts.running -= 1
            counts.done.append(number)
          }
        }
      }
    }
    let (most, done) = counts.values.withLock { ($0.most, $0.done) }
    #expect(most == 3)
    #expect(done.sorted() == Array(0..<3_000))
  }

  @Test func `lets a task know that it was cancelled`() async {
    let executor = BoundedExecutor(threads: 1, label: "test")
    let hasBegun = DispatchSemaphore(value: 0)
    let task = Task(executorPreference: executor) {
      hasBegun.signal()
      while !Task.isCancelled { _ = usleep(1_000) }
      return true
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        hasBegun.wait()
        continuation.resume()
      }
    }
    task.cancel()
    #expect(await task.value)
  }
}
