import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import PrivateServer

/// Folders for one test: what would be a data home, and what would be the system's.
struct Homes {
  var root: FilePath

  /// A home that the server's account can pass through.
  var open: FilePath { root.appending("open/staffbook") }
  /// A home that it cannot.
  var closed: FilePath { root.appending("closed/staffbook") }

  var system: SystemFolders {
    SystemFolders(library: root.appending("var"), run: root.appending("run"))
  }

  func server(_ home: FilePath? = nil, environment: [String: String] = [:]) -> PrivateServer {
    let variables = environment
    return PrivateServer(
      folder: home ?? open,
      environment: { variables[$0] ?? ($0 == "PATH" ? environmentValue($0) : nil) },
      system: system
    )
  }
}

/// Runs `body` with folders of its own and stops the servers that it started there.
func withHomes(_ body: (Homes) async throws -> Void) async throws {
  try await withTemporaryDirectory { folder in
    let homes = Homes(root: folder)
    // The server's account must pass through; 0711 as folders of ours are made.
    #expect(chmod(folder.string, 0o711) == 0)
    #expect(mkdir(homes.open.removingLastComponent().string, 0o755) == 0)
    #expect(mkdir(homes.closed.removingLastComponent().string, 0o700) == 0)
    let outcome = await result { try await body(homes) }
    for home in [homes.open, homes.closed] { _ = try? await homes.server(home).stop() }
    try outcome.get()
  }
}

private func result(_ body: () async throws -> Void) async -> Result<Void, any Error> {
  do {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}

/// Whether the cases can be played that need root; without root, that the system refuses them is
/// what is expected.
func canActAsRoot() -> Bool {
  guard geteuid() != 0 else { return true }
  #expect(setgroups(0, nil) == -1)
  #expect(errno == EPERM)
  return false
}

/// The account that stands for an ordinary user.
enum Nobody {
  static let userID: UInt32 = 65534

  /// Turns this process, an exit test's, into that account's for good.
  static func become() {
    precondition(setgroups(0, nil) == 0 && setgid(userID) == 0 && setuid(userID) == 0)
    precondition(chdir("/") == 0)
  }

  /// Makes a folder that is its own.
  static func makeFolder(_ path: FilePath, mode: mode_t = 0o700) {
    #expect(mkdir(path.string, mode) == 0)
    #expect(chown(path.string, userID, userID) == 0)
  }
}

/// The first cell of a query's first row, asked of the private server.
func ask(_ address: PrivateServerAddress, _ sql: String) async throws -> String? {
  let session = try await PGSession.connect(conninfo: address.conninfo)
  return try await session.withConnection { (connection) throws(PostgresError) in
    let result = try connection.execute(sql)
    return result.rowCount == 0 ? nil : result.text(row: 0, column: 0)
  }
}

/// Runs a statement whose result does not matter.
func tell(_ address: PrivateServerAddress, _ sql: String) async throws {
  let session = try await PGSession.connect(conninfo: address.conninfo)
  try await session.withConnection { (connection) throws(PostgresError) in
    try connection.executeScript(sql)
  }
}

extension PrivateServer {
  /// The server's process, if it runs.
  func processID() throws -> Int32? {
    guard case .running(_, let processID) = try status().state else { return nil }
    return processID
  }

  /// Ends the server as a crash would, and waits until it was removed.
  func crash() async throws {
    let processID = try #require(try processID())
    #expect(kill(processID, SIGKILL) == 0)
    try await wait(until: "the server has ended") { kill(processID, 0) != 0 }
  }
}

/// The permissions of a file or folder.
func mode(_ path: FilePath) throws -> mode_t { try fileStatus(path).st_mode & 0o7777 }

func fileStatus(_ path: FilePath) throws -> stat {
  var status = stat()
  try #require(lstat(path.string, &status) == 0, "\(path)")
  return status
}

/// What a file holds, as far as it is text.
func read(_ path: FilePath) throws -> String {
  let file = try FileDescriptor.open(path, .readOnly)
  return try file.closeAfter {
    try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { buffer in
      String(decoding: buffer.prefix(try file.read(into: buffer)), as: UTF8.self)
    }
  }
}

/// Puts text into an existing or a new file.
func write(_ text: String, to path: FilePath, appending: Bool = false) throws {
  let options: FileDescriptor.OpenOptions = appending ? [.create, .append] : [.create, .truncate]
  let file = try FileDescriptor.open(
    path,
    .writeOnly,
    options: options,
    permissions: .ownerReadWrite
  )
  _ = try file.closeAfter { try file.writeAll(text.utf8) }
}
