import Platform
import SystemPackage

/// Brings the server up, holding the lock.
struct ServerStarter: ~Copyable {
  /// How long a server that is on its way up or down, or its orphans, get to finish.
  private static let patience = Duration.seconds(60)
  private static let largestLog = 10 << 20

  private let server: PrivateServer
  private let place: ServerLocation
  private let account: ServerAccount
  /// The server's folder.
  private let home: Folder

  init(
    server: PrivateServer,
    place: ServerLocation,
    base: borrowing Folder,
    account: ServerAccount
  ) throws(PrivateServerError) {
    let home = try base.subfolder(ServerLocation.serverFolderName, mode: 0o700)
    // Handing over is the last step of making it, so a crash may have come in between.
    if account.isOther, try home.status().st_uid == geteuid(), try home.isEmpty() {
      try home.give(to: account)
    }
    let owner = try home.status().st_uid
    guard owner == account.userID || (geteuid() == 0 && owner != 0) else {
      throw .untrustedFolder(home.path, reason: "it belongs to account \(owner)")
    }
    try home.requireOwner(owner, forbidding: 0o077)
    self.account = try ServerAccount(userID: owner)
    self.server = server
    self.place = place
    self.home = home
  }

  func start() async throws(PrivateServerError) -> PrivateServerAddress {
    do throws(PrivateServerError) {
      return try await bringUp()
    } catch {
      // Its programs blame their own folder for one above it that keeps their account out; whether it
      // does, beside its mode, only that account finds out.
      guard account.isOther, [.notPermitted, .other].contains(error.cause),
        let closed = ServerLocation.closedFolder(above: home.path, to: account),
        try await !ServerProgram(
          path: "/usr/bin/test",
          arguments: ["-x", home.path.string],
          account: account
        ).run().succeeded
      else { throw error }
      throw .cannotPrepare(
        closed.path,
        reason: "its mode \(String(closed.mode, radix: 8)) keeps the server's account "
          + "\(account.name) out",
        .notPermitted
      )
    }
  }

  private func bringUp() async throws(PrivateServerError) -> PrivateServerAddress {
    let socketFolder = try socketFolder()
    if try Folder.existing(Cluster.dataName, in: home) == nil { try await initialize() }
    let cluster = try Cluster(
      place: place,
      home: try home.copy(),
      data: try Folder(Cluster.dataName, in: home)
    )
    let installation = try await server.installation(for: cluster)
    if let address = try await settle(cluster, installation) { return address }
    try await waitForLeftovers(of: cluster)
    try cluster.removeStaleLocks(socketFolder: socketFolder)
    try await launch(installation, socketFolder)
    guard let running = try cluster.running() else {
      throw startFailure("it does not listen on its socket in \(socketFolder)")
    }
    return running.address
  }

  private func initialize() async throws(PrivateServerError) {
    let installation = try await PostgresInstallation.forNewData(
      searchPath: server.searchPath,
      folders: server.installationFolders
    )
    try await ServerInitializer(home: home.path, account: account, installation: installation)
      .run(in: home)
  }

  /// Waits for a server that is neither up nor ended; its address when it comes up, `nil` when
  /// there is none any more.
  private func settle(
    _ cluster: borrowing Cluster,
    _ installation: PostgresInstallation
  ) async throws(PrivateServerError) -> PrivateServerAddress? {
    let deadline = ContinuousClock.now + Self.patience
    while try cluster.aliveProcess() != nil {
      if let running = try cluster.running() { return running.address }
      // Ready, but its socket was removed: it was cleaned up where it was.
      if try cluster.claimsToBeReady() {
        try await cluster.stop(with: installation)
        return nil
      }
      guard ContinuousClock.now < deadline else {
        throw startFailure("an earlier server is neither ready nor stopped")
      }
      try await pause()
    }
    return nil
  }

  /// The processes of a killed server end by themselves as soon as they look up from their work;
  /// until then PostgreSQL would refuse to start.
  private func waitForLeftovers(
    of cluster: borrowing Cluster
  ) async throws(PrivateServerError) {
    let deadline = ContinuousClock.now + Self.patience
    while true {
      let leftovers = try ProcessTable.processes(in: cluster.data)
      guard !leftovers.isEmpty else { return }
      guard ContinuousClock.now < deadline else {
        throw .leftoverProcesses(leftovers, data: cluster.dataPath)
      }
      try await pause()
    }
  }

