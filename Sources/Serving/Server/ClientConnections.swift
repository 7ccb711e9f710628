import NIOCore
import Synchronization

/// The connections whose requests end when their clients have gone.
///
/// A client of HTTP/1 that sends nothing any more counts as gone: what it asked last is answered at once or
/// not at all.
final class ClientConnections: Sendable {
  private struct State {
    /// By channel, also of those of which nobody waits for the end any more.
    var waiting: [ObjectIdentifier: [Int: AsyncStream<Never>.Continuation]] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// Returns when a connection, or a stream of one, has been closed, or when the task is cancelled.
  func end(of channel: any Channel) async {
    let key = ObjectIdentifier(channel)
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    let (number, isFirst) = state.withLock { state in
      state.count += 1
      let isFirst = state.waiting[key] == nil
      state.waiting[key, default: [:]][state.count] = continuation
      return (state.count, isFirst)
    }
    // Once for each connection: what is called at its end is kept until then.
    if isFirst { channel.closeFuture.whenComplete { _ in self.close(key) } }
    for await _ in stream {}
    state.withLock { $0.waiting[key]?[number] = nil }
  }

  /// Hears that a client sends nothing any more.
  func noteEnd(of channel: any Channel) {
    let waiting = state.withLock { $0.waiting[ObjectIdentifier(channel)] }
    for continuation in (waiting ?? [:]).values { continuation.finish() }
  }

  private func close(_ key: ObjectIdentifier) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: key) }
    for continuation in (waiting ?? [:]).values { continuation.finish() }
  }
}
