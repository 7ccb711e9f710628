import TextRules

/// How one term of a query is found in a text.
struct TermMatcher: Sendable {
  let term: SearchTerm
  /// `nil` where typing errors do not count.
  let errors: TypingErrors?
  /// `nil` where readings do not count.
  let pattern: ReadingPattern?

  /// - Parameters:
  ///   - term: What is looked for.
  ///   - allowsErrors: Whether typing errors may find it.
  init(_ term: SearchTerm, allowsErrors: Bool) {
    self.term = term
    errors = allowsErrors || term.means == .misread ? Self.errors(in: term) : nil
    switch term.means {
    case .errors, .misread, .digits: pattern = nil
    default: pattern = term.isPhrase ? nil : ReadingPattern(folded: term.text)
    }
  }

  /// Whether it is a phrase of several words, which no dictionary has.
  var isOfWords: Bool { term.isPhrase && term.text.contains(0x20) }

  private static func errors(in term: SearchTerm) -> TypingErrors? {
    switch term.means {
    case .all: term.isPhrase ? nil : TypingErrors(term.text)
    case .readings, .digits, .whole, .beginnings, .parts: nil
    case .misread: TypingErrors(term.text)
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
    guard let errors else { return nil }
    if term.means == .misread {
      return texts.readings.withUnsafeBufferPointer { misread(in: $0) }
    }
    return texts.folded.withUnsafeBufferPointer { text in
      var least: Int?
      WordSearch.forEachWord(in: text) { range in
        if let count = errors.count(to: BorrowedText(rebasing: text[range])) {
          least = min(least ?? count, count)
        }
      }
      return least.map { TypingErrors.quality($0) }
    }
  }

  /// With a typing error or two in a name's main reading: in one of its words, in all of them written
  /// in one, or in what stands behind its first syllable.
  ///
  /// - Complexity: O(letters of the readings · letters of the word).
  func misread(in readings: UnsafeBufferPointer<Reading>) -> MatchQuality? {
    guard let errors, !readings.isEmpty else { return nil }
    var letters: [UInt8] = []
    letters.reserveCapacity(readings.count * 4)
    var (starts, seconds): ([Int], [Int]) = ([0], [])
    for (index, reading) in readings.enumerated() {
      if reading == ReadingTable.border {
        starts.append(letters.count)
        continue
      }
      ReadingTable.appendMainSpelling(of: reading, to: &letters)
      if seconds.count < starts.count, ReadingTable.isSyllable(readings[index]) {
        seconds.append(letters.count)
      }
    }
    var least: Int?
    func look(_ range: Range<Int>) {
      guard abs(range.count - errors.letters.count) <= errors.limit else { return }
      let count = letters.withUnsafeBufferPointer {
        errors.count(to: BorrowedText(rebasing: $0[range]))
      }
      if let count { least = min(least ?? count, count) }
    }
    let end = letters.count
    look(0..<end)
    if starts.count > 1 {
      for (start, next) in zip(starts, starts.dropFirst() + [end]) { look(start..<next) }
    } else if let second = seconds.first {
      look(second..<end)
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
