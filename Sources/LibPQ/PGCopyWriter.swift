import CLibPQ

/// Takes the data of a COPY … FROM STDIN in pieces of any size.
///
/// Small pieces are gathered: each PQputCopyData is a message of its own with a header.
package struct PGCopyWriter: ~Copyable {
  private static let bufferSize = 1 << 16

  private let handle: OpaquePointer
  private let patience: PGWaiting
  private var buffer: [UInt8] = []

  init(_ handle: OpaquePointer, patience: PGWaiting) {
    self.handle = handle
    self.patience = patience
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes bytes of the stream; where rows begin and end is the server's affair.
  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    if bytes.count >= Self.bufferSize {
      try send(bytes)
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  package mutating func write(_ bytes: RawSpan) throws(PostgresError) {
    try bytes.withUnsafeBytes { (bytes) throws(PostgresError) in try write(bytes) }
  }

  package mutating func write(_ bytes: [UInt8]) throws(PostgresError) {
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    buffer.append(contentsOf: bytes)
  }

  package mutating func write(_ text: String) throws(PostgresError) {
    if buffer.count + text.utf8.count > Self.bufferSize { try flush() }
    buffer.append(contentsOf: text.utf8)
  }

  mutating func flush() throws(PostgresError) {
    let error = buffer.withUnsafeBytes { bytes in sendError(bytes) }
    buffer.removeAll(keepingCapacity: true)
    if let error { throw error }
  }

  /// Waits until the server has taken what libpq holds.
  func drain() throws(PostgresError) {
    if let error = drainError() { throw error }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) throws(PostgresError) {
    if let error = sendError(bytes) { throw error }
  }

  /// Sends in pieces that a CopyData message can hold; returns why it did not work.
  private func sendError(_ bytes: UnsafeRawBufferPointer) -> PostgresError? {
    var rest = bytes[...]
    while !rest.isEmpty {
      if Task.isCancelled { return .cancelled }
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 24))
      guard PQputCopyData(handle, piece.baseAddress, CInt(piece.count)) == 1 else {
        return brokenError
      }
      rest = rest.dropFirst(piece.count)
      if let error = drainError() { return error }
    }
    return nil
  }

  /// Waits until the server has taken what libpq holds; returns why it does not.
  ///
  /// The connection does not block meanwhile. What the server says in between has to
  /// be taken in: it would stop reading. (libpq: PQflush)
  private func drainError() -> PostgresError? {
    while true {
      let state = PQflush(handle)
      if state == 0 { return nil }
      guard state == 1, PQsocket(handle) >= 0 else { return brokenError }
      if let silence = patience.wait(for: PQsocket(handle), toWrite: true) {
        return PGConnection.stalled(handle, after: silence)
      }
      guard PQconsumeInput(handle) == 1 else { return brokenError }
    }
  }

  private var brokenError: PostgresError {
    let reason = String(cString: PQerrorMessage(handle)).trimmedMessage
    return PQstatus(handle) == CONNECTION_BAD
      ? .connectionLost(reason: reason, sqlstate: nil) : .protocolViolation(reason: reason)
  }
}
