import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import TextRules

/// Finds people and departments in one snapshot.
///
/// It may be used from many tasks at once: everything it holds is read only.
package struct SearchEngine: Sendable {
  let parts: SearchColumns
  let shape: DepartmentShape
  package let phones: DialingPlan
  /// `nil` where every record is looked at.
  package let index: SearchIndex?

  /// - Parameters:
  ///   - snapshot: Where to look.
  ///   - phones: How telephone numbers are dialled where the directory is.
  ///   - index: The index of this snapshot, if there is one.
  /// - Throws: `SnapshotError.damaged`.
  package init(
    _ snapshot: DirectorySnapshot,
    phones: DialingPlan,
    index: SearchIndex? = nil
  ) throws(SnapshotError) {
    parts = try SearchColumns(snapshot)
    if let index { shape = index.shape } else { shape = try DepartmentShape(parts) }
    self.phones = phones
    self.index = index
  }

  /// Searches.
  ///
  /// - Parameter request: What to look for, where, and how many hits are wanted.
  /// - Returns: The hits from the offset on, best first.
  /// - Throws: `SearchError`.
  package func search(_ request: SearchRequest) throws(SearchError) -> SearchOutcome {
    if let refusal = request.query.refusal { throw .refused(refusal) }
    return try search(request, in: scopeTest(of: request.query, in: request.scope))
  }

  func search(
    _ request: SearchRequest,
    in scope: ScopeFilter
  ) throws(SearchError) -> SearchOutcome {
    guard !request.query.isEmpty else { return SearchOutcome(hits: [], total: .exactly(0)) }
    var walk = TieredSearch(self, request, scope)
    return try walk.run()
  }

  /// Searches for what one of a stage's readings finds.
  ///
  /// - Parameters:
  ///   - stage: The readings.
  ///   - request: What else is asked for.
  ///   - scope: Where to look.
  ///   - wanted: Looking stops when there are more hits.
  /// - Returns: The hits from the best on, and whether they are all.
  /// - Throws: `SearchError`.
  func search(
    _ stage: SearchStage,
    _ request: SearchRequest,
    in scope: ScopeFilter,
    wanted: Int
  ) throws(SearchError) -> (hits: [SearchHit], isAll: Bool) {
    let patience = SearchDeadline(request.deadline)
    let ways = stage.ways(allowsErrors: request.allowsErrors)
    let excluded = request.query.excluded.map { TermMatcher($0, allowsErrors: false) }
    guard let index else {
      let matcher = try SearchError.reading { () throws(SnapshotError) in
        try RecordMatcher(parts, shape, phones, terms: ways, excluded: excluded)
      }
      var scan = ScanSearch(matcher, scope, request.neighbourhood, patience)
      return (try scan.hits().map { hit in tagged(hit, stage.tier) }, true)
    }
    var search = try IndexSearch(
      self,
      index,
      ways,
      excluded: excluded,
      scope,
      request.neighbourhood,
      wanted: wanted,
      patience
    )
    let isAll = try search.run()
    let found = search.found
    return try SearchError.reading { () throws(SnapshotError) in
      var hits: [SearchHit] = []
      for (document, rank) in found {
        hits.append(tagged(try hit(document, rank, index, scope), stage.tier))
      }
      return (hits, isAll)
    }
  }

  /// Puts those of whom a title or a declared field is what was typed, and no more, before others of the same
  /// rank; of names the shorter come first in any case.
  func putExactFirst(
    _ hits: inout ArraySlice<SearchHit>,
    _ stage: SearchStage
  ) throws(SnapshotError) {
    let text = stage.readings[0].terms.map(\.text).joined(separator: [UInt8(ascii: " ")])
    var start = hits.startIndex
    while start < hits.endIndex {
      let rank = hits[start].rank
      let end = hits[start...].firstIndex { $0.rank != rank } ?? hits.endIndex
      if rank.mayBeExact {
        var exact: [SearchHit] = []
        var others: [SearchHit] = []
        for hit in hits[start..<end] {
          if try holdsExactly(text, hit) { exact.append(hit) } else { others.append(hit) }
        }
        hits.replaceSubrange(start..<end, with: exact + others)
      }
      start = end
    }
  }

  /// Puts people who are called by another form of a name before others in whose names it only occurs:
  /// Hanna before Rosanna for `anna`.
  ///
  /// - Parameters:
  ///   - hits: Best first.
  ///   - forms: The other forms (`NameVariants`).
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(hits · forms).
  func putNameFormsFirst(
    _ hits: inout ArraySlice<SearchHit>,
    _ forms: SearchStage
  ) throws(SnapshotError) {
    guard let start = hits.firstIndex(where: \.rank.isWithinName) else { return }
    let end = hits[start...].firstIndex { !$0.rank.isWithinName } ?? hits.endIndex
    let ways = forms.ways(allowsErrors: false)
    var texts = FieldTexts()
    var (called, others): ([SearchHit], [SearchHit]) = ([], [])
    for hit in hits[start..<end] {
      guard !hit.isDepartment else {
        others.append(hit)
        continue
      }
      try parts.users.names.withBytes(at: hit.row) { texts.take($0, of: .person) }
      let isFound = ways.matchers.map { $0.best(in: texts).map { $0 <= .reading } ?? false }
      if ways.ways.contains(where: { $0.allSatisfy { isFound[$0] } }) {
        called.append(hit)
      } else {
        others.append(hit)
      }
    }
    hits.replaceSubrange(start..<end, with: called + others)
  }

  private func holdsExactly(
    _ text: some Sequence<UInt8>,
    _ hit: SearchHit
  ) throws(SnapshotError) -> Bool {
    var texts: [String] = []
    if !hit.isDepartment {
      for leaf in try parts.leaves.nodes(of: hit.row) {
        texts.append(try parts.memberships.titles[parts.tree.record(of: leaf)])
      }
    }
    let values =
      try hit.isDepartment
      ? parts.fields.values(ofDepartment: hit.row) : parts.fields.values(ofUser: hit.row)
    texts += values.values?.values.flatMap(\.texts) ?? []
    return texts.contains { Folding.fold($0).utf8.elementsEqual(text) }
  }

  private func tagged(_ hit: SearchHit, _ tier: SearchTier) -> SearchHit {
    var hit = hit
    hit.tier = tier
    return hit
  }

  /// The declared fields, in the order in which they are shown.
  package var fields: [Field] { parts.fields.declared }

  /// Where a query looks; to be made once for all that is asked about it, since it keeps answers.
  func scopeTest(
    of query: SearchQuery,
    in scope: SearchScope
  ) throws(SearchError) -> ScopeFilter {
    var test = try SearchError.reading { () throws(SnapshotError) in
      try ScopeFilter(scope, shape, parts)
    }
    if !query.conditions.isEmpty {
      test.filter = FieldFilter(query.conditions, parts, phones, index)
    }
    return test
  }

  private func hit(
    _ document: Int,
    _ rank: SearchRank,
    _ index: SearchIndex,
    _ scope: ScopeFilter
  ) throws(SnapshotError) -> SearchHit {
    switch try index.record(of: document) {
    case .department(let ordinal):
      let row = Int(shape.rows[ordinal])
      let node = try parts.departments.node(of: row)
      return SearchHit(node: node, isDepartment: true, row: row, rank: rank)
    case .user(let user):
      let leaves = try parts.leaves.nodes(of: user)
      guard let primary = try parts.primaryLeaf(among: leaves) else { throw index.records.damaged }
      let shown = try scope.shownLeaf(of: leaves, primary: primary, self) ?? primary
      return SearchHit(node: shown, isDepartment: false, row: user, rank: rank)
    }
  }

  /// Position of a department's node, by its row.
  package func node(ofDepartment row: Int) throws(SnapshotError) -> Int {
    try parts.departments.node(of: row)
  }

  /// The ordinal of the department that a leaf lies in.
  func department(of leaf: Int) throws(SnapshotError) -> Int? {
    guard let parent = try parts.tree.parent(of: leaf) else { return nil }
    return Int(shape.ordinals[try parts.tree.departmentRecord(of: parent)])
  }
}
