/// The words of a query as they are compared with records, and the ways to take them.
///
/// One way is each for itself. Names of many scripts are written in one where people type their Latin
/// reading in several, as in `zhang wei` for 张伟 or `abd allah` for عبدالله; so words side by side are
/// also compared with readings as one. And typing errors are counted in words, so that a word with hyphens
/// or apostrophes is also taken apart for them: `jean-cluade` is Jean-Claude. A record is a hit when it has all that one of the ways asks for,
/// and is as good as the best of them makes it.
struct TermInterpretations: Sendable {
  /// The words, then those that are joined.
  let matchers: [TermMatcher]
  /// Indices of matchers; the first way is each word for itself.
  let ways: [[Int]]
  /// For each way the reading of the query that it is of.
  let readings: [Int]

  /// So many words side by side are joined in all ways; more are rather a sentence than a name.
  static let mostJoined = 4

  static let none = TermInterpretations([SearchTerm](), allowsErrors: false)

  /// - Parameters:
  ///   - terms: What is looked for.
  ///   - allowsErrors: Whether typing errors may find it.
  init(_ terms: [SearchTerm], allowsErrors: Bool) {
    var matchers = terms.map { TermMatcher($0, allowsErrors: allowsErrors) }
    var ways = [Array(terms.indices)]
    let run = Self.runToJoin(terms)
    if run.count > 1 {
      var joined: [Range<Int>: Int] = [:]
      for parts in Self.partitions(of: run) where parts.count < run.count {
        var way = Array(terms.indices.prefix(run.lowerBound))
        for part in parts {
          if part.count > 1, joined[part] == nil {
            joined[part] = matchers.count
            matchers.append(TermMatcher(SearchTerm(joining: terms[part]), allowsErrors: false))
          }
          way.append(joined[part] ?? part.lowerBound)
        }
        ways.append(way + Array(run.upperBound..<terms.count))
      }
    }
    if allowsErrors, terms.contains(where: { $0.parts != nil }) {
      ways.append(
        terms.indices.flatMap { index in
          guard let parts = terms[index].parts else { return [index] }
          matchers += parts.map { TermMatcher($0, allowsErrors: true) }
          return Array(matchers.count - parts.count..<matchers.count)
        }
      )
    }
    self.matchers = matchers
    self.ways = ways
    readings = ways.map { _ in 0 }
  }

  /// The ways of several readings, in which the same words are looked for once.
  init(_ readings: [[SearchTerm]], allowsErrors: Bool) {
    var (matchers, ways, owners): ([TermMatcher], [[Int]], [Int]) = ([], [], [])
    var known: [SearchTerm: Int] = [:]
    for (reading, terms) in readings.enumerated() {
      let own = TermInterpretations(terms, allowsErrors: allowsErrors)
      let indices = own.matchers.map { matcher in
        if let index = known[matcher.term] { return index }
        known[matcher.term] = matchers.count
        matchers.append(matcher)
        return matchers.count - 1
      }
      ways += own.ways.map { way in way.map { indices[$0] } }
      owners += own.ways.map { _ in reading }
    }
    (self.matchers, self.ways, self.readings) = (matchers, ways, owners)
  }

  /// The first plain words side by side that are all Latin letters.
  private static func runToJoin(_ terms: [SearchTerm]) -> Range<Int> {
    func joins(_ index: Int) -> Bool {
      let term = terms[index]
      return term.field == nil && !term.isPhrase && term.means == .all
        && term.text.allSatisfy { $0 &- 0x61 < 26 }
    }
    guard let start = terms.indices.first(where: { joins($0) }) else { return 0..<0 }
    let end = terms.indices[start...].first { !joins($0) } ?? terms.count
    return end - start <= mostJoined ? start..<end : 0..<0
  }

  /// All ways to cut a range into ranges side by side.
  ///
  /// - Complexity: O(2ⁿ).
  private static func partitions(of range: Range<Int>) -> [[Range<Int>]] {
    guard !range.isEmpty else { return [[]] }
    return range.flatMap { last in
      partitions(of: last + 1..<range.upperBound).map { [range.lowerBound..<last + 1] + $0 }
    }
  }
}

extension SearchStage {
  /// The ways to find a hit, each that of a reading.
  func ways(allowsErrors: Bool) -> TermInterpretations {
    TermInterpretations(readings.map(\.terms), allowsErrors: allowsErrors && self.allowsErrors)
  }
}

extension SearchTerm {
  /// Words typed apart, to be found as one in readings.
  fileprivate init(joining terms: ArraySlice<SearchTerm>) {
    self.init(
      text: Array(terms.map(\.text).joined()),
      field: nil,
      isPhrase: false,
      phones: .unknown
    )
    means = .readings
  }

  /// The words of a word with hyphens or apostrophes, to be found with typing errors.
  ///
  /// `nil` where there is but one, or one is not all letters.
  fileprivate var parts: [SearchTerm]? {
    guard !isPhrase, means == .all, text.contains(where: { $0 < 0x80 && !($0 &- 0x61 < 26) }) else {
      return nil
    }
    let words = text.split(whereSeparator: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "'") })
    let areLetters = words.allSatisfy { $0.allSatisfy { $0 >= 0x80 || $0 &- 0x61 < 26 } }
    guard words.count > 1, areLetters, words.count <= TermInterpretations.mostJoined else {
      return nil
    }
    return words.map { word in
      var part = SearchTerm(text: Array(word), field: field, isPhrase: false, phones: .unknown)
      part.means = .errors
      return part
    }
  }
}
