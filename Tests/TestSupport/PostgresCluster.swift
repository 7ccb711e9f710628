import LibPQ
import Platform
import SystemPackage

/// A PostgreSQL cluster of a test's own, with its server, on a socket in a folder under `TMPDIR`.
///
/// Anyone who holds it may crash it, restart it, promote it and give it standbys. When it goes out
/// of scope, the server is killed and the folder removed. Its programs are those of the test
/// server.
package struct PostgresCluster: ~Copyable, Sendable {
  /// Holds socket, data and log; the server's account's own.
  package let folder: FilePath
  private let programs: FilePath
  private let account: TestAccount?
  private let span = TestMeasures.Span()

  /// What `stop` does to sessions.
  package enum StopMode: String, Sendable {
    /// Sends them away, writes a checkpoint, and lets standbys have everything.
    case fast
    /// A crash: nothing is written, and nothing more is sent.
    case immediate
  }

  private init(folder: FilePath, programs: FilePath, account: TestAccount?) {
    self.folder = folder
    self.programs = programs
    self.account = account
  }

  deinit {
    let data = folder.appending("data").string
    let pgControl = programs.appending("pg_ctl").string
    runAndWait(
      Self.switching(to: account) + [pgControl, "-D", data, "-m", "immediate", "-w", "-s", "stop"]
    )
    runAndWait(["rm", "-rf", "--one-file-system", "--", folder.string])
    span.end()
  }

  /// Makes a cluster and starts its server.
  ///
  /// - Parameter settings: Lines of postgresql.conf beside what every cluster here has.
  /// - Returns: A primary with an empty database `postgres`.
  /// - Throws: What the server's programs said.
  package static func make(
    settings: [String: String] = [:]
  ) async throws -> PostgresCluster {
    let cluster = try await makeFolder()
    try await cluster.run(
      "initdb",
      ["-D", cluster.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
    )
    try cluster.configure(
      [
        "listen_addresses": "''", "unix_socket_directories": "'\(cluster.folder)'",
        "fsync": "off", "shared_buffers": "16MB", "max_connections": "40",
        "max_prepared_transactions": "5", "deadlock_timeout": "50ms", "max_wal_senders": "5",
        "log_min_messages": "fatal", "restart_after_crash": "on",
      ].merging(settings) { _, new in new }
    )
    try await cluster.start()
    return cluster
  }

  /// Makes a hot standby that streams from this server, and waits until it answers.
  ///
  /// - Parameter settings: Lines of postgresql.conf beside the primary's.
  /// - Returns: The standby.
  /// - Throws: What the server's programs said.
  package borrowing func makeStandby(
    settings: [String: String] = [:]
  ) async throws -> PostgresCluster {
    let standby = try await Self.makeFolder()
    try await standby.run(
      "pg_basebackup",
      [
        "-h", folder.string, "-U", "postgres", "-D", standby.data, "-R", "-c", "fast", "-X",
        "stream",
      ]
    )
    try standby.configure(
      ["unix_socket_directories": "'\(standby.folder)'"].merging(settings) { _, new in new }
    )
    try await standby.start()
    return standby
  }

  /// A connection string of the superuser.
  package borrowing func conninfo(database: String = "postgres") -> String {
    "host=\(folder) user=postgres dbname=\(database)"
  }

  package borrowing func start() async throws {
    try await control(["-l", folder.appending("log").string, "start"])
  }

  package borrowing func stop(_ mode: StopMode = .fast) async throws {
    try await control(["-m", mode.rawValue, "stop"])
  }

  package borrowing func restart(_ mode: StopMode = .fast) async throws {
    try await control(["-m", mode.rawValue, "-l", folder.appending("log").string, "restart"])
  }

  /// Kills the server as the system would that runs out of memory: the postmaster first.
  package borrowing func kill() async throws {
    let file = try await runProgram(
      "head",
      ["-n", "1", folder.appending("data/postmaster.pid").string]
    )
    let digits = file.stdout.prefix { $0.isNumber }
    guard let pid = pid_t(digits) else { throw TestSetupError("no server to kill: \(file)") }
    _ = Platform.kill(pid, SIGKILL)
    // The rest of the server notices and goes; then its memory can be taken over.
    let name = folder.lastComponent?.string ?? "-"
    try await wait(until: "the killed server has ended") {
      try await runProgram("pgrep", ["-f", "postgres.*\(name)"]).status != 0
    }
  }

  /// Makes a standby a primary, and returns when it takes writes.
  package borrowing func promote() async throws { try await control(["promote"]) }

  /// Adds settings, which take effect when the server starts or reloads.
  package borrowing func configure(_ settings: [String: String]) throws {
    let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }.joined()
    let file = try FileDescriptor.open(
      folder.appending("data/postgresql.conf"),
      .writeOnly,
      options: .append
    )
    _ = try file.closeAfter { try file.writeAll(lines.utf8) }
  }

  package borrowing func reload() async throws { try await control(["reload"]) }

  /// Runs one of the server's programs, such as `pg_dump`, as the server's account.
  ///
  /// - Returns: What it wrote.
  /// - Throws: What it said when it fails.
  @discardableResult
  package borrowing func run(
    _ program: String,
    _ arguments: [String],
    stdin: [UInt8] = []
  ) async throws -> ProgramOutcome {
    let path = programs.appending(program)
    // A standby's receiver of the log would take the system's libpq, which may be older than the
    // settings that pg_basebackup has written for it.
    let libraries = programs.removingLastComponent().appending("lib")
    let outcome = try await runProgram(
      path,
      arguments,
      environment: [
        "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
        "LD_LIBRARY_PATH": libraries.string,
      ],
      stdin: stdin,
      workingDirectory: folder,
      as: account
    )
    guard outcome.status == 0 else { throw TestSetupError("\(program): \(outcome)") }
    return outcome
  }

  private var data: String { folder.appending("data").string }

  private borrowing func control(_ arguments: [String]) async throws {
    try await run("pg_ctl", ["-D", data, "-w", "-s", "-t", "120"] + arguments)
  }
}

