import FoundationEssentials

/// Long lines in pieces, each further one after a line break and a space: vCard (RFC 6350 §3.2) and
/// LDIF (RFC 2849, note 2) have it in common.
struct LineFolding: Sendable {
  /// Octets in a line, without its break; the space in front of a further piece counts.
  let width: Int
  let lineBreak: StaticString

  /// At most 75 octets and CRLF (RFC 6350 §3.2).
  static let vCard = LineFolding(width: 75, lineBreak: "\r\n")
  /// 76 octets, as OpenLDAP's own tools fold (RFC 2849 leaves the width to the writer), and LF.
  static let ldif = LineFolding(width: 76, lineBreak: "\n")

  /// Appends a line and its break; no character of UTF-8 is parted.
  ///
  /// - Complexity: O(octets).
  func append(_ line: [UInt8], to bytes: inout [UInt8]) {
    var start = 0
    var room = width
    while line.count - start > room {
      var end = start + room
      while end > start + 1, line[end] & 0xC0 == 0x80 { end -= 1 }
      bytes.append(contentsOf: line[start..<end])
      bytes.append(text: lineBreak)
      bytes.append(0x20)
      start = end
      room = width - 1
    }
    bytes.append(contentsOf: line[start...])
    bytes.append(text: lineBreak)
  }
}

/// Text in XML and HTML.
package enum XMLText {
  /// Appends a text for content and for attributes in double quotes.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    for byte in text.utf8 { append(byte, to: &bytes) }
  }

  @inline(__always)
  static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "&"): bytes.append(text: "&amp;")
    case UInt8(ascii: "<"): bytes.append(text: "&lt;")
    case UInt8(ascii: ">"): bytes.append(text: "&gt;")
    case UInt8(ascii: "\""): bytes.append(text: "&quot;")
    default: bytes.append(byte)
    }
  }
}

/// Base64 with padding and without line breaks (RFC 4648 §4).
enum Base64 {
  static func append(_ data: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: Data(data).base64EncodedData())
  }

  /// The data that a text stands for; white space in it does not count, and padding may be missing.
  ///
  /// - Returns: `nil` where it is not base64: another character, padding in the middle, or a length
  ///   that no data has.
  static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var text = Data(text.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) })
    if text.last != UInt8(ascii: "=") {
      text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
    }
    return Data(base64Encoded: text).map { Array($0) }
  }
}

/// Yes and no as lists have them.
enum BooleanText {
  /// `nil` for a text that is neither; an empty one means no.
  static func value(of text: some Sequence<UInt8>) -> Bool? {
    // What programs write, which need not be looked up.
    if text.elementsEqual("true".utf8) { return true }
    if text.elementsEqual("false".utf8) { return false }
    let word = String(decoding: Array(text), as: UTF8.self).lowercased()
    return yes.contains(word) ? true : no.contains(word) ? false : nil
  }

  private static let yes: Set<String> = [
    "true", "yes", "y", "x", "1", "ja", "j", "oui", "o", "sí", "si", "s", "是", "有", "はい", "○", "✓",
    "vrai", "wahr", "verdadero",
  ]
  private static let no: Set<String> = [
    "", "false", "no", "n", "0", "-", "nein", "non", "否", "无", "いいえ", "×", "faux", "falsch",
    "falso",
  ]
}
