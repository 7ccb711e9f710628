/// RFC 3986 §2.1.
package enum PercentEncoding {
  /// A text as it stands in a path or a query: everything but the unreserved characters is encoded (§2.3).
  package static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// - Parameters:
  ///   - text: As it stands in an address.
  ///   - isQuery: Whether a plus is a blank, as in forms (URL Standard, §5.1).
  /// - Returns: `nil` for what is not UTF-8, or encoded wrongly.
  package static func decoded(_ text: some StringProtocol, isQuery: Bool = false) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where isQuery: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8?) -> UInt8? {
    switch byte {
    case let byte? where (0x30...0x39).contains(byte): byte - 0x30
    case let byte? where (0x61...0x66).contains(byte | 0x20): (byte | 0x20) - 0x57
    default: nil
    }
  }
}
