import Platform

extension FieldKind {
  /// Whether a text can be a value of this kind: what `staffbook.is_of_kind` says, and of a person
  /// whether the text can be an id.
  package func accepts(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    switch self {
    case .text: true
    case .phone: Self.hasDigit(value)
    case .email: Self.isEmail(value)
    case .url: Self.isURL(value)
    case .date: Self.isDate(Array(value))
    case .person: (1...DirectoryLimits.idBytes).contains(value.count)
    }
  }

  /// Whether a text is what people mean by such a value: one address, with something before the only
  /// `@` and a domain behind it, and nothing of a list or a name; a date from 1950 to 2099.
  package func isLikely(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    guard accepts(value) else { return false }
    switch self {
    case .email: return Self.isOneAddress(value)
    case .date:
      return value.starts(with: "--".utf8)
        || ["195", "196", "197", "198", "199", "20"].contains {
          value.starts(with: $0.utf8)
        }
    case .text, .phone, .url, .person: return true
    }
  }

  private static func isOneAddress(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    guard value.count(where: { $0 == UInt8(ascii: "@") }) == 1,
      !value.contains(where: { "<>,;\"()".utf8.contains($0) || $0 < 0x20 }),
      let at = value.firstIndex(of: UInt8(ascii: "@"))
    else { return false }
    let domain = value[value.index(after: at)...]
    let dot = UInt8(ascii: ".")
    return domain.first != dot && domain.last != dot
      && !zip(domain, domain.dropFirst()).contains { $0 == dot && $1 == dot }
  }

  /// What a value of this kind is, and what it has to be.
  package var requirement: String {
    switch self {
    case .text: "a text"
    case .phone: "a phone number: it has no digit"
    case .email: "an email address"
    case .url: "a URL that begins with its scheme, such as https:"
    case .date: "a date of the form YYYY-MM-DD, or --MM-DD without a year"
    case .person: "a user's id, which has 1 to \(DirectoryLimits.idBytes) bytes"
    }
  }

  /// The scheme of a link to such a value.
  package var scheme: String? {
    switch self {
    case .email: "mailto:"
    case .phone: "tel:"
    case .text, .url, .date, .person: nil
    }
  }

  /// Digits of ASCII, Arabic (U+0660, U+06F0) or full width (U+FF10).
  private static func hasDigit(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    var before: (UInt8, UInt8) = (0, 0)
    for byte in value {
      if (0x30...0x39).contains(byte)
        || before.1 == 0xD9 && (0xA0...0xA9).contains(byte)
        || before.1 == 0xDB && (0xB0...0xB9).contains(byte)
        || before == (0xEF, 0xBC) && (0x90...0x99).contains(byte)
      {
        return true
      }
      before = (before.1, byte)
    }
    return false
  }

  private static func isEmail(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    value.dropFirst().dropLast().contains(UInt8(ascii: "@")) && !value.contains(where: isSpace)
  }

  /// RFC 3986 §3.1: a scheme is a letter, then letters, digits and `+ - .`.
  private static func isURL(_ value: some RandomAccessCollection<UInt8>) -> Bool {
    guard let colon = value.firstIndex(of: UInt8(ascii: ":")), let first = value.first,
      isLetter(first), value.index(after: colon) < value.endIndex
    else { return false }
    return value[..<colon].allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
    } && !value.contains(where: isSpace)
  }

  private static func isDate(_ value: [UInt8]) -> Bool {
    let hasYear = value.count == 10
    guard hasYear || value.count == 7 && value[0] == UInt8(ascii: "-"),
      value[value.count - 6] == UInt8(ascii: "-"), value[value.count - 3] == UInt8(ascii: "-"),
      let month = number(value[(value.count - 5)..<(value.count - 3)]),
      let day = number(value[(value.count - 2)...]),
      // Without a year, the 29th of February is a day.
      let year = hasYear ? number(value[..<4]) : 2000
    else { return false }
    return CivilTime(year, month, day).isValid
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.allSatisfy { (0x30...0x39).contains($0) }
      ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
