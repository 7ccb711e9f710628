import CZlib
import DirectoryModel

/// Unpacks gzip (RFC 1952) piece by piece, by zlib; a file may be several members in a row (§2.2).
struct GzipReader: ~Copyable {
  /// How many times as large as it was packed a text may become; a million people come to 4 to 20,
  /// and a file that is made to fill a disk to 1,000 (RFC 1951).
  static let mostExpansion: Int64 = 200
  /// Bytes up to which nothing is asked.
  static let unlimitedSize: Int64 = 256 << 20
  /// RFC 1952 §2.3.1.
  static let signature: [UInt8] = [0x1F, 0x8B]

  /// The file's, for messages.
  private let name: String
  /// At one address for zlib, which points back to it from its own state.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  private var packed: Int64 = 0
  private var unpacked: Int64 = 0
  /// Whether the end of a member was read.
  private var isWhole = false

  init(_ name: String) {
    self.name = name
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: 256 << 10, alignment: 16)
    // 16 more than the largest window takes gzip's header and checksum (zlib: inflateInit2).
    let size = CInt(MemoryLayout<z_stream>.size)
    let outcome = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, size)
    precondition(outcome == Z_OK, "zlib of another version, or out of memory")
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Takes a piece and hands on what comes out of it.
  mutating func read(
    _ piece: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(DirectoryError) -> Void
  ) throws(DirectoryError) {
    packed += Int64(piece.count)
    // zlib reads from `next_in` and does not write there.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: piece.assumingMemoryBound(to: UInt8.self).baseAddress
    )
    stream.pointee.avail_in = CUnsignedInt(piece.count)
    repeat {
      if isWhole {
        guard stream.pointee.avail_in > 0 else { return }
        inflateReset(stream)
        isWhole = false
      }
      stream.pointee.next_out = output.assumingMemoryBound(to: UInt8.self).baseAddress
      stream.pointee.avail_out = CUnsignedInt(output.count)
      let outcome = inflate(stream, Z_NO_FLUSH)
      let count = output.count - Int(stream.pointee.avail_out)
      unpacked += Int64(count)
      guard unpacked < Self.unlimitedSize || unpacked / packed < Self.mostExpansion else {
        throw failure(
          "it expands to more than \(Self.mostExpansion) times its size, like a decompression bomb",
          "if you trust the file, decompress it with gunzip and import the result"
        )
      }
      try body(UnsafeRawBufferPointer(rebasing: output[..<count]))
      switch outcome {
      case Z_STREAM_END: isWhole = true
      case Z_OK, Z_BUF_ERROR: break
      default:
        let why = stream.pointee.msg.map { String(cString: $0) } ?? "zlib \(outcome)"
        throw failure("the file is damaged: \(why)")
      }
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  /// Ends the reading.
  func finish() throws(DirectoryError) {
    guard isWhole else { throw failure("the file is truncated") }
  }

  private func failure(
    _ reason: String,
    _ advice: Advice = "download or compress it again"
  ) -> DirectoryError {
    let message = "cannot decompress \(QuotedValue.path(name)): \(reason)"
    return DirectoryError(.badData, message, advice: advice)
  }
}
