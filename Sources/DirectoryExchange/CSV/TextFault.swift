/// The first thing in a run of bytes that text must not hold.
enum TextFault: Equatable {
  case nul(at: Int)
  /// The byte at this offset begins or continues no character.
  case notUTF8(at: Int)
  /// The bytes end inside the character that begins at this offset.
  case cut(at: Int)

  /// Checks for NUL and for well-formed UTF-8, strictly: no overlong form, no surrogate, nothing
  /// beyond U+10FFFF (The Unicode Standard, table 3-7).
  ///
  /// - Complexity: O(n), eight bytes at a time while they are ASCII.
  static func first(in bytes: UnsafeRawBufferPointer) -> TextFault? {
    guard let base = bytes.baseAddress else { return nil }
    let count = bytes.count
    var offset = 0
    while offset < count {
      while offset &+ 8 <= count, WordScan.isPlain(WordScan.word(base, at: offset)) {
        offset &+= 8
      }
      guard offset < count else { break }
      let lead = bytes[offset]
      if lead < 0x80 {
        if lead == 0 { return .nul(at: offset) }
        offset &+= 1
        continue
      }
      let length = sequenceLength(lead)
      guard length > 0 else { return .notUTF8(at: offset) }
      if let fault = sequenceFault(bytes, at: offset, length: length) { return fault }
      offset &+= length
    }
    return nil
  }

  @inline(__always)
  private static func sequenceLength(_ lead: UInt8) -> Int {
    switch lead {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  @inline(__always)
  private static func sequenceFault(
    _ bytes: UnsafeRawBufferPointer,
    at offset: Int,
    length: Int
  ) -> TextFault? {
    for index in 1..<length {
      guard offset &+ index < bytes.count else { return .cut(at: offset) }
      let byte = bytes[offset &+ index]
      let allowed = index == 1 ? secondBytes(after: bytes[offset]) : 0x80...0xBF
      if byte < allowed.lowerBound || byte > allowed.upperBound { return .notUTF8(at: offset) }
    }
    return nil
  }

  @inline(__always)
  private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
