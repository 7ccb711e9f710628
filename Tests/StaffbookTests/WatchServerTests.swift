import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("A sync that watches, while servers come and go", .serialized)
struct WatchServerTests {
  private static let waiting = "waiting for changes"

  /// A home beside a cluster that holds the small company.
  private func withHome(
    of cluster: borrowing PostgresCluster,
    conninfo: String? = nil,
    _ body: (Book, FilePath) async throws -> Void
  ) async throws {
    let (own, given) = (cluster.conninfo(), conninfo ?? cluster.conninfo())
    try await withTemporaryDirectory { (home: FilePath) async throws -> Void in
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        let writer = Book(home: home, conninfo: own)
        try writeSmallCompany(to: folder)
        try await writer.lines("db", "migrate")
        try await writer.lines("import", "--no-sync", folder.string)
        try await body(Book(home: home, conninfo: given), folder)
      }
    }
  }

  private func call(_ conninfo: String, _ phone: String) throws {
    var connection = try PGConnection(conninfo: conninfo)
    try connection.executeScript("update staffbook.users set phone = '\(phone)' where id = 'u1'")
  }

  @Test func `goes on after a restart, a crash, and a server that is not there yet`() async throws {
    let cluster = try await PostgresCluster.make()
    try await withHome(of: cluster) { (book: Book, folder: FilePath) async throws -> Void in
      try await cluster.stop()
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says("cannot")
        try await cluster.start()
        try await watcher.says(Self.waiting)
        try await cluster.restart()
        try await watcher.says("was lost")
        try await watcher.says("syncing again", times: 2)
        try call(book.conninfo, "+1 1")
        try await watcher.shows("+1 1")
        try await cluster.kill()
        try await watcher.says("was lost", times: 2)
        // Until the system has cleared up behind the dead server, it refuses to start.
        try await wait(until: "the server starts again") { (try? await cluster.start()) != nil }
        try await watcher.says("syncing again", times: 3)
        try call(book.conninfo, "+1 2")
        try await watcher.shows("+1 2")
        // Each outage is told once, in whatever words the server is away.
        let log = try watcher.log
        #expect(log.count { $0.hasSuffix("; trying again") } == 3, "\(log)")
      }
    }
  }

  @Test func `waits for a login that is refused, and for a right that is missing`() async throws {
    let cluster = try await PostgresCluster.make()
    let reader = cluster.conninfo().replacing("user=postgres", with: "user=newcomer")
    try await withHome(of: cluster, conninfo: reader) {
      (book: Book, folder: FilePath) async throws -> Void in
      var owner = try PGConnection(conninfo: cluster.conninfo())
      try await Watcher.run(book, in: folder) { (watcher: Watcher) async throws -> Void in
        try await watcher.says(#"role "newcomer" does not exist"#)
        try owner.executeScript("create role newcomer login")
        try await watcher.says("permission denied")
        try owner.executeScript("grant staffbook_reader to newcomer")
        try await watcher.says(Self.waiting)
        // Who is at work is not logged out by a right that is taken away, but may read no more.
        try owner.executeScript("revoke staffbook_reader from newcomer")
        try call(cluster.conninfo(), "+1 3")
        try await watcher.says("permission denied", times: 2)
        try owner.executeScript("grant staffbook_reader to newcomer")
        try await watcher.shows("+1 3")
      }
    }
  }

  @Test func `follows a failover, polls a standby, and listens to it once it is promoted`()
    async throws
  {
    let primary = try await PostgresCluster.make()
    try await withHome(of: primary) { (book: Book, _: FilePath) async throws -> Void in
      let standby = try await primary.makeStandby()
      let both =
        "host=\(primary.folder),\(standby.folder) user=postgres dbname=postgres "
        + "target_session_attrs=read-write"
      let (first, second) = (primary.conninfo(), standby.conninfo())
      let pair = Book(home: book.home, conninfo: both)
      let alone = Book(home: book.home, conninfo: second)
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        try await Watcher.run(pair, in: folder) { (watcher: Watcher) async throws -> Void in
          try await watcher.says(Self.waiting)
          try await withTemporaryDirectory { (other: FilePath) async throws -> Void in
            try await Watcher.run(alone, "--poll", "1s", in: other) {
              (reader: Watcher) async throws -> Void in
              try await reader.says("the server is a standby")
              try call(first, "+1 1")
              try await watcher.shows("+1 1")
              try await reader.shows("+1 1")
              try await primary.stop(.immediate)
              try await standby.promote()
              try await reader.says(Self.waiting)
              try await watcher.says("syncing again")
              try call(second, "+1 2")
              try await watcher.shows("+1 2")
              try await reader.shows("+1 2")
            }
          }
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func `listens through a pooler that keeps sessions, and polls through one that does not`(
    keepsSessions: Bool
  ) async throws {
    let cluster = try await PostgresCluster.make()
    let server = cluster.folder
    try await withTemporaryDirectory { (pooler: FilePath) async throws -> Void in
      let conninfo = "host=\(pooler) port=6432 user=postgres dbname=postgres"
      try await withHome(of: cluster, conninfo: conninfo) {
        (book: Book, folder: FilePath) async throws -> Void in
        try await withPooler(in: pooler, server: server, keepsSessions) {
          try await Watcher.run(book, "--poll", keepsSessions ? "1h" : "1s", in: folder) {
            (watcher: Watcher) async throws -> Void in
            try await check(watcher, keepsSessions, server: server)
          }
        }
      }
    }
  }

  private func check(
    _ watcher: Watcher,
    _ keepsSessions: Bool,
    server: FilePath
  ) async throws {
    let own = "host=\(server) user=postgres dbname=postgres"
    try await watcher.says(keepsSessions ? Self.waiting : "pooler")
    try call(own, "+1 1")
    try await watcher.shows("+1 1")
    guard !keepsSessions else { return }
    // No one is left behind by whom writers would be told to notify.
    var connection = try PGConnection(conninfo: own)
    let locks = try connection.execute("select count(*) from pg_locks where locktype = 'advisory'")
    #expect(locks.text(row: 0, column: 0) == "0")
  }

  /// Runs `body` beside a PgBouncer, which refuses root as PostgreSQL does.
  private func withPooler(
    in folder: FilePath,
    server: FilePath,
    _ keepsSessions: Bool,
    _ body: () async throws -> Void
  ) async throws {
    let settings = folder.appending("pgbouncer.ini")
    try write(
      """
      [databases]
      postgres = host=\(server) user=postgres
      [pgbouncer]
      pool_mode = \(keepsSessions ? "session" : "transaction")
      listen_addr =
      listen_port = 6432
      unix_socket_dir = \(folder)
      auth_type = any
      default_pool_size = 3
      min_pool_size = 0
      """,
      to: settings
    )
    let entry = try #require(getpwnam(geteuid() == 0 ? "postgres" : SystemAccount.name ?? ""))
    #expect(chown(folder.string, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0)
    #expect(chmod(folder.string, 0o755) == 0 && chmod(settings.string, 0o644) == 0)
    let switching =
      geteuid() == 0
      ? [
        "--reuid=\(entry.pointee.pw_uid)", "--regid=\(entry.pointee.pw_gid)", "--clear-groups",
        "--",
      ] : ["--"]
    try await withProgram(
      "setpriv",
      switching + ["/usr/sbin/pgbouncer", "-q", settings.string],
      environment: ["PATH": "/usr/bin:/bin"]
    ) { process in
      defer { kill(process, SIGKILL) }
      try await wait(until: "the pooler answers") {
        do {
          _ = try PGConnection(
            conninfo: "host=\(folder) port=6432 user=postgres dbname=postgres"
          )
          return true
        } catch {
          return false
        }
      }
      try await body()
    }
    _ = settings.withPlatformString { unlink($0) }
  }
}
