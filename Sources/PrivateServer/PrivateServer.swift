import LibPQ
import Platform
import SystemPackage

/// Staffbook's own PostgreSQL: started when needed, left running, reached only through a Unix
/// socket, by the account itself and by root.
///
/// There is one for each data home. It never touches another server or its data, and nothing in
/// it depends on `PG*` variables.
package struct PrivateServer: Sendable {
  /// The data home, absolute, such as `~/.local/share/staffbook`.
  package let folder: FilePath

  private let system: SystemFolders
  let installationFolders: [String]
  let searchPath: String?
  private let runtimeFolder: String?
  /// Told what takes long.
  private let notice: @Sendable (String) -> Void

  /// - Parameters:
  ///   - folder: The data home; it need not exist.
  ///   - environment: Looks up `PATH` (for `pg_config`) and `XDG_RUNTIME_DIR` (for a socket whose
  ///     path is too long at home).
  ///   - system: What root's server uses when its account cannot enter the data home.
  ///   - installationFolders: Where to look for PostgreSQL besides `PATH`, as patterns; `nil` is
  ///     everywhere that packages put it.
  ///   - notice: Told what takes long, from any thread.
  package init(
    folder: FilePath,
    environment: (String) -> String? = processEnvironment,
    system: SystemFolders = .standard,
    installationFolders: [String]? = nil,
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.notice = notice
    precondition(folder.isAbsolute, "the data home \(folder) is not absolute")
    self.folder = folder.lexicallyNormalized()
    self.system = system
    self.installationFolders = installationFolders ?? PostgresInstallation.usualFolders
    searchPath = environment("PATH")
    runtimeFolder = environment("XDG_RUNTIME_DIR")
  }

  /// A variable of this process.
  package static func processEnvironment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}

extension PrivateServer {
  /// Makes sure that the server runs, and says how to reach it.
  ///
  /// Sets it up at the first time, which takes a few seconds. When several processes call this at
  /// once, one works and the others wait for it.
  ///
  /// - Complexity: A few system calls when it runs already.
  package func start() async throws(PrivateServerError) -> PrivateServerAddress {
    if let running = try running() { return running.address }
    // Beside the work, which waits for other processes most of the time.
    let reminder = Task { [notice] in
      try await Task.sleep(for: .seconds(2))
      notice("waiting for the private server to start")
    }
    defer { reminder.cancel() }
    let account = try ServerAccount.forNewServer()
    let place = try place(for: account)
    let base = try Folder.make(place.base, mode: place.baseMode)
    try base.requireOwner(geteuid(), forbidding: 0o022)
    let lock = try await base.lock(notice: notice)
    defer { lock.heldUntilHere() }
    if let running = try running() { return running.address }
    let starter = try ServerStarter(server: self, place: place, base: base, account: account)
    let address = try await starter.start()
    try await checkUsable(address)
    return address
  }

  /// Stops the server, however it is used; only ever our own.
  ///
  /// - Returns: Whether there was one to stop.
  package func stop() async throws(PrivateServerError) -> Bool {
    for place in places {
      guard let found = try Cluster.existing(at: place), try found.aliveProcess() != nil else {
        continue
      }
      let base = try Folder(place.base)
      let lock = try await base.lock(notice: notice)
      defer { lock.heldUntilHere() }
      guard try found.aliveProcess() != nil else { continue }
      let installation = try await installation(for: found)
      try await found.stop(with: installation)
      return true
    }
    return false
  }

  /// What there is, without starting anything.
  package func status() throws(PrivateServerError) -> PrivateServerStatus {
    if let running = try running() {
      return PrivateServerStatus(
        state: .running(running.address, processID: running.processID),
        data: running.data,
        version: running.version,
        log: running.log
      )
    }
    for place in places {
      guard let found = try Cluster.existing(at: place) else { continue }
      return PrivateServerStatus(
        state: .stopped,
        data: found.dataPath,
        version: try found.version(),
        log: found.logPath
      )
    }
    return PrivateServerStatus(state: .absent)
  }

  /// Starts the server if need be; the command that runs a client there, program and arguments.
  ///
  /// - Parameter program: `psql`, `pg_dump`.
  /// - Returns: The command.
  /// - Throws: Why the server cannot be started.
  package func client(_ program: String) async throws(PrivateServerError) -> [String] {
    try await start().client(path(of: program))
  }

  /// A program of the data's version; its bare name, for `PATH`, where that version lacks it.
  package func path(of program: String) async throws(PrivateServerError) -> FilePath {
    for place in places {
      guard let found = try Cluster.existing(at: place) else { continue }
      let path = try await installation(for: found).program(program)
      return access(path.string, X_OK) == 0 ? path : FilePath(program)
    }
    return FilePath(program)
  }

  /// The programs that belong to existing data.
  func installation(
    for cluster: borrowing Cluster
  ) async throws(PrivateServerError) -> PostgresInstallation {
    let text = try cluster.version() ?? ""
    guard let major = Int(text), major >= PostgresInstallation.oldestMajor else {
      throw .versionUnknown(text, data: cluster.dataPath)
    }
    return try await PostgresInstallation.forData(
      ofMajor: major,
      data: cluster.dataPath,
      searchPath: searchPath,
      folders: installationFolders
    )
  }

  /// Where a server of ours may lie: at home, and for root in the system's folders.
  private var places: [ServerLocation] {
    let home = ServerLocation.inHome(folder, system: system, runtimeFolder: runtimeFolder)
    return geteuid() == 0 ? [home, .inSystem(folder, system: system)] : [home]
  }

  /// Where the server lies, or is to lie: never where its data is not, whatever has become of
  /// permissions since.
  private func place(for account: ServerAccount) throws(PrivateServerError) -> ServerLocation {
    let places = places
    for place in places where try Cluster.exists(at: place) { return place }
    guard let last = places.last, places.count > 1 else { return places[0] }
    return ServerLocation.isReachable(folder, by: account) ? places[0] : last
  }

  private func running() throws(PrivateServerError) -> RunningServer? {
    for place in places {
      guard let found = try Cluster.existing(at: place), let running = try found.running() else {
        continue
      }
      return running
    }
    return nil
  }

  private func checkUsable(_ address: PrivateServerAddress) async throws(PrivateServerError) {
    do throws(PostgresError) {
      _ = try await PGSession.connect(conninfo: address.conninfo)
    } catch {
      throw Task.isCancelled ? .interrupted : .notUsable(error)
    }
  }
}

/// What is known of a private server.
package struct PrivateServerStatus: Equatable, Sendable {
  package enum State: Equatable, Sendable {
    /// It has never been set up.
    case absent
    case stopped
    case running(PrivateServerAddress, processID: Int32)
  }

  package var state: State
  package var data: FilePath?
  /// PostgreSQL's major version, as the data says it.
  package var version: String?
  package var log: FilePath?
}

/// A server that listens.
struct RunningServer: Equatable {
  var address: PrivateServerAddress
  var processID: Int32
  var data: FilePath
  var version: String?
  var log: FilePath
}
