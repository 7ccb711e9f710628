import DirectorySnapshot
import Outlines
import TextRules

/// Search by index: quality after quality, and within one by rising documents, so that looking stops
/// when there are enough hits.
///
/// Documents that changes added, and those that no dictionary has room for, are put in between.
struct IndexSearch {
  private let engine: SearchEngine
  private let index: SearchIndex
  private let parts: SearchParts
  private let scope: ScopeTest
  private let patience: SearchPatience
  private let terms: [TermState]
  /// The sets of terms of one of which a hit has all, as `TermWays` has them.
  private let ways: [[TermState]]
  /// Looks at single records: for phrases, and documents that do not fit in.
  private var matcher: RecordMatcher?
  /// Looks for excluded words alone.
  private var exclusion: RecordMatcher?
  private let matchers: TermWays
  private let hasPhrase: Bool
  private let wanted: Int
  /// A bit for each document that was found, or is none.
  private var done: [UInt64]
  private var oddHits: [(rank: SearchRank, document: Int)] = []
  /// What may be hits of one rank and has its turn among the documents of the index, and how much of
  /// it had it.
  private var interposed: [(order: UInt64, document: Int)] = []
  private var interposedCount = 0
  private(set) var found: [(document: Int, rank: SearchRank)] = []

  init(
    _ engine: SearchEngine,
    _ index: SearchIndex,
    _ terms: TermWays,
    excluded: [TermMatcher],
    _ scope: ScopeTest,
    wanted: Int,
    _ patience: SearchPatience
  ) throws(SearchError) {
    self.index = index
    parts = engine.parts
    self.scope = scope
    self.patience = patience
    self.wanted = wanted
    let states = terms.matchers.map { TermState($0, index, engine.parts, engine.phones) }
    self.terms = states
    ways = terms.ways.map { way in way.map { states[$0] } }
    self.matchers = terms
    hasPhrase = terms.matchers.contains { $0.term.text.contains(0x20) && $0.term.isPhrase }
    done = try SearchError.reading(index.absentDocuments)
    (exclusion, matcher) = try SearchError.reading { () throws(SnapshotError) in
      let hasOdd = index.oddDocuments.count > 0
      return (
        try excluded.isEmpty ? nil : Self.exclusion(engine, index, excluded),
        try hasOdd
          ? RecordMatcher(
            engine.parts,
            engine.shape,
            engine.phones,
            terms: terms,
            excluded: excluded
          )
          : nil
      )
    }
    self.engine = engine
    try SearchError.reading { () throws(SnapshotError) in try lookAtOddDocuments() }
  }

  private static func exclusion(
    _ engine: SearchEngine,
    _ index: SearchIndex,
    _ excluded: [TermMatcher]
  ) throws(SnapshotError) -> RecordMatcher {
    var departments: [DepartmentMatches] = []
    for term in excluded {
      departments.append(try index.departments(holding: term, engine.parts))
    }
    return RecordMatcher(
      engine.parts,
      engine.shape,
      engine.phones,
      terms: .none,
      excluded: excluded,
      departments: [],
      excludedDepartments: departments
    )
  }

