import Platform
import SystemPackage

/// The Unix socket that a private server listens on.
struct ServerSocket: Equatable, Sendable {
  /// A private server has a folder of its own, so its port is always the same.
  static let port = 5432

  /// The bytes of a path that fit into `sockaddr_un.sun_path` with its ending NUL.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  var folder: FilePath
  var port = Self.port

  /// Source: PostgreSQL, src/include/libpq/pqcomm.h, UNIXSOCK_PATH.
  var path: FilePath { folder.appending(".s.PGSQL.\(port)") }

  var fits: Bool { path.string.utf8.count <= Self.longestPath }

  /// Whether clients can be told of it: to libpq a comma separates hosts, without a way to quote.
  var isUsable: Bool { fits && !folder.string.utf8.contains(UInt8(ascii: ",")) }

  /// The process that listens there.
  struct Listener: Equatable {
    /// 0 when it lives in a process namespace that we do not see.
    var processID: Int32
    var userID: UInt32
  }

  /// Finds out who listens; `nil` when no one does.
  ///
  /// The system itself says so (unix(7), SO_PEERCRED): the credentials are those of the process
  /// that called listen, which no file can forge.
  func listener() -> Listener? {
    guard fits else { return nil }
    #if os(Linux)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    guard connect(descriptor) else { return nil }
    return peer(of: descriptor)
  }

  private func connect(_ descriptor: Int32) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.string.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Platform.connect(descriptor, pointer, size) == 0
      }
    }
  }

  private func peer(of descriptor: Int32) -> Listener? {
    #if os(Linux)
      // struct ucred, which the Glibc module does not show: pid, uid, gid.
      var credentials: (pid: Int32, uid: UInt32, gid: UInt32) = (0, 0, 0)
      var size = socklen_t(MemoryLayout.size(ofValue: credentials))
      guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else {
        return nil
      }
      return Listener(processID: credentials.pid, userID: credentials.uid)
    #else
      var user: uid_t = 0
      var group: gid_t = 0
      guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
      return Listener(processID: 0, userID: user)
    #endif
  }
}
