/// Names whose words are typed in one or apart, and initials: `annaschmidt`, `aschmidt`, `schmidta`,
/// `vanderberg`, `obrien`, `van derberg`, `jr hartley`.
///
/// All of it is looked for in names alone, as whole words or their first letters.
struct JoinedNames {
  private let terms: [SearchTerm]
  private(set) var readings: [SearchReading] = []

  /// So many readings at most are tried; the first ones are the likeliest.
  static let mostReadings = 32
  /// More words are rather a sentence than a name.
  static let mostWords = 4

  /// - Parameters:
  ///   - terms: The words of the query.
  ///   - directory: What is known of the words of the directory.
  /// - Throws: What `directory` throws.
  init(_ terms: [SearchTerm], _ directory: inout some WordStatistics) throws(SearchError) {
    self.terms = terms
    let areNames = terms.allSatisfy { [nil, .name].contains($0.field) && !$0.isPhrase }
    guard areNames, terms.count <= Self.mostWords else { return }
    for index in terms.indices where terms[index].isPlain {
      joinParts(of: index)
      split(index)
      if terms.count > 1 {
        takeAsInitials(index)
        takeInitial(of: index)
      }
    }
    joinNeighbours()
    for index in terms.indices { try segment(index..<index + 1, &directory) }
    if terms.count > 1 { try segment(terms.startIndex..<terms.endIndex, &directory) }
  }

  private mutating func add(_ parts: [Part], insteadOf range: Range<Int>, othersWhole: Bool = false)
  {
    guard readings.count < Self.mostReadings else { return }
    func others(_ range: Range<Int>) -> [SearchTerm] {
      terms[range].map { othersWhole ? Part($0.text, .whole).term : $0 }
    }
    let all =
      others(0..<range.lowerBound) + parts.map(\.term) + others(range.upperBound..<terms.count)
    readings.append(SearchReading(terms: all.uniqued, note: QueryRewriter.note(all)))
  }

  private struct Part {
    var term: SearchTerm

    init(_ text: some Sequence<UInt8>, _ means: SearchTerm.Mechanism) {
      term = SearchTerm(text: Array(text), field: .name)
      term.means = means
    }

    init(_ letters: ArraySlice<Unicode.Scalar>, _ means: SearchTerm.Mechanism) {
      self.init(String(String.UnicodeScalarView(letters)).utf8, means)
    }
  }

  /// `o'brien`, `jean-luc` as they are written in one.
  private mutating func joinParts(of index: Int) {
    let text = terms[index].text
    let letters = text.filter { !"-'".utf8.contains($0) }
    guard letters.count < text.count, letters.count >= 4 else { return }
    add([Part(letters, .whole)], insteadOf: index..<index + 1)
  }

  /// Words side by side that may be written in one.
  private mutating func joinNeighbours() {
    guard terms.count > 1 else { return }
    for count in [terms.count, 2] {
      for start in 0...terms.count - count {
        let run = start..<start + count
        guard terms[run].allSatisfy({ $0.isPlain && $0.text.allSatisfy(Self.isLetter) }) else {
          continue
        }
        add([Part(terms[run].flatMap(\.text), .whole)], insteadOf: run)
      }
      if count == 2 { break }
    }
  }

  /// One word as two or three, the first or last of them perhaps an initial.
  private mutating func split(_ index: Int) {
    let letters = Array(String(decoding: terms[index].text, as: UTF8.self).unicodeScalars)
    guard letters.count >= 5, letters.count <= 24, letters.allSatisfy(Self.isAlphabetic) else {
      return
    }
    let place = index..<index + 1
    add([Part(letters[..<1], .beginnings), Part(letters[1...], .whole)], insteadOf: place)
    add(
      [Part(letters[(letters.count - 1)...], .beginnings), Part(letters.dropLast(), .whole)],
      insteadOf: place
    )
    for cut in 2...letters.count - 2 {
      add([Part(letters[..<cut], .whole), Part(letters[cut...], .whole)], insteadOf: place)
    }
    if letters.count >= 6 {
      add(
        [
          Part(letters[..<1], .beginnings), Part(letters[1..<2], .beginnings),
          Part(letters[2...], .whole),
        ],
        insteadOf: place
      )
    }
  }

