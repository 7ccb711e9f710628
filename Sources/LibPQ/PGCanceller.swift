import CLibPQ

/// Ends the running statement of a connection from any thread; the statement then fails with
/// SQLSTATE 57014. (libpq: PQcancel)
// @unchecked: `handle` is read-only after `init`, and PQcancel is safe in any thread.
package final class PGCanceller: @unchecked Sendable {
  private let handle: OpaquePointer

  init(owning handle: OpaquePointer) { self.handle = handle }

  deinit { PQfreeCancel(handle) }

  /// Asks the server, on a connection of its own, and waits until it has taken note.
  ///
  /// That nothing is running is no error; that the server cannot be reached is.
  package func cancel() throws(PostgresError) {
    var message = [CChar](repeating: 0, count: 256)  // libpq: "recommended size is 256 bytes"
    guard PQcancel(handle, &message, CInt(message.count)) != 1 else { return }
    let reason = message.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { String(cString: $0) } ?? ""
    }
    throw .connectionLost(reason: reason.trimmedMessage, sqlstate: nil)
  }
}
