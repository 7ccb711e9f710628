import CLibPQ
import Platform

extension PGConnection {
  /// The next result of what was sent, as PQgetResult gives it, within the limit of silence.
  mutating func nextResult() throws(PostgresError) -> OpaquePointer? {
    while PQisBusy(handle) == 1, try receiveMore() {}
    return PQgetResult(handle)
  }

  /// The next row of a COPY TO STDOUT, as PQgetCopyData gives it, within the limit of silence.
  ///
  /// - Parameter buffer: Set to the row, which is the caller's to free by PQfreemem.
  /// - Returns: Its bytes; -1 at the end and -2 for an error, as the server's answer will say.
  /// - Throws: When the server is silent for too long.
  mutating func nextCopyRow(
    _ buffer: inout UnsafeMutablePointer<CChar>?
  ) throws(PostgresError) -> CInt {
    while true {
      let count = PQgetCopyData(handle, &buffer, 1)
      guard count == 0 else { return count }
      // Of a lost connection only the waiting form says so; the other waits for ever.
      guard try receiveMore() else { return PQgetCopyData(handle, &buffer, 0) }
    }
  }

  /// Waits for something to arrive and takes it in.
  ///
  /// - Returns: `false` when the connection is lost; what libpq is asked next says why.
  private mutating func receiveMore() throws(PostgresError) -> Bool {
    let socket = PQsocket(handle)
    guard socket >= 0 else { return false }
    if let silence = patience.wait(for: socket) { throw Self.stalled(handle, after: silence) }
    return PQconsumeInput(handle) == 1
  }

  /// Makes whatever is tried next fail at once.
  mutating func breakOff() { Self.breakOff(handle) }

  private static func breakOff(_ handle: OpaquePointer) {
    shutdown(PQsocket(handle), CInt(SHUT_RDWR))
    _ = PQconsumeInput(handle)
  }

  /// Breaks a connection off whose server says nothing.
  ///
  /// Whatever is tried next fails at once, where it would wait again: libpq finds the end.
  static func stalled(_ handle: OpaquePointer, after silence: Duration) -> PostgresError {
    breakOff(handle)
    return .connectionLost(
      reason: "the server sent nothing for \(counted(silence.components.seconds, "second"))",
      sqlstate: nil
    )
  }
}
