/// The link by which a mail program is told whom to write to (RFC 6068).
package enum MailtoURL {
  /// - Parameter addresses: Whom, of which those without a control character count.
  /// - Returns: `mailto:` with the addresses, of which nothing but themselves can be read: neither a header
  ///   such as `?bcc=` nor another address; `nil` where there is none.
  package static func uri(to addresses: [String]) -> String? {
    let usable = addresses.filter { !$0.isEmpty && !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
    return usable.isEmpty ? nil : "mailto:" + usable.map(encoded).joined(separator: ",")
  }

  /// RFC 6068 §2: what is not unreserved is encoded, but for some signs that are usual in addresses and
  /// the `@` before the domain.
  private static func encoded(_ address: String) -> String {
    let bytes = Array(address.utf8)
    let at = bytes.lastIndex(of: UInt8(ascii: "@"))
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if index == at || isPlain(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "-._~+".utf8.contains(byte)
  }
}
