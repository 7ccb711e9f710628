import Synchronization
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stands between clients and a PostgreSQL server, on a socket of its own, and stops passing on
/// what the server says after so many bytes: a network that is cut, as the client sees it.
///
/// Every connection is cut after that many. The connections stay open until the relay is gone.
package final class StallingRelay: Sendable {
  /// The folder of the socket that clients connect to, port 5432.
  package let folder: FilePath
  private let upstream: String
  private let bytesToClient: Int
  private let listener: CInt
  private let connections = Mutex<[CInt]>([])

  /// - Parameters:
  ///   - folder: Where to put the socket; there must be none yet.
  ///   - upstream: The server's own socket.
  ///   - bytesToClient: How much of what the server says is passed on; 0 is a host that accepts
  ///     connections and says nothing.
  /// - Throws: When there can be no socket there.
  package init(in folder: FilePath, to upstream: FilePath, bytesToClient: Int) throws {
    self.folder = folder
    self.upstream = upstream.string
    self.bytesToClient = bytesToClient
    listener = try Self.makeSocket(folder.appending(".s.PGSQL.5432").string) {
      socket,
      address,
      size in
      bind(socket, address, size) == 0 && listen(socket, 16) == 0
    }
    Thread.run { self.accept() }
  }

  /// Cuts all connections; the socket's file stays.
  package func close() {
    shutdown(listener, CInt(SHUT_RDWR))
    connections.withLock { for socket in $0 { shutdown(socket, CInt(SHUT_RDWR)) } }
  }

  private func accept() {
    while true {
      #if canImport(Glibc)
        let client = Glibc.accept(listener, nil, nil)
      #else
        let client = Darwin.accept(listener, nil, nil)
      #endif
      guard client >= 0 else { return }
      let server = try? Self.makeSocket(upstream) { connect($0, $1, $2) == 0 }
      guard let server else {
        shutdown(client, CInt(SHUT_RDWR))
        continue
      }
      connections.withLock { $0 += [client, server] }
      Thread.run { Self.pump(from: client, to: server, limit: .max) }
      Thread.run { Self.pump(from: server, to: client, limit: self.bytesToClient) }
    }
  }

  /// Passes bytes on until the limit, then reads no more.
  private static func pump(from source: CInt, to target: CInt, limit: Int) {
    var left = limit
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while left > 0 {
      let count = read(source, &buffer, min(buffer.count, left))
      guard count > 0 else {
        shutdown(target, CInt(SHUT_RDWR))
        return
      }
      var written = 0
      while written < count {
        let step = buffer.withUnsafeBytes { bytes in
          send(target, bytes.baseAddress.map { $0 + written }, count - written, noSignal)
        }
        guard step > 0 else { return }
        written += step
      }
      left -= count
    }
  }

  #if canImport(Glibc)
    private static let noSignal = CInt(MSG_NOSIGNAL)
    private static let stream = CInt(SOCK_STREAM.rawValue)
  #else
    private static let noSignal: CInt = 0
    private static let stream = SOCK_STREAM
  #endif

  private static func makeSocket(
    _ path: String,
    _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { throw TestSetupError("\(path) is too long for a socket") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let handle = socket(AF_UNIX, stream, 0)
    guard handle >= 0 else { throw TestSetupError("no socket: \(Errno(rawValue: errno))") }
    let isUsable = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isUsable else { throw TestSetupError("cannot use \(path): \(Errno(rawValue: errno))") }
    return handle
  }
}

/// A thread that may block for as long as it likes, unlike those of a queue.
private enum Thread {
  static func run(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread,
      nil,
      { box in
        guard let box else { return nil }
        Unmanaged<Body>.fromOpaque(box).takeRetainedValue().run()
        return nil
      },
      box.toOpaque()
    )
    precondition(status == 0, "no thread")
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
