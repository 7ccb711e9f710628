import CICU

/// Turns text of another encoding into UTF-8, piece by piece, and takes nothing that is not of the
/// encoding.
package struct TextDecoder: ~Copyable {
  /// What is wrong with the bytes.
  package struct MalformedText: Error, Equatable {
    /// Where they begin, counted from the first byte of the first piece.
    package var offset: Int
    package var count: Int
  }

  private let handle: OpaquePointer
  /// Bytes taken so far.
  private var offset = 0

  /// ICU's name of the encoding, such as `ibm-5348_P100-1997` for windows-1252.
  package let name: String

  /// Opens the decoder of an encoding; `nil` where ICU knows none of that name.
  ///
  /// - Parameter name: IANA's name or another one that ICU knows.
  package init?(_ name: String) {
    guard !name.utf8.contains(0), let handle = staffbook_decoder_open(name) else { return nil }
    self.handle = handle
    self.name = String(cString: staffbook_decoder_name(handle))
  }

  deinit { staffbook_decoder_close(handle) }

  /// Decodes a piece; characters may lie across pieces.
  ///
  /// - Parameters:
  ///   - piece: The next bytes.
  ///   - isLast: Whether it is the last piece: then no character may be unfinished.
  ///   - bytes: Gets the UTF-8 behind what it has, up to a malformation.
  /// - Throws: The first bytes that are none of the encoding's characters.
  package mutating func decode(
    _ piece: UnsafeRawBufferPointer,
    isLast: Bool,
    to bytes: inout [UInt8]
  ) throws(MalformedText) {
    var rest = piece[...]
    while true {
      let step = Self.step(handle, UnsafeRawBufferPointer(rebasing: rest), isLast, &bytes)
      rest = rest.dropFirst(step.taken)
      offset += step.taken
      switch step.state {
      case STAFFBOOK_DECODER_FULL: continue
      case STAFFBOOK_DECODER_HUNGRY: return
      case STAFFBOOK_DECODER_MALFORMED:
        throw MalformedText(offset: max(0, offset - step.malformed), count: step.malformed)
      default: throw MalformedText(offset: offset, count: 0)
      }
    }
  }

  private struct Step {
    var state: staffbook_decoder_state
    var taken = 0
    var malformed = 0
  }

  private static func step(
    _ handle: OpaquePointer,
    _ input: UnsafeRawBufferPointer,
    _ isLast: Bool,
    _ bytes: inout [UInt8]
  ) -> Step {
    var step = Step(state: STAFFBOOK_DECODER_FAILED)
    let output = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
      step.state = staffbook_decoder_decode(
        handle,
        input.baseAddress,
        input.count,
        isLast,
        buffer.baseAddress,
        buffer.count,
        &step.taken,
        &count,
        &step.malformed
      )
    }
    bytes += output
    return step
  }
}

/// Encodings that a text may be in.
package enum TextEncodings {
  /// What ICU takes a text for (`ucsdet_detectAll`), the likeliest first.
  ///
  /// - Parameter text: The more of it, the surer; 64 KiB are enough.
  /// - Returns: Names as IANA has them, and how sure ICU is, of 100.
  package static func guesses(_ text: [UInt8]) -> [(name: String, confidence: Int)] {
    var found = [staffbook_encoding](repeating: staffbook_encoding(), count: 24)
    let count = text.withUnsafeBytes { text in
      staffbook_detect_encodings(text.baseAddress, text.count, &found, found.count)
    }
    return found.prefix(count).map { encoding in
      let name = withUnsafeBytes(of: encoding.name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      return (name, Int(encoding.confidence))
    }
  }
}
