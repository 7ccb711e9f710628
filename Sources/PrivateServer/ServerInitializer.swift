import Platform
import SystemPackage

/// Sets up the data of a new private server: all of it beside its place, and then a rename.
///
/// Whatever dies when, the data folder is there as a whole or not at all.
struct ServerInitializer {
  private static let unfinishedPrefix = Cluster.dataName + ".new-"

  var home: FilePath
  var account: ServerAccount
  var installation: PostgresInstallation

  /// Does it in the server's folder, which is `home`.
  func run(in folder: borrowing Folder) async throws(PrivateServerError) {
    await removeUnfinished(in: folder)
    let name = Self.unfinishedPrefix + String(UInt32.random(in: .min ... .max), radix: 16)
    do throws(PrivateServerError) {
      try await makeCluster(name)
      try await write("pg_hba.conf", in: name, Self.authentication)
      try await write("pg_ident.conf", in: name, accountMap)
      try await write("postgresql.conf", in: name, Self.settings, appending: true)
      try await makeDatabase(name)
      try folder.rename(name, to: Cluster.dataName)
    } catch {
      let failure = explained(error, isOnFullDisk: folder.isOnFullDisk)
      // Also gives a full disk its space back.
      await removeUnfinished(in: folder)
      throw failure
    }
  }

  private func makeCluster(_ name: String) async throws(PrivateServerError) {
    try await run(
      "initdb",
      [
        "-D", name, "-U", PrivateServerAddress.name, "-E", "UTF8", "--locale=C",
        "--auth-local=peer", "--auth-host=reject",
      ]
    )
  }

  /// In single-user mode, so that no server ever runs without its database.
  private func makeDatabase(_ name: String) async throws(PrivateServerError) {
    try await run(
      "postgres",
      ["--single", "-D", name, "-c", "exit_on_error=true", "template1"],
      input: "create database \(PrivateServerAddress.name)\n"
    )
  }

  private func run(
    _ program: String,
    _ arguments: [String],
    input: String = ""
  ) async throws(PrivateServerError) {
    try await finish(
      ServerProgram(
        path: installation.program(program),
        arguments: arguments,
        folder: home,
        account: account,
        input: input
      )
    )
  }

  /// Writes a file as the server's account: we do not write where it could put a link in the way.
  private func write(
    _ file: String,
    in name: String,
    _ text: String,
    appending: Bool = false
  ) async throws(PrivateServerError) {
    let script = appending ? #"cat >> "$1""# : #"cat > "$1""#
    try await finish(
      ServerProgram(
        path: "/bin/sh",
        arguments: ["-c", script, "sh", name + "/" + file],
        folder: home,
        account: account,
        input: text
      )
    )
  }

  private func finish(_ program: ServerProgram) async throws(PrivateServerError) {
    let outcome = try await program.run()
    guard outcome.succeeded else {
      let reason = outcome.reason
      throw .initializationFailed(reason: reason, data: home, .init(message: reason))
    }
  }

  /// Removes what an earlier attempt left; what cannot be removed now is removed next time.
  private func removeUnfinished(in folder: borrowing Folder) async {
    let names = (try? folder.names()) ?? []
    let unfinished = names.filter { $0.hasPrefix(Self.unfinishedPrefix) }
    guard !unfinished.isEmpty else { return }
    _ = try? await ServerProgram(
      path: "/bin/rm",
      arguments: ["-rf", "--"] + unfinished,
      folder: home,
      account: account
    ).run()
  }

  private func explained(_ error: PrivateServerError, isOnFullDisk: Bool) -> PrivateServerError {
    guard case .initializationFailed(let reason, let data, .other) = error, isOnFullDisk else {
      return error
    }
    return .initializationFailed(reason: reason + " (the disk is full)", data: data, .diskFull)
  }
}

extension ServerInitializer {
  private static let mapName = "staffbook"

  private static let authentication = """
    # Staffbook's private server: only through its Unix socket, and only the accounts that
    # pg_ident.conf names.
    local all \(PrivateServerAddress.name) peer map=\(mapName)

    """

  private var accountMap: String {
    var names = [account.name]
    if account.isOther, let ours = try? ServerAccount(userID: geteuid()) { names.append(ours.name) }
    return names.map { name in
      let quoted = name.split(separator: "\"", omittingEmptySubsequences: false)
        .joined(separator: "\"\"")
      return "\(Self.mapName) \"\(quoted)\" \(PrivateServerAddress.name)\n"
    }.joined()
  }

  private static let settings = """

    # Staffbook's private server: no TCP, and a socket for its account (and root) alone.
    listen_addresses = ''
    unix_socket_permissions = 0700
    cluster_name = 'staffbook'
    # Our statements are short; compiling them takes longer than running them.
    jit = off

    """
}
