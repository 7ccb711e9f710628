import LibPQ
import Platform
import TestSupport
import Testing

@Suite("Blocking calls")
struct ExecutorTests {
  @Test func `of many sessions at once leave the cooperative pool free`() async throws {
    _ = try TestDatabase.serverConninfo()
    // In a process of its own: other tests do block the pool.
    await #expect(processExitsWith: .success) {
      try await withThrowingTaskGroup { group in
        // Far more than the pool has threads; each would hold one until it is over.
        for _ in 1...12 { group.addTask { try await Self.isEndedInItsSleep() } }
        // These need threads of the pool, and so do tasks in between.
        try await Self.endSleepers(12)
        #expect(
          try await group.reduce(into: []) { $0.append($1) } == Array(repeating: true, count: 12)
        )
      }
    }
  }

  private static let sleeper = "sleeper \(getpid())"

  private static func isEndedInItsSleep() async throws -> Bool {
    let session = try await PGSession.connect(
      conninfo: TestDatabase.serverConninfo() + " application_name='\(sleeper)'"
    )
    do {
      try await session.withConnection { (connection) throws(PostgresError) in
        _ = try connection.execute("select pg_sleep(60)").rowCount
      }
      return false
    } catch {
      return true
    }
  }

  /// Waits until so many sleep, and ends them.
  private static func endSleepers(_ count: Int) async throws {
    let session = try await PGSession.connect(conninfo: TestDatabase.serverConninfo())
    let sleepers = """
      from pg_stat_activity where application_name = '\(sleeper)' and wait_event = 'PgSleep'
      """
    try await wait(until: "\(count) sessions sleep") {
      await Task.detached {}.value
      return try await session.withConnection { (connection) throws(PostgresError) in
        try connection.execute("select 1 \(sleepers)").rowCount == count
      }
    }
    try await session.withConnection { (connection) throws(PostgresError) in
      _ = try connection.execute("select pg_terminate_backend(pid) \(sleepers)").rowCount
    }
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
