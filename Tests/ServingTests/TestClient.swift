import Dispatch
import Platform
import Serving
import TestSupport

/// An answer as it came over the wire.
struct Answer: Sendable, Equatable {
  var status: Int
  /// Names in lower case.
  var headers: [(name: String, value: String)]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }

  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.body == right.body
      && left.headers.elementsEqual(right.headers, by: ==)
  }
}

/// Where a server listens.
enum ServerAddress: Sendable {
  case port(Int)
  case socket(String)
}

/// A connection that sends what it is told to, right or wrong; it waits on threads of its own, since the
/// server runs in the same process.
// @unchecked: a test uses a connection from one task at a time.
final class TestClient: @unchecked Sendable {
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(_ address: ServerAddress) throws {
    switch address {
    case .port(let port):
      descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      try Self.connect(descriptor, &address)
    case .socket(let path):
      descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      try Self.connect(descriptor, &address)
    }
  }

  deinit { _ = close(descriptor) }

  private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) throws {
    // Little waits in the system for a client that reads nothing.
    var room = CInt(65_536)
    _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<CInt>.size))
    let size = socklen_t(MemoryLayout<Address>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Platform.connect(descriptor, $0, size)
      }
    }
    guard result == 0 else { throw TestSetupError("cannot connect: \(errno)") }
  }

  /// Says that nothing more is sent.
  func finishSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  func send(_ bytes: some Sequence<UInt8>) async throws {
    let bytes = Array(bytes)
    try await onThread { client in
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Platform.send(client.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
        }
        guard count > 0 else { throw TestSetupError("the server closed the connection") }
        sent += count
      }
    }
  }

  /// Sends a request and reads its answer.
  func ask(
    _ path: String,
    method: String = "GET",
    headers: [String] = [],
    content: String? = nil,
    readsContent: Bool = true
  ) async throws -> Answer {
    var lines = ["\(method) \(path) HTTP/1.1"] + headers
    if !headers.contains(where: { $0.lowercased().hasPrefix("host:") }) {
      lines.append("Host: localhost")
    }
    if let content { lines.append("Content-Length: \(content.utf8.count)") }
    try await send((lines.joined(separator: "\r\n") + "\r\n\r\n" + (content ?? "")).utf8)
    return try await answer(withContent: readsContent && method != "HEAD")
  }

  /// Reads an answer.
  ///
  /// - Throws: Where the connection ends before it is complete.
  func answer(withContent: Bool = true) async throws -> Answer {
    try await onThread { client in
      let head = try client.read(through: "\r\n\r\n").split(separator: "\r\n").map(String.init)
      var headers = head.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (
          name: parts[0].lowercased(),
          value: String(parts.count > 1 ? parts[1].drop { $0 == " " } : "")
        )
      }
      let start = head.first?.split(separator: " ") ?? []
      guard start.count > 1, let status = Int(start[1]) else {
        throw TestSetupError("not an answer: \(head)")
      }
      var body: [UInt8] = []
      func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
      if withContent, header("transfer-encoding") == "chunked" {
        while true {
          let size = Int(try client.read(through: "\r\n").filter(\.isHexDigit), radix: 16) ?? 0
          let chunk = try client.read(count: size + 2)
          if size == 0 { break }
          body += chunk.dropLast(2)
        }
      } else if withContent, let length = header("content-length").flatMap({ Int($0) }) {
        body = try client.read(count: length)
      }
      headers.sort { $0.name < $1.name }
      return Answer(status: status, headers: headers, body: body)
    }
  }

  /// Reads a line of a stream that is sent in chunks: of events, and of sizes between them.
  func line() async throws -> String {
    try await onThread { client in
      String(try client.read(through: "\n").filter { !$0.isNewline })
    }
  }

  /// The next event of a stream: its name, id and data.
  func event() async throws -> (name: String, id: String?, data: String) {
    var event: (name: String, id: String?, data: String) = ("", nil, "")
    while event.data.isEmpty {
      let line = try await line()
      if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
      if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
      if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
    }
    return event
  }

  /// Whether the server ends the connection, which is waited for.
  func isEnded() async throws -> Bool {
    try await onThread { client in
      while client.receive() {}
      return true
    }
  }

  // MARK: On a thread

  private func onThread<Result: Sendable>(
    _ body: @escaping @Sendable (TestClient) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.queue.async { continuation.resume(with: Swift.Result { try body(self) }) }
    }
  }

  private enum Thread {
    static let queue = DispatchQueue(label: "clients", attributes: .concurrent)
  }

  private func read(through end: String) throws -> String {
    let end = Array(end.utf8)
    while true {
      if let range = received.firstRange(of: end) {
        defer { received.removeSubrange(..<range.upperBound) }
        return String(decoding: received[..<range.upperBound], as: UTF8.self)
      }
      guard receive() else { throw TestSetupError("the answer ends in its middle") }
    }
  }

  private func read(count: Int) throws -> [UInt8] {
    while received.count < count {
      guard receive() else { throw TestSetupError("the answer ends in its middle") }
    }
    defer { received.removeSubrange(..<count) }
    return Array(received[..<count])
  }

  /// - Returns: Whether there was more.
  private func receive() -> Bool {
    var part = [UInt8](repeating: 0, count: 65_536)
    let count = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return false }
    received += part[..<count]
    return true
  }
}
