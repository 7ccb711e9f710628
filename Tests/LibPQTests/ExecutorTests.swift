import LibPQ
import TestSupport
import Testing

@Suite("Blocking calls")
struct ExecutorTests {
  @Test func `of many sessions at once leave the cooperative pool free`() async throws {
    _ = try TestDatabase.serverConninfo()
    // In a process of its own: other tests do block the pool.
    await #expect(processExitsWith: .success) {
      try await withThrowingTaskGroup { group in
        // Far more than the pool has threads; each would hold one for five seconds.
        for _ in 1...12 { group.addTask { try await Self.sleepForSeconds() } }
        let longest = try await Self.longestWaitForThePool()
        try await group.waitForAll()
        #expect(longest < .seconds(2))
      }
    }
  }

  private static func sleepForSeconds() async throws {
    let session = try await PGSession.connect(conninfo: TestDatabase.serverConninfo())
    try await session.withConnection { (connection) throws(PostgresError) in
      _ = try connection.execute("select pg_sleep(5)").rowCount
    }
  }

  /// How long a task without work waits for a thread, at the worst within some 0.4 s.
  private static func longestWaitForThePool() async throws -> Duration {
    let clock = ContinuousClock()
    var longest = Duration.zero
    for _ in 1...20 {
      let start = clock.now
      await Task.detached {}.value
      longest = max(longest, clock.now - start)
      try await Task.sleep(for: .milliseconds(20))
    }
    return longest
  }

  @Test func `run where the actor says it is isolated`() async throws {
    let counter = Counter()
    await withTaskGroup { group in
      for _ in 1...100 { group.addTask { await counter.increment() } }
    }
    #expect(await counter.value == 100)
  }

  private actor Counter {
    private let executor = PGExecutor(label: "test")
    var value = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func increment() {
      preconditionIsolated()
      value += 1
    }
  }
}
