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

  /// Of the last member.
  private var stream = InflateStream(.gzip, outputSize: 256 << 10)

  /// Takes a piece and hands on what comes out of it.
  mutating func read(
    _ piece: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(DirectoryError) -> Void
  ) throws(Fault) {
    var rest = piece
    repeat {
      if stream.isWhole {
        guard !rest.isEmpty else { return }
        stream.restart()
      }
      do throws(InflateFault<DirectoryError>) {
        rest = UnsafeRawBufferPointer(rebasing: rest.suffix(try stream.read(rest, body)))
      } catch {
        switch error {
        case .damaged(let why): throw .damaged(why)
        case .refused(let refusal): throw .refused(refusal)
        }
      }
    } while !rest.isEmpty
  }

  /// Ends the reading.
  mutating func finish() throws(Fault) {
    guard stream.isWhole else { throw .cutOff }
  }
}
