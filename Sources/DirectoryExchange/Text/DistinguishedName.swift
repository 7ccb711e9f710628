/// A name in an LDAP directory, the nearest part first (RFC 4514).
package struct DistinguishedName: Sendable, Equatable {
  /// One attribute and its value; a part of a name has one or several.
  package struct Attribute: Sendable, Equatable {
    package var type: String
    package var value: String
  }

  /// The parts, each of one or several attributes.
  package private(set) var parts: [[Attribute]]

  /// Bytes of the longest that others accept: OpenLDAP's SLAP_LDAPDN_MAXLEN.
  static let longest = 8_192

  /// Reads the string form (RFC 4514 §3); a value in hexadecimal (`#04…`) is not taken.
  package init?(_ text: String) {
    self.init(text, isOldTaken: false)
  }

  /// Reads a name that another program wrote, perhaps in an older form with quotes, semicolons and
  /// blanks beside the separators (RFC 2253 §4).
  init?(ofOthers text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    self.init(text, isOldTaken: true)
  }

  private init?(_ text: String, isOldTaken: Bool) {
    var reader = Reader(text: Array(text.utf8), isOldTaken: isOldTaken)
    guard let parts = reader.parts() else { return nil }
    self.parts = parts
  }

  /// Appends a value with what must be escaped escaped (RFC 4514 §2.4): `" + , ; < > \`, a space or
  /// `#` at the beginning, a space at the end, and, as the text permits for every byte, control
  /// characters as `\0A`.
  package static func append(
    escaped value: some BidirectionalCollection<UInt8>,
    to bytes: inout [UInt8]
  ) {
    let last = value.indices.last
    for index in value.indices {
      let byte = value[index]
      switch byte {
      case 0..<0x20, 0x7F:
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(hexDigit: byte >> 4)
        bytes.append(hexDigit: byte & 0xF)
      case let byte
      where "\"+,;<>\\".utf8.contains(byte)
        || byte == 0x20 && (index == value.startIndex || index == last)
        || byte == UInt8(ascii: "#") && index == value.startIndex:
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      default: bytes.append(byte)
      }
    }
  }

  /// Takes a string form apart.
  private struct Reader {
    let text: [UInt8]
    let isOldTaken: Bool
    var position = 0

    private var next: UInt8? { position < text.count ? text[position] : nil }

    mutating func parts() -> [[Attribute]]? {
      var parts: [[Attribute]] = []
      repeat {
        var part: [Attribute] = []
        repeat {
          guard let attribute = attribute() else { return nil }
          part.append(attribute)
        } while skip(UInt8(ascii: "+"))
        parts.append(part)
      } while skip(UInt8(ascii: ",")) || isOldTaken && skip(UInt8(ascii: ";"))
      return position == text.count ? parts : nil
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      position += 1
      skipBlanks()
      return true
    }

    private mutating func skipBlanks() {
      while next == 0x20 { position += 1 }
    }

    private mutating func attribute() -> Attribute? {
      let start = position
      while let byte = next, isTypeByte(byte) { position += 1 }
      let type = String(decoding: text[start..<position], as: UTF8.self)
      if isOldTaken { skipBlanks() }
      guard !type.isEmpty, next == UInt8(ascii: "=") else { return nil }
      position += 1
      if isOldTaken { skipBlanks() }
      let isQuoted = isOldTaken && next == UInt8(ascii: "\"")
      guard let value = isQuoted ? quotedValue() : value(), !value.isEmpty else { return nil }
      return Attribute(type: type, value: value)
    }

    private func isTypeByte(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private mutating func value() -> String? {
      var value: [UInt8] = []
      // Length up to the last byte that is not a bare space.
      var kept = 0
      while let byte = next, !",+;".utf8.contains(byte) {
        position += 1
        if byte == UInt8(ascii: "\\") {
          guard let escaped = escapedByte() else { return nil }
          value.append(escaped)
          kept = value.count
          continue
        }
        guard !"\"<>".utf8.contains(byte), byte != UInt8(ascii: "#") || !value.isEmpty else {
          return nil
        }
        value.append(byte)
        if byte != 0x20 { kept = value.count }
      }
      return String(validating: value.prefix(kept), as: UTF8.self)
    }

    /// A value in quotes, in which only quotes and backslashes are escaped.
    private mutating func quotedValue() -> String? {
      position += 1
      var value: [UInt8] = []
      while let byte = next {
        position += 1
        if byte == UInt8(ascii: "\"") {
          skipBlanks()
          return String(validating: value, as: UTF8.self)
        }
        if byte == UInt8(ascii: "\\") {
          guard let escaped = escapedByte() else { return nil }
          value.append(escaped)
        } else {
          value.append(byte)
        }
      }
      return nil
    }

    private mutating func escapedByte() -> UInt8? {
      guard let first = next else { return nil }
      position += 1
      if " \"#+,;<=>\\".utf8.contains(first) { return first }
      guard let high = hexValue(first), let second = next, let low = hexValue(second) else {
        return nil
      }
      position += 1
      return high << 4 | low
    }

    private func hexValue(_ byte: UInt8) -> UInt8? {
      Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
  }
}