  private func pause() async throws(PrivateServerError) {
    do {
      try await Task.sleep(for: .milliseconds(20))
    } catch {
      throw .interrupted
    }
  }

  private func launch(
    _ installation: PostgresInstallation,
    _ socketFolder: FilePath
  ) async throws(PrivateServerError) {
    try rotateLog()
    let logged = try logSize()
    let outcome = try await ServerProgram(
      path: installation.program("pg_ctl"),
      arguments: [
        "start", "-D", Cluster.dataName, "-l", Cluster.logName, "-w", "-t", "300", "-s",
        "-o", Self.options(socketFolder: socketFolder),
      ],
      folder: home.path,
      account: account
    ).run()
    guard outcome.succeeded else {
      // No more than this start wrote; a full disk may have kept it from writing anything.
      let log = try home.contents(of: Cluster.logName, last: min(1 << 16, logSize() - logged))
      throw startFailure(log.flatMap(LogText.lastMeaningfulLine) ?? outcome.reason)
    }
  }

  /// The server's options for the shell that pg_ctl starts it with.
  ///
  /// The list of socket folders is one folder in double quotes, since its path may hold a comma;
  /// and that is in single quotes for the shell.
  static func options(socketFolder: FilePath) -> String {
    let item = "\"" + doubled("\"", in: socketFolder.string) + "\""
    let word =
      "'"
      + item.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
    return "-c listen_addresses= -c unix_socket_permissions=0700 -k " + word
  }

  private static func doubled(_ quote: Character, in text: String) -> String {
    text.split(separator: quote, omittingEmptySubsequences: false)
      .joined(separator: "\(quote)\(quote)")
  }

  private func startFailure(_ reason: String) -> PrivateServerError {
    let cause = PrivateServerError.Cause(message: reason)
    return .startFailed(
      reason: cause == .other && home.isOnFullDisk ? reason + " (the disk is full)" : reason,
      log: home.path.appending(Cluster.logName),
      cause == .other && home.isOnFullDisk ? .diskFull : cause
    )
  }

  private func logSize() throws(PrivateServerError) -> Int {
    var status = stat()
    let code = fstatat(home.descriptor, Cluster.logName, &status, AT_SYMLINK_NOFOLLOW)
    return code == 0 ? Int(status.st_size) : 0
  }

  /// Keeps one log of earlier starts and no more.
  private func rotateLog() throws(PrivateServerError) {
    guard try logSize() > Self.largestLog else { return }
    try home.rename(Cluster.logName, to: Cluster.logName + ".1")
  }
}

extension ServerStarter {
  /// The first folder for the socket whose path is short enough, made ready.
  private func socketFolder() throws(PrivateServerError) -> FilePath {
    for socket in place.sockets where ServerSocket(folder: socket.folder).isUsable {
      switch socket.kind {
      case .serverFolder: break
      case .inOurs(let mode):
        try Folder.make(parent(of: socket), mode: mode).requireOwner(geteuid(), forbidding: 0o022)
        try prepare(socket.folder)
      case .inExisting: try prepare(socket.folder)
      }
      return socket.folder
    }
    throw .unusableSocketPath(home.path, limit: ServerSocket.longestPath)
  }

  private func parent(of socket: SocketLocation) -> FilePath {
    socket.folder.removingLastComponent()
  }

  /// Makes a folder that is the server account's alone, or checks that it is.
  private func prepare(_ path: FilePath) throws(PrivateServerError) {
    let parent = try Folder.make(path.removingLastComponent(), mode: 0o700)
    let folder = try parent.subfolder(path.lastComponent?.string ?? "", mode: 0o700)
    if account.isOther, try folder.status().st_uid == geteuid(), try folder.isEmpty() {
      try folder.give(to: account)
    }
    try folder.requireOwner(account.userID, forbidding: 0o077)
  }
}

extension Folder {
  /// Whether nothing more fits on its disk, so that even a log line may have got lost.
  var isOnFullDisk: Bool {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return false }
    return status.f_bavail * status.f_frsize < 1 << 20
  }
}
