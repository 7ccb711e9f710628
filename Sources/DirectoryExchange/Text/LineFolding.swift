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
