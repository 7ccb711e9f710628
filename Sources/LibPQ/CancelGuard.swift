import CLibPQ
import Dispatch
import Synchronization

/// Lets a cancelled call end its statement while the call runs, and not a moment longer: a late cancel
/// would hit the next statement.
final class CancelGuard: Sendable {
  private struct State {
    /// Counts the calls.
    var call = 0
    var isRunning = false
    var isShielded = false
  }

  private let canceller: PGCanceller
  private let state = Mutex(State())
  /// Cancels that are on their way.
  private let underWay = DispatchGroup()

  init(_ canceller: PGCanceller) { self.canceller = canceller }

  /// Opens for a call; the session has one at a time.
  func begin() -> Int {
    state.withLock { state in
      state.call += 1
      state.isRunning = true
      return state.call
    }
  }

  /// Closes, and waits for a cancel that is on its way; `false` when that does not come through.
  func end() -> Bool {
    state.withLock { $0.isRunning = false }
    return isSettled
  }

  /// Closes for a statement that nothing is to cancel, as `end()` does.
  func shield() -> Bool {
    state.withLock { $0.isShielded = true }
    return isSettled
  }

  func unshield() { state.withLock { $0.isShielded = false } }

  private var isSettled: Bool {
    let seconds = Int(PGWaiting.cancelPatience.components.seconds)
    return underWay.wait(timeout: .now() + .seconds(seconds)) == .success
  }

  /// Cancels the statement under way, and every other one until the call has ended: the server passes
  /// over a cancel that comes between two statements.
  ///
  /// Returns at once; talking to the server blocks, and the canceller must not wait for it.
  func cancel(_ call: Int, after milliseconds: Int = 0) {
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      let (isRunning, isOpen) = self.state.withLock { state in
        let isRunning = state.isRunning && state.call == call
        if isRunning, !state.isShielded { self.underWay.enter() }
        return (isRunning, isRunning && !state.isShielded)
      }
      guard isRunning else { return }
      if isOpen {
        // A server that cannot be reached ends the statement by itself.
        try? self.canceller.cancel()
        self.underWay.leave()
      }
      self.cancel(call, after: min(max(milliseconds * 2, 10), 1_000))
    }
  }
}

/// Ends the running statement of a connection from any thread; the statement then fails with
/// SQLSTATE 57014. (libpq: PQcancel)
// @unchecked: `handle` is read-only after `init`, and PQcancel is safe in any thread.
package final class PGCanceller: @unchecked Sendable {
  private let handle: OpaquePointer

  init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { PQfreeCancel(handle) }

  /// Asks the server, on a connection of its own, and waits until it has taken note.
  ///
  /// That nothing is running is not an error; that the server cannot be reached is.
  package func cancel() throws(PostgresError) {
    var message = [CChar](repeating: 0, count: 256)  // libpq: "recommended size is 256 bytes"
    guard PQcancel(handle, &message, CInt(message.count)) != 1 else { return }
    let reason = message.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    throw .connectionLost(reason: reason.trimmedMessage, sqlstate: nil)
  }
}
