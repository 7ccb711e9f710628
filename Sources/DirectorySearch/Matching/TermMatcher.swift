import TextRules

/// How one term of a query is found in a text.
struct TermMatcher: Sendable {
  let term: SearchTerm
  /// `nil` where typing errors do not count.
  let errors: TypingErrors?
  /// `nil` where readings do not count.
  let pattern: ReadingPattern?
  /// Compares readings with typing errors; `nil` where they do not count.
  let misread: ReadingErrors?
  /// Compares what names in kana sound like; `nil` where it does not count.
  private let sounds: KanaTransliteration?

  /// - Parameters:
  ///   - term: What is looked for.
  ///   - allowsErrors: Whether typing errors may find it.
  init(_ term: SearchTerm, allowsErrors: Bool) {
    self.term = term
    errors = allowsErrors ? Self.errors(in: term) : nil
    misread =
      term.means == .misread
      ? ReadingErrors(term.text, limit: term.text.count >= 8 ? 2 : 1) : nil
    sounds = term.means == .sounds ? KanaTransliteration(term.text) : nil
    switch term.means {
    case .errors, .misread, .sounds, .digits: pattern = nil
    default:
      pattern = term.isPhrase || term.isLatin ? nil : ReadingPattern(folded: term.text)
    }
  }

  /// Whether it is a phrase of several words, which no dictionary has.
  var isOfWords: Bool { term.isPhrase && term.text.contains(0x20) }

  private static func errors(in term: SearchTerm) -> TypingErrors? {
    switch term.means {
    case .all: term.isPhrase ? nil : TypingErrors(term.text)
    case .readings, .digits, .whole, .beginnings, .parts, .misread, .sounds: nil
    case .errors: TypingErrors(term.text) ?? TypingErrors(term.text, limit: 0)
    }
  }

  /// The letters themselves, another spelling or a reading, otherwise with typing errors.
  func best(in texts: FieldTexts) -> MatchQuality? {
    let literal = literal(in: texts)
    if literal == .whole { return literal }
    guard let read = read(in: texts) else { return literal ?? withErrors(in: texts) }
    return literal.map { min($0, read) } ?? read
  }

  /// The letters themselves.
  func literal(in texts: FieldTexts) -> MatchQuality? {
    guard term.means.areLetters, let found = Self.literal(term.text, in: texts) else { return nil }
    return term.means.mayFind(found) ? found : nil
  }

  /// The digits.
  func quality(in digits: PhoneDigits) -> MatchQuality? {
    guard let found = term.phone?.quality(in: digits), term.means.mayFind(found) else {
      return nil
    }
    return found
  }

  private static func literal(_ word: [UInt8], in texts: FieldTexts) -> MatchQuality? {
    let found = literal(word, in: texts.folded)
    guard found != .whole, !texts.joined.isEmpty, let other = literal(word, in: texts.joined) else {
      return found
    }
    return found.map { min($0, other) } ?? other
  }

  static func literal(_ word: [UInt8], in text: [UInt8]) -> MatchQuality? {
    guard word.count <= text.count else { return nil }
    return word.withUnsafeBufferPointer { word in
      text.withUnsafeBufferPointer { WordSearch.best(of: word, in: $0)?.quality }
    }
  }

  /// With a typing error or two.
  func withErrors(in texts: FieldTexts) -> MatchQuality? {
    if term.means == .misread || term.means == .sounds {
      return texts.readings.withUnsafeBufferPointer { misread(in: $0) }
    }
    guard let errors else { return nil }
    let found = errors.nearest(in: texts.folded)?.count
    // Joined words stand in dictionaries beside the others.
    let least = errors.nearest(in: texts.joined).map { min(found ?? $0.count, $0.count) } ?? found
    return least.map { TypingErrors.quality($0) }
  }

  /// With a typing error or two in a name's reading, or by what it sounds like: in one of its words, in
  /// all of them written in one, or in what stands behind its first syllable.
  ///
  /// - Complexity: O(spellings of the readings).
  func misread(in readings: UnsafeBufferPointer<Reading>) -> MatchQuality? {
    if let sounds { return sounds.isHeard(in: readings) ? .oneError : nil }
    guard let misread, !readings.isEmpty else { return nil }
    var least: Int?
    func look(_ range: Range<Int>) {
      guard !range.isEmpty else { return }
      let part = UnsafeBufferPointer(rebasing: readings[range])
      guard misread.count(to: part, mainOnly: false) != nil else { return }
      // In a spelling that fewer people use, an error is one more.
      let count = misread.count(to: part, mainOnly: true) ?? 2
      least = min(least ?? count, count)
    }
    look(0..<readings.count)
    var start = 0
    while let border = readings[start...].firstIndex(of: ReadingTable.border) {
      look(start..<border)
      start = border + 1
    }
    if start > 0 {
      look(start..<readings.count)
    } else if ReadingTable.isSyllable(readings[0]) {
      look(1..<readings.count)
    }
    return least.map { TypingErrors.quality($0) }
  }

  /// In Latin letters, or in another spelling.
  func read(in texts: FieldTexts) -> MatchQuality? {
    guard let found = reading(in: texts), term.means.mayFind(found) else { return nil }
    return found
  }

  private func reading(in texts: FieldTexts) -> MatchQuality? {
    guard !term.isPhrase else { return nil }
    guard term.means.areLetters else {
      return pattern?.firstMatch(in: texts.readings).map { MatchQuality($0) }
    }
    var best = Self.literal(term.variant, in: texts.variant).map { MatchQuality(ofVariant: $0) }
    if term.variant != term.text, let found = Self.literal(term.variant, in: texts) {
      let quality = MatchQuality(ofVariant: found)
      best = best.map { min($0, quality) } ?? quality
    }
    guard best != .wholeReading, let pattern, !texts.readings.isEmpty,
      let match = pattern.firstMatch(in: texts.readings)
    else { return best }
    let read = MatchQuality(match)
    return best.map { min($0, read) } ?? read
  }
}
