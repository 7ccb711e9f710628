import Synchronization
import Testing
import TestSupport

@testable import DirectoryWriting

@Suite("A pipe of batches")
struct BatchPipeTests {
  @Test func `gives every batch in order, and what was made of them`() async throws {
    var taken: [Int] = []
    let output = try await BatchPipe.run(label: "test") { handOn in
      for number in 0..<100 { handOn(number) }
      return "done"
    } consume: {
      taken.append($0)
    }
    #expect(output == "done" && taken == Array(0..<100))
  }

  /// Anyone who makes batches must neither wait for room that no one gives, nor leave the semaphore
  /// below what it was made with: libdispatch ends a process that frees such a one.
  @Test func `may be cancelled with batches under way`() async throws {
    await #expect(processExitsWith: .success) {
      final class Sign: Sendable {}
      for takenBefore in 0...3 {
        let made = Atomic(0)
        let taken = Atomic(0)
        weak var last: Sign?
        do {
          let sign = Sign()
          last = sign
          let task = Task {
            try await BatchPipe.run(label: "test") { handOn in
              for number in 0..<20 {
                handOn(number)
                made.add(1, ordering: .relaxed)
              }
              withExtendedLifetime(sign) {}
            } consume: { _ in
              taken.add(1, ordering: .relaxed)
              // Cancelled here, with two more under way.
              guard taken.load(ordering: .relaxed) > takenBefore else { return }
              try? await Task.sleep(for: .seconds(1_000))
            }
          }
          try await wait(until: "the pipe is full") {
            [taken.load(ordering: .relaxed), made.load(ordering: .relaxed)]
              == [takenBefore + 1, takenBefore + 2]
          }
          task.cancel()
          await #expect(throws: CancellationError.self) { try await task.value }
        }
        try await wait(until: "all are made") { made.load(ordering: .relaxed) == 20 }
        // What the thread held is let go of, the semaphore last of all.
        try await wait(until: "the thread has ended") { last == nil }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }
}
