import TextRules

/// Finds in a name, as it is written, what words were found in its folded form, its readings or with
/// an error.
struct HitHighlights {
  private let name: String
  private let folded: FoldedText
  private var texts = FieldTexts()
  private var units = ReadingUnits()
  private var isRead = false

  init(_ name: String, _ owner: ReadingUnits.Owner) {
    var name = name
    self.name = name
    folded = FoldedText(name)
    name.withUTF8 { bytes in
      texts.take(UnsafeRawBufferPointer(bytes), of: owner)
      isRead = units.set(to: UnsafeRawBufferPointer(bytes), of: owner)
    }
  }

  /// The parts of the name's UTF-8 that the words found, rising and apart.
  func ranges(of matchers: [TermMatcher]) -> [Range<Int>] {
    let found = matchers.compactMap(range(of:)).filter { !$0.isEmpty }
      .sorted { $0.lowerBound < $1.lowerBound }
    var ranges: [Range<Int>] = []
    for range in found {
      if let last = ranges.last, last.upperBound >= range.lowerBound {
        ranges[ranges.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }

  private func range(of matcher: TermMatcher) -> Range<Int>? {
    let word = matcher.term.text
    switch matcher.term.means {
    case .all, .whole, .beginnings, .parts: break
    case .readings: return reading(of: matcher)
    case .digits, .misread, .sounds: return nil
    case .errors: return misspelt(matcher)
    }
    if let offset = Self.offset(of: word, in: folded.bytes) {
      return folded.original(of: offset..<offset + word.count)
    }
    if let offset = Self.offset(of: word, in: texts.joined) {
      return original(ofJoined: offset..<offset + word.count)
    }
    guard !matcher.term.isPhrase else { return nil }
    if let range = variant(of: matcher) { return range }
    return reading(of: matcher) ?? misspelt(matcher)
  }

  private func reading(of matcher: TermMatcher) -> Range<Int>? {
    guard isRead, let match = matcher.pattern?.firstMatch(in: units.readings) else { return nil }
    return units.original(of: match.readings)
  }

  private static func offset(of word: [UInt8], in text: [UInt8]) -> Int? {
    guard !word.isEmpty, word.count <= text.count else { return nil }
    return word.withUnsafeBufferPointer { word in
      text.withUnsafeBufferPointer { WordSearch.best(of: word, in: $0)?.offset }
    }
  }

  private func original(ofJoined range: Range<Int>) -> Range<Int> {
    folded.original(of: unjoined(range.lowerBound)..<unjoined(range.upperBound - 1) + 1)
  }

  /// The offset in the folded name of a byte in the joined one.
  private func unjoined(_ offset: Int) -> Int {
    var joined = 0
    for index in folded.bytes.indices {
      let isSame = joined < texts.joined.count && folded.bytes[index] == texts.joined[joined]
      guard isSame else { continue }
      if joined == offset { return index }
      joined += 1
    }
    return folded.bytes.count - 1
  }

  /// The whole word whose other spelling holds what was typed: letters do not stand for letters.
  private func variant(of matcher: TermMatcher) -> Range<Int>? {
    let text = texts.variant.isEmpty ? folded.bytes : texts.variant
    guard let offset = Self.offset(of: matcher.term.variant, in: text) else { return nil }
    let word = text[..<offset].count { $0 == 0x20 }
    let words = folded.bytes.split(separator: 0x20, omittingEmptySubsequences: false)
    guard word < words.count else { return nil }
    return folded.original(of: words[word].startIndex..<words[word].endIndex)
  }

  private func misspelt(_ matcher: TermMatcher) -> Range<Int>? {
    guard let errors = matcher.errors else { return nil }
    let found = errors.nearest(in: folded.bytes)
    if let joined = errors.nearest(in: texts.joined), joined.count < found?.count ?? .max {
      return original(ofJoined: joined.range)
    }
    return found.map { folded.original(of: $0.range) }
  }
}
