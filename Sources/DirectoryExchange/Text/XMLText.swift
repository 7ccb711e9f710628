/// Text in XML and HTML.
enum XMLText {
  /// Appends a text for content and for attributes in double quotes.
  static func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    for byte in text { append(byte, to: &bytes) }
  }

  static func append(_ text: String, to bytes: inout [UInt8]) {
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
