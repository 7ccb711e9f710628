import DirectoryModel
import DirectoryStore
import LibPQ
import SystemPackage
import TestSupport
import Testing

@Suite("A reader notices", .serialized)
struct NoticeTests {
  /// Reads a small company, lets something happen to it, and reads again; the reason is that of
  /// the second read, and what is held then is what is there.
  private func reason(
    after happening: (_ conninfo: String, _ sql: SQLSession) async throws -> Void
  ) async throws -> ComparisonReason? {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let reader = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await reader.update(&state)
      try await happening(conninfo, sql)
      let reason = try await reader.update(&state)
      #expect(state.rows.difference(from: try await truth(conninfo)) == nil)
      #expect(try await reader.update(&state) == nil)
      return reason
    }
  }

  @Test(arguments: ["memberships, staffbook.users", "departments cascade"])
  func `TRUNCATE`(_ tables: String) async throws {
    let reason = try await reason { _, sql in try await sql.run("truncate staffbook.\(tables)") }
    // It gives the table a new file, which is part of the layout.
    #expect(reason == .otherLayout)
  }

  @Test func `a new epoch`() async throws {
    let reason = try await reason { _, sql in
      try await sql.run("update staffbook.epoch set epoch = gen_random_uuid()")
    }
    #expect(reason == .otherEpoch)
  }

  @Test func `triggers that were off for a while`() async throws {
    let reason = try await reason { _, sql in
      try await sql.run(
        """
        begin;
        alter table staffbook.users disable trigger all;
        update staffbook.users set name = 'Unseen' where id = 'u1';
        alter table staffbook.users enable trigger all;
        alter table staffbook.users enable always trigger zzz_mark_change,
          enable always trigger bury_deleted, enable always trigger bury_renamed,
          enable always trigger enter_in_ledger, enable always trigger renew_epoch,
          enable always trigger check_fields_after_insert,
          enable always trigger check_fields_after_update,
          enable always trigger a_forget_people, enable always trigger a_follow_renamed,
          enable replica trigger enter_replicated_in_ledger;
        commit
        """
      )
    }
    #expect(reason == .otherLayout)
  }

  @Test func `that deletions are no longer on record`() async throws {
    // Transactions of other tests would hold the horizon back, as long as they like.
    let cluster = try await PostgresCluster.makeDirectory()
    let reader = DirectoryRepository(conninfo: cluster.conninfo())
    var state = DirectoryState()
    try await reader.update(&state)
    let sql = try await SQLSession(cluster.conninfo())
    try await sql.run("delete from staffbook.users where id = 'u2'")
    for number in 0..<3 {
      try await sql.run("update staffbook.users set phone = '\(number)' where id = 'u1'")
    }
    // Autovacuum may hold them back for a moment.
    try await wait(until: "the tombstones are removed") {
      try await sql.run("select staffbook.prune(1)")
      return try await sql.value("select count(*) from staffbook.tombstones") == "0"
    }
    #expect(try await reader.update(&state) == .prunedTooFar)
    #expect(state.rows.difference(from: try await truth(cluster.conninfo())) == nil)
    #expect(try await reader.update(&state) == nil)
  }

  @Test func `nothing where only little was pruned`() async throws {
    // A reader beside many transactions under way, which other tests have, needs more of the ledger.
    let cluster = try await PostgresCluster.makeDirectory()
    let reader = DirectoryRepository(conninfo: cluster.conninfo())
    var state = DirectoryState()
    try await reader.update(&state)
    let sql = try await SQLSession(cluster.conninfo())
    try await sql.run("delete from staffbook.users where id = 'u2'")
    try await sql.run("select staffbook.prune()")
    #expect(try await reader.update(&state) == nil)
    #expect(state.rows.difference(from: try await truth(cluster.conninfo())) == nil)
  }

  @Test func `a token that is another one`() async throws {
    let reason = try await reason { _, sql in
      try await sql.run("update staffbook.ledger set token = gen_random_uuid()")
    }
    #expect(reason == .otherEpoch)
  }

  @Test(arguments: [
    "delete from staffbook.tombstones", "update staffbook.tombstones set key1 = 'x'",
    "truncate staffbook.tombstones",
    "delete from staffbook.ledger where changed_in = (select max(changed_in) from staffbook.ledger)",
    "update staffbook.epoch set pruned_below = '0'",
  ])
  func `the tracking tables written by hand`(_ statement: String) async throws {
    let reason = try await reason { _, sql in
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(statement)
    }
    #expect(reason == .otherEpoch || statement.hasPrefix("truncate") && reason == .otherLayout)
  }

  @Test func `a dump that was restored, wherever`() async throws {
    let cluster = try await PostgresCluster.makeDirectory()
    let reader = DirectoryRepository(conninfo: cluster.conninfo())
    var state = DirectoryState()
    try await reader.update(&state)
    let dump = cluster.folder.appending("dump")
    try await cluster.run("pg_dump", cluster.arguments + ["-Fc", "-f", dump.string, "postgres"])
    // What the dump does not have.
    let change = "update staffbook.users set name = 'Later' where id = 'u1'"
    try await SQLSession(cluster.conninfo()).run(change)
    try await reader.update(&state)
    let before = state

    // Into another database of the same cluster.
    try await cluster.run("createdb", cluster.arguments + ["-T", "template0", "other"])
    try await cluster.run("pg_restore", cluster.arguments + ["-d", "other", dump.string])
    try await expect(.otherLayout, from: before, on: cluster.conninfo(database: "other"))

    // Into another cluster.
    let other = try await PostgresCluster.make()
    try await SQLSession(other.conninfo()).run(
      """
      create role staffbook_reader; create role staffbook_editor; create role staffbook_historian;
      create role staffbook_admin; create role staffbook_server
      """
    )
    try await cluster.run("pg_restore", other.arguments + ["-d", "postgres", dump.string])
    try await expect(.otherSystem, from: before, on: other.conninfo())

    // In place, rows only.
    let sql = try await SQLSession(cluster.conninfo())
    try await sql.run(
      """
      set session_replication_role = replica;
      delete from staffbook.visibility_rules; delete from staffbook.visibility_groups;
      delete from staffbook.memberships; delete from staffbook.users; delete from staffbook.fields;
      delete from staffbook.departments; delete from staffbook.tombstones;
      delete from staffbook.ledger; delete from staffbook.epoch; delete from staffbook.tree_lock;
      delete from staffbook.migrations; delete from staffbook.changes;
      delete from staffbook.transactions; delete from staffbook.history;
      """
    )
    try await cluster.run(
      "pg_restore",
      cluster.arguments + ["--data-only", "--disable-triggers", "-d", "postgres", dump.string]
    )
    // Its end leaves all triggers at ORIGIN.
    var broken = before
    for _ in 0..<2 {
      guard case .brokenTriggers(let names)? = try await reader.update(&broken) else {
        Issue.record("the triggers are taken for sound")
        return
      }
      #expect(names.count == 38)
    }
    try await sql.mendTriggers()
    try await expect(.otherLayout, from: broken, on: cluster.conninfo())

    // In place, everything again.
    var after = DirectoryState()
    try await reader.update(&after)
    try await sql.run(change)
    try await reader.update(&after)
    try await cluster.run(
      "pg_restore",
      cluster.arguments + ["--clean", "-d", "postgres", dump.string]
    )
    try await expect(.otherLayout, from: after, on: cluster.conninfo())
  }

  private func expect(
    _ reason: ComparisonReason,
    from state: DirectoryState,
    on conninfo: String
  ) async throws {
    var state = state
    let reader = DirectoryRepository(conninfo: conninfo)
    #expect(try await reader.update(&state) == reason)
    #expect(state.rows.difference(from: try await truth(conninfo)) == nil)
    // Marks and entries of the other life do not get in the way.
    let sql = try await SQLSession(conninfo)
    for number in 0..<3 {
      try await sql.run("update staffbook.users set phone = '\(number)' where id = 'u\(number)'")
      #expect(try await reader.update(&state) == nil)
      #expect(state.rows.difference(from: try await truth(conninfo)) == nil)
    }
  }
}

extension PostgresCluster {
  /// What the server's programs need so that they find it.
  fileprivate var arguments: [String] { ["-h", folder.string, "-U", "postgres"] }
}
