import DirectorySnapshot
import OutlineEngine
import TextRules

/// The nodes that match for a filtered tree, by index.
///
/// What each word is found in is a set of documents, so that no record is looked at one by one but those
/// of people with several places, of which a title or a department may be that of another place, and those
/// for which no dictionary has room.
struct NodeSearch {
  private let engine: SearchEngine
  private let index: SearchIndex
  private let parts: SearchColumns
  private let scope: ScopeFilter
  private let patience: SearchDeadline
  private let ways: TermInterpretations
  private let terms: [Term]
  private var texts = FieldTexts()
  /// A bit for each person all of whose places match, to be looked up in the order in which they lie: in
  /// that of documents each would be read from another page.
  private var users: [UInt64]
  /// A bit for each node that matches.
  private var nodes: [UInt64]

  /// A word, and how it is found in the names of departments above; `nil` where none of them has it.
  private struct Term {
    let state: TermMatches
    let path: [UInt8]?
  }

  /// What is known of the documents of a block: those that have a term by themselves, and those that have
  /// it in a title.
  private struct Marks {
    var own: BlockBitmap
    var titles: BlockBitmap

    var all: BlockBitmap {
      var all = own
      all.formUnion(titles)
      return all
    }
  }

  /// - Parameters:
  ///   - engine: Of the index's snapshot.
  ///   - index: The index.
  ///   - ways: What is looked for, of which none is a phrase of several words.
  ///   - scope: Where.
  ///   - patience: When to give up.
  /// - Throws: `SearchError`.
  init(
    _ engine: SearchEngine,
    _ index: SearchIndex,
    _ ways: TermInterpretations,
    _ scope: ScopeFilter,
    _ patience: SearchDeadline
  ) throws(SearchError) {
    self.engine = engine
    self.index = index
    self.scope = scope
    self.patience = patience
    self.ways = ways
    parts = engine.parts
    users = [UInt64](repeating: 0, count: (engine.parts.users.count + 63) / 64)
    nodes = [UInt64](repeating: 0, count: (engine.parts.tree.count + 63) / 64)
    var terms: [Term] = []
    for matcher in ways.matchers {
      try patience.check()
      let state = TermMatches(matcher, index, engine.parts, engine.phones, patience)
      let path = try SearchError.reading { () throws(SnapshotError) in
        try state.extendToOwn()
        return matcher.term.mayMatch(.department) ? state.departments.path : []
      }
      let isThere = path.contains { $0 != DepartmentMatches.none }
      terms.append(Term(state: state, path: isThere ? path : nil))
    }
    try patience.check()
    self.terms = terms
  }

  /// Looks.
  ///
  /// - Returns: Positions, rising.
  /// - Throws: `SearchError`.
  /// - Complexity: O(documents / 64 · terms + what is found).
  mutating func run() throws(SearchError) -> [Int] {
    let odd = try SearchError.reading { () throws(SnapshotError) in try searchUnindexedDocuments() }
    for block in 0..<index.blockCount {
      try patience.check()
      try SearchError.reading { () throws(SnapshotError) in
        var present = BlockBitmap()
        let start = block * BlockBitmap.wordCount
        for word in 0..<BlockBitmap.wordCount { present.words[word] = ~odd[start + word] }
        for way in ways.ways where !present.isEmpty {
          try visit(block, present, way)
        }
      }
    }
    try SearchError.reading { () throws(SnapshotError) in try insertPlacesOfUsers() }
    var found: [Int] = []
    found.reserveCapacity(nodes.reduce(0) { $0 + $1.nonzeroBitCount })
    Self.forEachBit(of: nodes) { found.append($0) }
    return found
  }

