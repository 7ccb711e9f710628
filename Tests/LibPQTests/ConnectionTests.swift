import Synchronization
import TestSupport
import Testing

@testable import LibPQ

@Suite("A connection")
struct ConnectionTests {
  @Test func `knows its server, its database and its settings`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      #expect(connection.serverVersion >= 130_000)
      #expect(connection.parameterStatus("server_encoding") == "UTF8")
      #expect(connection.parameterStatus("no_such_thing") == nil)
      #expect(try connection.value("select current_database()") == connection.database)
      #expect(try connection.value("select current_user") == connection.user)
      #expect(try connection.value("select pg_backend_pid()") == "\(connection.backendPID)")
      #expect(try connection.value("show client_encoding") == "UTF8")
      #expect(try connection.value("show application_name") == "staffbook")
      #expect(connection.isAlive == true)
      #expect(connection.conninfo["dbname"] == connection.database)
      #expect(connection.conninfo["connect_timeout"] == "10")
      #expect(connection.conninfo["sslmode"] == nil)
    }
  }

  @Test func `keeps the settings of its connection string but for the encoding`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(
        conninfo: conninfo + " application_name=roster client_encoding=LATIN1 connect_timeout=3"
      )
      #expect(try connection.value("show application_name") == "roster")
      #expect(try connection.value("show client_encoding") == "UTF8")
      #expect(connection.conninfo["connect_timeout"] == "3")
    }
  }

  @Test func `is refused with the server's reason and without the password`() async throws {
    try await withTestDatabase { conninfo in
      let error = #expect(throws: PostgresError.self) {
        _ = try PGConnection(conninfo: conninfo + " dbname=no_such_database password=sesame")
      }
      guard case .connectionFailed(let reason, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.hasSuffix("FATAL:  database \"no_such_database\" does not exist"))
      #expect(!reason.contains("sesame"))
      #expect(error?.isConnectionGone == true)
    }
  }

  @Test func `says by its code why it is refused`() async throws {
    try await withTestDatabase { conninfo in
      let error = #expect(throws: PostgresError.self) {
        _ = try PGConnection(conninfo: conninfo + " dbname=no_such_database")
      }
      #expect(error?.sqlstate == .invalidCatalogName)
      #expect("\(String(describing: error))".contains("FATAL:  database"))
      #expect(!"\(String(describing: error))".contains("LOCATION"))
    }
  }

  @Test func `takes that code out of each host's words`() {
    let refusal = ConnectionFailure(
      verbose: """
        connection to "a" failed: FATAL:  28P01: password authentication failed for user "x"
        LOCATION:  auth_failed, auth.c:326
        connection to "b" failed: Connection refused
        \tIs the server running?
        connection to "c" failed: FATAL:  57P03: the database system is starting up
        """
    )
    #expect(refusal.sqlstate == .invalidPassword)
    #expect(
      refusal.reason == """
        connection to "a" failed: FATAL:  password authentication failed for user "x"
        connection to "b" failed: Connection refused
        \tIs the server running?
        connection to "c" failed: FATAL:  the database system is starting up
        """
    )
  }

  @Test func `to no server says so`() async throws {
    try await withTemporaryDirectory { folder in
      let error = #expect(throws: PostgresError.self) {
        _ = try PGConnection(conninfo: "host=\(folder) password=sesame")
      }
      guard case .connectionFailed(let reason, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(reason.contains("\(folder)"))
      #expect(!reason.contains("sesame"))
    }
  }

  @Test func `with several hosts takes the first that answers`() async throws {
    try await withTestDatabase { conninfo in
      var settings = try PGConninfo(parsing: conninfo)
      let host = settings["host"] ?? ""
      settings["host"] = "/nowhere/at/all,\(host)"
      if let port = settings["port"] { settings["port"] = "\(port),\(port)" }
      let connection = try PGConnection(conninfo: settings.uri)
      #expect(connection.host == host)
    }
  }

  @Test func `gives notices to the handler, typed`() async throws {
    try await withTestDatabase { conninfo in
      let notices = Notices()
      var connection = try PGConnection(conninfo: conninfo, notices: notices.append)
      try connection.executeScript(
        "do $$ begin raise notice 'a % b', 1 using hint = 'look'; raise warning 'c'; end $$"
      )
      #expect(notices.all.map(\.message) == ["a 1 b", "c"])
      #expect(notices.all.map(\.severity) == [.notice, .warning])
      #expect(notices.all.first?.hint == "look")
    }
  }

  @Test func `gives also warnings of the login itself to the handler`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      // A setting that was fine when it was stored and is not any more.
      try connection.executeScript(
        """
        set default_text_search_config = 'pg_catalog.simple';
        create text search configuration gone (copy = simple);
        alter database \(connection.database) set default_text_search_config = 'public.gone';
        drop text search configuration gone;
        alter database \(connection.database) set temp_tablespaces = 'gone';
        """
      )
      let notices = Notices()
      let other = try PGConnection(conninfo: conninfo, notices: notices.append)
      #expect(other.isAlive == true)
      #expect(!notices.all.isEmpty)
    }
  }
}