  /// Looks until there are more than enough hits, or there are no more.
  ///
  /// - Returns: Whether all were found.
  mutating func run() throws(SearchError) -> Bool {
    if hasPhrase {
      try runWithPhrases()
      return true
    }
    for quality in MatchQuality.allCases {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in
        for term in terms { try term.extend(to: quality) }
      }
      try visit(SearchRank(quality, isOutsideName: false))
      if found.count > wanted { return false }
      try SearchError.reading { () throws(SnapshotError) in
        for term in terms { try term.extendElsewhere(to: quality) }
      }
      try visit(SearchRank(quality, isOutsideName: true))
      if found.count > wanted { return false }
      if terms.isEmpty { break }
    }
    return true
  }

  private mutating func visit(_ rank: SearchRank) throws(SearchError) {
    try SearchError.reading { () throws(SnapshotError) in try interpose(rank) }
    for block in index.segments[0].blocks {
      if block % 64 == 63 { try patience.check() }
      try SearchError.reading { () throws(SnapshotError) in try visit(block, rank) }
      if found.count > wanted { return }
    }
    try SearchError.reading { () throws(SnapshotError) in try takeInterposed(before: .max, rank) }
  }

  private mutating func visit(_ block: Int, _ rank: SearchRank) throws(SnapshotError) {
    let documents = try candidates(block, rank)
    guard !documents.isEmpty else { return }
    let first = block * SearchIndexFormat.blockSize
    for word in documents.words.indices {
      var rest = documents.words[word]
      while rest != 0 {
        let document = first + word << 6 + rest.trailingZeroBitCount
        rest &= rest &- 1
        if interposedCount < interposed.count {
          try takeInterposed(before: index.order(of: document), rank)
        }
        try take(document, rank)
        if found.count > wanted { return }
      }
    }
  }

  private mutating func take(_ document: Int, _ rank: SearchRank) throws(SnapshotError) {
    guard found.count <= wanted, try isWanted(document) else { return }
    done[document >> 6] |= 1 << UInt64(document & 63)
    found.append((document, rank))
  }

  /// Finds out what has its turn among the documents of the index: changes, and odd documents.
  private mutating func interpose(_ rank: SearchRank) throws(SnapshotError) {
    interposed.removeAll(keepingCapacity: true)
    interposedCount = 0
    for odd in oddHits where odd.rank == rank {
      interposed.append((try index.order(of: odd.document), odd.document))
    }
    for segment in index.segments.dropFirst() {
      for block in segment.blocks {
        let documents = try candidates(block, rank)
        try documents.forEach { (offset) throws(SnapshotError) in
          let document = block * SearchIndexFormat.blockSize + offset
          interposed.append((try index.order(of: document), document))
        }
      }
    }
    interposed.sort { $0.order < $1.order }
  }

  private mutating func takeInterposed(
    before order: UInt64,
    _ rank: SearchRank
  ) throws(SnapshotError) {
    while interposedCount < interposed.count, interposed[interposedCount].order < order {
      try take(interposed[interposedCount].document, rank)
      interposedCount += 1
    }
  }

  /// The documents of a block that have every term of one of the ways, and were not found before.
  private func candidates(_ block: Int, _ rank: SearchRank) throws(SnapshotError) -> BlockBits {
    var documents = try candidates(block, rank, ways[0])
    for way in ways.dropFirst() where way.allSatisfy(\.mayFind) {
      documents.formUnion(try candidates(block, rank, way))
    }
    return documents
  }

  private func candidates(
    _ block: Int,
    _ rank: SearchRank,
    _ terms: [TermState]
  ) throws(SnapshotError) -> BlockBits {
    var documents = BlockBits()
    let start = block * BlockBits.wordCount
    for word in 0..<BlockBits.wordCount { documents.words[word] = ~done[start + word] }
    if !rank.isOutsideName {
      for term in terms { documents.formIntersection(term.known(block, nameOnly: true)) }
      return documents
    }
    for term in terms where !term.mayBeElsewhere(block) {
      documents.formIntersection(term.known(block, nameOnly: false))
      if documents.isEmpty { return documents }
    }
    for term in terms where term.mayBeElsewhere(block) {
      var known = term.known(block, nameOnly: false)
      var open = documents
      open.subtract(known)
      if !open.isEmpty { known.formUnion(try term.look(block, among: open, rank.quality)) }
      documents.formIntersection(known)
      if documents.isEmpty { break }
    }
    return documents
  }

  /// Whether a document lies in the scope and holds nothing excluded.
  private mutating func isWanted(_ document: Int) throws(SnapshotError) -> Bool {
    guard try isInScope(document) else { return false }
    if exclusion == nil { return true }
    return try Self.match(document, &exclusion, index, parts) != nil
  }

  private func isInScope(_ document: Int) throws(SnapshotError) -> Bool {
    for range in scope.within {
      guard try index.anyPlace(of: document, { range.contains($0) }) else { return false }
    }
    for range in scope.outside {
      if try index.anyPlace(of: document, { range.contains($0) }) { return false }
    }
    return true
  }

  private static func match(
    _ document: Int,
    _ matcher: inout RecordMatcher?,
    _ index: SearchIndex,
    _ parts: SearchParts
  ) throws(SnapshotError) -> RecordMatcher.Found? {
    switch try index.record(of: document) {
    case .user(let user):
      let leaves = try parts.leaves.nodes(of: user)
      return try matcher?.match(user: user, leaves: leaves)
    case .department(let ordinal): return try matcher?.match(departmentAt: ordinal)
    }
  }

  // MARK: - One by one

  private mutating func lookAtOddDocuments() throws(SnapshotError) {
    for index in 0..<index.oddDocuments.count {
      let document = Int(try self.index.oddDocuments[index])
      guard document < self.index.documentCount else { throw self.index.oddDocuments.damaged }
      if let rank = try Self.match(document, &matcher, self.index, parts)?.rank {
        oddHits.append((rank, document))
      }
      done[document >> 6] |= 1 << UInt64(document & 63)
    }
  }

  /// With a phrase of several words everything that may be a hit is looked at.
  private mutating func runWithPhrases() throws(SearchError) {
    let last = MatchQuality.twoErrors
    try SearchError.reading { () throws(SnapshotError) in
      for term in terms {
        if term.matcher.term.isPhrase, term.matcher.term.text.contains(0x20) {
          try term.extendToPhrase()
        } else {
          for quality in MatchQuality.allCases {
            try term.extend(to: quality)
            try term.extendElsewhere(to: quality)
          }
        }
      }
    }
    let states = terms
    matcher = RecordMatcher(
      parts,
      engine.shape,
      engine.phones,
      terms: matchers,
      excluded: [],
      departments: states.map { DepartmentMatches(own: $0.ownDepartments, engine.shape) },
      excludedDepartments: []
    )
    for block in 0..<index.blockCount {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in
        let first = block * SearchIndexFormat.blockSize
        let documents = try candidates(block, SearchRank(last, isOutsideName: true))
        for offset in 0..<SearchIndexFormat.blockSize where documents.contains(offset) {
          let document = first + offset
          guard try isWanted(document),
            let rank = try Self.match(document, &matcher, index, parts)?.rank
          else { continue }
          found.append((document, rank))
        }
      }
    }
    for odd in oddHits {
      let isInside = try SearchError.reading { () throws(SnapshotError) in
        try isWanted(odd.document)
      }
      if isInside { found.append((odd.document, odd.rank)) }
    }
    try SearchError.reading { () throws(SnapshotError) in try sortFound() }
  }

  private mutating func sortFound() throws(SnapshotError) {
    var ordered: [(rank: SearchRank, order: UInt64, document: Int)] = []
    for hit in found { ordered.append((hit.rank, try index.order(of: hit.document), hit.document)) }
    ordered.sort { ($0.rank, $0.order) < ($1.rank, $1.order) }
    found = ordered.map { ($0.document, $0.rank) }
  }
}

