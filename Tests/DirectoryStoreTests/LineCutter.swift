import LibPQ
import Synchronization
import SystemPackage
import TestSupport

/// Stands between a client and its server and cuts the line at the first COMMIT; later connections
/// pass.
final class LineCutter: Sendable {
  enum Moment: Sendable {
    /// The server never hears of it.
    case beforeCommit
    /// The server has done it, and its answer is lost.
    case beforeAnswer
  }

  private let relay: SocketRelay
  private let watch: CommitWatch

  /// - Parameters:
  ///   - conninfo: How to connect to the server.
  ///   - folder: Where the socket goes.
  ///   - moment: When to cut.
  ///   - forGood: Whether later connections are cut too.
  /// - Throws: When there can be no socket there.
  init(conninfo: String, folder: FilePath, at moment: Moment, forGood: Bool = false) throws {
    let watch = CommitWatch(moment: moment, isForGood: forGood)
    self.watch = watch
    relay = try SocketRelay(in: folder, to: conninfo) { speaker, bytes, _ in
      watch.cuts(bytes, of: speaker) ? .cut : .pass
    }
  }

  /// What the client uses.
  var conninfo: String { relay.conninfo.pairs }

  var hasCut: Bool { watch.hasCut }

  func stop() { relay.stop() }
}

/// Notices the first COMMIT of what has written, and has had its constraints checked for that.
private final class CommitWatch: Sendable {
  private struct State {
    var hasWritten = false
    var hasSeenCommit = false
    var hasCut = false
  }

  private let moment: LineCutter.Moment
  private let isForGood: Bool
  private let state = Mutex(State())

  init(moment: LineCutter.Moment, isForGood: Bool) {
    self.moment = moment
    self.isForGood = isForGood
  }

  var hasCut: Bool { state.withLock { $0.hasCut } }

  /// The statement comes in a Parse message, the answer in CommandComplete; both end with NUL.
  /// (manual, "Message Formats")
  func cuts(_ bytes: ArraySlice<UInt8>, of speaker: SocketRelay.Speaker) -> Bool {
    state.withLock { state in
      guard !state.hasCut else { return isForGood }
      if speaker == .client, Self.holds(bytes, Array("set constraints all immediate\0".utf8)) {
        state.hasWritten = true
      }
      guard state.hasWritten, Self.holds(bytes, Array("COMMIT\0".utf8)) else { return false }
      if speaker == .client { state.hasSeenCommit = true }
      state.hasCut = (speaker == .client) == (moment == .beforeCommit) && state.hasSeenCommit
      return state.hasCut
    }
  }

  private static func holds(_ bytes: ArraySlice<UInt8>, _ word: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: word) }
  }
}
