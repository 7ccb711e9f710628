import DirectorySnapshot

/// The matches around a hit, found by a look at one node after the other, while all of them are still being
/// looked for.
///
/// They are so many that what a screen shows of the filtered tree around the hit is what it will show when
/// all are known, tree lines and signs included.
struct NearbyNodes {
  private let engine: SearchEngine
  private let terms: TermInterpretations
  private let patience: SearchDeadline
  /// Knows the names of the departments that the nodes of `chunk` are in.
  private var matcher: RecordMatcher?
  private var chunk = 0..<0
  private var looks = 0

  /// Nodes whose departments are read together.
  private static let chunkSize = 512
  /// Looks at nodes between two at the clock.
  private static let looksAtOnce = 32

  /// - Parameters:
  ///   - engine: Of the snapshot.
  ///   - terms: What is looked for, everywhere and without exceptions.
  ///   - patience: When to give up.
  init(_ engine: SearchEngine, _ terms: TermInterpretations, _ patience: SearchDeadline) {
    self.engine = engine
    self.terms = terms
    self.patience = patience
  }

  /// Looks.
  ///
  /// - Parameters:
  ///   - node: The hit.
  ///   - count: How many matches are wanted on either side.
  /// - Returns: Positions, rising; `nil` where the hit is none.
  /// - Throws: `SearchError`.
  /// - Complexity: O(nodes between the matches + names of the departments around them).
  mutating func run(around node: Int, _ count: Int) throws(SearchError) -> [Int]? {
    guard try isMatch(node) else { return nil }
    var before: [Int] = []
    var position = node
    while position > 0, before.count < count {
      position -= 1
      if try isMatch(position) { before.append(position) }
    }
    var after = [node]
    position = node + 1
    while position < engine.parts.tree.count, after.count <= count {
      if try isMatch(position) { after.append(position) }
      position += 1
    }
    return before.reversed() + after + (try matchesBehind(after[after.count - 1]))
  }

  /// The first match below the last node, and behind it and each department above it: whether the lines of the
  /// tree go on there.
  private mutating func matchesBehind(_ last: Int) throws(SearchError) -> [Int] {
    let tree = engine.parts.tree
    let ends = try SearchError.reading { () throws(SnapshotError) in
      var ends = [last + 1]
      for node in [last] + (try tree.ancestors(of: last)) {
        ends.append(try tree.subtree(of: node).upperBound)
      }
      return ends + [tree.count]
    }
    var found: [Int] = []
    for (start, end) in zip(ends, ends.dropFirst()) where start < end {
      var node = start
      while node < end {
        if try isMatch(node) {
          found.append(node)
          break
        }
        node += 1
      }
    }
    return found
  }

  private mutating func isMatch(_ node: Int) throws(SearchError) -> Bool {
    if looks % Self.looksAtOnce == 0 { try patience.check() }
    looks += 1
    return try SearchError.reading { () throws(SnapshotError) in
      let parts = engine.parts
      if !chunk.contains(node) { try enter(chunkOf: node) }
      let record = try parts.tree.record(of: node)
      if try parts.tree.isDepartment(node) {
        let ordinal = Int(engine.shape.ordinals[record])
        return try matcher?.match(departmentAt: ordinal)?.isMatch ?? false
      }
      let user = try parts.memberships.user(of: record)
      return try matcher?.match(user: user, leaves: [node])?.isMatch ?? false
    }
  }

  private mutating func enter(chunkOf node: Int) throws(SnapshotError) {
    let parts = engine.parts
    let start = node / Self.chunkSize * Self.chunkSize
    chunk = start..<min(start + Self.chunkSize, parts.tree.count)
    var ordinals: [Int] = []
    for ancestor in try parts.tree.ancestors(of: start) {
      ordinals.append(Int(engine.shape.ordinals[try parts.tree.departmentRecord(of: ancestor)]))
    }
    let first = try engine.shape.ordinal(ofNode: start, parts)
    ordinals += first..<(try engine.shape.ordinal(ofNode: chunk.upperBound, parts))
    matcher = try RecordMatcher(
      parts,
      engine.shape,
      engine.phones,
      terms: terms,
      excluded: [],
      among: ordinals
    )
  }
}

extension SearchEngine {
  /// The matches for a filtered tree around a hit, for a screen that is shown while all are looked for.
  ///
  /// - Parameters:
  ///   - node: The best hit.
  ///   - query: What is looked for, everywhere.
  ///   - count: How many matches are wanted on either side.
  /// - Returns: Positions, rising: those of `matchingNodes(for:in:deadline:)` from the first to the last wanted
  ///   one, and behind that one some of them, by which the lines of the tree go on; `nil` where only a look at
  ///   everything tells.
  /// - Throws: `SearchError`.
  package func matchingNodes(
    around node: Int,
    for query: SearchQuery,
    count: Int
  ) throws(SearchError) -> [Int]? {
    guard query.refusal == nil, query.excluded.isEmpty, query.conditions.isEmpty,
      query.scopes.isEmpty, query.excludedScopes.isEmpty, !query.terms.isEmpty,
      let stage = query.stagesAsTyped.first
    else { return nil }
    let terms = stage.ways(allowsErrors: false)
    var nearby = NearbyNodes(self, terms, SearchDeadline(nil))
    return try nearby.run(around: node, count)
  }
}
