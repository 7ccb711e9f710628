/// Values between tabs, each on one line: tab, line feed, carriage return and backslash are
/// written `\t`, `\n`, `\r`, `\\`, and everything else stands as it is.
///
/// PostgreSQL's COPY text format reads it so too ("File Formats, Text Format").
enum TabSeparatedText {
  static func append(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard value.contains(where: { letter(for: $0) != nil }) else {
      bytes.append(contentsOf: value)
      return
    }
    for byte in value {
      if let letter = letter(for: byte) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(letter)
      } else {
        bytes.append(byte)
      }
    }
  }

  @inline(__always)
  private static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0D: UInt8(ascii: "r")
    case 0x5C: UInt8(ascii: "\\")
    default: nil
    }
  }
}
