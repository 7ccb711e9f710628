import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("A connection that was given back")
struct PoolTests {
  private let access = DatabaseAccess()

  private func connect(_ conninfo: String) async throws -> Database {
    try await Database.connect(conninfo: conninfo, doing: "look", access: access)
  }

  /// What a statement answers on a connection that is lent for it alone.
  private func ask(_ sql: String, _ conninfo: String) async throws -> String {
    try await connect(conninfo).ask(sql)
  }

  private func edit(_ conninfo: String) async throws {
    let editor = try await DirectoryEditor(
      conninfo: conninfo,
      authorship: Authorship(),
      doing: "edit",
      access: access
    )
    _ = try await editor.present(users: [UserID("u1")])
  }

  @Test func `is lent again, as it was at first`() async throws {
    try await withTestDatabase { conninfo in
      let pid = try await connect(conninfo).run { (connection) throws(StoreFailure) in
        try connection.script(
          """
          set work_mem = '77MB'; set search_path = nowhere; create temporary table t ();
          select pg_advisory_lock(7); listen seven; prepare p as select 1
          """
        )
        return try connection.query("select pg_backend_pid()").cell(0)
      }
      let seen = try await ask(
        """
        select concat_ws(',', pg_backend_pid(), current_setting('work_mem') <> '77MB',
          current_setting('search_path') <> 'nowhere', to_regclass('pg_temp.t') is null,
          (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()),
          (select count(*) from pg_listening_channels()),
          (select count(*) from pg_prepared_statements))
        """,
        conninfo
      )
      #expect(seen == "\(pid),t,t,t,0,0,0")
    }
  }

  @Test(arguments: ["options=-crole=", "alter"])
  func `has the role that it was opened with`(way: String) async throws {
    try await withTestDatabase { conninfo in
      let sql = try await SQLSession(conninfo)
      let (role, user) = (uniqueName("role"), uniqueName("user"))
      try await sql.run(
        "create role \(role); create role \(user) superuser login; grant \(role) to \(user)"
      )
      var settings = try PGConninfo(parsing: conninfo)
      if way == "alter" {
        try await sql.run("alter role \(user) set role to \(role)")
        settings["user"] = user
      } else {
        settings["options"] = "-crole=\(role)"
      }
      let first = try await ask("select pg_backend_pid() || ' ' || current_user", settings.pairs)
      let second = try await ask("select pg_backend_pid() || ' ' || current_user", settings.pairs)
      #expect(first == second)
      #expect(first.hasSuffix(role))
      if way == "alter" { try await sql.run("drop role \(user)") }
      try await sql.run("drop role if exists \(role)")
    }
  }

  @Test func `is lent for no other connection string`() async throws {
    try await withTestDatabase { conninfo in
      let other = conninfo + " application_name=other"
      let first = try await ask("select pg_backend_pid()", conninfo)
      #expect(try await ask("select pg_backend_pid()", other) != first)
      #expect(try await ask("select pg_backend_pid()", conninfo) == first)
    }
  }

  @Test func `in the midst of a transaction is closed`() async throws {
    try await withTestDatabase { conninfo in
      let first = try await connect(conninfo).ask("begin", then: "select pg_backend_pid()")
      #expect(try await ask("select pg_backend_pid()", conninfo) != first)
    }
  }

  @Test func `and closed by the server is passed over`() async throws {
    try await withTestDatabase { conninfo in
      let first = try await ask("select pg_backend_pid()", conninfo)
      let sql = try await SQLSession(conninfo)
      _ = try await sql.value("select pg_terminate_backend(\(first), 5000)")
      #expect(try await ask("select pg_backend_pid()", conninfo) != first)
    }
  }

  @Test func `is waited for in line, and not by a cancelled task`() async throws {
    try await withTestDatabase { conninfo in
      var lent: [Database] = []
      for _ in 0..<ConnectionPool.capacity { lent.append(try await connect(conninfo)) }
      let cancelled = Task { try await ask("select 1", conninfo) }
      let next = Task { try await ask("select pg_backend_pid()", conninfo) }
      cancelled.cancel()
      await #expect(throws: DirectoryError.interrupted) { _ = try await cancelled.value }
      let pid = try await lent.removeFirst().ask("select pg_backend_pid()")
      #expect(try await next.value == pid)
      let count = try await lent[0].ask(
        """
        select count(*) from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend'
        """
      )
      #expect(count == "\(ConnectionPool.capacity)")
    }
  }

  @Test func `serves an edit, what it reads and what comes of it`() async throws {
    try await withDirectory { conninfo in
      let pool = access.pool
      let first = try await ask("select pg_backend_pid()", conninfo)
      _ = try await Migrator().migrate(conninfo: conninfo, access: access)
      try await edit(conninfo)
      let options = ReadOptions(preferStandby: true)
      _ = try await DirectoryRepository(conninfo: conninfo, options: options, pool: pool).load()
      let others = try await ask(
        """
        select count(*) from pg_stat_activity where datname = current_database()
          and backend_type = 'client backend' and pid <> \(first)
        """,
        conninfo
      )
      #expect(others == "0")
      #expect(try await ask("select pg_backend_pid()", conninfo) == first)
    }
  }
}

extension Database {
  fileprivate func ask(_ statements: String..., then last: String? = nil) async throws -> String {
    try await run { (connection) throws(StoreFailure) in
      var answer = ""
      for sql in statements + [last].compactMap({ $0 }) {
        let result = try connection.query(sql)
        answer = result.rowCount > 0 ? result.cell(0) : ""
      }
      return answer
    }
  }
}
