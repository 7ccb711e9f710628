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
  private let variant: EncodingVariant?
  /// UTF-8 that is not given out yet, since a mark may follow.
  private var held: [UInt8] = []
  /// Bytes taken so far.
  private var offset = 0

  /// ICU's name of the encoding, such as `ibm-5348_P100-1997` for windows-1252.
  package let name: String

  /// Opens the decoder of an encoding; `nil` where there is none of that name.
  ///
  /// - Parameter name: IANA's name or another one that ICU knows; or ISO-8859-16, cp720, x-mac-romanian,
  ///   x-mac-croatian or x-mac-icelandic, which it does not.
  package init?(_ name: String) {
    let variant = EncodingVariant(name)
    let known = variant?.base ?? name
    guard !known.utf8.contains(0), let handle = staffbook_decoder_open(known) else { return nil }
    self.handle = handle
    self.variant = variant
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
    guard let variant else { return try decodeAll(piece, isLast: isLast, to: &bytes) }
    var text = held
    held = []
    defer { bytes += variant.finished(text) }
    try decodeAll(piece, isLast: isLast, to: &text)
    guard variant.composes, !isLast else { return }
    let end = variant.settled(text)
    held = Array(text[end...])
    text.removeLast(text.count - end)
  }

  private mutating func decodeAll(
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
