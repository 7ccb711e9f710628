import Dispatch
import LibPQ
import Synchronization
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A network between a program and the test server that goes silent, or away, half-way.
///
/// It is a Unix socket that passes bytes on in both directions until the server has sent so many.
package final class StallingProxy: Sendable {
  /// What happens when the limit is reached.
  package enum Failure: Sendable {
    /// Nothing arrives any more, and nobody is told.
    case silence
    /// Both ends are closed.
    case reset
  }

  /// A connection string for the way through the proxy.
  package let conninfo: String
  private let listener: Int32
  private let server: String
  private let limit: Int
  private let failure: Failure
  private let passed = Atomic<Int>(0)

  /// Listens in a folder of the caller's.
  ///
  /// - Parameters:
  ///   - conninfo: Of a database on a server with a Unix socket.
  ///   - folder: Where the proxy's socket goes.
  ///   - limit: Bytes from the server that are passed on, over all connections.
  ///   - failure: What happens then.
  /// - Throws: When it cannot listen.
  package init(
    to conninfo: String,
    in folder: FilePath,
    after limit: Int,
    _ failure: Failure
  ) throws {
    var settings = try PGConninfo(parsing: conninfo)
    let port = settings["port"] ?? "5432"
    server = "\(settings["host"] ?? "")/.s.PGSQL.\(port)"
    settings["host"] = folder.string
    settings["port"] = "5432"
    self.conninfo = settings.pairs
    self.limit = limit
    self.failure = failure
    listener = try Self.bound(folder.appending(".s.PGSQL.5432").string)
    Thread.detach { [self] in accept() }
  }

  deinit { close(listener) }

  private static func bound(_ path: String) throws -> Int32 {
    let socket = try makeSocket()
    guard withAddress(path, { bind(socket, $0, $1) }) == 0, listen(socket, 8) == 0 else {
      throw TestSetupError("cannot listen on \(path): \(Errno(rawValue: errno))")
    }
    return socket
  }

  private static func makeSocket() throws -> Int32 {
    #if canImport(Glibc)
      let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let socket = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard socket >= 0 else { throw TestSetupError("no socket: \(Errno(rawValue: errno))") }
    return socket
  }

  private static func withAddress(
    _ path: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { buffer in
      precondition(path.utf8.count < buffer.count, "the path of the socket is too long")
      buffer.copyBytes(from: path.utf8)
    }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private func accept() {
    while true {
      #if canImport(Glibc)
        let client = Glibc.accept(listener, nil, nil)
      #else
        let client = Darwin.accept(listener, nil, nil)
      #endif
      guard client >= 0, let upstream = try? Self.makeSocket() else { return }
      guard Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
        close(client)
        close(upstream)
        continue
      }
      Thread.detach { [self] in
        pump(from: client, to: upstream, counting: false)
        shutdown(upstream, Int32(SHUT_RDWR))
      }
      Thread.detach { [self] in
        pump(from: upstream, to: client, counting: true)
        shutdown(client, Int32(SHUT_RDWR))
      }
    }
  }

  private func pump(from source: Int32, to target: Int32, counting: Bool) {
    var buffer = [UInt8](repeating: 0, count: 8_192)
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { return }
      if counting, passed.add(count, ordering: .relaxed).newValue > limit {
        if failure == .reset { return }
        // Silent until the other side gives up.
        while read(source, &buffer, buffer.count) > 0 {}
        return
      }
      guard write(target, buffer, count) == count else { return }
    }
  }
}

/// A thread that blocks as it likes.
private enum Thread {
  static func detach(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "staffbook.test.proxy").async(execute: body)
  }
}