  private mutating func visit(
    _ block: Int,
    _ present: BlockBitmap,
    _ way: [Int]
  ) throws(SnapshotError) {
    var (candidates, full, owned) = (present, present, BlockBitmap())
    var marks: [Marks] = []
    for term in way {
      let found = try self.marks(term, block, among: candidates)
      full.formIntersection(found.own)
      owned.formUnion(found.all)
      if terms[term].path == nil { candidates.formIntersection(found.all) }
      if candidates.isEmpty { return }
      marks.append(found)
    }
    let first = block * SearchIndexFormat.blockSize
    // Who is in one department alone has the titles of that one.
    var titled = candidates
    for found in marks { titled.formIntersection(found.all) }
    try titled.forEach { (offset) throws(SnapshotError) in
      if try index.isInOnePlace(first + offset) { full.insert(offset) }
    }
    full.formIntersection(candidates)
    try insert(full, of: block)
    candidates.subtract(full)
    if candidates.isEmpty { return }
    // Words of another way count as found too, where every word of this one is found above alone.
    var others: [(term: Int, marks: Marks)] = []
    for term in terms.indices where !way.contains(term) {
      let found = try self.marks(term, block, among: candidates)
      owned.formUnion(found.all)
      others.append((term, found))
    }
    candidates.formIntersection(owned)
    let asked = zip(way, marks).map { (term: $0, marks: $1) }
    try candidates.forEach { (offset) throws(SnapshotError) in
      try look(at: first + offset, offset, asked, others)
    }
  }

  private func marks(
    _ term: Int,
    _ block: Int,
    among candidates: BlockBitmap
  ) throws(SnapshotError) -> Marks {
    let state = terms[term].state
    return Marks(
      own: try state.ownDocuments(block, among: candidates),
      titles: state.titled(block)
    )
  }

  // MARK: - Single documents

  /// Adds every place of some documents of a block, which have all of the terms by themselves.
  private mutating func insert(
    _ documents: BlockBitmap,
    of block: Int
  ) throws(SnapshotError) {
    guard !documents.isEmpty else { return }
    var departments: [Int] = []
    try index.forEachRecord(of: documents, block) { record in
      switch record {
      case .department(let ordinal): departments.append(ordinal)
      case .user(let user): users[user >> 6] |= 1 << UInt64(user & 63)
      }
    }
    for ordinal in departments { try insert(department: ordinal) }
  }

  private mutating func insert(department ordinal: Int) throws(SnapshotError) {
    let row = Int(engine.shape.rows[ordinal])
    guard scope.contains(department: ordinal), try !parts.isStub(row),
      try scope.filter?.contains(department: row) ?? true
    else { return }
    insert(try parts.departments.node(of: row))
  }

  private mutating func insert(_ node: Int) { nodes[node >> 6] |= 1 << UInt64(node & 63) }

  private mutating func insertPlacesOfUsers() throws(SnapshotError) {
    if scope.isEverywhere, scope.filter == nil {
      try parts.leaves.forEachNode(ofUsers: users) { insert($0) }
      return
    }
    try Self.forEachBit(of: users) { (user) throws(SnapshotError) in
      for place in try places(of: user) { insert(place.leaf) }
    }
  }

