import Platform
import SystemPackage

/// An open folder; what is below it is reached through it, never through its path.
///
/// So no one can put a link in the way between a check and its use.
struct Folder: ~Copyable {
  let path: FilePath
  let descriptor: Int32

  /// Opens the folder itself, not what a link of that name points to.
  init(_ path: FilePath) throws(PrivateServerError) {
    try self.init(path, open(path.string, Self.flags))
  }

  /// Opens a folder below another.
  init(_ name: String, in parent: borrowing Folder) throws(PrivateServerError) {
    try self.init(parent.path.appending(name), openat(parent.descriptor, name, Self.flags))
  }

  private init(_ path: FilePath, _ descriptor: Int32) throws(PrivateServerError) {
    guard descriptor >= 0 else { throw Self.failure(path, Errno(rawValue: errno)) }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The same folder, opened once more.
  func copy() throws(PrivateServerError) -> Folder {
    try Folder(path, fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
  }

  private static let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC

  /// Opens a folder to pass through, which does not need the permission to list it.
  private static func passage(_ path: FilePath) throws(PrivateServerError) -> Folder {
    #if os(Linux)
      // O_PATH (open(2)), which the Glibc module does not show.
      let flags = 0o10_000_000 | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    #endif
    return try Folder(path, open(path.string, flags))
  }

  private static func failure(_ path: FilePath, _ code: Errno) -> PrivateServerError {
    var status = stat()
    if code == .notDirectory || code == .tooManySymbolicLinkLevels,
      lstat(path.string, &status) == 0
    {
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      return .untrustedFolder(path, reason: isLink ? "it is a symbolic link" : "it is not a folder")
    }
    return .cannotPrepare(path, reason: code.reason, .init(code))
  }

  /// The same, or `nil` where there is nothing of that name.
  static func existing(
    _ name: String,
    in parent: borrowing Folder
  ) throws(PrivateServerError) -> Folder? {
    var status = stat()
    if fstatat(parent.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0, errno == ENOENT {
      return nil
    }
    return try Folder(name, in: parent)
  }

  /// Who owns it and who may enter it.
  func status() throws(PrivateServerError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw Self.failure(path, Errno(rawValue: errno))
    }
    return status
  }

  /// Refuses a folder that is not `owner`'s, or that has one of the `forbidden` permissions.
  func requireOwner(
    _ owner: UInt32,
    forbidding forbidden: mode_t
  ) throws(PrivateServerError) {
    let status = try status()
    guard status.st_uid == owner else {
      throw .untrustedFolder(
        path,
        reason: "it belongs to account \(ServerAccount.name(of: status.st_uid)), not to "
          + ServerAccount.name(of: owner)
      )
    }
    guard status.st_mode & forbidden == 0 else {
      let mode = String(status.st_mode & 0o7777, radix: 8)
      throw .untrustedFolder(path, reason: "its mode \(mode) gives others access")
    }
  }

  /// Makes a folder below, if it is missing, and opens it.
  ///
  /// One that is made has the mode whatever the umask: the server's account may have to pass through it.
  func subfolder(_ name: String, mode: mode_t) throws(PrivateServerError) -> Folder {
    let isMade = mkdirat(descriptor, name, mode) == 0
    guard isMade || errno == EEXIST else {
      throw Self.failure(path.appending(name), Errno(rawValue: errno))
    }
    let folder = try Folder(name, in: self)
    guard !isMade || fchmod(folder.descriptor, mode) == 0 else {
      throw Self.failure(folder.path, Errno(rawValue: errno))
    }
    return folder
  }

  /// Hands a folder that we have just made, or left behind empty, to the server's account.
  func give(to account: ServerAccount) throws(PrivateServerError) {
    guard fchown(descriptor, account.userID, account.groupID) == 0, fchmod(descriptor, 0o700) == 0
    else { throw Self.failure(path, Errno(rawValue: errno)) }
  }

  func isEmpty() throws(PrivateServerError) -> Bool { try names().isEmpty }

  /// What is in it, in no order.
  func names() throws(PrivateServerError) -> [String] {
    do throws(Errno) {
      return try FolderListing.names(in: openat(descriptor, ".", Self.flags))
    } catch {
      throw Self.failure(path, error)
    }
  }

  /// The beginning of a small regular file, or its end; `nil` where there is none.
  func contents(of name: String, last limit: Int = 1 << 16) throws(PrivateServerError) -> String? {
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Self.failure(path.appending(name), Errno(rawValue: errno))
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let start = max(0, Int(status.st_size) - limit)
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = max(0, pread(file, buffer.baseAddress, limit, start))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func remove(_ name: String) throws(PrivateServerError) {
    guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
      throw Self.failure(path.appending(name), Errno(rawValue: errno))
    }
  }

  func rename(_ name: String, to newName: String) throws(PrivateServerError) {
    guard renameat(descriptor, name, descriptor, newName) == 0, fsync(descriptor) == 0 else {
      throw Self.failure(path.appending(newName), Errno(rawValue: errno))
    }
  }
}

extension Folder {
  /// Opens a folder by its path, making what is missing of it.
  ///
  /// Links above it are resolved once; the folder itself must not be one. Another account that
  /// could replace a folder on the way makes it unusable.
  static func make(_ path: FilePath, mode: mode_t) throws(PrivateServerError) -> Folder {
    guard let name = path.lastComponent else { return try Folder(path) }
    let (existing, missing) = try existingPart(of: path.removingLastComponent())
    try requireTrusted(path.removingLastComponent())
    var folder = try passage(existing)
    for name in missing + [name.string] { folder = try folder.subfolder(name, mode: mode) }
    return folder
  }

  /// Opens a folder in the same way; `nil` when it does not exist.
  static func existing(_ path: FilePath) throws(PrivateServerError) -> Folder? {
    guard let name = path.lastComponent else { return try Folder(path) }
    let (parent, missing) = try existingPart(of: path.removingLastComponent())
    guard missing.isEmpty else { return nil }
    try requireTrusted(path.removingLastComponent())
    return try existing(name.string, in: passage(parent))
  }

  /// The resolved path of the deepest folder that exists, and the names that are missing below it.
  static func existingPart(
    of path: FilePath
  ) throws(PrivateServerError) -> (existing: FilePath, missing: [String]) {
    var rest = path.lexicallyNormalized()
    var missing: [String] = []
    while true {
      if let resolved = realpath(rest.string, nil) {
        defer { free(resolved) }
        return (FilePath(String(cString: resolved)), missing.reversed())
      }
      guard errno == ENOENT, let last = rest.lastComponent else {
        throw failure(rest, Errno(rawValue: errno))
      }
      missing.append(last.string)
      rest.removeLastComponent()
    }
  }

  /// Everything above a resolved path, from the root down.
  static func ancestors(of path: FilePath) -> [FilePath] {
    var ancestors: [FilePath] = []
    var rest = path
    while rest.removeLastComponent() { ancestors.append(rest) }
    return ancestors.reversed()
  }

  private static func requireTrusted(_ path: FilePath) throws(PrivateServerError) {
    guard let refusal = PathTrust.refusal(of: path.lexicallyNormalized()) else { return }
    throw .untrustedFolder(refusal.path, reason: refusal.reason)
  }
}

extension Errno {
  /// The system's own words, in lower case to stand within a sentence.
  var reason: String {
    let text = description
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

extension Folder {
  /// Longer than any start of ours takes, an initialization on a slow disk included.
  private static let patience = Duration.seconds(300)

  /// Keeps other processes from starting or stopping the server, and waits for who does so.
  borrowing func lock(notice: (String) -> Void) async throws(PrivateServerError) -> FileLock {
    let name = FilePath(ServerLocation.lockName)
    let lockPath = path.appending(ServerLocation.lockName)
    do throws(FileLock.Failure) {
      let lock = try await FileLock.acquire(
        name,
        in: FileDescriptor(rawValue: descriptor),
        patience: Self.patience
      ) {
        notice(
          "waiting for \(FileLock.holder(of: lockPath)), which is starting or stopping the server; "
            + "giving up after \(Self.patience.components.seconds) seconds"
        )
      }
      if let lock { return lock }
    } catch {
      switch error {
      case .refused(let code): throw .cannotPrepare(lockPath, reason: code.reason, .init(code))
      case .interrupted: throw .interrupted
      }
    }
    throw .busy(lock: lockPath)
  }
}
