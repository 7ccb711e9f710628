/// JSON strings (RFC 8259 §7) that are also harmless where they are shown.
///
/// Beyond what JSON demands, everything that steers a terminal or reorders a line is escaped:
/// DEL, the C1 controls, bidirectional and deprecated format characters, U+2028 and U+2029 (which
/// also end a line in older JavaScript), the byte order mark and interlinear annotations. A reader
/// gets the same text back.
enum JSONText {
  /// Appends a string with its quotes.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
  }

  /// Appends a string, given as UTF-8, with its quotes.
  static func append(_ utf8: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    appendContent(utf8, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Copies runs that need nothing, and looks closer at the bytes that may begin something.
  private static func appendContent(_ utf8: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    var copied = 0
    var position = 0
    while position < utf8.count {
      guard isSuspect(utf8[position]), let (scalar, length) = escaped(utf8, at: position) else {
        position &+= 1
        continue
      }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[copied..<position]))
      appendEscape(scalar, to: &bytes)
      position &+= length
      copied = position
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[copied...]))
  }

  @inline(__always)
  private static func isSuspect(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, 0x22, 0x5C, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF: true
    default: false
    }
  }

  /// The character at `position` and its bytes, where it must be escaped.
  private static func escaped(
    _ utf8: UnsafeRawBufferPointer,
    at position: Int
  ) -> (scalar: UInt16, length: Int)? {
    let first = utf8[position]
    if first < 0x80 { return (UInt16(first), 1) }
    let second = UInt16(utf8[position + 1] & 0x3F)
    if first < 0xE0 {
      let scalar = UInt16(first & 0x1F) << 6 | second
      return mustEscape(scalar) ? (scalar, 2) : nil
    }
    let scalar = UInt16(first & 0x0F) << 12 | second << 6 | UInt16(utf8[position + 2] & 0x3F)
    return mustEscape(scalar) ? (scalar, 3) : nil
  }

  private static func mustEscape(_ scalar: UInt16) -> Bool {
    switch scalar {
    case 0x80...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF,
      0xFFF9...0xFFFB:
      true
    default: false
    }
  }

  private static func appendEscape(_ scalar: UInt16, to bytes: inout [UInt8]) {
    switch scalar {
    case 0x22: bytes.append(text: "\\\"")
    case 0x5C: bytes.append(text: "\\\\")
    case 0x08: bytes.append(text: "\\b")
    case 0x0C: bytes.append(text: "\\f")
    case 0x0A: bytes.append(text: "\\n")
    case 0x0D: bytes.append(text: "\\r")
    case 0x09: bytes.append(text: "\\t")
    default:
      bytes.append(text: "\\u")
      for shift in [12, 8, 4, 0] {
        let digit = UInt8(truncatingIfNeeded: scalar >> UInt16(shift) & 0xF)
        bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
    }
  }
}