  /// `jr` as the initials of John Robert.
  private mutating func takeAsInitials(_ index: Int) {
    let letters = Array(String(decoding: terms[index].text, as: UTF8.self).unicodeScalars)
    guard (2...3).contains(letters.count), letters.allSatisfy(Self.isAlphabetic) else { return }
    let parts = letters.indices.map { Part(letters[$0..<$0 + 1], .beginnings) }
    add(parts, insteadOf: index..<index + 1, othersWhole: true)
  }

  /// A name of which only the initial is written: John for `J. Hartley`.
  private mutating func takeInitial(of index: Int) {
    let letters = Array(String(decoding: terms[index].text, as: UTF8.self).unicodeScalars)
    guard letters.count > 2, letters.allSatisfy(Self.isAlphabetic) else { return }
    add([Part(letters[..<1], .whole)], insteadOf: index..<index + 1, othersWhole: true)
  }

  // MARK: - Letters

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || byte &- 0x61 < 26 }

  /// Whether a scalar is one of an alphabet: ideographs, kana and Hangul are not written in words.
  private static func isAlphabetic(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x2E80 && scalar.properties.isAlphabetic
  }

  // MARK: - Words of names

  /// Words in one, or cut elsewhere than in the name, as all the words of names that they can be.
  private mutating func segment(
    _ range: Range<Int>,
    _ directory: inout some WordStatistics
  ) throws(SearchError) {
    guard terms[range].allSatisfy(\.isPlain) else { return }
    let text = terms[range].flatMap(\.text)
    let letters = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    guard (Self.fewestLetters...Self.mostLetters).contains(letters.count),
      letters.allSatisfy(Self.isAlphabetic)
    else { return }
    var segments = NameSegments(letters)
    for parts in try segments.all(&directory) {
      add(parts.map { Part($0.letters, $0.isInitial ? .beginnings : .whole) }, insteadOf: range)
    }
  }

  private static let fewestLetters = 6
  private static let mostLetters = 32
}

/// The ways to cut letters into words of names, the first or last of which may be an initial.
private struct NameSegments {
  typealias Part = (letters: ArraySlice<Unicode.Scalar>, isInitial: Bool)

  private let letters: [Unicode.Scalar]
  private var known: [Range<Int>: Bool] = [:]
  private var found: [[Part]] = []

  private static let mostParts = 5
  private static let mostFound = 8

  init(_ letters: [Unicode.Scalar]) { self.letters = letters }

  /// - Complexity: O(letters²) look-ups.
  mutating func all(
    _ directory: inout some WordStatistics
  ) throws(SearchError) -> [[Part]] {
    try cut(from: 0, [], &directory)
    if found.isEmpty {
      try cut(from: 1, [(letters[..<1], true)], &directory)
    }
    return found
  }

  private mutating func cut(
    from start: Int,
    _ parts: [Part],
    _ directory: inout some WordStatistics
  ) throws(SearchError) {
    guard found.count < Self.mostFound else { return }
    if start == letters.count {
      if parts.count > 2 { found.append(parts) }
      return
    }
    guard parts.count < Self.mostParts else { return }
    for end in (start + 1...letters.count).reversed() {
      let range = start..<end
      let isKnown: Bool
      if let known = known[range] {
        isKnown = known
      } else {
        isKnown = try directory.isNameWord(
          Array(String(String.UnicodeScalarView(letters[range])).utf8)
        )
        known[range] = isKnown
      }
      if isKnown { try cut(from: end, parts + [(letters[range], false)], &directory) }
    }
    if start == letters.count - 1, !parts.isEmpty, !parts[0].isInitial {
      try cut(from: letters.count, parts + [(letters[start...], true)], &directory)
    }
  }
}
