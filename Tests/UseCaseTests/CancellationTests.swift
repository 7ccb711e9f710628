import Administration
import DirectoryModel
import DirectorySnapshot
import LibPQ
import LiveDirectory
import Platform
import Seeds
import SiteSettings
import SystemPackage
import TestSupport
import Testing

/// All people have the same name at any time, so that a state between two of them has two names.
@Suite("A cancelled task")
struct CancellationTests {
  private static func administrator(_ home: ScratchFolder, _ conninfo: String) throws
    -> Administrator
  {
    let settings = try Settings(
      environment: ["STAFFBOOK_HOME": home.path.string, "STAFFBOOK_DATABASE_URL": conninfo]
    )
    return try Administrator(Session(settings: settings) { _ in }, to: "test")
  }

  private static func fill(_ connection: inout PGConnection) throws {
    try connection.executeScript(
      """
      begin;
      insert into staffbook.departments (id, name) values ('d', 'Lamps');
      insert into staffbook.users (id, name, primary_department_id)
        select 'u' || n, 'n', 'd' from generate_series(1, 5000) n;
      insert into staffbook.memberships (user_id, department_id)
        select id, 'd' from staffbook.users;
      commit;
      """
    )
  }

  private static func names(_ connection: inout PGConnection) throws -> [String] {
    let found = try connection.execute("select distinct name from staffbook.users")
    return (0..<found.rowCount).map { found.text(row: $0, column: 0) ?? "" }
  }

  private static func names(_ snapshot: DirectorySnapshot) throws -> Set<String> {
    let users = try snapshot.users()
    return Set(try (0..<users.count).map { try users.names[$0] })
  }

  /// Waits until no one else is in the database.
  private static func waitForOthers(_ connection: inout PGConnection) async throws {
    try await wait(until: "no worker is left") {
      let found = try connection.execute(
        """
        select count(*) from pg_stat_activity where datname = current_database()
          and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'
        """
      )
      return found.text(row: 0, column: 0) == "0"
    }
  }

  /// Runs `work`, cancels it at a random moment of what it took last, and says whether it was done.
  private static func isDone(
    in longest: inout Duration?,
    _ random: inout SeededGenerator,
    _ comment: Comment,
    _ work: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    let began = ContinuousClock.now
    let task = Task { try await work() }
    if let longest {
      try await Task.sleep(for: longest * Double.random(in: 0...1.1, using: &random))
      task.cancel()
    }
    do {
      try await task.value
      longest = ContinuousClock.now - began
      return true
    } catch {
      #expect((error as? DirectoryError)?.kind == .interrupted, "\(comment): \(error)")
      return false
    }
  }

  @Test(arguments: newSeeds(2))
  func `of a sync leaves the snapshot of before or after, and nothing beside it`(
    seed: UInt64
  ) async throws {
    let scratch = try ScratchFolder()
    var random = SeededGenerator(seed: seed)
    try await withTestDatabase(template: migrated) { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      try Self.fill(&connection)
      let administrator = try Self.administrator(scratch, conninfo)
      _ = try await SnapshotSync(administrator).sync()
      let folder = administrator.site.snapshots.path.removingLastComponent()
      let files = try folderEntries(folder) + ["search.index.changes"]
      var (held, longest) = ("n", nil as Duration?)
      for round in 0..<30 {
        let comment: Comment = "seed \(seed), round \(round)"
        let next = "n\(round)"
        try connection.execute("update staffbook.users set name = $1", [.text(next)])
        let full = round % 2 == 1
        let isDone = try await Self.isDone(in: &longest, &random, comment) {
          var options = SyncOptions()
          options.full = full
          _ = try await SnapshotSync(administrator).sync(options)
        }
        let now = try Self.names(DirectorySnapshot(path: administrator.site.snapshots.path))
        #expect(isDone ? now == [next] : [[held], [next]].contains(now), comment)
        held = now.first ?? ""
        #expect(Set(try folderEntries(folder)).isSubset(of: files), comment)
        try await Self.waitForOthers(&connection)
      }
      #expect(try await SnapshotSync(administrator).sync().users == 5_000)
    }
  }

  @Test func `of a restoration leaves the database of before or after`() async throws {
    // In a process of its own, which writes to programs that have ended.
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      try await Self.restore(seed: newSeeds(1)[0])
    }
  }

  private static func restore(seed: UInt64) async throws {
    let scratch = try ScratchFolder()
    let file = scratch.path.appending("n.backup").string
    var random = SeededGenerator(seed: seed)
    try await withTestDatabase(template: migrated) { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      try Self.fill(&connection)
      let administrator = try Self.administrator(scratch, conninfo)
      _ = try await Backup(administrator).backup(to: file, replacing: false) { _ in }
      var longest: Duration?
      for round in 0..<8 {
        let comment: Comment = "seed \(seed), round \(round)"
        let other = "m\(round)"
        try connection.execute("update staffbook.users set name = $1", [.text(other)])
        let isDone = try await Self.isDone(in: &longest, &random, comment) {
          _ = try await Backup(administrator).restoreBackup(
            file,
            isRehearsal: false,
            tokens: .kept,
            confirm: { _ throws(DirectoryError) in true },
            progress: { _ in }
          )
        }
        try await Self.waitForOthers(&connection)
        let now = try Self.names(&connection)
        #expect(isDone ? now == ["n"] : [["n"], [other]].contains(now), comment)
      }
    }
  }
}
