import Testing

@testable import TextRules

@Suite("Prefixes of sort keys")
struct CollatorPrefixTests {
  static let locales = [
    "C", "und", "de", "de-u-co-phonebk", "sv", "da", "cs", "hu", "es-u-co-trad", "fr-CA", "lt",
    "th",
    "ja", "ko", "zh", "zh-u-co-stroke", "ar", "hi", "he", "ru", "vi", "en-u-kn", "en-u-ka-shifted",
    "en-u-ks-level1", "en-u-kb-true-kc-true", "en-u-kf-upper", "el-u-kr-grek-latn", "bn", "sr-Latn",
  ]

  /// What the prefix must be: the key's first bytes up to the end of the primary weights.
  private func expected(_ key: [UInt8], locale: String) -> UInt64 {
    let primary = locale == "C" ? key[...] : key.prefix { $0 != 1 }
    var number: UInt64 = 0
    for index in 0..<8 {
      let byte = index < primary.count ? primary[primary.startIndex + index] : 0
      number = number << 8 | UInt64(byte)
    }
    return number
  }

  private func check(
    _ text: String,
    _ prefixes: inout SortKeyPrefixes,
    _ collator: borrowing Collator
  ) -> Bool {
    let key = collator.key(of: text)
    let prefix = Array(text.utf8).withUnsafeBytes { prefixes.prefix(of: $0) }
    let expected = expected(key, locale: collator.locale)
    #expect(prefix == expected, "\(collator.locale): \(text.unicodeScalars.map(\.value))")
    return prefix == expected
  }

  @Test(arguments: locales)
  func `are what the keys begin with, for any text`(_ locale: String) throws {
    let collator = try Collator(locale: locale)
    var prefixes = try SortKeyPrefixes(locale: locale)
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(state: seed)
    for _ in 0..<5_000 {
      let text = String.random(using: &random) + String.random(using: &random)
      guard check(text, &prefixes, collator) else { return }
    }
  }

  @Test(arguments: locales)
  func `are what the keys begin with, for names`(_ locale: String) throws {
    let collator = try Collator(locale: locale)
    var prefixes = try SortKeyPrefixes(locale: locale)
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix64(state: seed)
    // Letters that contract somewhere, beside others; and scripts that meet in one name.
    let parts = [
      "a", "aa", "ch", "c", "h", "ll", "lj", "nj", "dž", "dzs", "ddzs", "gy", "ny", "ae", "oe",
      "ue",
      "ß", "æ", "ø", "å", "Å", "l", "l·l", "L", "i", "ij", "I", "İ", "ı", " ", "-", "'", "’", ".",
      ",",
      "1", "10", "9", "é", "e\u{301}", "ü", "u\u{308}", "Z", "z", "ž", "ł", "đ", "þ", "王", "伟", "張",
      "さ", "サ", "ー", "ア", "ｱ", "한", "국", "각", "а", "Я", "й", "Ё", "α", "Ω", "ά", "ש", "م", "ا",
      "เ", "ก", "क", "्", "ष", "\u{200D}", "\u{AD}", "𝔸", "🙂", "ﬁ", "ﷺ", "½",
    ]
    for _ in 0..<5_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...9, using: &random) {
        text += parts.randomElement(using: &random) ?? ""
      }
      guard check(text, &prefixes, collator) else { return }
    }
  }

  @Test func `every pair of letters that people write in the root collation`() throws {
    let collator = try Collator(locale: "und")
    var prefixes = try SortKeyPrefixes(locale: "und")
    let scalars = (0x20...0x24F as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
    for left in scalars {
      for right in scalars {
        guard check("\(left)\(right)x", &prefixes, collator) else { return }
      }
    }
  }

  @Test func `ill-formed text has the prefix of its key`() throws {
    let collator = try Collator(locale: "und")
    var prefixes = try SortKeyPrefixes(locale: "und")
    let texts: [[UInt8]] = [
      [0xFF], [0x61, 0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x99],
      [0xC0, 0x80, 0x61],
      [0xE0, 0x80, 0x80], [0x61, 0x80, 0x62],
    ]
    for text in texts {
      var key: [UInt8] = []
      let prefix = text.withUnsafeBytes { bytes in
        collator.appendKey(of: bytes, to: &key)
        return prefixes.prefix(of: bytes)
      }
      #expect(prefix == expected(key, locale: "und"), "\(text)")
    }
  }

  @Test func `an unknown locale has none`() {
    #expect(throws: TextRulesError.self) { _ = try SortKeyPrefixes(locale: "xx-nowhere") }
  }
}
