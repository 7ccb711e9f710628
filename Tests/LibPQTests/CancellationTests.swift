import LibPQ
import Platform
import Synchronization
import TestSupport
import Testing

@Suite("A cancelled task")
struct CancellationTests {
  /// Runs `body` on a session, cancels it once `isUnderWay`, and says how it ended.
  ///
  /// Then the session must be idle and usable. Until it is cancelled, the advisory lock 1 is taken.
  private func cancelled(
    when isUnderWay: String? = nil,
    and hasBegun: @escaping @Sendable () -> Bool = { true },
    _ body: @escaping @Sendable (inout PGConnection) throws(PostgresError) -> Void
  ) async throws -> PostgresError? {
    try await withTestDatabase { conninfo in
      let session = try await PGSession.connect(conninfo: conninfo)
      var watcher = try PGConnection(conninfo: conninfo)
      try watcher.executeScript("select pg_advisory_lock(1)")
      let task = Task {
        try await session.withConnection { (connection) throws(PostgresError) in
          try body(&connection)
        }
      }
      if let isUnderWay {
        let sql = """
          select count(*) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and \(isUnderWay)
          """
        try await wait(until: "it is under way") {
          guard hasBegun() else { return false }
          return try watcher.value(sql) != "0"
        }
      }
      task.cancel()
      try watcher.executeScript("select pg_advisory_unlock(1)")
      let outcome = await task.result
      let status = await session.withConnection { $0.transactionStatus }
      #expect(status == .idle)
      let answer = try await session.withConnection { connection in
        try connection.value("select count(*) from pg_locks where pid <> pg_backend_pid()")
      }
      #expect(answer != nil)
      guard case .failure(let error) = outcome else { return nil }
      return error as? PostgresError
    }
  }

  @Test func `ends its statement and rolls its transaction back`() async throws {
    let error = try await cancelled(when: "wait_event = 'PgSleep'") {
      (connection) throws(PostgresError) in
      try connection.transaction { (connection) throws(PostgresError) in
        _ = try connection.execute("create table t ()").commandTag
        _ = try connection.execute("select pg_sleep(60)").rowCount
      }
    }
    #expect(error?.sqlstate == .queryCanceled)
  }

  @Test func `between two statements does not send the next`() async throws {
    let error = try await cancelled { (connection) throws(PostgresError) in
      try connection.transaction { (connection) throws(PostgresError) in
        while !Task.isCancelled { sched_yield() }
        _ = try connection.execute("select pg_sleep(60)").rowCount
      }
    }
    #expect(error == .cancelled)
  }

  @Test func `before COMMIT does not send it`() async throws {
    let error = try await cancelled { (connection) throws(PostgresError) in
      try connection.transaction { (connection) throws(PostgresError) in
        while !Task.isCancelled { sched_yield() }
      }
    }
    #expect(error == .cancelled)
  }

  @Test func `in the midst of COMMIT waits for its end`() async throws {
    let error = try await cancelled(when: "wait_event = 'advisory'") {
      (connection) throws(PostgresError) in
      try connection.executeScript(
        """
        create table t ();
        create function f() returns trigger language plpgsql
          as 'begin perform pg_advisory_xact_lock(1); return null; end';
        create constraint trigger c after insert on t deferrable initially deferred
          for each row execute function f();
        """
      )
      try connection.transaction { (connection) throws(PostgresError) in
        _ = try connection.execute("insert into t default values").commandTag
      }
    }
    #expect(error == nil)
  }

  @Test func `ends a COPY from the server`() async throws {
    let error = try await cancelled(when: "query like 'copy%'") {
      (connection) throws(PostgresError) in
      try connection.copyOut("copy (select generate_series(1, 1000000000)) to stdout") {
        _ throws(PostgresError) in
      }
    }
    #expect(error?.sqlstate == .queryCanceled)
  }

  @Test func `ends a COPY to the server`() async throws {
    // A cancel that comes before the server takes the data ends the statement in its beginning.
    let isTaken = Mutex(false)
    let error = try await cancelled(when: "query like 'copy%'", and: { isTaken.withLock { $0 } }) {
      (connection) throws(PostgresError) in
      try connection.executeScript("create temporary table t (a text)")
      let row = [UInt8](repeating: UInt8(ascii: "x"), count: 1_023) + [UInt8(ascii: "\n")]
      try connection.copyIn("copy t from stdin") { (writer) throws(PostgresError) in
        isTaken.withLock { $0 = true }
        while true { try writer.write(row) }
      }
    }
    #expect(error == .cancelled)
  }

  @Test func `waits for no notification`() async throws {
    // Idle: a cancel that comes sooner ends the LISTEN.
    let error = try await cancelled(when: "query like 'listen%' and state = 'idle'") {
      (connection) throws(PostgresError) in
      _ = try connection.execute("listen nothing").commandTag
      _ = try connection.waitForNotification(until: nil)
    }
    #expect(error == .cancelled)
  }

  @Test func `waits for no connection`() async throws {
    try await withTemporaryDirectory { folder in
      // It takes connections and never says a word.
      let server = try SocketRelay(in: folder, to: TestDatabase.serverConninfo(), bytesToClient: 0)
      defer { server.stop() }
      let conninfo = server.conninfo.pairs + " connect_timeout=600"
      let task = Task { _ = try await PGSession.connect(conninfo: conninfo) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      await #expect(throws: PostgresError.cancelled) { try await task.value }
    }
  }

  @Test func `leaves a server that does not heed it`() async throws {
    try await withTestDatabase { conninfo in
      let session = try await PGSession.connect(conninfo: conninfo)
      let pid = await session.withConnection { $0.backendPID }
      kill(pid, SIGSTOP)
      defer { kill(pid, SIGCONT) }
      let task = Task {
        try await session.withConnection { connection in try connection.value("select 1") }
      }
      task.cancel()
      let error = await #expect(throws: PostgresError.self) { try await task.value }
      #expect(error?.mayBeCancellation == true)
    }
  }
}
