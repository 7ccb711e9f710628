import DirectoryModel
import DirectoryStore
import LibPQ
import Platform
import TestSupport
import Testing

@Suite("After a failover that lost transactions", .serialized)
struct FailoverTests {
  /// Lets a reader come to a promoted standby, and gives the reason of its first sync there.
  ///
  /// `before` runs on the primary while the standby follows, `lost` when it does not and the reader
  /// still looks, `after` on the promoted standby before the reader comes.
  private func playFailover(
    before: (PostgresCluster.Sessions) async throws -> Void = { _ in },
    lost: (PostgresCluster.Sessions) async throws -> Void,
    after: (SQLSession) async throws -> Void
  ) async throws -> ComparisonReason? {
    // A number that autovacuum used up would be a lost transaction.
    let primary = try await PostgresCluster.makeDirectory(
      settings: ["max_worker_processes": "2", "autovacuum": "off"]
    )
    let standby = try await primary.makeStandby()
    let sessions = PostgresCluster.Sessions(
      writer: try await SQLSession(primary.conninfo()),
      other: try await SQLSession(primary.conninfo())
    )
    try await before(sessions)
    try await standby.waitFor(primary)
    try await standby.stopFollowing()

    var state = DirectoryState()
    let reader = DirectoryRepository(conninfo: primary.conninfo())
    try await reader.update(&state)
    try await lost(sessions)
    #expect(try await reader.update(&state) == nil)

    try await primary.stop(.immediate)
    try await standby.promote()
    let promoted = DirectoryRepository(conninfo: standby.conninfo())
    try await after(try await SQLSession(standby.conninfo()))
    let reason = try await promoted.update(&state)
    #expect(state.rows.difference(from: try await truth(standby.conninfo())) == nil)
    // From then on changes will do.
    try await SQLSession(standby.conninfo()).run(
      "update staffbook.users set phone = '+1' where id = 'u1'"
    )
    #expect(try await promoted.update(&state) == nil)
    #expect(state.rows.difference(from: try await truth(standby.conninfo())) == nil)
    return reason
  }

  @Test func `whose numbers are given again, everything is compared`() async throws {
    let reason = try await playFailover { sessions in
      for number in 0..<3 {
        try await sessions.writer.run(
          "insert into staffbook.departments (id, name) values ('lost\(number)', 'n')"
        )
      }
    } after: { sql in
      for number in 0..<6 {
        try await sql.run(
          "insert into staffbook.departments (id, name) values ('new\(number)', 'n')"
        )
      }
    }
    #expect(reason == .lostTransaction)
  }

  @Test func `and wrote nothing yet, everything is compared`() async throws {
    let reason = try await playFailover { sessions in
      try await sessions.writer.run("delete from staffbook.users where id = 'u2'")
    } after: { _ in
    }
    #expect(reason == .lostTransaction)
  }

  /// The lost one is the last by its commit and the first by its number: no newer one is missing.
  @Test func `of which one was open for long, everything is compared`() async throws {
    let reason = try await playFailover { sessions in
      try await sessions.other.run(
        "begin; update staffbook.departments set description = 'lost' where id = 'open'"
      )
      for number in 0..<80 {
        try await sessions.writer.run(
          "update staffbook.users set phone = '\(number)' where id = 'u3'"
        )
      }
    } lost: { sessions in
      try await sessions.other.run("commit")
    } after: { sql in
      try await sql.run("update staffbook.users set phone = 'new' where id = 'u3'")
    }
    #expect(reason == .lostTransaction)
  }

  /// Numbers that the old primary used up without a trace are below what the reader has settled.
  @Test func `that had left nothing behind, everything is compared`() async throws {
    let reason = try await playFailover { sessions in
      for _ in 0..<5 {
        try await sessions.writer.run(
          "begin; update staffbook.users set phone = 'x' where id = 'u3'; rollback"
        )
      }
    } after: { sql in
      for number in 0..<3 {
        try await sql.run("update staffbook.users set email = '\(number)' where id = 'u\(number)'")
      }
    }
    #expect(reason == .lostTransaction)
  }

  @Test func `and of which nothing was lost, only changes are read`() async throws {
    let reason = try await playFailover { sessions in
      try await sessions.other.run("select 1")
    } after: { sql in
      try await sql.run("update staffbook.users set email = 'new' where id = 'u1'")
    }
    #expect(reason == nil)
  }

  @Test func `a crash that loses commits is noticed as well`() async throws {
    let cluster = try await PostgresCluster.makeDirectory(
      settings: ["wal_writer_delay": "10s", "wal_writer_flush_after": "1GB"]
    )
    let sql = try await SQLSession(cluster.conninfo())
    let reader = DirectoryRepository(conninfo: cluster.conninfo())
    var state = DirectoryState()
    try await sql.run("checkpoint")
    try await reader.update(&state)
    // Held up until the server ends: it would save the commit within ten seconds.
    let number = try await sql.value(
      "select pid from pg_stat_activity where backend_type = 'walwriter'"
    )
    let writer = try #require(pid_t(number))
    #expect(kill(writer, SIGSTOP) == 0)
    try await sql.run(
      "set synchronous_commit = off; update staffbook.users set phone = 'lost' where id = 'u1'"
    )
    #expect(try await reader.update(&state) == nil)
    #expect(kill(writer, SIGKILL) == 0)
    try await cluster.stop(.immediate)
    try await cluster.start()
    let reason = try await reader.update(&state)
    let truth = try await truth(cluster.conninfo())
    #expect(state.rows.difference(from: truth) == nil)
    #expect(truth.users.first { $0[at: 0] == "u1" }?[at: 4] == "", "the commit was not lost")
    #expect(reason == .lostTransaction)
  }
}

extension PostgresCluster {
  /// Two sessions on the primary.
  struct Sessions {
    var writer: SQLSession
    var other: SQLSession
  }

  /// Waits until this standby has replayed what the primary has written.
  borrowing func waitFor(_ primary: borrowing PostgresCluster) async throws {
    let source = try await SQLSession(primary.conninfo())
    let position = try await source.value("select pg_current_wal_flush_lsn()")
    let sql = try await SQLSession(conninfo())
    try await wait(until: "the standby has caught up") {
      try await sql.value("select pg_last_wal_replay_lsn() >= $1::pg_lsn", [.text(position)]) == "t"
    }
  }

  /// Cuts this standby off from its primary, for good.
  borrowing func stopFollowing() async throws {
    let sql = try await SQLSession(conninfo())
    try await sql.run("alter system set primary_conninfo = ''")
    try await sql.run("select pg_reload_conf()")
    try await wait(until: "the standby has let go") {
      try await sql.value("select count(*) from pg_stat_wal_receiver") == "0"
    }
  }
}

/// The tables as they are now.
func truth(_ conninfo: String) async throws -> DirectoryRows {
  try await PGSession.connect(conninfo: conninfo).withConnection {
    (connection) throws(PostgresError) in try DirectoryRows(&connection)
  }
}
