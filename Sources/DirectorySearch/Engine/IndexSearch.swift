import DirectorySnapshot
import OutlineEngine
import TextRules

/// Search by index: quality after quality, and within one by rising documents, so that looking stops
/// when there are enough hits.
///
/// Documents that changes added, and those that no dictionary has room for, are put in between.
struct IndexSearch {
  private let engine: SearchEngine
  private let index: SearchIndex
  private let parts: SearchColumns
  private let scope: ScopeFilter
  private let neighbourhood: Neighbourhood?
  /// The ring of the neighbourhood that is looked at now.
  private var ring = 0
  private let patience: SearchDeadline
  private var terms: [TermMatches]
  /// The sets of terms of one of which a hit has all, as `TermInterpretations` has them.
  private var ways: [[TermMatches]]
  /// Looks at single records: for phrases, and documents that do not fit in.
  private var matcher: RecordMatcher?
  /// Words that no hit has.
  private let excluded: [TermMatches]
  /// Looks for excluded phrases of several words.
  private var exclusion: RecordMatcher?
  private let matchers: TermInterpretations
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
  /// How much the terms had found when there was a look in names, and one in everything.
  private var changesInNames = -1
  private var changes = -1

  init(
    _ engine: SearchEngine,
    _ index: SearchIndex,
    _ terms: TermInterpretations,
    excluded: [TermMatcher],
    _ scope: ScopeFilter,
    _ neighbourhood: Neighbourhood?,
    wanted: Int,
    _ patience: SearchDeadline
  ) throws(SearchError) {
    self.neighbourhood = neighbourhood
    ring = neighbourhood?.count ?? 0
    self.index = index
    parts = engine.parts
    self.scope = scope
    self.patience = patience
    self.wanted = wanted
    let states = terms.matchers.map {
      TermMatches($0, index, engine.parts, engine.phones, patience)
    }
    self.terms = states
    ways = terms.ways.map { way in way.map { states[$0] } }
    self.matchers = terms
    hasPhrase = terms.matchers.contains(where: \.isOfWords)
    self.excluded = excluded.filter { !$0.isOfWords }
      .map { TermMatches($0, index, engine.parts, engine.phones, patience) }
    done = try SearchError.reading(index.absentDocuments)
    let phrases = excluded.filter(\.isOfWords)
    (exclusion, matcher) = try SearchError.reading { () throws(SnapshotError) in
      let hasOdd = index.unindexedDocuments.count > 0
      return (
        try phrases.isEmpty ? nil : Self.exclusion(engine, index, phrases),
        try hasOdd
          ? RecordMatcher(
            engine.parts,
            engine.shape,
            engine.phones,
            terms: terms,
            excluded: excluded,
            among: index.departmentsAroundUnindexedDocuments(engine.parts)
          )
          : nil
      )
    }
    self.engine = engine
    let terms = self.excluded
    try SearchError.reading { () throws(SnapshotError) in
      try searchUnindexedDocuments()
      try leaveOutOthers()
    }
    for term in terms {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in try term.extendToLetters() }
    }
    try patience.check()
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
    try SearchError.reading { () throws(SnapshotError) in try leaveOutHopelessWays() }
    if ways.isEmpty { return true }
    let mostWords = ways.map(\.count).max() ?? 0
    for step in SearchStep.all {
      for term in terms {
        try patience.check()
        try SearchError.reading { () throws(SnapshotError) in
          step.isOutsideName
            ? try term.extendElsewhere(to: step.quality) : try term.extend(to: step.quality)
        }
      }
      try patience.check()
      let hasChanged = hasChanged(step)
      if step.isOutsideName, mostWords > Self.fewWords {
        try visitAll(step, hasChanged: hasChanged)
        if found.count > wanted { return false }
        continue
      }
      for words in step.isOutsideName ? 1...max(mostWords, 1) : 0...0 {
        try visit(SearchRank(step, wordsOutsideName: words), hasChanged: hasChanged)
        if found.count > wanted { return false }
      }
      if terms.isEmpty { break }
    }
    return true
  }

  /// Forgets ways with a word that occurs nowhere, and the words that only they have.
  private mutating func leaveOutHopelessWays() throws(SnapshotError) {
    guard ways.count > 1 else { return }
    var hopeless: Set<ObjectIdentifier> = []
    for term in terms where try term.isHopeless() { hopeless.insert(ObjectIdentifier(term)) }
    if hopeless.isEmpty { return }
    ways.removeAll { way in way.contains { hopeless.contains(ObjectIdentifier($0)) } }
    let used = Set(ways.joined().map { ObjectIdentifier($0) })
    terms.removeAll { !used.contains(ObjectIdentifier($0)) }
  }

  /// Of so many words it is cheaper to look at all documents for each number of words outside names.
  private static let fewWords = 8

  /// Looks at all documents at once, and puts what is found in the order of the words outside names.
  private mutating func visitAll(_ step: SearchStep, hasChanged: Bool) throws(SearchError) {
    var hits: [(words: Int, ring: Int, order: UInt64, document: Int)] = []
    for odd in oddHits where odd.rank.step == step {
      let order = try SearchError.reading { () throws(SnapshotError) in
        try index.order(of: odd.document)
      }
      hits.append((odd.rank.wordsOutsideName, ring(of: odd.document), order, odd.document))
    }
    let anywhere = SearchRank(step, wordsOutsideName: .max)
    for way in ways.indices { ways[way].sort { $0.foundCount < $1.foundCount } }
    for block in hasChanged ? 0..<index.blockCount : 0..<0 {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in
        let documents = try self.hits(block, anywhere)
        try documents.forEach { (offset) throws(SnapshotError) in
          let document = block * SearchIndexFormat.blockSize + offset
          let words = try wordsOutsideName(block, offset, step.quality)
          hits.append((words, ring(of: document), try index.order(of: document), document))
        }
      }
    }
    hits.sort { ($0.words, $0.ring, $0.order) < ($1.words, $1.ring, $1.order) }
    for hit in hits where found.count <= wanted {
      try SearchError.reading { () throws(SnapshotError) in
        try take(hit.document, SearchRank(step, wordsOutsideName: hit.words))
      }
    }
  }

  private func ring(of document: Int) -> Int { neighbourhood?.ring(ofDocument: document) ?? 0 }

  /// How many words a document has outside its name, in the way that has the fewest so.
  private func wordsOutsideName(
    _ block: Int,
    _ offset: Int,
    _ quality: MatchQuality
  ) throws(SnapshotError) -> Int {
    var document = BlockBitmap()
    document.insert(offset)
    var fewest = Int.max
    for way in ways where way.allSatisfy(\.mayFind) {
      var outside = 0
      for term in way where !term.known(block, nameOnly: true).contains(offset) {
        guard try term.documents(block, among: document, quality).contains(offset) else {
          outside = .max
          break
        }
        outside += 1
      }
      fewest = min(fewest, outside)
    }
    return max(1, fewest)
  }

  /// Looks at everybody near first, then at everything; who was found is not found again.
  private mutating func visit(_ rank: SearchRank, hasChanged: Bool) throws(SearchError) {
    try SearchError.reading { () throws(SnapshotError) in try interpose(rank) }
    let all = interposed
    // What finds the fewest leaves the others the least to look at.
    for way in ways.indices { ways[way].sort { $0.foundCount < $1.foundCount } }
    defer { ring = beyond }
    for ring in 0...beyond {
      self.ring = ring
      if let neighbourhood {
        interposed = all.filter { neighbourhood.ring(ofDocument: $0.document) == ring }
        interposedCount = 0
      }
      if hasChanged { try visitBlocks(rank) }
      try SearchError.reading { () throws(SnapshotError) in
        try takeInterposed(before: .max, rank)
      }
      if found.count > wanted { return }
    }
  }

  /// What is in no ring of the neighbourhood.
  private var beyond: Int { neighbourhood?.count ?? 0 }

  private mutating func visitBlocks(_ rank: SearchRank) throws(SearchError) {
    let blocks = index.segments[0].blocks
    for word in 0..<(blocks.upperBound + 63) / 64 {
      var rest = self.blocks(word, rank)
      if let neighbourhood { rest &= neighbourhood.blocks(word, ring) }
      while rest != 0 {
        let block = word << 6 | rest.trailingZeroBitCount
        rest &= rest &- 1
        guard block < blocks.upperBound else { break }
        if block % 8 == 0 { try patience.check() }
        try SearchError.reading { () throws(SnapshotError) in try visit(block, rank) }
        if found.count > wanted { return }
      }
    }
  }

  /// Whether the terms have found more since the last look of the same kind.
  private mutating func hasChanged(_ step: SearchStep) -> Bool {
    let names = terms.reduce(0) { $0 + $1.nameChanges }
    let all = names + terms.reduce(0) { $0 + $1.otherChanges }
    defer { if step.isOutsideName { changes = all } else { changesInNames = names } }
    return step.isOutsideName ? all != changes : names != changesInNames
  }

  /// 64 blocks of which some may have hits, a bit for each.
  private func blocks(_ word: Int, _ rank: SearchRank) -> UInt64 {
    var blocks: UInt64 = 0
    for way in ways {
      blocks |= way.reduce(.max) { $0 & $1.blocks(word, nameOnly: !rank.isOutsideName) }
    }
    return blocks
  }

  private mutating func visit(_ block: Int, _ rank: SearchRank) throws(SnapshotError) {
    let documents = try hits(block, rank)
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
    guard found.count <= wanted else { return }
    // Who is not wanted now never is.
    done[document >> 6] |= 1 << UInt64(document & 63)
    guard try isWanted(document) else { return }
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
        let documents = try hits(block, rank)
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

  /// The candidates of a block that hold no excluded word.
  private mutating func hits(_ block: Int, _ rank: SearchRank) throws(SnapshotError) -> BlockBitmap
  {
    var documents = try candidates(block, rank)
    for term in excluded where !documents.isEmpty {
      let unwanted = try term.documents(block, among: documents, .inside)
      documents.subtract(unwanted)
      let start = block * BlockBitmap.wordCount
      for word in 0..<BlockBitmap.wordCount { done[start + word] |= unwanted.words[word] }
    }
    return documents
  }

  /// The documents of a block that have every term of one of the ways, and were not found before.
  private func candidates(_ block: Int, _ rank: SearchRank) throws(SnapshotError) -> BlockBitmap {
    var documents = try candidates(block, rank, ways[0])
    for way in ways.dropFirst() where way.allSatisfy(\.mayFind) {
      documents.formUnion(try candidates(block, rank, way))
    }
    return documents
  }

  private func candidates(
    _ block: Int,
    _ rank: SearchRank,
    _ terms: [TermMatches]
  ) throws(SnapshotError) -> BlockBitmap {
    var documents = BlockBitmap()
    let start = block * BlockBitmap.wordCount
    for word in 0..<BlockBitmap.wordCount { documents.words[word] = ~done[start + word] }
    if let neighbourhood, ring < neighbourhood.count {
      documents.formIntersection(neighbourhood.documents(block, ring))
    }
    if documents.isEmpty { return documents }
    if !rank.isOutsideName {
      for term in terms { documents.formIntersection(term.known(block, nameOnly: true)) }
      return documents
    }
    for term in terms where !term.mayBeElsewhere(block) {
      documents.formIntersection(term.known(block, nameOnly: false))
      if documents.isEmpty { return documents }
    }
    let fewestInName = terms.count - min(rank.wordsOutsideName, terms.count)
    if fewestInName > 0 {
      documents.formIntersection(Self.documents(block, with: fewestInName, of: terms))
      if documents.isEmpty { return documents }
    }
    for term in terms where term.mayBeElsewhere(block) {
      documents = try term.documents(block, among: documents, rank.quality)
      if documents.isEmpty { break }
    }
    return documents
  }

  /// The documents of a block that have so many of the terms in their names.
  private static func documents(
    _ block: Int,
    with count: Int,
    of terms: [TermMatches]
  ) -> BlockBitmap {
    var atLeast = [BlockBitmap](repeating: BlockBitmap(), count: count)
    for term in terms {
      let named = term.known(block, nameOnly: true)
      for index in atLeast.indices.reversed() {
        var more = named
        if index > 0 { more.formIntersection(atLeast[index - 1]) }
        atLeast[index].formUnion(more)
      }
    }
    return atLeast[count - 1]
  }

  /// In a small scope only who is there is looked for; where fields are asked for, only who may have
  /// what is asked for.
  private mutating func leaveOutOthers() throws(SnapshotError) {
    if let documents = try scope.filter?.documents(in: index) {
      for word in done.indices { done[word] |= ~documents[word] }
    }
    guard let range = scope.within.min(by: { $0.count < $1.count }), !range.isEmpty,
      range.count <= Self.smallScope
    else { return }
    let row = Int(engine.shape.rows[range.lowerBound])
    guard engine.shape.subtree(of: range.lowerBound) == range,
      try parts.departments.people(of: row) <= Self.smallScope
    else { return }
    var inside = [UInt64](repeating: 0, count: done.count)
    func insert(_ document: UInt32) {
      guard Int(document) < index.documentCount else { return }
      inside[Int(document >> 6)] |= 1 << UInt64(document & 63)
    }
    for ordinal in range { insert(try index.departmentDocuments[ordinal]) }
    try index.forEachPerson(below: row, parts) { insert($0) }
    for word in done.indices { done[word] |= ~inside[word] }
  }

  /// So many people and departments are looked up one by one.
  private static let smallScope = 16_384

  /// Whether a document lies in the scope and holds nothing excluded.
  private mutating func isWanted(_ document: Int) throws(SnapshotError) -> Bool {
    guard try isInScope(document) else { return false }
    if exclusion == nil { return true }
    return try Self.match(document, &exclusion, index, parts) != nil
  }

  private func isInScope(_ document: Int) throws(SnapshotError) -> Bool {
    if parts.hasStubs, case .department(let ordinal) = try index.record(of: document),
      try parts.isStub(Int(engine.shape.rows[ordinal]))
    {
      return false
    }
    if let filter = scope.filter {
      let isThere =
        switch try index.record(of: document) {
        case .user(let user): try filter.contains(user: user)
        case .department(let ordinal):
          try filter.contains(department: Int(engine.shape.rows[ordinal]))
        }
      if !isThere { return false }
    }
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
    _ parts: SearchColumns
  ) throws(SnapshotError) -> RecordMatcher.Found? {
    switch try index.record(of: document) {
    case .user(let user):
      let leaves = try parts.leaves.nodes(of: user)
      return try matcher?.match(user: user, leaves: leaves)
    case .department(let ordinal): return try matcher?.match(departmentAt: ordinal)
    }
  }

  // MARK: - One by one

  private mutating func searchUnindexedDocuments() throws(SnapshotError) {
    for index in 0..<index.unindexedDocuments.count {
      let document = Int(try self.index.unindexedDocuments[index])
      guard document < self.index.documentCount else { throw self.index.unindexedDocuments.damaged }
      if let rank = try Self.match(document, &matcher, self.index, parts)?.rank {
        oddHits.append((rank, document))
      }
      done[document >> 6] |= 1 << UInt64(document & 63)
    }
  }

  /// With a phrase of several words everything that may be a hit is looked at.
  private mutating func runWithPhrases() throws(SearchError) {
    try SearchError.reading { () throws(SnapshotError) in
      for term in terms {
        if term.matcher.term.isPhrase, term.matcher.term.text.contains(0x20) {
          try term.extendToPhrase()
        } else {
          for step in SearchStep.all {
            step.isOutsideName
              ? try term.extendElsewhere(to: step.quality) : try term.extend(to: step.quality)
          }
        }
      }
    }
    try patience.check()
    let anywhere = SearchRank(SearchStep.all[SearchStep.all.count - 1], wordsOutsideName: .max)
    let states = terms
    matcher = RecordMatcher(
      parts,
      engine.shape,
      engine.phones,
      terms: matchers,
      excluded: [],
      departments: states.map(\.departments),
      excludedDepartments: []
    )
    for block in 0..<index.blockCount {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in
        let first = block * SearchIndexFormat.blockSize
        let documents = try hits(block, anywhere)
        for offset in 0..<SearchIndexFormat.blockSize {
          if offset % 64 == 0, patience.isOver { return }
          let document = first + offset
          guard documents.contains(offset), try isWanted(document),
            let rank = try Self.match(document, &matcher, index, parts)?.rank
          else { continue }
          found.append((document, rank))
        }
      }
    }
    try patience.check()
    for odd in oddHits {
      let isInside = try SearchError.reading { () throws(SnapshotError) in
        try isWanted(odd.document)
      }
      if isInside { found.append((odd.document, odd.rank)) }
    }
    try SearchError.reading { () throws(SnapshotError) in try sortFound() }
  }

  private mutating func sortFound() throws(SnapshotError) {
    var ordered: [(rank: SearchRank, ring: Int, order: UInt64, document: Int)] = []
    for hit in found {
      let order = try index.order(of: hit.document)
      ordered.append((hit.rank, ring(of: hit.document), order, hit.document))
    }
    ordered.sort { ($0.rank, $0.ring, $0.order) < ($1.rank, $1.ring, $1.order) }
    found = ordered.map { ($0.document, $0.rank) }
  }
}

extension SearchIndex {
  /// Calls `body` with the document of each person in a department and below, once for each place.
  func forEachPerson(
    below row: Int,
    _ parts: SearchColumns,
    _ body: (UInt32) -> Void
  ) throws(SnapshotError) {
    // Parts have many columns: not to be copied for each node.
    let (tree, memberships, userDocuments) = (parts.tree, parts.memberships, userDocuments)
    for node in try tree.subtree(of: parts.departments.node(of: row)) {
      guard try !tree.isDepartment(node) else { continue }
      body(try userDocuments[memberships.user(of: tree.record(of: node))])
    }
  }

  /// The departments whose names hold a term, letter for letter.
  ///
  /// - Complexity: O(bytes of distinct words, and the departments that hold them).
  func departments(
    holding matcher: TermMatcher,
    _ parts: SearchColumns
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
    for odd in try unindexedDepartments(parts, { matcher.literal(in: $0) }) {
      own[odd.ordinal] = odd.quality.rawValue
    }
    return DepartmentMatches(own: own, shape)
  }
}

extension BlockBitmap {
  var count: Int {
    var count = 0
    for index in words.indices { count += words[index].nonzeroBitCount }
    return count
  }
}
