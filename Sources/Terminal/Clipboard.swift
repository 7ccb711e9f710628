/// The terminal's clipboard, also on the far side of a connection (xterm, "Operating System Commands").
package enum Clipboard {
  /// OSC 52: puts a text on the clipboard, in base64 (RFC 4648 §4), where the terminal allows it.
  package static func sequence(copying text: String) -> [UInt8] {
    Array("\u{1B}]52;c;".utf8) + base64(Array(text.utf8)) + [0x07]
  }

  private static func base64(_ bytes: [UInt8]) -> [UInt8] {
    let letters = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    var result: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for (index, byte) in group.enumerated() { bits |= UInt32(byte) << UInt32(16 - 8 * index) }
      for index in 0..<4 {
        let letter = letters[Int(bits >> UInt32(18 - 6 * index) & 63)]
        result.append(index <= group.count ? letter : UInt8(ascii: "="))
      }
    }
    return result
  }
}
