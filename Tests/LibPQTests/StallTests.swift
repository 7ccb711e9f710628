import Dispatch
import LibPQ
import Platform
import Synchronization
import TestSupport
import Testing

/// For tests that wait in the system: on a thread of the tasks, of which there are two, all others would
/// wait with them.
@globalActor
actor WaitingThread {
  static let shared = WaitingThread()

  private let executor = PGExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

@WaitingThread
@Suite("A server that says nothing more")
struct StallTests {
  /// Runs `body` with the way through a relay to the test server.
  private func withRelay(
    bytesToClient: Int,
    _ body: (_ conninfo: PGConninfo) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let relay = try SocketRelay(
        in: folder,
        to: TestDatabase.serverConninfo(),
        bytesToClient: bytesToClient
      )
      defer { relay.stop() }
      try await body(relay.conninfo)
    }
  }

  @Test func `in the middle of a COPY ends it with a clear message`() async throws {
    try await withRelay(bytesToClient: 300_000) { conninfo in
      var connection = try PGConnection(
        conninfo: conninfo.pairs,
        options: PGConnectionOptions(silenceLimit: .seconds(5))
      )
      var rows = 0
      let error = #expect(throws: PostgresError.self) {
        let sql = "copy (select repeat('x', 1000) from generate_series(1, 100000)) to stdout"
        try connection.copyOut(sql) { _ throws(PostgresError) in rows += 1 }
      }
      #expect(rows > 100 && rows < 300)
      #expect(
        error == .connectionLost(reason: "the server sent nothing for 5 seconds", sqlstate: nil)
      )
      // What comes next does not wait again.
      let next = #expect(throws: PostgresError.self) { try connection.execute("select 1") }
      #expect(next?.isConnectionGone == true)
    }
  }

  @Test func `before a statement's answer ends it too`() async throws {
    try await withRelay(bytesToClient: 2_000) { conninfo in
      var connection = try PGConnection(
        conninfo: conninfo.pairs,
        options: PGConnectionOptions(silenceLimit: .seconds(1))
      )
      let error = #expect(throws: PostgresError.self) {
        try connection.execute("select repeat('x', 10000)")
      }
      #expect(error?.isConnectionGone == true)
    }
  }

  @Test func `while it takes a COPY's data ends it too`() async throws {
    var connection = try PGConnection(conninfo: TestDatabase.serverConninfo())
    try connection.executeScript("create temporary table t (a text)")
    // Not before: a busy server may take as long to make the table.
    connection.patience.silenceLimit = .seconds(1)
    let pid = connection.backendPID
    defer { kill(pid, SIGCONT) }
    let error = #expect(throws: PostgresError.self) {
      try connection.copyIn("copy t from stdin") { (writer) throws(PostgresError) in
        kill(pid, SIGSTOP)
        let row = [UInt8](repeating: UInt8(ascii: "x"), count: 100_000) + [UInt8(ascii: "\n")]
        for _ in 0..<1_000 { try writer.write(row) }
      }
    }
    #expect(
      error == .connectionLost(reason: "the server sent nothing for 1 second", sqlstate: nil)
    )
  }

  @Test func `but only for a moment gets all of a COPY, and its end`() async throws {
    var connection = try PGConnection(
      conninfo: TestDatabase.serverConninfo(),
      options: PGConnectionOptions(silenceLimit: patience)
    )
    try connection.executeScript("create temporary table t (a text)")
    let pid = connection.backendPID
    let row = [UInt8](repeating: UInt8(ascii: "x"), count: 1_023) + [UInt8(ascii: "\n")]
    // Some of these fill the socket's buffer, so that the end of the data finds no room in it.
    for count in stride(from: 100, through: 400, by: 10) {
      let copied = try connection.copyIn("copy t from stdin") { (writer) throws(PostgresError) in
        kill(pid, SIGSTOP)
        // Not a task: the tests block the threads that would run it, and it would come too late. And
        // not before the server has been stopped: on a busy machine it came too early, once.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) {
          kill(pid, SIGCONT)
        }
        for _ in 0..<count { try writer.write(row) }
      }
      #expect(copied.rows == count)
    }
  }

  @Test func `is reported while it is waited for`() async throws {
    var connection = try PGConnection(conninfo: TestDatabase.serverConninfo())
    let count = Mutex(0)
    connection.patience.reminder = (.milliseconds(50), { count.withLock { $0 += 1 } })
    _ = try connection.execute("select 1").rowCount
    _ = try connection.execute("select pg_sleep(0.5)").rowCount
    #expect(count.withLock { $0 } >= 1)
  }

  @Test func `but is known to be at work is waited for ten times as long`() async throws {
    var connection = try PGConnection(
      conninfo: TestDatabase.serverConninfo(),
      options: PGConnectionOptions(silenceLimit: .seconds(1))
    )
    let count = Mutex(0)
    connection.patience.isAtWork = {
      count.withLock { $0 += 1 }
      return true
    }
    #expect(try connection.execute("select 'done', pg_sleep(5)").text(row: 0, column: 0) == "done")
    #expect(count.withLock { $0 } >= 4)
    let error = #expect(throws: PostgresError.self) {
      try connection.execute("select pg_sleep(60)")
    }
    #expect(
      error == .connectionLost(reason: "the server sent nothing for 10 seconds", sqlstate: nil)
    )
  }

  @Test func `for longer than the limit, but not all at once, is waited for`() async throws {
    var connection = try PGConnection(
      conninfo: TestDatabase.serverConninfo(),
      options: PGConnectionOptions(silenceLimit: .seconds(8))
    )
    var rows = 0
    // 8 kB fill the server's buffer, so that every row is sent at once.
    let sql = """
      copy (select repeat('x', 8192), pg_sleep(3) from generate_series(1, 4)) to stdout
      """
    try connection.copyOut(sql) { _ throws(PostgresError) in rows += 1 }
    #expect(rows == 4)
  }

  @Test func `when connecting is passed over within the connect timeout`() async throws {
    try await withRelay(bytesToClient: 0) { conninfo in
      let good = try PGConninfo(parsing: TestDatabase.serverConninfo())
      let silent = conninfo["host"] ?? ""
      var both = conninfo
      both["host"] = "\(silent),/nowhere/at/all,\(good["host"] ?? "")"
      both["port"] = "5432,5432,\(good["port"] ?? "5432")"
      both["connect_timeout"] = "2"
      let start = ContinuousClock.now
      let connection = try PGConnection(conninfo: both.pairs)
      #expect(connection.host == good["host"])
      #expect(connection.hostCount == 2)
      #expect(ContinuousClock.now - start >= .seconds(2))

      both["host"] = "\(silent),/nowhere/at/all"
      both["port"] = "5432"
      let error = #expect(throws: PostgresError.self) { _ = try PGConnection(conninfo: both.pairs) }
      guard case .connectionFailed(let reason, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("\(silent)") && reason.contains("no answer within 2 seconds"))
      #expect(reason.contains("/nowhere/at/all") && reason.contains("No such file"))
    }
  }
}

