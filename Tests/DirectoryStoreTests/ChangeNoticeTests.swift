import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("Notices of changes")
struct ChangeNoticeTests {
  /// How many notices a listener gets of what `body` does.
  private func notices(
    _ conninfo: String,
    armed: Bool = true,
    of body: (SQLSession) async throws -> Void
  ) async throws -> Int {
    let (listener, sql) = (
      try await PGSession.connect(conninfo: conninfo), try await SQLSession(conninfo)
    )
    try await listener.withConnection { (connection) throws(PostgresError) in
      try connection.execute("listen staffbook")
      guard armed else { return }
      try connection.execute(
        "select pg_advisory_lock_shared(1650814060, n) from generate_series(0, 15) n"
      )
    }
    try await body(sql)
    // Notices come in the order of commits: behind this one there are none.
    try await sql.run("notify staffbook, 'end'")
    var (total, before) = (0, -1)
    while total == 0 || total != before {
      before = total
      try await Task.sleep(for: .milliseconds(50))
      total += try await listener.withConnection { (connection) throws(PostgresError) in
        try connection.execute("select 1")
        return connection.takeNotifications()
      }
    }
    return total - 1
  }

  @Test func `come once for a transaction that writes, and only to those who wait`() async throws {
    try await withDirectory { (conninfo: String) async throws -> Void in
      try await SQLSession(conninfo).run(smallCompany)
      let writing =
        "begin; update staffbook.users set phone = '1'; update staffbook.users set phone = '2'; "
        + "insert into staffbook.departments (id, name) values ('new', 'New'); commit"
      #expect(
        try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
          try await sql.run(writing)
        } == 1
      )
      #expect(
        try await notices(conninfo, armed: false) { (sql: SQLSession) async throws -> Void in
          try await sql.run("update staffbook.users set phone = '9'")
        } == 0
      )
      #expect(
        try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
          try await sql.run("begin; update staffbook.users set phone = '3'; rollback")
          try await sql.run(
            "create table public.unrelated (n int); insert into public.unrelated values (1)"
          )
          _ = try await sql.value("select staffbook.prune()")
        } == 0
      )
      #expect(
        try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
          try await sql.run(
            "set session_replication_role = replica; update staffbook.users set phone = '4'"
          )
        } == 1
      )
      #expect(
        try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
          try await sql.run(
            "truncate staffbook.memberships, staffbook.users, staffbook.departments"
          )
        } == 1
      )
    }
  }

  @Test func `do not come of transactions that are prepared, which they would forbid`() async throws
  {
    try await withDirectory { (conninfo: String) async throws -> Void in
      try await SQLSession(conninfo).run(smallCompany)
      for statement in ["prepare transaction 'NAME'", "PREPARE /* now */\n TRANSACTION 'NAME'"] {
        let name = uniqueName("prepared")
        let count = try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
          try await sql.run("begin; update staffbook.users set phone = '\(name)'")
          try await sql.run(statement.split(separator: "NAME").joined(separator: name))
          try await sql.run("commit prepared '\(name)'")
        }
        #expect(count == 0)
      }
      // At the end of a sequence of messages there is no statement, and nothing is prepared.
      let count = try await notices(conninfo) { (sql: SQLSession) async throws -> Void in
        _ = try await sql.rows("update staffbook.users set phone = $1", [.text("5")])
      }
      #expect(count == 1)
    }
  }

  /// Its number is the highest, and no snapshot's xmax tells of it.
  @Test func `are not needed of the newest transaction under way`() async throws {
    try await withDirectory { (conninfo: String) async throws -> Void in
      let writer = try await SQLSession(conninfo)
      try await writer.run(smallCompany)
      let watermark = try #require(
        try await DirectoryRepository(conninfo: conninfo).load().source.watermark
      )
      let listener = try await ChangeListener.connect(
        conninfo: conninfo,
        silenceLimit: nil,
        rest: .seconds(60)
      ).get()
      try await writer.run(
        "begin; update staffbook.users set phone = '6'; set constraints all immediate"
      )
      let horizon = try await listener.arm().get()
      let early = try await listener.look(since: watermark)
      #expect(!early.hasChanges && early.xmin < horizon)
      try await writer.run("commit")
      #expect(try await listener.look(since: watermark).hasChanges)
      try await listener.disarm()
    }
  }

  /// Every login may take any advisory lock.
  @Test func `are not waited for while another session has a lock that they need`() async throws {
    try await withDirectory { (conninfo: String) async throws -> Void in
      let listener = try await ChangeListener.connect(
        conninfo: conninfo,
        silenceLimit: nil,
        rest: .seconds(60)
      ).get()
      let other = try await SQLSession(conninfo + " application_name=hoarder")
      let own = """
        select count(*) from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
          and database = (select oid from pg_database where datname = current_database())
        """
      for places in ["0", "15", "generate_series(0, 15)"] {
        try await other.run("select pg_advisory_lock(1650814060, n) from (select \(places)) s(n)")
        let process = try await other.value("select pg_backend_pid()")
        let outcome = try await listener.arm()
        guard case .failure(.locked(let holders)) = outcome else {
          Issue.record("armed beside \(places)")
          continue
        }
        let user = try await other.value("select session_user")
        #expect(holders == "process \(process) (hoarder, user \(user))")
        #expect(try await other.value(own) == "0")
        try await other.run("select pg_advisory_unlock_all()")
        _ = try await listener.arm().get()
        #expect(try await other.value(own) == "16")
        try await listener.disarm()
      }
    }
  }

  @Test func `are never missed in silence`() async throws {
    try await withDirectory { (conninfo: String) async throws -> Void in
      try await SQLSession(conninfo).run(smallCompany)
      let sql = try await SQLSession(conninfo)
      let repository = DirectoryRepository(conninfo: conninfo)
      #expect(try await repository.inspectTracking()?.silentTriggers == [])
      try await sql.run("alter table staffbook.ledger disable trigger give_notice")
      let tracking = try #require(try await repository.inspectTracking())
      #expect(tracking.silentTriggers.map(\.name) == ["ledger.give_notice"])
      #expect(tracking.brokenTriggers == [], "a sync need not compare everything")
      try await sql.run(try #require(tracking.silentTriggers.first?.remedy))
      #expect(try await repository.inspectTracking()?.silentTriggers == [])
    }
  }
}
