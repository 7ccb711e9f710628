import DirectoryModel
import DirectoryStore
import LibPQ
import SystemPackage
import TestSupport
import Testing

@Suite("A read that does not come about at once", .serialized)
struct StandbyTests {
  private func rename(_ name: String, _ sql: SQLSession) async throws {
    try await sql.run("update staffbook.users set name = '\(name)' where id = 'u1'")
  }

  @Test func `waits for a standby that lacks what was read before, then compares`() async throws {
    let primary = try await PostgresCluster.makeDirectory()
    let standby = try await primary.makeStandby()
    let writer = try await SQLSession(primary.conninfo())
    let control = try await SQLSession(standby.conninfo())
    var state = DirectoryState()
    try await control.run("select pg_wal_replay_pause()")
    try await rename("A", writer)
    try await DirectoryRepository(conninfo: primary.conninfo()).update(&state)

    // It catches up while we wait.
    let patient = DirectoryRepository(
      conninfo: standby.conninfo(),
      options: ReadOptions(standbyPatience: .seconds(120))
    )
    let before = state
    async let reading = patient.read(since: before.watermark)
    try await Task.sleep(for: .milliseconds(300))
    try await control.run("select pg_wal_replay_resume()")
    let read = try await reading
    guard case .changes(let changes, let source, _) = read else {
      Issue.record("everything was read")
      return
    }
    #expect(changes.isEmpty && source.isStandby)

    // It does not.
    try await control.run("select pg_wal_replay_pause()")
    try await rename("B", writer)
    try await DirectoryRepository(conninfo: primary.conninfo()).update(&state)
    let impatient = DirectoryRepository(
      conninfo: standby.conninfo(),
      options: ReadOptions(standbyPatience: .milliseconds(400))
    )
    let start = ContinuousClock.now
    var behind = state
    #expect(try await impatient.update(&behind) == .standbyBehind)
    #expect(ContinuousClock.now - start >= .milliseconds(400))
    #expect(behind.rows.difference(from: try await truth(standby.conninfo())) == nil)

    // Another host is better than waiting.
    let hosts = "host=\(standby.folder),\(primary.folder) user=postgres dbname=postgres"
    let either = DirectoryRepository(
      conninfo: hosts,
      options: ReadOptions(preferStandby: true, standbyPatience: .seconds(120))
    )
    let other = try await either.read(since: state.watermark)
    #expect(other.source.host == primary.folder.string)
    guard case .changes = other else {
      Issue.record("everything was read")
      return
    }
    // With nothing read before there is nothing to lack.
    #expect(try await either.load().source.isStandby)
    try await control.run("select pg_wal_replay_resume()")
  }

  @Test func `goes to the next host when one dies, and names those that cannot be reached`()
    async throws
  {
    let primary = try await PostgresCluster.makeDirectory()
    let standby = try await primary.makeStandby()
    try await standby.waitFor(primary)
    let reader = DirectoryRepository(
      conninfo: "host=\(standby.folder),\(primary.folder) user=postgres dbname=postgres"
    )
    var state = DirectoryState()
    try await reader.update(&state)
    #expect(try await reader.read(since: state.watermark).source.isStandby)
    // In the middle of the read, after its first query.
    let folder = standby.folder
    let died = try await reader.read(
      since: state.watermark,
      observer: { (connection) throws(PostgresError) in
        guard connection.host == folder.string else { return }
        try connection.execute("select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)")
      }
    )
    #expect(died.source.host == primary.folder.string)
    try await standby.stop()
    #expect(try await reader.read(since: state.watermark).source.host == primary.folder.string)
    try await primary.stop()
    let error = await #expect(throws: DirectoryError.self) {
      try await reader.read(since: state.watermark)
    }
    #expect(error?.kind == .unavailable)
    #expect(error?.message.contains("\(standby.folder)") == true)
    #expect(error?.message.contains("\(primary.folder)") == true)
  }

  @Test func `ends with a clear message when the server falls silent in a COPY`() async throws {
    try await withDirectory { conninfo in
      try await SQLSession(conninfo).run(
        """
        insert into staffbook.departments (id, name, description)
          select 'd' || i, 'n', repeat('x', 1000) from generate_series(1, 2000) i
        """
      )
      try await withTemporaryDirectory { folder in
        let relay = try SocketRelay(in: folder, to: conninfo, bytesToClient: 500_000)
        defer { relay.stop() }
        let reader = DirectoryRepository(
          conninfo: relay.conninfo.pairs,
          options: ReadOptions(silenceLimit: .seconds(1))
        )
        let error = await #expect(throws: DirectoryError.self) { try await reader.load() }
        #expect(error?.kind == .unavailable)
        #expect(
          error?.message == """
            cannot load the directory: the connection to PostgreSQL was lost: the server sent \
            nothing for 1 second
            """
        )
      }
    }
  }
}
