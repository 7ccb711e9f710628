import TextRules

/// The digits of a telephone number: as written, and in full where it can be told.
struct PhoneDigits: Sendable, Hashable {
  /// ASCII digits as they are written, without a `(0)` after the country code.
  private(set) var written: [UInt8]
  /// With the country code and without a prefix for dialling; the written ones where that cannot
  /// be told.
  private(set) var full: [UInt8]
  /// Whether the country code is there: written, or told by the country's rules.
  private(set) var isInternational: Bool
  /// What else the number is found by: its extension, and the number with that behind it; the digits of
  /// letters; what is dialled within the country.
  private(set) var others: [PhoneDigits] = []
  /// Whether the number is a word, which is looked for letter for letter too.
  private(set) var isSpelled = false

  /// Reads the digits of a text (`WrittenPhone`).
  ///
  /// - Parameters:
  ///   - folded: Folded UTF-8, so that digits of all scripts are ASCII.
  ///   - rules: How numbers are dialled here.
  /// - Complexity: O(n).
  init(_ folded: some Sequence<UInt8>, rules: DialingPlan) {
    let phone = WrittenPhone(folded: Array(folded))
    if phone.digits.isEmpty {
      // No number has no country either: with its code it would be what `1` alone is taken for.
      self.init(phone.extension, phone.extension, false)
      return
    }
    self.init(phone.digits, isInternational: phone.isInternational, rules)
    if !phone.extension.isEmpty {
      others.append(PhoneDigits(phone.extension, phone.extension, false))
      let (written, full) = (written + phone.extension, full + phone.extension)
      others.append(PhoneDigits(written, full, isInternational))
    }
    if !phone.spelled.isEmpty {
      others.append(PhoneDigits(phone.spelled, isInternational: phone.isInternational, rules))
      isSpelled = true
    }
    if isInternational, let dialled = DialingPlan.dialledWithin(full), dialled != written {
      others.append(PhoneDigits(dialled, dialled, false))
    }
  }

  private init(_ digits: [UInt8], isInternational: Bool, _ rules: DialingPlan) {
    let full = rules.full(digits, isInternational: isInternational)
    self.init(digits, full, isInternational || full != digits)
  }

  private init(_ written: [UInt8], _ full: [UInt8], _ isInternational: Bool) {
    self.written = written
    self.full = full
    self.isInternational = isInternational
  }

  /// Whether the written digits end otherwise than those in full, but for a prefix of two digits.
  var hasOwnEnd: Bool { written != full && !full.ends(with: Array(written.dropFirst(2))) }
}

/// Digits to look for.
package struct PhoneQuery: Sendable, Hashable {
  /// As typed.
  let written: [UInt8]
  /// In full, by the same rules as the numbers looked in.
  let full: [UInt8]
  let isInternational: Bool
  /// Whether it is an extension without a number, which stands at the end of one.
  let isExtension: Bool
  /// Whether it was typed in letters, and so may be a word as well.
  let isSpelled: Bool
  /// The number without its extension, with a plus where one was typed; `nil` where there is none.
  let numberAlone: [UInt8]?
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
    let phone = WrittenPhone(folded: folded)
    let isPlain = Self.isWritten(folded)
    isSpelled = !isPlain && !phone.spelled.isEmpty
    guard isPlain || isSpelled || phone.isWithExtension else { return nil }
    isExtension = phone.digits.isEmpty
    let number = isSpelled ? phone.spelled : phone.digits
    written = number + phone.extension
    guard written.count >= fewestDigits else { return nil }
    let full = rules.full(number, isInternational: phone.isInternational)
    self.full = isExtension ? written : full + phone.extension
    isInternational = !isExtension && (phone.isInternational || full != number)
    isBeginning = folded.first { $0 != UInt8(ascii: "(") } == UInt8(ascii: "+")
    abroad =
      isInternational || isExtension
      ? [] : rules.fullAbroad(number).map { $0 + phone.extension }
    let sign: [UInt8] = phone.isInternational ? [UInt8(ascii: "+")] : []
    numberAlone = isExtension || phone.extension.isEmpty ? nil : sign + number
  }

  /// The digits that may stand in the middle of a number; `nil` where they begin one, or are few.
  var inside: [UInt8]? {
    isBeginning || isExtension || written.count < Self.fewestInside ? nil : written
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

  /// Whether a word is a number with an extension, or an extension that is marked as one.
  static func isWithExtension(_ folded: [UInt8]) -> Bool {
    folded.contains { (0x30...0x39).contains($0) } && WrittenPhone(folded: folded).isWithExtension
  }

  /// How the digits are found in a number: as a whole, by its last or its first digits, or inside.
  func quality(in digits: PhoneDigits) -> MatchQuality? {
    var best = quality(inForms: digits)
    for other in digits.others {
      guard let found = quality(inForms: other) else { continue }
      best = best.map { min($0, found) } ?? found
    }
    return best
  }

  private func quality(inForms digits: PhoneDigits) -> MatchQuality? {
    let forms = [digits.full, digits.written]
    if forms.contains(where: { $0 == full || $0 == written }) { return .whole }
    if isExtension {
      let isEnd = written.count >= Self.fewestInside && digits.ends(with: written)
      return isEnd ? .start : nil
    }
    if isInternational, !digits.isInternational, isSame(national: digits.written) { return .whole }
    let begun = abroad.filter { full in forms.contains { $0.starts(with: full) } }
    if begun.contains(where: { forms.contains($0) }) { return .whole }
    if !begun.isEmpty || digits.ends(with: written)
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

extension PhoneDigits {
  fileprivate func ends(with digits: [UInt8]) -> Bool {
    full.ends(with: digits) || hasOwnEnd && written.ends(with: digits)
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
