/// A word as the user types it in Latin letters, in kana, or in Hangul's initial consonants, to be
/// found in ``ReadingUnits``.
///
/// A word is found from the start of a word, or of an ideograph, a kana or a Hangul syllable inside
/// one; where scripts meet, a word begins.
/// Each part is typed whole, in any of its spellings; an ideograph or a syllable may be typed by its
/// initial alone (`z` or `zh`), and the last part may be typed in part. So `zhangwei`, `zhangw`,
/// `zwei`, `zw` and `weim` all find 张伟明, and `ㄱㅇㅁ` or `강ㅇ` 강유미.
///
/// An apostrophe or a hyphen stands between two parts: `xi'an` is 西安 and not 县.
package struct ReadingPattern: Sendable {
  /// Positions are bits of a word.
  package static let longest = 63

  private enum Letters: Sendable {
    case latin([UInt8])
    /// Syllables, and initial consonants as ordinals from 0 to 18.
    case hangul([UInt16])
  }

  private let letters: Letters
  /// A bit for each position where a part must begin.
  private let cuts: UInt64
  /// What the reading of the first part may begin with.
  private let beginnings: UInt64
  /// Whether kana was typed, to be found from an ideograph on: names in kana are found as they are.
  private let isKana: Bool

  /// Reads a word of a query.
  ///
  /// There is no pattern for a word that no reading can match: of other letters or signs than these,
  /// Hangul without an initial consonant (which plain text finds), or longer than 63 letters.
  ///
  /// - Parameter word: One folded word.
  package init?(folded word: UnsafeRawBufferPointer) {
    if let latin = Self.latin(word) {
      letters = .latin(latin.letters)
      cuts = latin.cuts
      beginnings = ReadingTable.bit(of: latin.letters[0]) | ReadingTable.leftOut
      isKana = false
    } else if let kana = Self.kana(word) {
      letters = .latin(kana)
      cuts = 0
      beginnings = ReadingTable.bit(of: kana[0])
      isKana = true
    } else if let hangul = Self.hangul(word) {
      letters = .hangul(hangul)
      cuts = 0
      beginnings = .max
      isKana = false
    } else {
      return nil
    }
  }

  package init?(folded word: [UInt8]) {
    guard let pattern = word.withUnsafeBytes({ ReadingPattern(folded: $0) }) else { return nil }
    self = pattern
  }

  private static func latin(
    _ word: UnsafeRawBufferPointer
  ) -> (letters: [UInt8], cuts: UInt64)? {
    var letters: [UInt8] = []
    var cuts: UInt64 = 0
    for byte in word {
      if ReadingTable.reading(ofASCII: byte) != nil {
        guard letters.count < longest else { return nil }
        letters.append(byte)
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "-") {
        cuts |= 1 << UInt64(letters.count)
      } else {
        return nil
      }
    }
    return letters.isEmpty ? nil : (letters, cuts)
  }

  /// The Latin letters of two kana or more, as one would type them.
  private static func kana(_ word: UnsafeRawBufferPointer) -> [UInt8]? {
    // Three bytes each, from U+3041 on; what goes with it is looked at below.
    guard word.count >= 6, word[0] == 0xE3 else { return nil }
    let text = String(decoding: word, as: UTF8.self)
    guard
      text.unicodeScalars.allSatisfy({ 0x3041...0x3096 ~= $0.value || 0x30A1...0x30FC ~= $0.value })
    else { return nil }
    let letters = ReadingUnits(text, of: .other).readings.flatMap { reading in
      Array((ReadingTable.spellings(of: reading).first?.text ?? "").utf8)
    }
    return letters.isEmpty || letters.count > longest ? nil : letters
  }

  /// Folding makes conjoining initials of compatibility jamo, and syllables where it can.
  private static func hangul(_ word: UnsafeRawBufferPointer) -> [UInt16]? {
    var letters: [UInt16] = []
    var index = 0
    var hasInitial = false
    while index < word.count {
      let (scalar, length) = UTF8Scan.scalar(at: index, in: word)
      switch scalar {
      case 0x1100...0x1112:
        letters.append(UInt16(scalar - 0x1100))
        hasInitial = true
      case 0xAC00...0xD7A3: letters.append(UInt16(scalar))
      default: return nil
      }
      guard length > 0, letters.count <= longest else { return nil }
      index += length
    }
    return hasInitial ? letters : nil
  }

  /// The Latin letters to be found, without what parts them; `nil` for Hangul.
  package var latinLetters: [UInt8]? {
    guard case .latin(let letters) = letters else { return nil }
    return letters
  }

  /// The best place where the word is found.
  ///
  /// - Parameter readings: Those of ``ReadingUnits``.
  /// - Returns: `nil` when it is not there.
  /// - Complexity: O(readings · positions that are open at once · spellings), without allocation;
  ///   some ten nanoseconds for each place where the first letter fits.
  package func firstMatch(in readings: UnsafeBufferPointer<Reading>) -> ReadingMatch? {
    var best: ReadingMatch?
    for start in readings.indices {
      guard ReadingTable.beginnings(of: readings[start]) & beginnings != 0,
        !isKana || ReadingTable.isSyllable(readings[start]),
        let place = place(of: start, in: readings),
        let match = match(in: readings, from: start, place)
      else { continue }
      if best.map({ match < $0 }) ?? true { best = match }
      // Nothing further on can be better: only the start of the text can cover it.
      if let best, best.grade == .whole { break }
    }
    return best
  }

  /// The same for an array.
  package func firstMatch(in readings: [Reading]) -> ReadingMatch? {
    readings.withUnsafeBufferPointer { firstMatch(in: $0) }
  }

  private func place(
    of start: Int,
    in readings: UnsafeBufferPointer<Reading>
  ) -> ReadingMatch.Place? {
    Self.place(of: readings[start], after: start == 0 ? nil : readings[start - 1])
  }

  /// Where in a text a reading stands, if a word of a query may be found from there on.
  ///
  /// - Parameters:
  ///   - this: The reading.
  ///   - last: The one before; `nil` at the start of the text.
  /// - Returns: `nil` where no word may be found from.
  package static func place(of this: Reading, after last: Reading?) -> ReadingMatch.Place? {
    guard let last else { return .text }
    if this == ReadingTable.border { return nil }
    // Where ideographs, kana or letters meet, a word begins as behind a blank.
    if last == ReadingTable.border || ReadingTable.isMora(this) != ReadingTable.isMora(last)
      || ReadingTable.isSyllable(this) != ReadingTable.isSyllable(last)
    {
      return .word
    }
    return ReadingTable.isMora(this) || ReadingTable.isSyllable(this) ? .inside : nil
  }

  private func match(
    in readings: UnsafeBufferPointer<Reading>,
    from start: Int,
    _ place: ReadingMatch.Place
  ) -> ReadingMatch? {
    switch letters {
    case .latin(let letters):
      letters.withUnsafeBufferPointer {
        LatinSpellingMatcher(letters: $0, cuts: cuts).match(in: readings, from: start, place)
      }
    case .hangul(let letters): Self.match(letters, in: readings, from: start, place)
    }
  }

  private static func match(
    _ letters: [UInt16],
    in readings: UnsafeBufferPointer<Reading>,
    from start: Int,
    _ place: ReadingMatch.Place
  ) -> ReadingMatch? {
    guard start + letters.count <= readings.count else { return nil }
    for (letter, reading) in zip(letters, readings[start...]) {
      guard ReadingTable.hangul.contains(reading) else { return nil }
      guard letter < 19 ? (reading - 0xAC00) / 588 == letter : reading == letter else { return nil }
    }
    let end = start + letters.count
    return ReadingMatch(
      readings: start..<end,
      place: place,
      fit: .initials,
      isComplete: true,
      coversText: start == 0 && end == readings.count
    )
  }
}
