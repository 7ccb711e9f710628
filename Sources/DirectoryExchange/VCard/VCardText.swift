/// Values of vCard properties.
enum VCardText {
  /// Appends a text value or a component of a structured one.
  ///
  /// Backslash, comma and semicolon get a backslash and a line feed is `\n` (RFC 6350 §3.4, which
  /// lets a plain text value escape its semicolons too; RFC 2426 §4 demands it). The other control
  /// characters but the tab, which a vCard cannot hold (RFC 6350 §3.3, VALUE-CHAR), become their
  /// pictures, U+2400 and following.
  static func append(_ text: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    var copied = 0
    for (index, byte) in text.enumerated() where mustChange(byte) {
      line.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied..<index]))
      copied = index + 1
      switch byte {
      case 0x0A: line.append(text: "\\n")
      case 0..<0x20: line.append(contentsOf: [0xE2, 0x90, 0x80 + byte])
      case 0x7F: line.append(text: "\u{2421}")
      default:
        line.append(UInt8(ascii: "\\"))
        line.append(byte)
      }
    }
    line.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied...]))
  }

  @inline(__always)
  private static func mustChange(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 || byte == 0x7F || byte == UInt8(ascii: "\\")
      || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
  }

  /// Appends an id with control characters and what vCard would escape percent-encoded (RFC 3986
  /// §2.1), so that every id comes back whatever reads the card.
  static func appendID(_ id: UnsafeRawBufferPointer, to line: inout [UInt8]) {
    for byte in id {
      switch byte {
      case 0..<0x20, 0x7F, UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ","),
        UInt8(ascii: ";"):
        line.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 0xF] {
          line.append(digit < 10 ? 0x30 + digit : 0x37 + digit)
        }
      default: line.append(byte)
      }
    }
  }
}
