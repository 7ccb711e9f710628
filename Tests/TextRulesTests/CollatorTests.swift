import Testing

@testable import TextRules

/// Sorts names by their keys.
private func sorted(_ names: [String], by locale: String) throws -> [String] {
  let collator = try Collator(locale: locale)
  return names.map { (name: $0, key: collator.key(of: $0)) }
    .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    .map(\.name)
}

@Suite("Sort keys")
struct CollatorTests {
  @Test func `C orders by code point`() throws {
    #expect(try sorted(["é", "z", "a", "Z", "𐐷", "｡"], by: "C") == ["Z", "a", "z", "é", "｡", "𐐷"])
  }

  @Test func `C keys are the bytes`() throws {
    let key = try Collator(locale: "C").key(of: "Ada Å")
    #expect(key == Array("Ada Å".utf8))
  }

  @Test func `the root collation puts accents after letters and lower before upper`() throws {
    #expect(
      try sorted(["Zoe", "eve", "Ève", "Eve", "ada"], by: "und")
        == ["ada", "eve", "Eve", "Ève", "Zoe"]
    )
  }

  @Test func `Swedish puts Å Ä Ö last, German and Austrian beside A and O`() throws {
    let names = ["Öberg", "Zorn", "Olsen", "Åkesson", "Ärlig", "Adler"]
    #expect(
      try sorted(names, by: "sv") == ["Adler", "Olsen", "Zorn", "Åkesson", "Ärlig", "Öberg"]
    )
    let german = ["Adler", "Åkesson", "Ärlig", "Öberg", "Olsen", "Zorn"]
    #expect(try sorted(names, by: "de") == german)
    #expect(try sorted(names, by: "de-AT") == german)
  }

  @Test func `the German phone book reads ü as ue`() throws {
    let names = ["Muffel", "Müller", "Mueller", "Muck"]
    #expect(try sorted(names, by: "de") == ["Muck", "Mueller", "Muffel", "Müller"])
    #expect(
      try sorted(names, by: "de-u-co-phonebk") == ["Muck", "Mueller", "Müller", "Muffel"]
    )
  }

  @Test func `Chinese sorts by pinyin, or by strokes when asked`() throws {
    let names = ["王", "李", "安", "张", "一"]
    #expect(try sorted(names, by: "zh") == ["安", "李", "王", "一", "张"])
    #expect(try sorted(names, by: "zh-u-co-stroke") == ["一", "王", "安", "张", "李"])
  }

  @Test func `Japanese sorts kana together whatever their width`() throws {
    #expect(
      try sorted(["サトウ", "あおき", "ｱｵｲ", "さとい"], by: "ja") == ["ｱｵｲ", "あおき", "さとい", "サトウ"]
    )
  }

  @Test func `numbers sort by value when the locale asks for it`() throws {
    #expect(try sorted(["Team 10", "Team 9"], by: "en-u-kn") == ["Team 9", "Team 10"])
    #expect(try sorted(["Team 10", "Team 9"], by: "en") == ["Team 10", "Team 9"])
  }

  @Test func `composed and decomposed names have one key, in any order of marks`() throws {
    let collator = try Collator(locale: "und")
    #expect(collator.key(of: "\u{C5}ngstr\u{F6}m") == collator.key(of: "A\u{30A}ngstro\u{308}m"))
    #expect(collator.key(of: "e\u{323}\u{302}") == collator.key(of: "e\u{302}\u{323}"))
  }

  @Test func `keys hold no zero, so a prefix can be told from what it begins`() throws {
    let collator = try Collator(locale: "und")
    for scalar in stride(from: 1, to: 0x110000, by: 7).compactMap(Unicode.Scalar.init) {
      #expect(!collator.key(of: "a\(scalar)b").contains(0))
    }
    let short = collator.key(of: "Ada")
    let long = collator.key(of: "Ada L")
    #expect(short.lexicographicallyPrecedes(long))
  }

  @Test func `appending keeps what is there`() throws {
    let collator = try Collator(locale: "und")
    var keys: [UInt8] = [7, 0]
    Array("Ada".utf8).withUnsafeBytes { collator.appendKey(of: $0, to: &keys) }
    #expect(keys == [7, 0] + collator.key(of: "Ada"))
  }

  @Test func `the empty name has the least key`() throws {
    let collator = try Collator(locale: "und")
    #expect(collator.key(of: "").lexicographicallyPrecedes(collator.key(of: " ")))
    var keys: [UInt8] = []
    collator.appendKey(of: UnsafeRawBufferPointer(start: nil, count: 0), to: &keys)
    #expect(keys == collator.key(of: ""))
  }

  @Test func `ill-formed text sorts as U+FFFD`() throws {
    let collator = try Collator(locale: "und")
    for bytes: [UInt8] in [[0x61, 0xFF, 0x62], [0x61, 0xC3, 0x62], [0x61, 0x80, 0x62]] {
      var key: [UInt8] = []
      bytes.withUnsafeBytes { collator.appendKey(of: $0, to: &key) }
      #expect(key == collator.key(of: "a\u{FFFD}b"))
    }
  }

  @Test func `a long name grows the buffers`() throws {
    let collator = try Collator(locale: "und")
    let long = String(repeating: "Åsa ", count: 50_000)
    #expect(collator.key(of: long).count > 100_000)
    #expect(collator.key(of: "Åsa").count < 20)
  }

  @Test func `the version tells rules apart`() throws {
    let root = try Collator(locale: "und").version
    let swedish = try Collator(locale: "sv").version
    #expect(try Collator(locale: "C").version == "C")
    #expect(root.split(separator: ".").count == 4)
    #expect(root.hasPrefix("1/") && root != "1/0.0.0.0")
    #expect(swedish.hasPrefix("1/"))
  }

  @Test(
    arguments: [
      "de", "de-AT", "DE-at", "de-CH-1996", "zh", "zh-Hant-TW", "ja", "sr-Latn", "es-419", "en-001",
      "rm", "tlh", "und", "und-u-kn", "de-u-co-phonebk", "de-AT-u-co-phonebk", "sv-u-co-trad",
      "en-u-ca-gregory", "hy", "root",
    ])
  func `opens`(locale: String) throws {
    #expect(try Collator(locale: locale).locale == locale)
  }

  @Test(
    arguments: [
      ("xx", TextRulesError.LocalePart.language), ("gr", .language),
      ("english", .language), ("de-XX", .region), ("de-QQ", .region), ("de-Abcd", .script),
      ("de-u-co-nonsense", .collationType), ("sv-u-co-pinyin", .collationType),
      ("de-u-ks-level9", .collationOption),
    ])
  func `names what it does not know`(locale: String, part: TextRulesError.LocalePart) {
    #expect(throws: TextRulesError.unknownLocale(locale, part)) {
      _ = try Collator(locale: locale).version
    }
  }

  @Test(
    arguments: [
      "", " ", "de_AT.UTF-8", "de@collation=phonebook", "d", "de--AT", "de-", "de\u{0}x", "c!", "ø",
      "de-u-",
    ])
  func `refuses what is no tag`(locale: String) {
    #expect(throws: TextRulesError.malformedLocale(locale)) {
      _ = try Collator(locale: locale).version
    }
  }

  @Test func `the message names the locale and is harmless`() {
    let error = TextRulesError.malformedLocale("de\u{1B}[2J")
    #expect(
      error.description
        == "“de␛[2J” is not a locale: expected C, und or a language tag like de-AT"
    )
    #expect(
      TextRulesError.unknownLocale("xx", .language).description
        == "cannot sort by locale “xx”: its language is unknown"
    )
  }
}