@Suite("A lost connection")
struct ConnectionLossTests {
  @Test func `is told apart from a refused statement`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      var killer = try PGConnection(conninfo: conninfo)
      try killer.terminate(connection)
      let error = #expect(throws: PostgresError.self) { try connection.execute("select 1") }
      guard case .connectionLost(_, let sqlstate) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(sqlstate == .adminShutdown || sqlstate == nil)
      #expect(error?.isConnectionGone == true)
      #expect(connection.isAlive == false)
      let again = #expect(throws: PostgresError.self) { try connection.execute("select 1") }
      #expect(again?.isConnectionGone == true)
    }
  }

  @Test func `carries the server's farewell when it came while a statement ran`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      let error = #expect(throws: PostgresError.self) {
        try connection.execute("select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)")
      }
      guard case .connectionLost(_, .adminShutdown?) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `at the COMMIT of what only read is no loss`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      let pid = connection.backendPID
      let read = try connection.transaction(.consistentRead) {
        connection throws(PostgresError) in
        let read = try connection.execute("select 7").int(row: 0, column: 0)
        var other = try PGConnection(conninfo: conninfo)
        _ = try other.execute("select pg_terminate_backend(\(pid), 60000)").rowCount
        return read
      }
      #expect(read == 7)
      let isAlive = connection.isAlive
      #expect(!isAlive)
    }
  }

  @Test func `at COMMIT leaves the outcome unknown`() async throws {
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript(
        """
        create table t (a int);
        create function die() returns trigger language plpgsql as
          $$ begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5);
             return null; end $$;
        create constraint trigger at_commit after insert on t deferrable initially deferred
          for each row execute function die();
        """
      )
      let error = #expect(throws: PostgresError.self) {
        try connection.transaction { connection throws(PostgresError) in
          _ = try connection.execute("insert into t values (1)").rowCount
        }
      }
      guard case .commitOutcomeUnknown = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func `in the middle of a COPY in either direction is noticed`() async throws {
    try await withTestDatabase { conninfo in
      var killer = try PGConnection(conninfo: conninfo)
      try killer.executeScript("create table t (a int)")
      var writer = try PGConnection(conninfo: conninfo)
      let pid = writer.backendPID
      let writing = #expect(throws: PostgresError.self) {
        try writer.copyIn("copy t from stdin") { (stream) throws(PostgresError) in
          try stream.write("1\n")
          try killer.execute("select pg_terminate_backend($1, 5000)", [.int64(Int64(pid))])
          for _ in 1...20 { try stream.write([UInt8](repeating: 0x31, count: 1 << 20)) }
        }
      }
      #expect(writing?.isConnectionGone == true, "\(String(describing: writing))")
      var reader = try PGConnection(conninfo: conninfo)
      let readerPID = reader.backendPID
      var rows = 0
      let reading = #expect(throws: PostgresError.self) {
        let sql = "copy (select repeat('x', 1000) from generate_series(1, 1000000)) to stdout"
        try reader.copyOut(sql) { _ throws(PostgresError) in
          rows += 1
          guard rows == 1 else { return }
          try killer.execute("select pg_terminate_backend($1, 5000)", [.int64(Int64(readerPID))])
        }
      }
      #expect(reading?.isConnectionGone == true, "\(String(describing: reading))")
      #expect(rows < 1_000_000)
    }
  }
}

@Suite("Cancelling")
struct CancelTests {
  @Test func `from another thread ends the statement and keeps the connection`() async throws {
    try await withTestDatabase { conninfo in
      let session = try await PGSession.connect(conninfo: conninfo)
      let canceller = try await session.withConnection { (connection) throws(PostgresError) in
        try connection.makeCanceller()
      }
      let sleeping = Task {
        try await session.withConnection { (connection) throws(PostgresError) in
          _ = try connection.execute("select pg_sleep(60)").rowCount
        }
      }
      try await waitForSleeper(conninfo)
      try canceller.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleeping.value }
      #expect(error?.sqlstate == .queryCanceled)
      #expect(error?.isConnectionGone == false)
      let one = try await session.withConnection { connection in try connection.value("select 1") }
      #expect(one == "1")
    }
  }

  @Test func `a task cancels what it waits for and nothing else`() async throws {
    try await withTestDatabase { conninfo in
      let session = try await PGSession.connect(conninfo: conninfo)
      let sleeper = Task {
        try await session.withConnection { (connection) throws(PostgresError) in
          _ = try connection.execute("select pg_sleep(60)").rowCount
        }
      }
      try await waitForSleeper(conninfo)
      let next = Task {
        try await session.withConnection { connection in try connection.value("select 2") }
      }
      sleeper.cancel()
      let error = await #expect(throws: PostgresError.self) { try await sleeper.value }
      #expect(error?.sqlstate == .queryCanceled)
      #expect(try await next.value == "2")
    }
  }

  @Test func `when nothing runs harms nothing`() async throws {
    try await withConnection { connection throws in
      let canceller = try connection.makeCanceller()
      try canceller.cancel()
      #expect(try connection.value("select 1") == "1")
    }
  }

  /// Waits until the database has a session in `pg_sleep`.
  private func waitForSleeper(_ conninfo: String) async throws {
    var watcher = try PGConnection(conninfo: conninfo)
    let sql = """
      select count(*) from pg_stat_activity
       where datname = current_database() and wait_event = 'PgSleep'
      """
    try await wait(until: "a session sleeps") { try watcher.value(sql) != "0" }
  }
}

/// Gathers notices.
private final class Notices: Sendable {
  private let gathered = Mutex<[PGDiagnostic]>([])

  var all: [PGDiagnostic] { gathered.withLock { $0 } }

  @Sendable func append(_ notice: PGDiagnostic) { gathered.withLock { $0.append(notice) } }
}
