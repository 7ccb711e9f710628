import Dispatch
import LibPQ
import Synchronization
import SystemPackage
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Stands between a client and its server on a Unix socket and cuts the line at the first COMMIT;
/// later connections pass.
final class LineCutter: Sendable {
  enum Moment: Sendable {
    /// The server never hears of it.
    case beforeCommit
    /// The server has done it, and its answer is lost.
    case beforeAnswer
  }

  private struct State {
    var hasSeenCommit = false
    var hasCut = false
  }

  /// What the client uses.
  let conninfo: String
  private let listener: Int32
  private let serverPath: String
  private let moment: Moment
  private let isForGood: Bool
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "line cutter", attributes: .concurrent)

  init(conninfo: String, folder: FilePath, at moment: Moment, forGood: Bool = false) throws {
    var settings = try PGConninfo(parsing: conninfo)
    let host = settings["host"] ?? ""
    serverPath = "\(host)/.s.PGSQL.\(settings["port"] ?? "5432")"
    settings["host"] = folder.string
    settings["port"] = "5432"
    self.conninfo = settings.pairs
    self.moment = moment
    isForGood = forGood
    listener = try Self.connectedSocket(folder.string + "/.s.PGSQL.5432", bind)
    guard listen(listener, 8) == 0 else { throw TestSetupError("cannot listen") }
    queue.async { self.accept() }
  }

  var hasCut: Bool { state.withLock { $0.hasCut } }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func connectedSocket(
    _ path: String,
    _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
  ) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let outcome = withUnsafeBytes(of: &address) { bytes in
      call(
        descriptor,
        bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
        socklen_t(bytes.count)
      )
    }
    guard outcome == 0 else {
      let reason = Errno(rawValue: errno)
      close(descriptor)
      throw TestSetupError("cannot use \(path): \(reason)")
    }
    return descriptor
  }

  private func accept() {
    while true {
      let client = Self.accept(listener)
      guard client >= 0 else { return }
      guard !(isForGood && hasCut),
        let server = try? Self.connectedSocket(serverPath, connect)
      else {
        close(client)
        continue
      }
      queue.async { self.pump(client, to: server, isQuestion: true) }
      queue.async { self.pump(server, to: client, isQuestion: false) }
    }
  }

  private static func accept(_ listener: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.accept(listener, nil, nil)
    #else
      Darwin.accept(listener, nil, nil)
    #endif
  }

  private func pump(_ source: Int32, to target: Int32, isQuestion: Bool) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      if mustCut(buffer[..<count], isQuestion: isQuestion) { break }
      var sent = 0
      while sent < count {
        let written = buffer.withUnsafeBytes {
          send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { break }
        sent += written
      }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(target, Int32(SHUT_RDWR))
  }

  /// The statement comes in a Parse message, the answer in CommandComplete; both end with NUL.
  /// (manual, "Message Formats")
  private func mustCut(_ bytes: ArraySlice<UInt8>, isQuestion: Bool) -> Bool {
    state.withLock { state in
      guard !state.hasCut else { return false }
      let word = isQuestion ? "commit\0" : "COMMIT\0"
      guard Self.holds(bytes, Array(word.utf8)) else { return false }
      if isQuestion { state.hasSeenCommit = true }
      let isMoment = isQuestion == (moment == .beforeCommit) && state.hasSeenCommit
      if isMoment { state.hasCut = true }
      return isMoment
    }
  }

  private static func holds(_ bytes: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: word) }
  }
}
