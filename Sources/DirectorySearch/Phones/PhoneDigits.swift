/// The digits of a telephone number: as written, and in full where it can be told.
struct PhoneDigits: Sendable, Hashable {
  /// ASCII digits as they are written, without a `(0)` after the country code.
  var written: [UInt8]
  /// With the country code and without a prefix for dialling; the written ones where that cannot
  /// be told.
  var full: [UInt8]
  /// Whether the country code is there: written, or told by the country's rules.
  var isInternational: Bool

  /// More digits than this are cut: E.164 allows 15, extensions and carrier codes take some.
  static let most = 32

  /// Reads the digits of a text.
  ///
  /// An extension (`x12`, `ext. 5`, `#3`, `;ext=5`) ends the number once it has five digits.
  ///
  /// - Parameters:
  ///   - folded: Folded UTF-8, so that digits of all scripts are ASCII.
  ///   - rules: How numbers are dialled here.
  /// - Complexity: O(n).
  init(_ folded: some Sequence<UInt8>, rules: DialingPlan) {
    var digits: [UInt8] = []
    var isInternational = false
    // How much of "(0)" was read; the parentheses and what is between them then go.
    var group = 0
    scan: for byte in folded {
      switch byte {
      case 0x30...0x39:
        digits.append(byte)
        group = group == 1 && byte == 0x30 ? 2 : 0
        if digits.count >= Self.most { break scan }
      case UInt8(ascii: "+") where digits.isEmpty:
        isInternational = true
      case UInt8(ascii: "("):
        group = digits.isEmpty ? 0 : 1
      case UInt8(ascii: ")"):
        if group == 2, isInternational || digits.starts(with: [0x30, 0x30]) { digits.removeLast() }
        group = 0
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "#"), UInt8(ascii: ";"),
        UInt8(ascii: ","):
        if digits.count >= 5 { break scan }
        group = 0
      default:
        if byte != 0x20 { group = 0 }
      }
    }
    written = digits
    // No number has no country either: with its code it would be what `1` alone is taken for.
    full = digits.isEmpty ? [] : rules.full(digits, isInternational: isInternational)
    self.isInternational = isInternational || full != digits
  }
}

/// Digits to look for.
package struct PhoneQuery: Sendable, Hashable {
  /// As typed.
  let written: [UInt8]
  /// In full, by the same rules as the numbers looked in.
  let full: [UInt8]
  let isInternational: Bool
  /// Whether a plus says that the number begins with these digits.
  private let isBeginning: Bool
  /// In full for each country in which the number can be dialled so; empty where the rules of one
  /// country tell.
  let abroad: [[UInt8]]

  /// A number without its country code has at least so many digits where it is compared with one
  /// that has it.
  static let fewestNational = 6
  /// Fewer digits are looked for at the ends of a number alone.
  static let fewestInside = 3

  /// `nil` for what is not written as a number.
  ///
  /// - Parameters:
  ///   - folded: A folded word.
  ///   - fewestDigits: With fewer it is none.
  ///   - rules: How numbers are dialled here.
  init?(_ folded: [UInt8], fewestDigits: Int, rules: DialingPlan) {
    guard Self.isWritten(folded) else { return nil }
    let digits = PhoneDigits(folded, rules: rules)
    guard digits.written.count >= fewestDigits else { return nil }
    written = digits.written
    full = digits.full
    isInternational = digits.isInternational
    isBeginning = folded.first { $0 != UInt8(ascii: "(") } == UInt8(ascii: "+")
    abroad = isInternational ? [] : rules.fullAbroad(digits.written)
  }

  /// The digits that may stand in the middle of a number; `nil` where they begin one, or are few.
  var inside: [UInt8]? {
    isBeginning || written.count < Self.fewestInside ? nil : written
  }

  /// Whether a word has digits, and nothing but digits and what they are parted by.
  static func isWritten(_ folded: [UInt8]) -> Bool {
    var hasDigit = false
    for byte in folded {
      switch byte {
      case 0x30...0x39: hasDigit = true
      case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "~"),
        UInt8(ascii: "*"), UInt8(ascii: ":"), UInt8(ascii: "|"), UInt8(ascii: "\\"),
        UInt8(ascii: "["), UInt8(ascii: "]"), 0x20:
        break
      default: return false
      }
    }
    return hasDigit
  }

  /// How the digits are found in a number: as a whole, by its last or its first digits, or inside.
  func quality(in digits: PhoneDigits) -> MatchQuality? {
    let forms = [digits.full, digits.written]
    if forms.contains(where: { $0 == full || $0 == written }) { return .whole }
    if isInternational, !digits.isInternational, isSame(national: digits.written) { return .whole }
    let begun = abroad.filter { full in forms.contains { $0.starts(with: full) } }
    if begun.contains(where: { forms.contains($0) }) { return .whole }
    if !begun.isEmpty || digits.full.ends(with: written)
      || forms.contains(where: { $0.starts(with: full) || $0.starts(with: written) })
    {
      return .start
    }
    guard let inside else { return nil }
    return forms.contains { $0.holds(inside) } ? .inside : nil
  }

  /// Whether a number is this one without its country code, with or without a zero instead.
  private func isSame(national digits: [UInt8]) -> Bool {
    let number = digits.drop { $0 == 0x30 }
    return number.count >= Self.fewestNational && (1...3).contains(full.count - number.count)
      && full[(full.count - number.count)...].elementsEqual(number)
  }
}

extension [UInt8] {
  func ends(with other: [UInt8]) -> Bool {
    count >= other.count && self[(count - other.count)...].elementsEqual(other)
  }

  func holds(_ other: [UInt8]) -> Bool {
    guard count >= other.count else { return false }
    return (0...count - other.count).contains { start in
      self[start..<start + other.count].elementsEqual(other)
    }
  }
}
