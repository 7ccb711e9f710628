import DirectorySnapshot

extension SearchEngine {
  /// The nodes that match for a filtered tree.
  ///
  /// A department matches where every word is found in its name, id or path and one of them in its
  /// own name or id; a person's place where every word is found in the person's fields, the title
  /// there or the path, and one of them not in the path alone: so a found department does not drag in
  /// all its people. Typing errors count only where nothing matches without,
  /// and tiers only where nothing matches at all.
  ///
  /// - Parameters:
  ///   - query: What is looked for.
  ///   - scope: Where.
  ///   - deadline: When to give up.
  /// - Returns: Positions, rising.
  /// - Throws: `SearchError`.
  /// - Complexity: That of a search for all hits, and a look at each.
  package func matchingNodes(
    for query: SearchQuery,
    in scope: SearchScope = .everywhere,
    deadline: ContinuousClock.Instant? = nil
  ) throws(SearchError) -> [Int] {
    if let refusal = query.refusal { throw .refused(refusal) }
    let test = try scopeTest(of: query, in: scope)
    let patience = SearchDeadline(deadline)
    let exact = try nodesWithoutErrors(query, test, patience)
    if let exact, !exact.isEmpty { return exact }
    let attempts = [(false, false), (true, false), (true, true)]
    for (allowsErrors, allowsTiers) in attempts.dropFirst(exact == nil ? 0 : 1) {
      var request = SearchRequest(query, in: scope, deadline: deadline)
      request.allowsErrors = allowsErrors
      request.allowsTiers = allowsTiers
      let outcome = try search(request, in: test)
      let excluded = query.excluded.map { TermMatcher($0, allowsErrors: false) }
      var nodes: [Int] = []
      for stage in outcome.stages {
        let hits = outcome.hits.filter { $0.tier == stage.tier }
        if hits.isEmpty { continue }
        // So many in a tenth of a second: who types on has no use for the rest.
        for start in stride(from: 0, to: hits.count, by: 16_384) {
          try patience.check()
          nodes += try SearchError.reading { () throws(SnapshotError) in
            try self.nodes(
              of: hits[start..<min(start + 16_384, hits.count)],
              stage.ways(allowsErrors: allowsErrors),
              excluded,
              test
            )
          }
        }
      }
      if !nodes.isEmpty { return nodes.sorted() }
    }
    return []
  }

  /// What is found as typed; `nil` where only a look at each hit tells.
  private func nodesWithoutErrors(
    _ query: SearchQuery,
    _ test: ScopeFilter,
    _ patience: SearchDeadline
  ) throws(SearchError) -> [Int]? {
    guard let index, query.excluded.isEmpty, !query.terms.isEmpty else { return nil }
    for stage in query.stagesAsTyped {
      let ways = stage.ways(allowsErrors: false)
      if ways.matchers.contains(where: \.isOfWords) { return nil }
      var search = try NodeSearch(self, index, ways, test, patience)
      let nodes = try search.run()
      if !nodes.isEmpty { return nodes }
    }
    return []
  }

  private func nodes(
    of hits: ArraySlice<SearchHit>,
    _ terms: TermInterpretations,
    _ excluded: [TermMatcher],
    _ scope: ScopeFilter
  ) throws(SnapshotError) -> [Int] {
    var matcher = try RecordMatcher(parts, shape, phones, terms: terms, excluded: excluded)
    var nodes: [Int] = []
    for hit in hits {
      if hit.isDepartment {
        let ordinal = Int(shape.ordinals[hit.row])
        if try matcher.match(departmentAt: ordinal)?.isOwn == true { nodes.append(hit.node) }
        continue
      }
      for leaf in try parts.leaves.nodes(of: hit.row) {
        guard let ordinal = try department(of: leaf), scope.contains(department: ordinal),
          try scope.filter?.contains(membership: parts.tree.record(of: leaf)) ?? true,
          try matcher.match(user: hit.row, leaves: [leaf])?.isMatch == true
        else { continue }
        nodes.append(leaf)
      }
    }
    return nodes
  }
}
