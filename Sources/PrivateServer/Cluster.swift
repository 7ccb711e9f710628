import Platform
import SystemPackage

/// The data of a private server that has been set up, and what belongs to it.
struct Cluster: ~Copyable {
  static let dataName = "data"
  static let logName = "log"

  let place: ServerLocation
  let account: ServerAccount
  /// The server's folder, checked to be its account's alone.
  let home: Folder
  let data: Folder

  var dataPath: FilePath { data.path }
  var logPath: FilePath { home.path.appending(Self.logName) }

  /// Opens what is at `place`; `nil` when nothing has been set up there.
  static func existing(at place: ServerLocation) throws(PrivateServerError) -> Cluster? {
    // In a home that is not root's own all the way up, another account may have put it there.
    if geteuid() == 0, !ServerLocation.isOurs(place.base) { return nil }
    guard let base = try Folder.existing(place.base) else { return nil }
    guard let home = try Folder.existing(ServerLocation.serverFolderName, in: base),
      let data = try Folder.existing(dataName, in: home)
    else { return nil }
    try base.requireOwner(geteuid(), forbidding: 0o022)
    return try Cluster(place: place, home: home, data: data)
  }

  static func exists(at place: ServerLocation) throws(PrivateServerError) -> Bool {
    try existing(at: place) != nil
  }

  init(
    place: ServerLocation,
    home: consuming Folder,
    data: consuming Folder
  ) throws(PrivateServerError) {
    let owner = try home.status().st_uid
    guard owner == geteuid() || (geteuid() == 0 && owner != 0) else {
      throw .untrustedFolder(home.path, reason: "it belongs to account \(owner)")
    }
    try home.requireOwner(owner, forbidding: 0o077)
    try data.requireOwner(owner, forbidding: 0o077)
    account = try ServerAccount(userID: owner)
    self.place = place
    self.home = home
    self.data = data
  }

  /// The major version that made the data, as it says itself.
  func version() throws(PrivateServerError) -> String? {
    try data.contents(of: "PG_VERSION").map { String($0.prefix { $0 != "\n" }) }
  }

  private func postmasterText() throws(PrivateServerError) -> String? {
    try data.contents(of: PostmasterFile.name)
  }

  /// The server, when it listens where its file says it does and is ready.
  func running() throws(PrivateServerError) -> RunningServer? {
    guard let file = try postmasterText().flatMap(PostmasterFile.init), file.isReady else {
      return nil
    }
    let socket = ServerSocket(folder: FilePath(file.socketFolder), port: file.port)
    guard let listener = socket.listener(), listener.userID == account.userID,
      listener.processID == file.processID || listener.processID == 0
    else { return nil }
    let address = PrivateServerAddress(
      socketFolder: socket.folder,
      port: file.port,
      accountName: account.name
    )
    return RunningServer(
      address: address,
      processID: file.processID,
      data: dataPath,
      version: try version(),
      log: logPath
    )
  }

  /// The server's process, whether it listens or not; never a stranger that has its number.
  func aliveProcess() throws(PrivateServerError) -> Int32? {
    if let running = try running() { return running.processID }
    guard let processID = try postmasterText().flatMap(PostmasterFile.processID),
      try ProcessTable.works(processID, in: data)
    else { return nil }
    return processID
  }

  /// Whether the server says that it is ready, though perhaps no one can reach it.
  func claimsToBeReady() throws(PrivateServerError) -> Bool {
    try postmasterText().flatMap(PostmasterFile.init)?.isReady ?? false
  }

  /// Disconnects everybody and shuts down.
  func stop(with installation: PostgresInstallation) async throws(PrivateServerError) {
    let outcome = try await ServerProgram(
      path: installation.program("pg_ctl"),
      arguments: ["stop", "-D", Self.dataName, "-m", "fast", "-w", "-t", "120", "-s"],
      folder: home.path,
      account: account
    ).run()
    guard !outcome.succeeded, try aliveProcess() != nil else { return }
    throw .stopFailed(reason: outcome.reason, log: logPath)
  }

  /// Removes what a server that no longer runs left behind, where PostgreSQL would trip over it.
  ///
  /// It takes a lock file for valid while any process has the number in it, and refuses to start.
  /// No process works in the data folder any more, so that process is a stranger.
  func removeStaleLocks(socketFolder: FilePath) throws(PrivateServerError) {
    try Self.removeStaleLock(PostmasterFile.name, in: data)
    let sockets = try Folder(socketFolder)
    let socket = ".s.PGSQL.\(ServerSocket.port)"
    if try Self.removeStaleLock(socket + ".lock", in: sockets) { try sockets.remove(socket) }
  }

  @discardableResult
  private static func removeStaleLock(
    _ name: String,
    in folder: borrowing Folder
  ) throws(PrivateServerError) -> Bool {
    guard let processID = try folder.contents(of: name).flatMap(PostmasterFile.processID),
      kill(processID, 0) == 0 || errno == EPERM
    else { return false }
    try folder.remove(name)
    return true
  }
}
