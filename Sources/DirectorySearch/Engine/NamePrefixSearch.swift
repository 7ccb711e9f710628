import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// Records in whose names every word of a text begins a word: what a shell offers for it.
///
/// Nothing is ranked, and nothing but names is looked at. A search for the same costs a process that
/// starts for it 20 ms at a million people.
struct NamePrefixSearch {
  /// How the words are found.
  private enum Strategy: CaseIterable {
    case letters
    /// So, in another spelling or in Latin letters.
    case readings
  }

  private let engine: SearchEngine
  private let owner: RecordKind
  private let limit: Int
  private let patience: SearchDeadline
  private let words: [TermMatcher]

  init(
    _ engine: SearchEngine,
    _ text: String,
    _ owner: RecordKind,
    limit: Int,
    _ patience: SearchDeadline
  ) {
    self.engine = engine
    self.owner = owner
    self.limit = limit
    self.patience = patience
    let words = Array(Folding.fold(text).utf8).split(separator: 0x20)
    let variants = TextVariant.form(of: text).split(separator: 0x20)
    self.words = words.indices.map { index in
      var term = SearchTerm(text: Array(words[index]), field: .name)
      if variants.count == words.count { term.variant = Array(variants[index]) }
      term.means = .parts
      return TermMatcher(term, allowsErrors: false)
    }
  }

  /// Looks: by letters, and in other ways where that finds no one.
  ///
  /// - Returns: Rows, no more than the limit.
  /// - Throws: `SearchError`.
  func rows() throws(SearchError) -> (rows: [Int], areLetters: Bool) {
    guard !words.isEmpty else { return ([], false) }
    for strategy in Strategy.allCases {
      let found =
        if let index = engine.index {
          try SearchError.reading { () throws(SnapshotError) in try rows(strategy, index) }
        } else {
          try rows(strategy)
        }
      if !found.isEmpty { return (found, strategy == .letters) }
      try patience.check()
    }
    return ([], false)
  }

  // MARK: - By index

  /// In the order of hits of equal quality.
  private func rows(_ strategy: Strategy, _ index: SearchIndex) throws(SnapshotError) -> [Int] {
    var all: DocumentSet?
    for word in words {
      let found = try documents(of: word, strategy, index)
      if all?.formIntersection(found) == nil { all = found }
    }
    guard var all else { return [] }
    try unindexedDocuments(strategy, index).withUnsafeBufferPointer { all.insert($0) }
    var found: [(order: UInt64, row: Int)] = []
    for segment in index.segments {
      let known = found.count
      for block in segment.blocks where found.count - known < limit {
        var bits = BlockBitmap()
        all.addBlock(block, to: &bits)
        try bits.forEach { (offset) throws(SnapshotError) in
          let document = block * SearchIndexFormat.blockSize + offset
          guard found.count - known < limit, let record = try index.presentRecord(of: document)
          else {
            return
          }
          found.append((try index.order(of: document), row(of: record)))
        }
      }
    }
    return found.sorted { $0.order < $1.order }.prefix(limit).map(\.row)
  }

  /// Those for whose names the dictionaries have no room.
  private func unindexedDocuments(_ strategy: Strategy, _ index: SearchIndex) throws(SnapshotError)
    -> [UInt32]
  {
    var texts = FieldTexts()
    var found: [UInt32] = []
    for odd in 0..<index.unindexedDocuments.count {
      let document = try index.unindexedDocuments[odd]
      guard Int(document) < index.documentCount else { throw index.unindexedDocuments.damaged }
      guard let record = try index.presentRecord(of: Int(document)) else { continue }
      switch (record, owner) {
      case (.user, .user), (.department, .department):
        if try isFound(row(of: record), strategy, &texts) { found.append(document) }
      default: continue
      }
    }
    return found
  }

  private func row(of record: SearchIndex.Record) -> Int {
    switch record {
    case .user(let user): user
    case .department(let ordinal): Int(engine.shape.rows[ordinal])
    }
  }

