/// The form of text in which a search compares: what people type and what is written come together.
///
/// | from | to | example |
/// | --- | --- | --- |
/// | letter case (Unicode's full case folding) | lower case | `STRAẞE` → `strasse`, `ΟΔΟΣ` → `οδοσ` |
/// | canonical and compatibility variants (NFKC) | the plain form | `ﬁ` → `fi`, `Ａ１` → `a1`, `ｶﾞ` → `ガ` |
/// | diacritics of Latin, Greek, Cyrillic, Hebrew, Arabic, Syriac, and after signs and digits | removed | `Ångström` → `angstrom`, `Ёлка` → `елка`, `شُكْر` → `شكر` |
/// | marks of every other script, kana's voicing | kept, composed | `が` stays apart from `か`; `กำ`, `की`, `ถ้ำ` keep their vowels and tones |
/// | Latin letters without decomposition | CLDR's Latin-ASCII, lower case | `Łukasz` → `lukasz`, `Þór Ægir` → `thor aegir`, `ı` → `i` |
/// | Arabic letter variants | one of them | `أ إ آ ٱ` → `ا`, `ى ی` → `ي`, `ک` → `ك`, `ة ۀ` → `ه`, tatweel removed |
/// | decimal digits of every script | ASCII | `٤२` → `42` |
/// | every dash (Unicode's Dash), hyphen bullet, modifier minus | `-` | `‑ – — − ־` |
/// | every apostrophe, prime and modifier apostrophe | `'` | `’ ‘ ʼ ′ ʻ ´ ׳` and the grave accent |
/// | accents that stand alone | removed; acute, grave and Greek ones an apostrophe | `¨`, `´` → `'` |
/// | every run of white space | one space | at the ends of the text too |
/// | zero-width, default-ignorable, bidi and control characters | removed | ZWJ, ZWNJ, soft hyphen, U+202E |
///
/// Folding what is folded changes nothing. Ill-formed UTF-8 is read as U+FFFD.
/// Sources: Unicode 15 §3.13 (toNFKC_Casefold), UAX #15, UAX #44 (Dash, White_Space), CLDR 42
/// Latin-ASCII, and for the Arabic letters Lucene's ArabicNormalizer and PersianNormalizer.
package enum Folding {
  /// The folded form of a text.
  package static func fold(_ text: String) -> String {
    var folded: [UInt8] = []
    text.withUTF8Bytes { appendFolded($0, to: &folded) }
    return String(decoding: folded, as: UTF8.self)
  }

  /// Appends the folded form of a text.
  ///
  /// What stood in `folded` before does not matter to the result.
  ///
  /// - Complexity: O(n). ASCII goes by words of eight bytes, scalars that fold alone by a table,
  ///   and text with other combining marks through ICU's normalizer.
  package static func appendFolded(_ utf8: UnsafeRawBufferPointer, to folded: inout [UInt8]) {
    let start = folded.count
    folded.append(contentsOf: utf8)
    let done = folded.withUnsafeMutableBytes {
      foldPlainPrefix(UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
    }
    guard done < utf8.count else { return }

    folded.removeLast(utf8.count - done)
    if appendByTable(utf8, from: done, to: &folded) { return }
    folded.removeLast(folded.count - start)
    appendByNormalizer(utf8, to: &folded)
  }

  // MARK: - ASCII

  /// Lowers the ASCII that the bytes begin with, in place.
  ///
  /// - Returns: How many bytes are folded; what follows is not ASCII, or is white space that must
  ///   be collapsed, a control or a grave accent.
  @inline(__always)
  private static func foldPlainPrefix(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress else { return 0 }
    let count = bytes.count
    var index = 0
    var afterSpace: UInt64 = 0
    while index &+ 8 <= count {
      guard let word = foldedWord(UTF8Scan.word(at: base + index), &afterSpace) else {
        return foldPlainBytes(bytes, from: index)
      }
      base.storeBytes(of: word.littleEndian, toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    if index < count, count > 8 {
      // The rest with what comes before it fills a word; folding that again changes nothing.
      let last = count &- 8
      afterSpace = base.load(fromByteOffset: last &- 1, as: UInt8.self) == 0x20 ? 0x80 : 0
      if let word = foldedWord(UTF8Scan.word(at: base + last), &afterSpace) {
        base.storeBytes(of: word.littleEndian, toByteOffset: last, as: UInt64.self)
        return count
      }
    }
    return foldPlainBytes(bytes, from: index)
  }

  /// Folds eight bytes at once.
  ///
  /// - Parameters:
  ///   - word: The bytes, the first of them lowest.
  ///   - afterSpace: 0x80 when the byte before is a space; set for the next word.
  /// - Returns: The folded bytes, or `nil` when one of them is not plain.
  @inline(__always)
  private static func foldedWord(_ word: UInt64, _ afterSpace: inout UInt64) -> UInt64? {
    let high = UTF8Scan.spread(0x80)
    let seven = word & ~high
    let space = ~((seven ^ UTF8Scan.spread(0x20)) &+ UTF8Scan.spread(0x7F)) & high
    let grave = ~((seven ^ UTF8Scan.spread(0x60)) &+ UTF8Scan.spread(0x7F)) & high
    let control = ~(seven &+ UTF8Scan.spread(0x60)) | (seven &+ UTF8Scan.spread(1))
    let doubled = space & (space << 8 | afterSpace)
    guard (word | control | grave | doubled) & high == 0 else { return nil }

    afterSpace = space >> 56
    let fromA = seven &+ UTF8Scan.spread(0x80 - 0x41)
    let pastZ = seven &+ UTF8Scan.spread(0x80 - 0x5B)
    return word | (fromA & ~pastZ & high) >> 2
  }

  private static func foldPlainBytes(_ bytes: UnsafeMutableRawBufferPointer, from: Int) -> Int {
    var index = from
    while index < bytes.count {
      let byte = bytes[index]
      guard byte &- 0x20 < 0x5F, byte != 0x60 else { return index }
      if byte == 0x20, index > 0, bytes[index - 1] == 0x20 { return index }
      bytes[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
      index &+= 1
    }
    return index
  }

  // MARK: - By table

  /// What scalars fold to whose neighbours do not matter.
  private static let table = ScalarTable<FoldedScalar> { FoldedScalar(scalar: $0) }

  /// Appends the folded form of the bytes from an offset on.
  ///
  /// - Returns: Whether it could: `false` when a scalar's folding depends on its neighbours.
  private static func appendByTable(
    _ utf8: UnsafeRawBufferPointer,
    from: Int,
    to folded: inout [UInt8]
  ) -> Bool {
    // A folded scalar is at most seven bytes, its source at least two, or one for one; and each is
    // stored as eight.
    let capacity = (utf8.count - from) * 4 + 8
    return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return false }
      let table = table
      var afterSpace = from > 0 && folded.last == 0x20
      var marksAreDiacritics = true
      var count = 0
      var index = from
      while index < utf8.count {
        let (scalar, length) = UTF8Scan.scalar(at: index, in: utf8)
        let entry = table[scalar]
        guard length > 0, entry.effect != .needsNeighbours else { return false }
        index &+= length
        switch entry.effect {
        case .marksAreDiacritics: marksAreDiacritics = true
        case .marksAreLetters: marksAreDiacritics = false
        case .dropsAfterDiacriticsBase where !marksAreDiacritics: return false
        case .none, .dropsAfterDiacriticsBase, .needsNeighbours: break
        }
        if entry.isSpace {
          if afterSpace { continue }
          afterSpace = true
        } else if entry.count > 0 {
          afterSpace = false
        }
        base.storeBytes(of: entry.bytes, toByteOffset: count, as: UInt64.self)
        count &+= entry.count
      }
      folded.append(contentsOf: UnsafeRawBufferPointer(start: base, count: count))
      return true
    }
  }
}

/// The folded form of one scalar, packed in a word: up to seven bytes of UTF-8, then their count in
/// three bits and the effect in five.
private struct FoldedScalar: BitwiseCopyable, Sendable {
  /// What the scalar means for the marks after it.
  enum Effect: UInt8 {
    case none
    case marksAreDiacritics
    case marksAreLetters
    /// A diacritic: it goes when the base before it is of a script whose marks are diacritics.
    case dropsAfterDiacriticsBase
    case needsNeighbours
  }

  private let word: UInt64

  var effect: Effect { Effect(rawValue: UInt8(truncatingIfNeeded: word >> 59)) ?? .needsNeighbours }
  var count: Int { Int(truncatingIfNeeded: word >> 56 & 7) }
  /// The bytes, in the order of memory; the eighth means nothing.
  var bytes: UInt64 { word.littleEndian }
  var isSpace: Bool { word & 0x7FF_FFFF_FFFF_FFFF == 1 << 56 | 0x20 }

  init(scalar value: UInt32) {
    guard let scalar = Unicode.Scalar(value) else {
      self.init([], .needsNeighbours)
      return
    }
    var folded: [UInt8] = []
    Folding.appendByNormalizer(String(scalar), to: &folded)
    let traits = ScalarTraits.table[value]
    if traits.isDiacritic {
      self.init([], folded.isEmpty ? .dropsAfterDiacriticsBase : .needsNeighbours)
    } else if !Folding.foldsAlone(scalar) || folded.count > 7
      || (folded.contains(0x20) && folded != [0x20])
    {
      self.init([], .needsNeighbours)
    } else if folded.isEmpty || traits.isMark {
      self.init(folded, .none)
    } else {
      var accented: [UInt8] = []
      Folding.appendByNormalizer("\(scalar)\u{301}", to: &accented)
      self.init(folded, accented == folded ? .marksAreDiacritics : .marksAreLetters)
    }
  }

  private init(_ folded: [UInt8], _ effect: Effect) {
    let text = folded.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    word = UInt64(effect.rawValue) << 59 | UInt64(folded.count) << 56 | text
  }
}
