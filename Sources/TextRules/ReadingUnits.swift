/// How a text is read in Latin letters: a sequence of readings, one for each part of it, whose
/// spellings one behind the other make all the ways to type it.
///
///     张伟 Lee       张 {zhang}  伟 {wei}  ·  {l} {e} {e}
///     重庆           重 {chong; zhong, tong}  庆 {qing}
///     Щукин          щ {shch, sc, sch, …}  у {u}  к {k}  и {i, y}  н {n}
///     おおしま       おお {oo, o, oh, ou}  し {shi, si}  ま {ma}
///     كمال           {k, ka, ke, …, kk}  {m, ma, …}  {a, aa, …}  {l, la, …}
///
/// Nothing multiplies: a name of n characters has at most n readings, two bytes each, and a
/// ``ReadingPattern`` is compared with all their combinations at once.
///
/// | script | read as |
/// | --- | --- |
/// | Han | pinyin by character, Traditional and Simplified; the common readings of a character, the one of the word or of the surname first |
/// | Han in a person's name behind a Japanese surname | Japanese readings too, behind the Chinese ones |
/// | kana | Hepburn, Kunrei and as typed; long vowels doubled, single or as `ou`; small tsu doubles |
/// | Hangul | Revised Romanisation by syllable and its common variants |
/// | Cyrillic | English, scholarly and French or German habits by letter |
/// | Greek | by sound and by letter |
/// | Hebrew, Arabic | consonants; each may have a vowel behind it and may be doubled |
/// | Indic scripts | ICU's transliteration; the inherent vowel may be left out |
/// | Thai, Lao | by letter, the vowel that is written before its consonant behind it |
/// | others that ICU transliterates | letter by letter, without marks |
/// | Latin | as it folds |
///
/// Sources: Unihan 15, ICU's Any-Latin; `scripts/readings` makes the tables and says how.
package struct ReadingUnits: Sendable {
  /// What a name belongs to: only a person's begins with a surname.
  package enum Owner: Sendable {
    case person
    case other
  }

  /// Readings in the order of the text, ``ReadingTable/border`` between words; not at the ends.
  package private(set) var readings: [Reading] = []
  /// For each reading, where the part it belongs to ends in the original; rising.
  package private(set) var originalEnds: [UInt32] = []

  private var scalars: [UInt32] = []
  private var scalarEnds: [UInt32] = []
  private var folded: [UInt8] = []
  /// Whether any reading is not that of an ASCII letter.
  private var hasLetters = false
  /// Whether the text began with a Japanese surname.
  private var isJapanese = false

  package init() {}

  /// The readings of one text.
  package init(_ text: String, of owner: Owner) {
    _ = text.withUTF8Bytes { set(to: $0, of: owner) }
  }

  /// Reads another text in the place of the last, in the same memory.
  ///
  /// - Parameters:
  ///   - utf8: The text as it is written, at most 4 GiB; what is ill-formed is a border.
  ///   - owner: Whether the text begins with a surname.
  /// - Returns: Whether there is anything to read: `false`, and no readings, for text that is Latin
  ///   as it folds, or of scripts that are not transliterated here.
  /// - Complexity: O(n); ASCII is looked at once, ideographs and Hangul cost some nanoseconds each.
  @discardableResult
  package mutating func set(to utf8: UnsafeRawBufferPointer, of owner: Owner) -> Bool {
    readings.removeAll(keepingCapacity: true)
    originalEnds.removeAll(keepingCapacity: true)
    guard UTF8Scan.asciiPrefix(utf8) < utf8.count else { return false }
    decode(utf8)
    guard scalars.contains(where: { $0 >= 0x80 }) else { return false }
    hasLetters = false
    isJapanese = false
    read(owner)
    if !hasLetters {
      readings.removeAll(keepingCapacity: true)
      originalEnds.removeAll(keepingCapacity: true)
    } else if readings.last == ReadingTable.border {
      readings.removeLast()
      originalEnds.removeLast()
    }
    return !readings.isEmpty
  }

  /// The bytes of the original that some of the readings belong to.
  ///
  /// - Returns: Offsets in the original, whole scalars, with the borders that begin the range.
  package func original(of range: Range<Int>) -> Range<Int> {
    let start = range.lowerBound == 0 ? 0 : Int(originalEnds[range.lowerBound - 1])
    return start..<(range.isEmpty ? start : Int(originalEnds[range.upperBound - 1]))
  }

  // MARK: - Scalars

  /// Fills `scalars`: folded, but for what folding makes the same and reading does not (й, ё, ї).
  private mutating func decode(_ utf8: UnsafeRawBufferPointer) {
    scalars.removeAll(keepingCapacity: true)
    scalarEnds.removeAll(keepingCapacity: true)
    var index = 0
    while index < utf8.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
      guard length > 0 else {
        index += 1
        append(0x20, end: index)
        continue
      }
      let end = index + length
      if Self.readsAsIs(scalar), !Self.isMark(at: end, in: utf8) {
        append(scalar, end: end)
        index = end
      } else {
        index = appendPiece(from: index, first: scalar, after: end, in: utf8)
      }
    }
  }

  private mutating func append(_ scalar: UInt32, end: Int) {
    scalars.append(scalar)
    scalarEnds.append(UInt32(end))
  }

  /// Appends what a scalar with its marks folds to.
  ///
  /// - Returns: Where the next one begins.
  private mutating func appendPiece(
    from start: Int,
    first: UInt32,
    after: Int,
    in utf8: UnsafeRawBufferPointer
  ) -> Int {
    var end = after
    var mark: UInt32 = 0
    while end < utf8.count {
      let (scalar, length) = UTF8Scan.scalar(at: end, in: utf8)
      guard length > 0, !Folding.startsPiece(scalar) else { break }
      if mark == 0 { mark = scalar }
      end += length
    }
    if Self.cyrillic.contains(first) {
      append(Self.cyrillic(first, with: mark), end: end)
      return end
    }
    folded.removeAll(keepingCapacity: true)
    Folding.appendFolded(UnsafeRawBufferPointer(rebasing: utf8[start..<end]), to: &folded)
    folded.withUnsafeBytes { folded in
      var index = 0
      while index < folded.count {
        let (scalar, length) = UTF8Scan.scalar(at: index, in: folded)
        append(scalar, end: end)
        index += max(length, 1)
      }
    }
    return end
  }

  private static let cyrillic: ClosedRange<UInt32> = 0x400...0x52F

  /// Ideographs, Hangul syllables, kana, Cyrillic and ASCII letters in small.
  @inline(__always)
  private static func readsAsIs(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x61...0x7A, 0x20, 0x30...0x39, 0x400...0x52F, 0x3041...0x3096, 0x30A1...0x30FE,
      0x3400...0x9FFF, 0xAC00...0xD7A3, 0x20000...0x2F7FF, 0x3005:
      true
    default: false
    }
  }

  @inline(__always)
  private static func isMark(at index: Int, in utf8: UnsafeRawBufferPointer) -> Bool {
    // ASCII, ideographs and Hangul syllables are not marks and begin these pieces.
    guard index < utf8.count, utf8[index] >= 0x80 else { return false }
    let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
    switch scalar {
    case 0x3041...0x3096, 0x30A1...0x30FE, 0x3400...0x9FFF, 0xAC00...0xD7A3, 0x410...0x44F:
      return false
    default: return length > 0 && !Folding.startsPiece(scalar)
    }
  }

  /// Composes the letters that mean another sound with their mark; others lose theirs.
  private static func cyrillic(_ letter: UInt32, with mark: UInt32) -> UInt32 {
    switch (letter, mark) {
    case (0x418, 0x306), (0x438, 0x306): 0x439
    case (0x423, 0x306), (0x443, 0x306): 0x45E
    case (0x415, 0x308), (0x435, 0x308): 0x451
    case (0x406, 0x308), (0x456, 0x308): 0x457
    default: letter
    }
  }

  // MARK: - Readings

  private mutating func read(_ owner: Owner) {
    composeNuktas()
    reorderVowels()
    for index in scalars.indices { scalars[index] = Self.plain(scalars[index]) }
    var index = 0
    while index < scalars.count {
      if index == 0 || readings.isEmpty, owner == .person, let count = appendSurname(at: index) {
        index += count
      } else if let group = ReadingTable.groups.longest(in: scalars, at: index, atLeast: 2),
        beginsWord(index) || !Self.isArticle(scalars[index]),
        !isJapanese || !ReadingTable.isIdeograph(scalars[index])
      {
        appendGroup(group.readings, scalars: group.scalars, at: index)
        index += group.scalars
      } else {
        appendScalar(at: index)
        index += 1
      }
    }
  }

  /// Puts letters of Indic scripts together with their dot: ज़ is za, and not ja.
  private mutating func composeNuktas() {
    guard scalars.contains(where: Self.isNukta) else { return }
    var count = 0
    for index in scalars.indices {
      if Self.isNukta(scalars[index]), count > 0 {
        if let letter = Self.withNukta[scalars[count - 1]] { scalars[count - 1] = letter }
        scalarEnds[count - 1] = scalarEnds[index]
      } else {
        (scalars[count], scalarEnds[count]) = (scalars[index], scalarEnds[index])
        count += 1
      }
    }
    scalars.removeSubrange(count...)
    scalarEnds.removeSubrange(count...)
  }

  private static func isNukta(_ scalar: UInt32) -> Bool {
    [0x93C, 0x9BC, 0xA3C, 0xABC, 0xB3C].contains(scalar)
  }

  /// Source: Unicode 15, canonical decompositions with a nukta, which composing leaves apart.
  private static let withNukta: [UInt32: UInt32] = [
    0x915: 0x958, 0x916: 0x959, 0x917: 0x95A, 0x91C: 0x95B, 0x921: 0x95C, 0x922: 0x95D,
    0x92B: 0x95E, 0x92F: 0x95F, 0x9A1: 0x9DC, 0x9A2: 0x9DD, 0x9AF: 0x9DF, 0xA32: 0xA33,
    0xA38: 0xA36, 0xA16: 0xA59, 0xA17: 0xA5A, 0xA1C: 0xA5B, 0xA2B: 0xA5E, 0xB21: 0xB5C,
    0xB22: 0xB5D,
  ]

  /// Whether the readings so far end before a word; an article is none inside of one (`خالد`).
  private func beginsWord(_ index: Int) -> Bool {
    index == 0 || readings.isEmpty || readings.last == ReadingTable.border
  }

  /// Whether a group of letters that begins so is the Arabic article.
  private static func isArticle(_ first: UInt32) -> Bool { first == 0x627 }

  /// Puts a Thai or Lao vowel that is written before its consonant behind it.
  private mutating func reorderVowels() {
    var index = 0
    while index + 1 < scalars.count {
      let isVowel = 0xE40...0xE44 ~= scalars[index] || 0xEC0...0xEC4 ~= scalars[index]
      let next = scalars[index + 1]
      if isVowel, 0xE01...0xE2E ~= next || 0xE81...0xEAE ~= next {
        scalars.swapAt(index, index + 1)
        index += 1
      }
      index += 1
    }
  }

  /// Katakana for hiragana, small letters for Cyrillic capitals.
  @inline(__always)
  private static func plain(_ scalar: UInt32) -> UInt32 {
    switch scalar {
    case 0x3041...0x3096, 0x309D, 0x309E: scalar + 0x60
    case 0x410...0x42F: scalar + 0x20
    case 0x400...0x40F: scalar + 0x50
    default: scalar
    }
  }

  private mutating func append(_ reading: Reading, from scalar: Int) {
    if scalars[scalar] >= 0x80, reading != ReadingTable.border { hasLetters = true }
    readings.append(reading)
    originalEnds.append(scalarEnds[scalar])
  }

  private mutating func appendGroup(
    _ group: UnsafeBufferPointer<UInt32>,
    scalars count: Int,
    at index: Int
  ) {
    for (offset, reading) in group.enumerated() {
      // As many readings as characters, or one for all of them.
      let last = group.count == count ? index + offset : index + count - 1
      let reading = Reading(reading)
      append(isBare(at: last, reading) ? reading + 1 : reading, from: last)
    }
  }

  /// Reads the surname of a name that may be one: of two to four ideographs, or apart from the rest.
  ///
  /// - Returns: How many scalars it has, or `nil` when it is read like any word.
  private mutating func appendSurname(at index: Int) -> Int? {
    guard scalars[index] >= 0x3400 else { return nil }
    if let count = appendJapaneseSurname(at: index) { return count }
    let run = scalars[index...].prefix { ReadingTable.isIdeograph($0) }.count
    guard run > 0 else { return nil }
    if run <= 5, let surname = ReadingTable.surnames.longest(in: scalars, at: index, atLeast: 2) {
      appendGroup(surname.readings, scalars: surname.scalars, at: index)
      return surname.scalars
    }
    guard run <= 4, ReadingTable.groups.longest(in: scalars, at: index, atLeast: 2) == nil,
      let surname = ReadingTable.surnames.longest(in: scalars, at: index, atLeast: 1)
    else { return nil }
    appendGroup(surname.readings, scalars: surname.scalars, at: index)
    return surname.scalars
  }

  /// Reads a Japanese surname, of several ideographs, with a blank behind it, or with a given name that
  /// is rather Japanese.
  ///
  /// Chinese names may begin so too, and places do: the Japanese readings come behind the others.
  private mutating func appendJapaneseSurname(at index: Int) -> Int? {
    guard
      let surname = ReadingTable.japaneseSurnames.longest(in: scalars, at: index, atLeast: 1),
      surname.scalars > 1
        || index + 1 < scalars.count
          && (scalars[index + 1] == 0x20 || isJapaneseGivenName(scalars[(index + 1)...]))
    else { return nil }
    appendGroup(surname.readings, scalars: surname.scalars, at: index)
    isJapanese = true
    return surname.scalars
  }

  /// Whether ideographs behind a surname of one are a given name that is rather Japanese than Chinese.
  private func isJapaneseGivenName(_ given: ArraySlice<UInt32>) -> Bool {
    guard 2...3 ~= given.count, let last = given.last else { return false }
    return Self.japaneseEndings.contains(last)
      && given.allSatisfy { ReadingTable.isIdeograph($0) || $0 == 0x3005 }
  }

  /// What given names of two ideographs and more often end with in Japan and seldom in China:
  /// 太郎介助輔也哉衣奈菜乃斗彦子恵織々翔悟吾.
  private static let japaneseEndings = Set(
    "太郎介助輔也哉衣奈菜乃斗彦子恵織々翔悟吾".unicodeScalars.map(\.value)
  )

  private mutating func appendScalar(at index: Int) {
    let scalar = scalars[index]
    if scalar < 0x80 {
      appendASCII(UInt8(scalar), at: index)
    } else if 0xAC00...0xD7A3 ~= scalar {
      append(Reading(scalar), from: index)
    } else if scalar == 0x3005, let last = readings.last, ReadingTable.isSyllable(last) {
      append(last, from: index)
    } else {
      let reading =
        isJapanese
        ? ReadingTable.japaneseReading(of: scalar) : ReadingTable.reading(of: scalar)
      if reading != 0 {
        append(isBare(at: index, reading) ? reading + 1 : reading, from: index)
      } else if !ScalarTraits.table[scalar].isMark {
        appendBorder(at: index)
      }
    }
  }

  private mutating func appendASCII(_ byte: UInt8, at index: Int) {
    if let reading = ReadingTable.reading(ofASCII: byte) {
      append(reading, from: index)
    } else if byte != UInt8(ascii: "'") {
      appendBorder(at: index)
    }
  }

  private mutating func appendBorder(at index: Int) {
    guard let last = readings.last, last != ReadingTable.border else {
      if !originalEnds.isEmpty { originalEnds[originalEnds.count - 1] = scalarEnds[index] }
      return
    }
    append(ReadingTable.border, from: index)
  }

  /// Whether an Indic consonant has a vowel sign or a virama behind it, after its dot if need be.
  private func isBare(at index: Int, _ reading: Reading) -> Bool {
    guard ReadingTable.hasInherentVowel(reading) else { return false }
    var next = index + 1
    while next < scalars.count, scalars[next] & 0x7F == 0x3C { next += 1 }
    guard next < scalars.count, 0x900...0xD7F ~= scalars[next] else { return false }
    switch scalars[next] & 0x7F {
    case 0x3A, 0x3B, 0x3E...0x4D, 0x55...0x57, 0x62, 0x63: return true
    default: return false
    }
  }
}
