import CZlib
import DirectoryModel

/// Unpacks gzip (RFC 1952) piece by piece, by zlib; a file may be several members in a row (§2.2).
struct GzipReader: ~Copyable {
  enum Fault: Error {
    case damaged(String)
    case cutOff
    /// The bytes could not be handed on.
    case refused(DirectoryError)

    func directoryError(_ name: String) -> DirectoryError {
      let reason: String
      switch self {
      case .refused(let error): return error
      case .cutOff: reason = "the file is truncated"
      case .damaged(let why): reason = "the file is damaged: \(why)"
      }
      return DirectoryError(
        .badData,
        "cannot decompress \(QuotedValue.path(name)): \(reason)",
        advice: "download or compress it again"
      )
    }
  }

  /// How many times as large as it was packed a text may become; a million people come to 4 to 20,
  /// and a file that is made to fill a disk to 1,000 (RFC 1951).
  static let mostExpansion: Int64 = 200
  /// Bytes up to which nothing is asked.
  static let unlimitedSize: Int64 = 256 << 20

  static func isBomb(_ name: String) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot decompress \(QuotedValue.path(name)): it expands to more than \(mostExpansion) "
        + "times its size, as files do that are made to fill a disk",
      advice: "if you trust the file, decompress it with gunzip and import the result"
    )
  }

  /// RFC 1952 §2.3.1.
  static let signature: [UInt8] = [0x1F, 0x8B]

  /// At one address for zlib, which points back to it from its own state.
  private let stream: UnsafeMutablePointer<z_stream>
  private let output: UnsafeMutableRawBufferPointer
  /// Whether the last member is finished.
  private var isWhole = false

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    output = .allocate(byteCount: 256 << 10, alignment: 16)
    // 16 more than the largest window takes gzip's header. (zlib: inflateInit2)
    let outcome = inflateInit2_(
      stream,
      16 + MAX_WBITS,
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
    _ body: (UnsafeRawBufferPointer) throws(DirectoryError) -> Void
  ) throws(Fault) {
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
      do throws(DirectoryError) {
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
    } while stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
  }

  /// Ends the reading.
  mutating func finish() throws(Fault) {
    guard isWhole else { throw .cutOff }
  }
}
