import LibPQ
import Platform
import Synchronization
import SystemPackage

/// Stands between clients and a PostgreSQL server, on a socket of its own: a network that falls
/// silent or is cut, as both sides see it.
package final class SocketRelay: Sendable {
  package enum Speaker: Sendable { case client, server }

  /// What becomes of bytes that one side has sent.
  package enum Verdict: Sendable {
    case pass
    /// So many are passed on, and nothing that follows; the connection stays open.
    case silence(after: Int)
    /// They are lost, and the connection ends for both sides.
    case cut
  }

  /// Tells what becomes of bytes, before which `passed` went the same way on the same connection.
  package typealias Judge =
    @Sendable (_ speaker: Speaker, _ bytes: ArraySlice<UInt8>, _ passed: Int) -> Verdict

  private struct State {
    /// `nil` when no one is let in any more.
    var listener: SocketOwner?
    var connections: [Connection] = []
  }

  /// What clients connect with.
  package let conninfo: PGConninfo
  private let upstream: String
  private let judge: Judge
  private let state: Mutex<State>

  /// Lets clients in, and takes what they say to the server until `stop`.
  ///
  /// - Parameters:
  ///   - folder: Where to put the socket; there must be none yet.
  ///   - conninfo: How to connect to the server, on a Unix socket.
  ///   - judge: Is asked of everything that is sent, by two threads for each connection.
  /// - Throws: When there can be no socket there.
  package init(in folder: FilePath, to conninfo: String, judge: @escaping Judge) throws {
    var settings = try PGConninfo(parsing: conninfo)
    upstream = "\(settings["host"] ?? "")/.s.PGSQL.\(settings["port"] ?? "5432")"
    settings["host"] = folder.string
    settings["port"] = "5432"
    self.conninfo = settings
    self.judge = judge
    let listener = try SocketOwner(folder.appending(".s.PGSQL.5432").string) {
      bind($0, $1, $2) == 0 && listen($0, 16) == 0
    }
    state = Mutex(State(listener: listener))
    Thread.run { self.accept(from: listener) }
  }

  /// A relay to a server that says nothing more on a connection after so many bytes; 0 is one that
  /// accepts connections and never answers.
  package convenience init(
    in folder: FilePath,
    to conninfo: String,
    bytesToClient limit: Int
  ) throws {
    try self.init(in: folder, to: conninfo) { speaker, bytes, passed in
      speaker == .server && passed + bytes.count >= limit
        ? .silence(after: limit - passed) : .pass
    }
  }

  /// Cuts all connections and lets no one in; the socket's file stays.
  package func stop() {
    state.withLock { state in
      state.listener?.shutdown()
      state.listener = nil
      for connection in state.connections { connection.cut() }
      state.connections = []
    }
  }

  private func accept(from listener: SocketOwner) {
    while true {
      guard let client = listener.accept() else { return }
      // Anyone who is let go of is cut.
      guard let server = try? SocketOwner(upstream, { connect($0, $1, $2) == 0 }) else { continue }
      let connection = Connection(client: client, server: server)
      let isWelcome = state.withLock { state in
        if state.listener != nil { state.connections.append(connection) }
        return state.listener != nil
      }
      guard isWelcome else { return }
      Thread.run { self.pump(connection, from: .client) }
      Thread.run { self.pump(connection, from: .server) }
    }
  }

  private func pump(_ connection: Connection, from speaker: Speaker) {
    let source = speaker == .client ? connection.client : connection.server
    let target = speaker == .client ? connection.server : connection.client
    var passed = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = source.receive(&buffer)
      guard count > 0 else { return connection.cut() }
      let bytes = buffer[..<count]
      switch judge(speaker, bytes, passed) {
      case .pass:
        guard target.send(bytes) else { return connection.cut() }
        passed += count
      case .silence(let limit):
        _ = target.send(bytes.prefix(limit))
        return
      case .cut: return connection.cut()
      }
    }
  }
}

private final class Connection: Sendable {
  let client: SocketOwner
  let server: SocketOwner

  init(client: SocketOwner, server: SocketOwner) {
    self.client = client
    self.server = server
  }

  /// Both sides see the end of it, and so does anyone who waits here for either.
  func cut() {
    client.shutdown()
    server.shutdown()
  }
}

/// A socket that is closed when no one uses it any more, so that its number is no one else's
/// before.
private final class SocketOwner: Sendable {
  private let descriptor: CInt

  private init(_ descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Makes a socket and binds or connects it.
  convenience init(
    _ path: String,
    _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else { throw TestSetupError("\(path) is too long for a socket") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    self.init(socket(AF_UNIX, Self.stream, 0))
    guard descriptor >= 0 else { throw TestSetupError("no socket: \(Errno(rawValue: errno))") }
    let isUsable = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        use(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard isUsable else { throw TestSetupError("cannot use \(path): \(Errno(rawValue: errno))") }
  }

  /// The next client; `nil` after `shutdown`.
  func accept() -> SocketOwner? {
    let client = Platform.accept(descriptor, nil, nil)
    return client < 0 ? nil : SocketOwner(client)
  }

  func shutdown() {
    _ = Platform.shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// Waits for bytes; 0 or less is the end.
  func receive(_ buffer: inout [UInt8]) -> Int { recv(descriptor, &buffer, buffer.count, 0) }

  /// Waits until all are sent; `false` is the end.
  func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let base = UnsafeRawBufferPointer(rebasing: rest)
        let count = Platform.send(descriptor, base.baseAddress, base.count, Self.quietly)
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  #if canImport(Glibc)
    private static let stream = CInt(SOCK_STREAM.rawValue)
    private static let quietly = CInt(MSG_NOSIGNAL)
  #else
    private static let stream = SOCK_STREAM
    private static let quietly: CInt = 0
  #endif
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
