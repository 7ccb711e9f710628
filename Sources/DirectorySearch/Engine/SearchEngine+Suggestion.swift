import DirectorySnapshot

extension SearchEngine {
  /// What may have been meant by a query that finds nothing: each word that finds nothing alone
  /// replaced by the nearest word of names, titles and departments.
  ///
  /// - Parameters:
  ///   - query: A query without hits.
  ///   - scope: Where it was looked for.
  /// - Returns: A query that finds something there; `nil` where no word is near, or every word finds
  ///   something.
  /// - Throws: `SearchError`.
  package func suggestion(
    for query: SearchQuery,
    in scope: SearchScope = .everywhere
  ) throws(SearchError) -> String? {
    guard query.refusal == nil else { return nil }
    var words: [String] = []
    var isChanged = false
    for term in query.terms {
      let typed = String(decoding: term.text, as: UTF8.self)
      let prefix = term.field.map { "\($0.rawValue):" } ?? ""
      if term.isPhrase || term.field == .id { return nil }
      if case .field = term.field { return nil }
      if try isFound(term) {
        words.append(prefix + typed)
      } else if let near = try nearest(to: term) {
        words.append(prefix + near)
        isChanged = true
      } else {
        return nil
      }
    }
    guard isChanged else { return nil }
    let text = words.joined(separator: " ")
    var near = query
    near.terms = SearchQuery(text, phones: phones, fields: fields).terms
    near.termsWithJoinedNumber = nil
    return try isFound(near, in: scope) ? text : nil
  }

  private func isFound(_ term: SearchTerm) throws(SearchError) -> Bool {
    var query = SearchQuery("")
    query.terms = [term]
    return try isFound(query)
  }

  private func isFound(
    _ query: SearchQuery,
    in scope: SearchScope = .everywhere
  ) throws(SearchError) -> Bool {
    var request = SearchRequest(query, in: scope, limit: 1)
    request.allowsTiers = false
    return try search(request).total != .exactly(0)
  }

  /// How far a suggestion may be: one letter of three, two of seven, three of more.
  private static func limit(_ word: [UInt8]) -> Int {
    switch word.reduce(into: 0, { if $1 & 0xC0 != 0x80 { $0 += 1 } }) {
    case ..<2: 0
    case ..<4: 1
    case ..<8: 2
    default: 3
    }
  }

  private func nearest(to term: SearchTerm) throws(SearchError) -> String? {
    let limit = Self.limit(term.text)
    guard limit > 0 else { return nil }
    var nearest = NearestWord(TypingErrors(term.text, limit: limit))
    try SearchError.reading { () throws(SnapshotError) in
      if let index {
        let absent = try index.absentDocuments()
        try nearest.look(in: index.segments.map(\.names.words), absent: absent)
        try nearest.look(in: index.segments.map(\.titles.words), absent: absent)
        try nearest.look(in: [index.departments.words], absent: [])
      } else {
        try nearest.look(in: parts.users.names)
        try nearest.look(in: parts.memberships.titles)
        try nearest.look(in: parts.departments.names)
      }
    }
    return nearest.word.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Keeps the word with the fewest errors, of those the most frequent, of those the first.
private struct NearestWord {
  private let errors: TypingErrors
  private var count = Int.max
  private var frequency = 0
  private(set) var word: [UInt8]?

  init(_ errors: TypingErrors) { self.errors = errors }

  /// Looks in the dictionaries of one field.
  ///
  /// - Parameters:
  ///   - dictionaries: Those of all segments.
  ///   - absent: Bit set over the documents that do not count; empty where all do.
  /// - Throws: `SnapshotError.damaged`.
  mutating func look(
    in dictionaries: [WordDictionary],
    absent: [UInt64]
  ) throws(SnapshotError) {
    // A word counts for itself, and as what stands before some separator: `ann` and `ann-`.
    var found: [[UInt8]: (word: [UInt8], count: Int, frequency: Int)] = [:]
    for dictionary in dictionaries {
      var near: [(words: Range<Int>, count: Int)] = []
      try dictionary.forEachWord(within: errors) { near.append(($0, $1)) }
      let rows = try dictionary.all()
      for (words, count) in near {
        let (word, key) = rows.withBytes(at: words.lowerBound) { bytes in
          let word = Array(bytes.prefix { !WordSearch.isSeparator($0) })
          return (word, Array(bytes.prefix(word.count + 1)))
        }
        let frequency = try dictionary.documentCount(of: words, absent: absent)
        found[key, default: (word, count, 0)].frequency += frequency
      }
    }
    for (word, count, frequency) in found.values where frequency > 0 {
      take(word, count, frequency)
    }
  }

  mutating func look(in column: TextColumn) throws(SnapshotError) {
    var texts = FieldTexts()
    var frequencies: [[UInt8]: (count: Int, frequency: Int)] = [:]
    for row in 0..<column.count {
      try column.withBytes(at: row) { texts.take($0) }
      texts.folded.withUnsafeBufferPointer { text in
        WordSearch.forEachWord(in: text) { range in
          guard let count = errors.count(to: BorrowedText(rebasing: text[range])) else { return }
          frequencies[Array(text[range]), default: (count, 0)].frequency += 1
        }
      }
    }
    for (word, found) in frequencies { take(word, found.count, found.frequency) }
  }

  private mutating func take(_ word: [UInt8], _ count: Int, _ frequency: Int) {
    let isBetter =
      count != self.count
      ? count < self.count
      : frequency != self.frequency
        ? frequency > self.frequency
        : self.word.map { word.lexicographicallyPrecedes($0) } ?? true
    guard isBetter else { return }
    (self.word, self.count, self.frequency) = (word, count, frequency)
  }
}
