import DirectoryModel

/// What parts the fields of a file that is CSV but for its commas.
package struct FieldSeparator: Sendable, Equatable {
  let byte: UInt8

  private static let names: [String: String] = [
    "tab": "\t", "\\t": "\t", "semicolon": ";", "comma": ",", "bar": "|", "pipe": "|",
  ]

  /// - Parameter name: The sign itself, one of ASCII that is neither letter, digit nor quote; or its
  ///   name, such as `tab`.
  /// - Throws: `.usage` for anything else.
  package init(_ name: String) throws(DirectoryError) {
    let sign = Array((Self.names[name.lowercased()] ?? name).utf8)
    guard sign.count == 1, Self.isSign(sign[0]) else {
      throw DirectoryError(
        .usage,
        "\(QuotedValue.path(name)) is not a field separator",
        advice: "give one character such as ';' or '|', or the word tab"
      )
    }
    byte = sign[0]
  }

  /// - Returns: `nil` for a byte that can be none.
  init?(byte: UInt8) {
    guard Self.isSign(byte) else { return nil }
    self.byte = byte
  }

  static let comma = FieldSeparator(sign: CSVByte.comma)

  private init(sign: UInt8) { byte = sign }

  /// For people.
  var name: String {
    switch byte {
    case 0x09: "tabs"
    case UInt8(ascii: ";"): "semicolons"
    case UInt8(ascii: "|"): "bars"
    case CSVByte.comma: "commas"
    default: "\"\(Character(Unicode.Scalar(byte)))\""
    }
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09: true
    case 0x22, 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: false
    default: (0x21...0x7E).contains(byte)
    }
  }
}