extension PostgresCluster {
  /// Makes the folder; PostgreSQL refuses root, so root's servers run as another account.
  private static func makeFolder() async throws -> PostgresCluster {
    let session = try await PGSession.connect(conninfo: TestDatabase.serverConninfo())
    let programs = try await session.withConnection { (connection) throws(PostgresError) in
      try connection.execute("select setting from pg_config() where name = 'BINDIR'")
        .text(row: 0, column: 0) ?? ""
    }
    let folder = try makeTemporaryDirectory()
    let account = serverAccount
    // Other accounts' clients pass through; what is inside has its own rights.
    guard chmod(folder.string, 0o711) == 0,
      account.map({ chown(folder.string, $0.userID, $0.groupID) }) ?? 0 == 0
    else { throw TestSetupError("cannot prepare \(folder): \(Errno(rawValue: errno))") }
    return PostgresCluster(folder: folder, programs: FilePath(programs), account: account)
  }

  private static var serverAccount: TestAccount? {
    guard geteuid() == 0 else { return nil }
    let entry = getpwnam("postgres") ?? getpwnam("nobody")
    return entry.map { TestAccount(userID: $0.pointee.pw_uid, groupID: $0.pointee.pw_gid) }
  }

  private static func switching(to account: TestAccount?) -> [String] {
    account.map {
      ["setpriv", "--reuid=\($0.userID)", "--regid=\($0.groupID)", "--clear-groups", "--"]
    } ?? []
  }
}

/// Runs a program to its end, whatever comes of it and without a word; a `deinit` cannot wait in
/// another way.
private func runAndWait(_ words: [String]) {
  var pid = pid_t()
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  guard posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ) == 0 else { return }
  var status: CInt = 0
  while waitpid(pid, &status, 0) < 0, errno == EINTR {}
}
