import LibPQ
import TestSupport
import Testing

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
        options: PGConnectionOptions(silenceLimit: .seconds(1))
      )
      var rows = 0
      let start = ContinuousClock.now
      let error = #expect(throws: PostgresError.self) {
        let sql = "copy (select repeat('x', 1000) from generate_series(1, 100000)) to stdout"
        try connection.copyOut(sql) { _ throws(PostgresError) in rows += 1 }
      }
      #expect(rows > 100 && rows < 300)
      #expect(ContinuousClock.now - start < .seconds(30))
      #expect(
        error == .connectionLost(reason: "the server was silent for 1 seconds", sqlstate: nil)
      )
      // What comes next does not wait again.
      let next = #expect(throws: PostgresError.self) { try connection.execute("select 1") }
      #expect(next?.isConnectionGone == true)
      #expect(ContinuousClock.now - start < .seconds(30))
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

  @Test func `for longer than the limit, but not all at once, is waited for`() async throws {
    var connection = try PGConnection(
      conninfo: TestDatabase.serverConninfo(),
      options: PGConnectionOptions(silenceLimit: .seconds(2))
    )
    var rows = 0
    // 8 kB fill the server's buffer, so that every row is sent at once.
    let sql = """
      copy (select repeat('x', 8192), pg_sleep(0.8) from generate_series(1, 4)) to stdout
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
      #expect(ContinuousClock.now - start < .seconds(15))

      both["host"] = "\(silent),/nowhere/at/all"
      both["port"] = "5432"
      let error = #expect(throws: PostgresError.self) { _ = try PGConnection(conninfo: both.pairs) }
      guard case .connectionFailed(let reason) = error else {
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
    #expect(error == .connectionFailed(reason: "there is no further host"))
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
