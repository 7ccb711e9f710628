import NIOCore
import Platform
import SystemPackage

/// The place of a Unix socket, which one process has at a time.
///
/// Whoever wants it locks the file `PATH.lock` beside it, as PostgreSQL does, before anything that is there
/// is taken away: of servers that start at once, one has the place, and the others see that.
final class UnixSocket {
  private let path: String
  private let lock: FileLock

  /// Takes the place; `nil` where another process has it.
  ///
  /// - Parameter path: Of the socket.
  /// - Throws: What open(2) or flock(2) says of the lock.
  init?(_ path: String) throws(Errno) {
    guard let lock = try FileLock.tryAcquire(FilePath(path + ".lock")) else { return nil }
    self.path = path
    self.lock = lock
  }

  /// Makes the socket, for this account and its group, of which a proxy may be a member.
  ///
  /// Nobody can connect before it is listened on, so nobody finds it with other permissions.
  ///
  /// - Returns: A descriptor that is not listened on yet.
  /// - Throws: What the system says, and `SocketAddressError` for a path that is too long.
  func bind() throws -> CInt {
    let address = try SocketAddress(unixDomainSocketPath: path)
    try removeFormer()
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = try Self.checked(Platform.socket(AF_UNIX, kind, 0))
    do {
      _ = try Self.checked(fcntl(descriptor, F_SETFD, FD_CLOEXEC))
      _ = try address.withSockAddr { address, size in
        try Self.checked(Platform.bind(descriptor, address, socklen_t(size)))
      }
      _ = try Self.checked(chmod(path, 0o660))
    } catch {
      _ = close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Takes away what a server left behind that died; any other file stays.
  private func removeFormer() throws(Errno) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    _ = try Self.checked(unlink(path))
  }

  private static func checked(_ result: CInt) throws(Errno) -> CInt {
    guard result >= 0 else { throw Errno(rawValue: errno) }
    return result
  }
}
