import Platform

/// Why output could not be written.
package enum OutputError: Error, Equatable, CustomStringConvertible {
  /// The reader has closed the pipe (EPIPE): end quietly.
  case closed
  /// The disk or the quota is full (ENOSPC, EDQUOT).
  case noSpace
  case failed(code: Int32)

  init(code: Int32) {
    switch code {
    case EPIPE: self = .closed
    case ENOSPC, EDQUOT: self = .noSpace
    default: self = .failed(code: code)
    }
  }

  package var description: String {
    switch self {
    case .closed: "its reader has closed the pipe"
    case .noSpace: "no space is left on the device"
    case .failed(let code): String(cString: strerror(code)).lowercased()
    }
  }
}

/// Writes to a descriptor in pieces of 64 KiB.
///
/// The descriptor stays its owner's. What is appended goes out with ``drain()`` once there is
/// enough of it; end with ``finish()``, since what is still held back is otherwise lost.
package struct OutputWriter: ~Copyable {
  /// Append here, then call ``drain()``.
  package var buffer: [UInt8] = []

  private let descriptor: Int32
  private static let capacity = 64 << 10

  package init(descriptor: Int32) {
    self.descriptor = descriptor
    buffer.reserveCapacity(Self.capacity + 4 << 10)
  }

  /// Makes writing to a closed pipe an error instead of the program's end.
  ///
  /// Call it once when the program starts. Programs that ``Pager`` starts do not inherit it.
  package static func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

  package mutating func write(_ text: String) throws(OutputError) {
    buffer.append(contentsOf: text.utf8)
    try drain()
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
    buffer.append(contentsOf: bytes)
    try drain()
  }

  /// Writes what is held back if it is 64 KiB or more.
  @inline(__always)
  package mutating func drain() throws(OutputError) {
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Writes all that is held back.
  ///
  /// - Throws: After an error what was held back is dropped: the reader has closed the pipe or the
  ///   disk is full.
  package mutating func flush() throws(OutputError) {
    guard !buffer.isEmpty else { return }
    let failure = buffer.withUnsafeBytes { Descriptors.writeAll($0, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
    if failure != 0 { throw OutputError(code: failure) }
  }

  /// Writes all that is held back and ends.
  package consuming func finish() throws(OutputError) { try flush() }
}

/// System calls on descriptors, interrupted ones repeated.
enum Descriptors {
  /// Writes everything, waiting where the descriptor does not block.
  ///
  /// - Returns: 0, or the `errno` that stopped it.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case let code: return code
      }
    }
    return 0
  }

  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}