  private func documents(
    of word: TermMatcher,
    _ strategy: Strategy,
    _ index: SearchIndex
  ) throws(SnapshotError) -> DocumentSet {
    var marks = DocumentSet(index)
    guard owner == .department else {
      for segment in index.segments {
        try find(word, strategy, segment.names) { marks.insert($0) }
      }
      return marks
    }
    var ordinals: [UInt32] = []
    try find(word, strategy, index.departments) { ordinals += $0 }
    var documents: [UInt32] = []
    for ordinal in ordinals where Int(ordinal) < index.shape.count {
      documents.append(try index.departmentDocuments[Int(ordinal)])
    }
    documents.withUnsafeBufferPointer { marks.insert($0) }
    return marks
  }

  private func find(
    _ word: TermMatcher,
    _ strategy: Strategy,
    _ names: FieldDictionaries,
    _ body: (UnsafeBufferPointer<UInt32>) -> Void
  ) throws(SnapshotError) {
    let term = word.term
    try names.words.withDocuments(of: names.words.range(beginningWith: term.text), body)
    guard strategy == .readings else { return }
    try find(term.variant, in: names.variants, body)
    if term.variant != term.text { try find(term.variant, in: names.words, body) }
    guard let pattern = word.pattern else { return }
    let read = try names.readings.matches(of: term.text, pattern, term.means, patience)
      .filter { term.means.mayFind($0.quality) }
    try names.readings.withDocuments(of: read.map { UInt32($0.number) }, body)
  }

  private func find(
    _ variant: [UInt8],
    in words: WordDictionary,
    _ body: (UnsafeBufferPointer<UInt32>) -> Void
  ) throws(SnapshotError) {
    var found: [Int] = []
    try words.forEachWord(holding: variant) { found.append($0) }
    for word in found { try words.withDocuments(of: word..<word + 1, body) }
  }

  // MARK: - Without an index

  /// In the order of rows; who has no place is not looked at.
  ///
  /// - Complexity: O(bytes of names).
  private func rows(_ strategy: Strategy) throws(SearchError) -> [Int] {
    var texts = FieldTexts()
    var rows: [Int] = []
    for row in 0..<names.count where rows.count < limit {
      if row % 1_024 == 0 { try patience.check() }
      let isWanted = try SearchError.reading { () throws(SnapshotError) in
        if owner == .user, try engine.parts.leaves.nodes(of: row).isEmpty { return false }
        return try isFound(row, strategy, &texts)
      }
      if isWanted { rows.append(row) }
    }
    return rows
  }

  private var names: TextColumn {
    owner == .department ? engine.parts.departments.names : engine.parts.users.names
  }

  private func isFound(
    _ row: Int,
    _ strategy: Strategy,
    _ texts: inout FieldTexts
  ) throws(SnapshotError) -> Bool {
    try names.withBytes(at: row) { texts.take($0, of: owner == .user ? .person : .other) }
    return words.allSatisfy { word in
      word.literal(in: texts) != nil || strategy == .readings && word.read(in: texts) != nil
    }
  }
}

extension SearchEngine {
  /// Departments or people in whose names every word of a text begins a word: letter for letter, or,
  /// where that finds no one, in another spelling or in Latin letters.
  ///
  /// - Parameters:
  ///   - text: What was typed of a name; nothing in it is an operator.
  ///   - owner: `.department` or `.user`.
  ///   - limit: The most rows.
  ///   - deadline: When to give up.
  /// - Returns: Rows; with an index, those of short names first. `areLetters` where they are found letter
  ///   for letter.
  /// - Throws: `SearchError`.
  /// - Complexity: O(what is found + documents / 64) with an index, O(bytes of names) without.
  package func rows(
    withNamesBeginning text: String,
    _ owner: RecordKind,
    limit: Int,
    deadline: ContinuousClock.Instant
  ) throws(SearchError) -> (rows: [Int], areLetters: Bool) {
    try NamePrefixSearch(self, text, owner, limit: limit, SearchDeadline(deadline)).rows()
  }
}
