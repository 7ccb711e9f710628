import CLibPQ

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension PGConnection {
  /// The next result of what was sent, as PQgetResult gives it, within the limit of silence.
  mutating func nextResult() throws(PostgresError) -> OpaquePointer? {
    guard let silenceLimit else { return PQgetResult(handle) }
    while PQisBusy(handle) == 1, try receiveMore(within: silenceLimit) {}
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
    guard let silenceLimit else { return PQgetCopyData(handle, &buffer, 0) }
    while true {
      let count = PQgetCopyData(handle, &buffer, 1)
      guard count == 0 else { return count }
      // Of a connection that is gone only the waiting form says so; the other waits for ever.
      guard try receiveMore(within: silenceLimit) else { return PQgetCopyData(handle, &buffer, 0) }
    }
  }

  /// Waits for something to arrive and takes it in.
  ///
  /// - Returns: `false` when the connection is gone; what libpq is asked next says why.
  private mutating func receiveMore(within limit: Duration) throws(PostgresError) -> Bool {
    let socket = PQsocket(handle)
    guard socket >= 0 else { return false }
    guard SocketWait.isReady(socket, until: ContinuousClock.now + limit) else {
      // Whatever is tried next fails at once, where it would wait again: libpq finds the end.
      shutdown(socket, CInt(SHUT_RDWR))
      _ = PQconsumeInput(handle)
      throw .connectionLost(reason: Self.stallReason(limit), sqlstate: nil)
    }
    return PQconsumeInput(handle) == 1
  }

  private static func stallReason(_ limit: Duration) -> String {
    "the server was silent for \(limit.components.seconds) seconds"
  }
}