@Suite("Choosing among hosts")
struct HostTests {
  @Test func `leaves out those that are to be passed over`() async throws {
    let good = try PGConninfo(parsing: TestDatabase.serverConninfo())
    let host = PGHost(name: good["host"] ?? "", port: good["port"] ?? "5432")
    let error = #expect(throws: PostgresError.self) {
      _ = try PGConnection(
        conninfo: good.pairs,
        options: PGConnectionOptions(passedOver: [host])
      )
    }
    #expect(error == .connectionFailed(reason: "there are no more hosts"))
    var both = good
    both["host"] = "\(host.name),/nowhere/at/all"
    both["port"] = "\(host.port),5432"
    let other = #expect(throws: PostgresError.self) {
      _ = try PGConnection(
        conninfo: both.pairs,
        options: PGConnectionOptions(passedOver: [host])
      )
    }
    #expect("\(String(describing: other))".contains("/nowhere/at/all"))
  }

  @Test func `lets the string overrule a preference`() async throws {
    let options = PGConnectionOptions(targetSessionAttributes: "standby")
    let conninfo = try TestDatabase.serverConninfo()
    let error = #expect(throws: PostgresError.self) {
      _ = try PGConnection(conninfo: conninfo, options: options)
    }
    #expect("\(String(describing: error))".contains("standby mode"))
    for attributes in ["any", "primary"] {
      _ = try PGConnection(
        conninfo: conninfo + " target_session_attrs=\(attributes)",
        options: options
      )
    }
    _ = try PGConnection(
      conninfo: conninfo,
      options: PGConnectionOptions(targetSessionAttributes: "prefer-standby")
    )
  }
}
