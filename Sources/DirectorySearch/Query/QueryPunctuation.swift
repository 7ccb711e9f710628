/// Signs around words, which people type and copy with names: `ada lund?`, `(ada lund)`, `Lund, Ada`.
enum QueryPunctuation {
  /// Signs that are part of what things are called, such as C#, C++, R&D or 100%.
  private static let kept: Set<Unicode.Scalar> = [
    "+", "#", "&", "%", "$", "@", "§", "°", "\u{FFFD}",
  ]

  /// Whether a scalar parts words or stands around them.
  static func isSign(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol,
      .modifierSymbol, .otherSymbol:
      !kept.contains(scalar)
    default: false
    }
  }

  /// A word without the signs at its ends.
  static func trimmed(_ word: [UInt8]) -> [UInt8] {
    let scalars = String(decoding: word, as: UTF8.self).unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSign($0) }),
      let last = scalars.lastIndex(where: { !isSign($0) })
    else { return [] }
    return Array(String(scalars[first...last]).utf8)
  }

  /// Whether a word may be names with signs between them.
  ///
  /// Patterns and code, such as `(.*a){20}`, are not: they have more signs than letters, and several
  /// side by side between them.
  static func isWordy(_ word: [UInt8]) -> Bool {
    let signs = String(decoding: word, as: UTF8.self).unicodeScalars.map(isSign)
    guard signs.count(where: { $0 }) * 2 > signs.count, let first = signs.firstIndex(of: false),
      let last = signs.lastIndex(of: false)
    else { return true }
    return !(first..<last).contains { signs[$0] && signs[$0 + 1] }
  }

  /// A word in the parts that signs of lists and brackets part.
  static func listed(_ word: [UInt8]) -> [[UInt8]] {
    word.split { ",;|<>()[]{}".utf8.contains($0) }.map { Array($0) }
  }

  /// A word in the parts that any signs part.
  static func parts(_ word: [UInt8]) -> [[UInt8]] {
    guard isWordy(word) else { return [word] }
    return String(decoding: word, as: UTF8.self).unicodeScalars
      .split { isSign($0) || $0 == "+" || $0 == "&" }.map { Array(String($0).utf8) }
  }

  /// The digits of a word of at least three digits and of signs, with a plus in front; `nil` for
  /// other words.
  static func digits(_ word: [UInt8]) -> [UInt8]? {
    var digits: [UInt8] = []
    for scalar in String(decoding: word, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "0"..."9": digits.append(UInt8(scalar.value))
      case "+" where digits.isEmpty: digits = [UInt8(ascii: "+")]
      case _ where isSign(scalar): continue
      default: return nil
      }
    }
    return digits.count { $0 != UInt8(ascii: "+") } >= SearchTerm.fewestPhoneDigits ? digits : nil
  }

  /// The address that a word is but for signs around it.
  static func address(_ word: [UInt8]) -> [UInt8]? {
    var address = trimmed(word)
    let scheme = Array("mailto:".utf8)
    if address.starts(with: scheme) { address = trimmed(Array(address.dropFirst(scheme.count))) }
    if let query = address.firstIndex(of: UInt8(ascii: "?")) { address = Array(address[..<query]) }
    let sides = address.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, sides[1].contains(UInt8(ascii: ".")),
      !address.contains(where: { $0 <= 0x20 || ",;<>()[]\"".utf8.contains($0) })
    else { return nil }
    return address
  }
}