extension SearchIndex {
  /// The departments whose names hold a term, letter for letter.
  ///
  /// - Complexity: O(bytes of distinct words, and the departments that hold them).
  func departments(
    holding matcher: TermMatcher,
    _ parts: SearchParts
  ) throws(SnapshotError) -> DepartmentMatches {
    var own = [UInt8](repeating: DepartmentMatches.none, count: shape.count)
    guard matcher.term.mayMatch(.department) || matcher.term.mayMatch(.name),
      let longest = matcher.term.text.split(separator: 0x20).max(by: { $0.count < $1.count })
    else { return DepartmentMatches(own: own, shape) }
    var words: [Int] = []
    try departments.words.forEachWord(holding: Array(longest)) { words.append($0) }
    var texts = FieldTexts()
    for word in words {
      var ordinals: [UInt32] = []
      try departments.words.withDocuments(of: word..<word + 1) { ordinals.append(contentsOf: $0) }
      for ordinal in ordinals where Int(ordinal) < shape.count {
        guard own[Int(ordinal)] == DepartmentMatches.none else { continue }
        try parts.departments.names.withBytes(at: Int(shape.rows[Int(ordinal)])) {
          texts.take($0, of: .other)
        }
        if let quality = matcher.literal(in: texts) { own[Int(ordinal)] = quality.rawValue }
      }
    }
    return DepartmentMatches(own: own, shape)
  }
}

extension BlockBits {
  var count: Int {
    var count = 0
    for index in words.indices { count += words[index].nonzeroBitCount }
    return count
  }
}
