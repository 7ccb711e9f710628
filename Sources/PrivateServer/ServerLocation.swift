import Platform
import SystemPackage

/// The folders outside the data home that root's server may use.
package struct SystemFolders: Equatable, Sendable {
  /// For data.
  package var library: FilePath
  /// For sockets.
  package var run: FilePath

  package static let standard = SystemFolders(
    library: "/var/lib/staffbook",
    run: "/run/staffbook"
  )
}

/// Where a private server lies.
///
///     base/                 ours; 0700, or 0711 where the server's account must pass through
///       server.lock         held while starting and stopping
///       postgres/           the server's account's, 0700
///         data/  log  .s.PGSQL.5432
struct ServerLocation: Equatable, Sendable {
  static let lockName = "server.lock"
  static let serverFolderName = "postgres"

  var base: FilePath
  /// What `base` and missing folders above it are made with.
  var baseMode: mode_t
  /// Where the socket may go, the preferred first.
  var sockets: [SocketLocation]
}

/// A folder for a socket.
struct SocketLocation: Equatable, Sendable {
  /// How its folder comes about.
  enum Kind: Equatable, Sendable {
    /// The server's own folder, which exists.
    case serverFolder
    /// A folder of the account's own inside one that is ours, which is made with this mode.
    case inOurs(mode: mode_t)
    /// A folder of the account's own inside one that is the system's and exists.
    case inExisting
  }

  var folder: FilePath
  var kind: Kind
}

extension ServerLocation {
  /// Inside the data home.
  static func inHome(
    _ home: FilePath,
    system: SystemFolders,
    runtimeFolder: String?
  ) -> ServerLocation {
    let isRoot = geteuid() == 0
    let own = SocketLocation(
      folder: home.appending(serverFolderName),
      kind: .serverFolder
    )
    let others =
      isRoot
      ? [inRun(home, system)] : forAccount(geteuid(), home, runtimeFolder: runtimeFolder)
    // Root's server runs as another account, which must be able to pass through.
    return ServerLocation(base: home, baseMode: isRoot ? 0o711 : 0o700, sockets: [own] + others)
  }

  /// Outside a data home that root's server cannot reach.
  static func inSystem(_ home: FilePath, system: SystemFolders) -> ServerLocation {
    let base = isDefaultHome(home) ? system.library : system.library.appending(hash(home))
    return ServerLocation(base: base, baseMode: 0o711, sockets: [inRun(home, system)])
  }

  private static func inRun(_ home: FilePath, _ system: SystemFolders) -> SocketLocation {
    let name = isDefaultHome(home) ? "default" : hash(home)
    return SocketLocation(folder: system.run.appending(name), kind: .inOurs(mode: 0o711))
  }

  /// For a data home whose path is too long for a socket, or has a comma in it.
  private static func forAccount(
    _ userID: UInt32,
    _ home: FilePath,
    runtimeFolder: String?
  ) -> [SocketLocation] {
    var places: [SocketLocation] = []
    if let runtimeFolder, runtimeFolder.hasPrefix("/"), isFolder(runtimeFolder, of: userID) {
      let folder = FilePath(runtimeFolder).appending("staffbook-" + hash(home))
      places.append(SocketLocation(folder: folder, kind: .inExisting))
    }
    let shared = FilePath("/tmp").appending("staffbook-\(userID)-" + hash(home))
    return places + [SocketLocation(folder: shared, kind: .inExisting)]
  }

  private static func isFolder(_ path: String, of userID: UInt32) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == userID
  }

  /// Whether it is the data home of root's own account without any setting.
  private static func isDefaultHome(_ home: FilePath) -> Bool {
    guard let own = ServerAccount.homeOfOurs() else { return false }
    return home.lexicallyNormalized()
      == FilePath(own).appending(".local/share/staffbook").lexicallyNormalized()
  }

  /// 64 bits of FNV-1a over the path, as 16 hexadecimal digits.
  static func hash(_ path: FilePath) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.lexicallyNormalized().string.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension ServerLocation {
  /// Whether `account` can get into the data home, which root chose or has yet to make.
  ///
  /// Judged by owner and mode alone; where a home is not root's own all the way up, no.
  static func isReachable(_ home: FilePath, by account: ServerAccount) -> Bool {
    isOurs(home) { account.mayPass($0) }
  }

  /// The first folder above a resolved path that keeps an account out, by its mode.
  static func closedFolder(
    above path: FilePath,
    to account: ServerAccount
  ) -> (path: FilePath, mode: mode_t)? {
    for folder in Folder.ancestors(of: path) {
      var status = stat()
      if lstat(folder.string, &status) == 0, !account.mayPass(status) {
        return (folder, status.st_mode & 0o7777)
      }
    }
    return nil
  }

  /// Whether no one but us (and root) can put anything into a folder or exchange one above it,
  /// and whether all of them satisfy a condition; only the part that exists counts.
  static func isOurs(_ path: FilePath, and condition: (stat) -> Bool = { _ in true }) -> Bool {
    guard let existing = try? Folder.existingPart(of: path).existing else { return false }
    return (Folder.ancestors(of: existing) + [existing]).allSatisfy { folder in
      var status = stat()
      guard lstat(folder.string, &status) == 0 else { return false }
      let isSticky = status.st_mode & S_ISVTX != 0
      let isOwn = status.st_uid == geteuid() || status.st_uid == 0
      return isOwn && (status.st_mode & 0o022 == 0 || isSticky) && condition(status)
    }
  }
}

extension ServerAccount {
  /// Whether the mode of a folder lets the account through; it has no further groups.
  fileprivate func mayPass(_ status: stat) -> Bool {
    if status.st_uid == userID { return status.st_mode & 0o100 != 0 }
    if status.st_gid == groupID { return status.st_mode & 0o010 != 0 }
    return status.st_mode & 0o001 != 0
  }
}
