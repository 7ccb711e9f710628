/// A word as somebody types it in Latin letters, in kana, or in Hangul's initial consonants, to be
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

  /// How many letters there are.
  package var count: Int {
    switch letters {
    case .latin(let letters): letters.count
    case .hangul(let letters): letters.count
    }
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
        LatinMatcher(letters: $0, cuts: cuts).match(in: readings, from: start, place)
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

/// Where and how well a word was found in the readings of a text; the smaller is the better.
package struct ReadingMatch: Sendable, Equatable, Comparable {
  /// How well, in steps; what is of one step differs in ``fit``, ``coversText``, ``place`` and where
  /// it is.
  package enum Grade: Int, Sendable, Comparable {
    /// A whole word, or whole ideographs, kana or Hangul syllables at the start of one.
    case whole
    /// The start of a word.
    case start
    /// From a later character of a word on, or by initials.
    case within
    /// By another reading of a character.
    case otherReading

    package static func < (left: Grade, right: Grade) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Fit: Int, Sendable, Comparable {
    /// Every part in a spelling of its main reading, the last perhaps begun.
    case whole
    /// Parts by their initials.
    case initials
    /// Some character in another of its readings.
    case otherReading

    package static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  package enum Place: Int, Sendable, Comparable {
    /// At the start of the text, of a word of it, or of a character inside a word.
    case text, word, inside

    package static func < (left: Place, right: Place) -> Bool { left.rawValue < right.rawValue }
  }

  /// The parts that were found, for ``ReadingUnits/source(of:)``.
  package let readings: Range<Int>
  package let place: Place
  package let fit: Fit
  /// The word ends with a word of the text, or with a whole ideograph, kana or Hangul syllable.
  package let isComplete: Bool
  /// The word is all of the text, not cut off in the last part.
  package let coversText: Bool

  package var grade: Grade {
    switch fit {
    case .whole: place == .inside ? .within : isComplete ? .whole : .start
    case .initials: .within
    case .otherReading: .otherReading
    }
  }

  package static func < (left: ReadingMatch, right: ReadingMatch) -> Bool {
    if left.grade != right.grade { return left.grade < right.grade }
    if left.fit != right.fit { return left.fit < right.fit }
    if left.coversText != right.coversText { return left.coversText }
    if left.place != right.place { return left.place < right.place }
    return left.readings.lowerBound < right.readings.lowerBound
  }
}

/// Compares letters with the combinations of all spellings: sets of positions up to which the
/// letters are used up, one set for each kind of fit.
private struct LatinMatcher {
  let letters: UnsafeBufferPointer<UInt8>
  let cuts: UInt64

  /// A set of positions for each fit, the best first.
  private struct Positions {
    var whole: UInt64 = 0
    var initials: UInt64 = 0
    var other: UInt64 = 0

    var isEmpty: Bool { whole | initials | other == 0 }

    func bestFit(at position: Int) -> ReadingMatch.Fit? {
      let bit: UInt64 = 1 << UInt64(position)
      if whole & bit != 0 { return .whole }
      if initials & bit != 0 { return .initials }
      return other & bit != 0 ? .otherReading : nil
    }

    mutating func insert(_ position: Int, _ fit: ReadingMatch.Fit) {
      let bit: UInt64 = 1 << UInt64(position)
      switch fit {
      case .whole: whole |= bit
      case .initials: initials |= bit
      case .otherReading: other |= bit
      }
    }
  }

  func match(
    in readings: UnsafeBufferPointer<Reading>,
    from start: Int,
    _ place: ReadingMatch.Place
  ) -> ReadingMatch? {
    var positions = Positions()
    positions.insert(0, .whole)
    var best: ReadingMatch?
    var index = start
    while index < readings.count {
      let reading = readings[index]
      index += 1
      if reading == ReadingTable.border { continue }
      var step = Step(next: Positions(), ended: nil)
      advance(positions, over: reading, &step)
      if let fit = step.ended {
        let match = ReadingMatch(
          readings: start..<index,
          place: place,
          fit: fit,
          isComplete: false,
          coversText: false
        )
        if best.map({ match < $0 }) ?? true { best = match }
      }
      positions = step.next
      if let fit = positions.bestFit(at: letters.count) {
        let endsPart = Self.endsPart(readings, index)
        let covers = start == 0 && index == readings.count
        let match = ReadingMatch(
          readings: start..<index,
          place: place,
          fit: fit,
          isComplete: endsPart,
          coversText: covers
        )
        if best.map({ match < $0 }) ?? true { best = match }
      }
      if positions.isEmpty { break }
    }
    return best
  }

  /// Whether a word ends before an index, or a part that is typed as a whole.
  private static func endsPart(_ readings: UnsafeBufferPointer<Reading>, _ index: Int) -> Bool {
    let last = readings[index - 1]
    if index == readings.count || readings[index] == ReadingTable.border { return true }
    return ReadingTable.isSyllable(last) || ReadingTable.isMora(last)
      || ReadingPattern.place(of: readings[index], after: last) == .word
  }

  private struct Step {
    var next: Positions
    /// The best fit with which the letters ended inside a spelling.
    var ended: ReadingMatch.Fit?
  }

  private func advance(_ from: Positions, over reading: Reading, _ step: inout Step) {
    var open = from.whole | from.initials | from.other
    while open != 0 {
      let position = open.trailingZeroBitCount
      open &= open - 1
      guard let fit = from.bestFit(at: position) else { continue }
      if position == letters.count {
        // What may be left out at the end belongs to the match.
        if ReadingTable.mayBeLeftOut(reading) { step.next.insert(position, fit) }
        continue
      }
      if ReadingTable.hangul.contains(reading) {
        advanceHangul(HangulSyllable(reading), position, fit, &step)
      } else {
        ReadingTable.withSpellings(of: reading) { spellings in
          advance(
            over: spellings,
            isSyllable: ReadingTable.isSyllable(reading),
            position,
            fit,
            &step
          )
        }
      }
    }
  }

  /// Takes each spelling of a list, and the initial of each if it is that of a syllable.
  private func advance(
    over spellings: UnsafeBufferPointer<UInt8>,
    isSyllable: Bool,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    var fit = fit
    var index = 0
    while index <= spellings.count {
      var end = index
      while end < spellings.count, spellings[end] > 0x2F, spellings[end] != UInt8(ascii: ";") {
        end += 1
      }
      let spelling = UnsafeBufferPointer(rebasing: spellings[index..<end])
      take(spelling, position, fit, &step)
      if isSyllable { takeInitial(of: spelling, position, max(fit, .initials), &step) }
      if end < spellings.count, spellings[end] == UInt8(ascii: ";") { fit = .otherReading }
      index = end + 1
    }
  }

  @inline(__always)
  private func take(
    _ spelling: UnsafeBufferPointer<UInt8>,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    var used = 0
    while used < spelling.count, position + used < letters.count,
      spelling[used] == letters[position + used]
    {
      used += 1
    }
    guard isUncut(position, used) else { return }
    if used == spelling.count {
      step.next.insert(position + used, fit)
    } else if position + used == letters.count {
      if step.ended.map({ fit < $0 }) ?? true { step.ended = fit }
    }
  }

  @inline(__always)
  private func takeInitial(
    of spelling: UnsafeBufferPointer<UInt8>,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    guard let first = spelling.first, first == letters[position] else { return }
    if spelling.count > 1 { step.next.insert(position + 1, fit) }
    guard spelling.count > 2, spelling[1] == UInt8(ascii: "h"), position + 1 < letters.count,
      letters[position + 1] == spelling[1], isUncut(position, 2)
    else { return }
    step.next.insert(position + 2, fit)
  }

  /// Whether no part must begin inside of so many letters.
  @inline(__always)
  private func isUncut(_ position: Int, _ count: Int) -> Bool {
    count < 2 || cuts >> UInt64(position + 1) & ((1 << UInt64(count - 1)) - 1) == 0
  }

  private func advanceHangul(
    _ syllable: HangulSyllable,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    for initial in syllable.initials {
      var inner = Step(next: Positions(), ended: nil)
      takePart(initial, position, fit, &inner)
      merge(inner.ended, into: &step)
      guard let afterInitial = end(of: initial, position) else { continue }
      if initial.utf8CodeUnitCount > 0 {
        step.next.insert(afterInitial, max(fit, .initials))
        if afterInitial == letters.count { merge(fit, into: &step) }
      }
      for vowel in syllable.vowels {
        guard let afterVowel = end(of: vowel, afterInitial) else {
          takePart(vowel, afterInitial, fit, &step)
          if initial.utf8CodeUnitCount == 0 {
            vowel.withUTF8Buffer {
              takeInitial(of: $0, afterInitial, max(fit, .initials), &step)
            }
          }
          continue
        }
        for final in syllable.finals { takePart(final, afterVowel, fit, &step) }
      }
    }
    for spelling in syllable.whole { takePart(spelling, position, fit, &step) }
  }

  private func merge(_ ended: ReadingMatch.Fit?, into step: inout Step) {
    if let ended, step.ended.map({ ended < $0 }) ?? true { step.ended = ended }
  }

  private func takePart(
    _ part: StaticString,
    _ position: Int,
    _ fit: ReadingMatch.Fit,
    _ step: inout Step
  ) {
    part.withUTF8Buffer { take($0, position, fit, &step) }
  }

  private func end(of part: StaticString, _ position: Int) -> Int? {
    part.withUTF8Buffer { part in
      guard position + part.count <= letters.count else { return nil }
      for offset in part.indices where part[offset] != letters[position + offset] { return nil }
      return position + part.count
    }
  }
}
