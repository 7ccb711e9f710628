/// Text in the cells of a workbook (ECMA-376 part 1).
enum SpreadsheetXML {
  /// The longest text of a cell, in UTF-16 (Microsoft, "Excel specifications and limits").
  static let longestCell = 32_767

  /// Appends a text as an `ST_Xstring` (§22.9.2.19).
  ///
  /// What XML cannot carry is `_x000B_`, and an underscore that looks like the beginning of that is
  /// `_x005F_`. A carriage return is written so too, since XML reads it as a line feed (XML 1.0
  /// §2.11).
  ///
  /// - Returns: The text's length in UTF-16.
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int {
    var length = 0
    var position = 0
    while position < text.count {
      let byte = text[position]
      // A character beyond the first plane is two units, and the only one that begins so.
      if byte & 0xC0 != 0x80 { length += byte >= 0xF0 ? 2 : 1 }
      switch byte {
      case 0x09, 0x0A: bytes.append(byte)
      case 0..<0x20: appendEscape(UInt16(byte), to: &bytes)
      case UInt8(ascii: "_") where looksEscaped(text, at: position): appendEscape(0x5F, to: &bytes)
      // U+FFFE and U+FFFF, which are not characters of XML (§2.2).
      case 0xEF where text[position + 1] == 0xBF && text[position + 2] >= 0xBE:
        appendEscape(0xFF40 | UInt16(text[position + 2]), to: &bytes)
        position += 2
      default: XMLText.append(byte, to: &bytes)
      }
      position += 1
    }
    return length
  }

  /// Whether `_xHHHH_` stands there.
  private static func looksEscaped(_ text: UnsafeRawBufferPointer, at position: Int) -> Bool {
    guard position + 6 < text.count, text[position + 1] | 0x20 == UInt8(ascii: "x"),
      text[position + 6] == UInt8(ascii: "_")
    else { return false }
    return text[(position + 2)..<(position + 6)].allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }
  }

  private static func appendEscape(_ unit: UInt16, to bytes: inout [UInt8]) {
    bytes.append(text: "_x")
    for shift: UInt16 in [12, 8, 4, 0] {
      let digit = UInt8(unit >> shift & 0xF)
      bytes.append(digit < 10 ? 0x30 + digit : 0x37 + digit)
    }
    bytes.append(text: "_")
  }
}
