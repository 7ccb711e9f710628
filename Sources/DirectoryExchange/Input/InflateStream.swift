import CZlib

/// Why what was packed cannot be read on.
enum InflateFault<Refusal: Error>: Error {
  case damaged(String)
  /// What came out of it could not be handed on.
  case refused(Refusal)
}

/// Unpacks deflate piece by piece, by zlib.
struct InflateStream: ~Copyable {
  /// What stands around the packed bytes.
  enum Wrapping {
    /// Nothing (RFC 1951), as in the entries of a ZIP archive.
    case none
    /// Header and checksum of gzip (RFC 1952).
    case gzip

    /// 16 more than the largest window takes gzip's header, a negative one none. (zlib: inflateInit2)
    fileprivate var windowBits: CInt { self == .gzip ? 16 + MAX_WBITS : -MAX_WBITS }
  }

  /// At one address for zlib, which points back to it from its own state.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  /// Whether the end was read.
  private(set) var isWhole = false

  /// - Parameters:
  ///   - wrapping: What stands around the packed bytes.
  ///   - outputSize: The most bytes that are handed on at once.
  init(_ wrapping: Wrapping, outputSize: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: outputSize, alignment: 16)
    let outcome = inflateInit2_(
      stream,
      wrapping.windowBits,
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
  ///
  /// - Returns: How many bytes stand behind the end.
  mutating func read<Refusal>(
    _ piece: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(Refusal) -> Void
  ) throws(InflateFault<Refusal>) -> Int {
    guard !isWhole else { return piece.count }
    // zlib reads from `next_in` and does not write there.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.assumingMemoryBound(to: UInt8.self).baseAddress
    )
    stream.pointee.avail_in = CUnsignedInt(piece.count)
    repeat {
      stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = CUnsignedInt(output.count)
      let outcome = inflate(stream, Z_NO_FLUSH)
      let count = output.count - Int(stream.pointee.avail_out)
      do throws(Refusal) {
        try body(UnsafeRawBufferPointer(rebasing: output[..<count]))
      } catch {
        throw .refused(error)
      }
      switch outcome {
      case Z_STREAM_END: isWhole = true
      case Z_OK, Z_BUF_ERROR: break
      default:
        throw .damaged(stream.pointee.msg.map { String(cString: $0) } ?? "zlib \(outcome)")
      }
    } while !isWhole && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
    return Int(stream.pointee.avail_in)
  }

  /// Begins anew with what stands behind the end.
  mutating func restart() {
    inflateReset(stream)
    isWhole = false
  }
}
