/// The service manager that started the program, where it wants to hear how it goes. (sd_notify(3))
///
/// The protocol is one datagram for each message, to the Unix socket that `NOTIFY_SOCKET` names.
package struct ServiceManager: Sendable {
  /// A path; behind a `@`, a name in the abstract namespace. (unix(7))
  private let socketName: String
  /// How often at least `WATCHDOG=1` has to come; `nil` where it is not awaited.
  package let watchdog: Duration?

  /// The one that the environment names, if any.
  package init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], let first = name.utf8.first,
      first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return nil }
    socketName = name
    // sd_watchdog_enabled(3): the number is of the process that is meant.
    let process = environment["WATCHDOG_PID"].flatMap { pid_t($0) }
    let limit = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
    watchdog =
      limit > 0 && (process ?? getpid()) == getpid() ? .microseconds(limit) : nil
  }

  /// Sends a message; that it is not received is not an error of ours.
  ///
  /// - Parameter lines: Such as `READY=1`.
  package func tell(_ lines: String...) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = Array(socketName.utf8)
    guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyBytes(from: name)
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + name.count } ?? 0
    #if canImport(Glibc)
      let kind = CInt(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let socket = Platform.socket(AF_UNIX, kind, 0)
    guard socket >= 0 else { return }
    defer { _ = Platform.close(socket) }
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    let message = Array(lines.joined(separator: "\n").utf8)
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(socket, message, message.count, 0, address, socklen_t(length))
      }
    }
  }
}

extension ServiceManager {
  /// The sockets that the service manager listens on for this process; `nil` where there are none.
  /// (sd_listen_fds(3))
  package static func listeners(environment: [String: String]) -> [Int32]? {
    guard environment["LISTEN_PID"].flatMap({ pid_t($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
    else { return nil }
    return (3..<3 + count).map { descriptor in
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }
  }
}
