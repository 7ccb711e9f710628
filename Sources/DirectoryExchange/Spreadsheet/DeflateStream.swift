import CZlib

/// A stream of bytes being compressed (RFC 1951), with the checksum of what went in.
///
/// Owned by zlib's `z_stream`, which must stay at one address: its state points back at it
/// (zlib: deflate.c, `deflateStateCheck`).
struct DeflateStream: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private let piece: UnsafeMutableRawBufferPointer
  /// CRC-32 of the bytes that went in (ISO 3309, as ZIP has it).
  private(set) var checksum: UInt32 = 0

  private static let pieceSize = 64 << 10
  /// Fast, and a third larger than the best: a workbook is written oftener than it is mailed.
  private static let level: Int32 = 3
  /// The whole window of 32 KiB, without zlib's own header and trailer (zlib: deflateInit2).
  private static let rawWindow: Int32 = -15
  private static let standardMemory: Int32 = 8

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    piece = .allocate(byteCount: Self.pieceSize, alignment: 1)
    let status = staffbook_deflateInit2(
      stream,
      Self.level,
      Z_DEFLATED,
      Self.rawWindow,
      Self.standardMemory,
      Z_DEFAULT_STRATEGY
    )
    precondition(status == Z_OK, "zlib cannot begin: status \(status)")
  }

  deinit {
    deflateEnd(stream)
    piece.deallocate()
    stream.deallocate()
  }

  /// Compresses bytes; what comes out goes to the end of `output`, some of it at a later call.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    checksum = bytes.withMemoryRebound(to: UInt8.self) {
      UInt32(truncatingIfNeeded: crc32_z(UInt(checksum), $0.baseAddress, $0.count))
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      // zlib counts in 32 bits.
      let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
      run(part, Z_NO_FLUSH, to: &output)
      rest = rest.dropFirst(part.count)
    }
  }

  /// Appends what is still held back, and the end of the stream.
  mutating func finish(to output: inout [UInt8]) {
    run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH, to: &output)
  }

  private mutating func run(
    _ bytes: UnsafeRawBufferPointer,
    _ flush: Int32,
    to output: inout [UInt8]
  ) {
    bytes.withMemoryRebound(to: UInt8.self) { bytes in
      // zlib only reads there; its type has no const unless ZLIB_CONST is set.
      stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      stream.pointee.avail_in = UInt32(bytes.count)
      repeat {
        stream.pointee.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(piece.count)
        let status = deflate(stream, flush)
        precondition(status != Z_STREAM_ERROR, "zlib's state is damaged")
        output.append(contentsOf: piece[..<(piece.count - Int(stream.pointee.avail_out))])
      } while stream.pointee.avail_out == 0
    }
  }
}
