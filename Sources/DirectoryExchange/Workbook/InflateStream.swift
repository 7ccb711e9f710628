import CZlib

/// Unpacks deflate without a header (RFC 1951), as the entries of a ZIP archive have it, by zlib.
struct InflateStream: ~Copyable {
  /// At one address for zlib, which points back to it from its own state.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private(set) var isWhole = false

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: 16 << 10, alignment: 16)
    let outcome = inflateInit2_(
      stream,
      -MAX_WBITS,
      ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size)
    )
    precondition(outcome == Z_OK, "zlib of another version, or out of memory")
  }

  deinit {
    inflateEnd(stream)
    stream.deinitialize(count: 1)
    stream.deallocate()
    output.deallocate()
  }

  /// Takes a piece and hands on what comes out of it.
  mutating func read(
    _ piece: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(WorkbookFault) -> Void
  ) throws(WorkbookFault) {
    // zlib reads from `next_in` and does not write there.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.assumingMemoryBound(to: UInt8.self).baseAddress
    )
    stream.pointee.avail_in = CUnsignedInt(piece.count)
    repeat {
      guard !isWhole else { return }
      stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = CUnsignedInt(output.count)
      let outcome = inflate(stream, Z_NO_FLUSH)
      let count = output.count - Int(stream.pointee.avail_out)
      try body(UnsafeRawBufferPointer(rebasing: output[..<count]))
      switch outcome {
      case Z_STREAM_END: isWhole = true
      case Z_OK, Z_BUF_ERROR: break
      default:
        let why = stream.pointee.msg.map { String(cString: $0) } ?? "zlib \(outcome)"
        throw .damaged(why)
      }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }
}