  private static func forEachBit<Failure: Error>(
    of words: [UInt64],
    _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    for (word, bits) in words.enumerated() {
      var rest = bits
      while rest != 0 {
        try body(word << 6 | rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }

  /// The places of a person that are looked for, and the ordinals of their departments.
  private func places(of user: Int) throws(SnapshotError) -> [(leaf: Int, ordinal: Int)] {
    guard try scope.filter?.contains(user: user) ?? true else { return [] }
    var places: [(leaf: Int, ordinal: Int)] = []
    for leaf in try parts.leaves.nodes(of: user) {
      places.append((leaf, try engine.department(of: leaf) ?? -1))
    }
    if scope.isEverywhere, scope.filter == nil { return places }
    guard scope.contains(departments: places.lazy.map(\.ordinal)) else { return [] }
    var wanted: [(leaf: Int, ordinal: Int)] = []
    for place in places {
      guard place.ordinal >= 0, scope.contains(department: place.ordinal),
        try scope.filter?.contains(membership: parts.tree.record(of: place.leaf)) ?? true
      else { continue }
      wanted.append(place)
    }
    return wanted
  }

  /// Adds the places of a document that have each term, and one of them not by departments above alone.
  private mutating func look(
    at document: Int,
    _ offset: Int,
    _ asked: [(term: Int, marks: Marks)],
    _ others: [(term: Int, marks: Marks)]
  ) throws(SnapshotError) {
    switch try index.record(of: document) {
    case .department(let ordinal):
      for (term, marks) in asked where !marks.own.contains(offset) {
        guard isBelow(term, ordinal) else { return }
      }
      let isOwn = asked.contains { $0.marks.own.contains(offset) }
      guard isOwn || others.contains(where: { $0.marks.own.contains(offset) }) else { return }
      try insert(department: ordinal)
    case .user(let user):
      let isOnly = try parts.leaves.nodes(of: user).count == 1
      for place in try places(of: user) {
        if try isMatch(place.leaf, place.ordinal, isOnly: isOnly, offset, asked, others) {
          insert(place.leaf)
        }
      }
    }
  }

  private mutating func isMatch(
    _ leaf: Int,
    _ ordinal: Int,
    isOnly: Bool,
    _ offset: Int,
    _ asked: [(term: Int, marks: Marks)],
    _ others: [(term: Int, marks: Marks)]
  ) throws(SnapshotError) -> Bool {
    var isOwn = false
    for (term, marks) in asked {
      if try has(term, marks, leaf, isOnly: isOnly, offset) {
        isOwn = true
      } else if !isBelow(term, ordinal) {
        return false
      }
    }
    for (term, marks) in others where !isOwn {
      isOwn = try has(term, marks, leaf, isOnly: isOnly, offset)
    }
    return isOwn
  }

  /// Whether a department or one above has the term in its name.
  private func isBelow(_ term: Int, _ ordinal: Int) -> Bool {
    ordinal >= 0 && terms[term].path?[ordinal] ?? DepartmentMatches.none != DepartmentMatches.none
  }

  /// Whether a person has the term anywhere but in the path, with the title of one place alone.
  private mutating func has(
    _ term: Int,
    _ marks: Marks,
    _ leaf: Int,
    isOnly: Bool,
    _ offset: Int
  ) throws(SnapshotError) -> Bool {
    if marks.own.contains(offset) { return true }
    guard marks.titles.contains(offset) else { return false }
    if isOnly { return true }
    let membership = try parts.tree.record(of: leaf)
    try parts.memberships.titles.withBytes(at: membership) { texts.take($0, of: .other) }
    return terms[term].state.matcher.best(in: texts) != nil
  }

  /// - Returns: A bit for each document that was looked at, or is none.
  private mutating func searchUnindexedDocuments() throws(SnapshotError) -> [UInt64] {
    var done = try index.absentDocuments()
    guard index.unindexedDocuments.count > 0 else { return done }
    var matcher = try RecordMatcher(
      parts,
      engine.shape,
      engine.phones,
      terms: ways,
      excluded: [],
      among: index.departmentsAroundUnindexedDocuments(parts)
    )
    for index in 0..<index.unindexedDocuments.count {
      let document = Int(try self.index.unindexedDocuments[index])
      guard document < self.index.documentCount else { throw self.index.unindexedDocuments.damaged }
      guard done[document >> 6] >> UInt64(document & 63) & 1 == 0 else { continue }
      done[document >> 6] |= 1 << UInt64(document & 63)
      switch try self.index.record(of: document) {
      case .department(let ordinal):
        guard let found = try matcher.match(departmentAt: ordinal), found.isMatch else { continue }
        try insert(department: ordinal)
      case .user(let user):
        for place in try places(of: user)
        where try matcher.match(user: user, leaves: [place.leaf])?.isMatch == true {
          insert(place.leaf)
        }
      }
    }
    return done
  }
}
