import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import TextRules

/// Searches of one directory; safe to use from many tasks at once.
package struct DirectorySearcher: Sendable {
  private let directory: Directory
  private let ready: PreparedEngine

  /// Tells more than searching: what is found where in a hit.
  private var engine: SearchEngine { ready.engine }

  /// Whether there is an index, without which a search looks at every record.
  package var hasIndex: Bool { ready.hasIndex }

  init(_ directory: Directory, makesIndex: Bool) throws(SnapshotError) {
    self.directory = directory
    ready = try directory.state.search.engine(makesIndex: makesIndex)
  }

  /// Calls `body` with one hit after the other, best first, and keeps none: paths make the rows of
  /// a deep tree many times as large as the tree.
  ///
  /// - Parameters:
  ///   - options: What to look for, and how many rows.
  ///   - body: Gets the rows.
  /// - Returns: How many hits there are.
  /// - Throws: `.usage` for a query that passes a limit, `.notFound` for a department that is not
  ///   known, `.refusedForNow` after the deadline, `.interrupted` in a cancelled task, that the
  ///   snapshot is damaged, and what `body` throws.
  package func forEachHit(
    of options: SearchOptions,
    _ body: (SearchRow) throws -> Void
  ) throws -> SearchTotal {
    let (query, outcome) = try outcome(of: options)
    let names = NameHighlighter(query)
    for hit in outcome.hits {
      let row = try directory.listRow(at: hit.node)
      var found = SearchRow(row: row, node: directory.node(hit.node))
      if options.explains || hit.tier != .asTyped || hit.rank.quality.isPartOfReading {
        let explanation = try engine.explain(hit, of: outcome)
        found.highlights = explanation.highlights
        if options.explains {
          found.reasons = explanation.words.map { SearchRow.Reason($0) }
          found.shared = try ready.neighbourhood(of: directory.asker)?
            .department(sharedBy: hit, engine)
            .map { try directory.departments.names[$0] }
        }
        found.reading = SearchRow.Reading(hit, explanation, isExplained: options.explains)
      } else {
        found.highlights = names.ranges(in: row.name, isPerson: !hit.isDepartment)
      }
      try body(found)
    }
    switch outcome.total {
    case .exactly(let count): return .exactly(count)
    case .moreThan(let count): return .moreThan(count)
    }
  }

  /// Departments or people in whose names every word of a text begins a word, as
  /// `SearchEngine.rows(withNamesBeginning:_:limit:deadline:)`.
  ///
  /// - Throws: As `forEachHit(of:_:)`.
  func rows(
    withNamesBeginning text: String,
    _ owner: RecordKind,
    limit: Int,
    deadline: ContinuousClock.Instant
  ) throws -> (rows: [Int], areLetters: Bool) {
    try translated { (engine) throws(SearchError) in
      try engine.rows(withNamesBeginning: text, owner, limit: limit, deadline: deadline)
    }
  }

  private func outcome(of options: SearchOptions) throws -> (SearchQuery, SearchOutcome) {
    let query = SearchQuery(options.text, phones: engine.phones, fields: engine.fields)
    var request = SearchRequest(
      query,
      in: try scope(of: query, root: options.root),
      limit: options.limit,
      offset: options.offset,
      allowsErrors: options.allowsErrors,
      deadline: options.deadline
    )
    request.allowsTiers = options.allowsTiers
    return (query, try search(request))
  }

  /// Nodes that match for a filtered tree.
  ///
  /// - Parameters:
  ///   - text: A query.
  ///   - root: The department to look in; `nil` for everywhere.
  ///   - deadline: When to give up.
  /// - Returns: Positions, rising.
  /// - Throws: As `forEachHit(of:_:)`.
  func matchingNodes(
    for text: String,
    root: Node?,
    deadline: ContinuousClock.Instant? = nil
  ) throws -> [Int] {
    let query = SearchQuery(text, phones: engine.phones, fields: engine.fields)
    let scope = try scope(of: query, root: root)
    return try translated { (engine) throws(SearchError) in
      try engine.matchingNodes(for: query, in: scope, deadline: deadline)
    }
  }

  /// The best of the matches that a filtered tree shows.
  ///
  /// - Parameter text: A query.
  /// - Returns: Its node, or another place of the same person; `nil` where nothing is found.
  /// - Throws: As `forEachHit(of:_:)`.
  package func best(for text: String) throws -> Node? {
    let query = SearchQuery(text, phones: engine.phones, fields: engine.fields)
    var request = SearchRequest(query, in: try scope(of: query, root: nil), limit: 1)
    // What was mistyped or is meant otherwise is in the tree only where nothing is found without.
    for (allowsErrors, allowsTiers) in [(false, false), (true, false), (true, true)] {
      (request.allowsErrors, request.allowsTiers) = (allowsErrors, allowsTiers)
      if let hit = try search(request).hits.first { return directory.node(hit.node) }
    }
    return nil
  }

  /// The only person with this address but for what a search ignores; `nil` for what is none, or that of
  /// several.
  ///
  /// - Throws: As `forEachHit(of:_:)`.
  func holder(ofAddress text: String) throws -> Node? {
    guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
    let leaves = try leaves(ofPeopleWithAddress: text)
    return leaves.count == 1 ? directory.node(leaves[0]) : nil
  }

  /// A leaf of each person with an address but for what a search ignores.
  ///
  /// - Throws: As `forEachHit(of:_:)`.
  fileprivate func leaves(ofPeopleWithAddress text: String) throws(DirectoryError) -> [Int] {
    try translated { (engine) throws(SearchError) in try engine.leaves(ofPeopleCalled: text) }
  }

  /// Some of the nodes that match for a filtered tree: all that a screen shows around one of them.
  ///
  /// - Parameters:
  ///   - node: The match; as `best(for:)` gives it.
  ///   - text: A query.
  ///   - rows: Of the screen.
  /// - Returns: Positions, rising; `nil` where only a look at everything tells.
  /// - Throws: As `forEachHit(of:_:)`.
  func matchingNodes(
    around node: Int,
    for text: String,
    rows: Int
  ) throws -> [Int]? {
    let query = SearchQuery(text, phones: engine.phones, fields: engine.fields)
    return try translated { (engine) throws(SearchError) in
      try engine.matchingNodes(around: node, for: query, count: rows)
    }
  }

  /// What a query finds in names: parts of their UTF-8, rising and apart.
  package func highlighter(
    of text: String
  ) -> @Sendable (_ name: String, _ isPerson: Bool) -> [Range<Int>] {
    let names = NameHighlighter(
      SearchQuery(text, phones: engine.phones, fields: engine.fields)
    )
    return { names.ranges(in: $0, isPerson: $1) }
  }

  /// What may have been meant by a query that finds nothing.
  ///
  /// - Parameters:
  ///   - text: A query.
  ///   - root: The department to look in; `nil` for everywhere.
  /// - Returns: Another query, which finds something there; `nil` where nothing is near.
  /// - Throws: As `forEachHit(of:_:)`.
  package func suggestion(for text: String, root: Node? = nil) throws -> String? {
    let query = SearchQuery(text, phones: engine.phones, fields: engine.fields)
    let scope = try scope(of: query, root: root)
    return try translated { (engine) throws(SearchError) in
      try engine.suggestion(for: query, in: scope)
    }
  }

  /// Searches, those first who are near who asks.
  private func search(_ request: SearchRequest) throws(DirectoryError) -> SearchOutcome {
    let asker = directory.asker
    return try directory.state.search.translated(ready) { (ready) throws(SearchError) in
      var request = request
      request.neighbourhood = ready.neighbourhood(of: asker)
      return try ready.engine.search(request)
    }
  }

  private func scope(of query: SearchQuery, root: Node?) throws -> SearchScope {
    var within = root.map { [directory.position(of: $0)] } ?? []
    within += try query.scopes.map { try directory.position(of: DepartmentName($0)) }
    let outside = try query.excludedScopes.map { try directory.position(of: DepartmentName($0)) }
    return SearchScope(within: within, outside: outside)
  }

  private func translated<Result>(
    _ body: (SearchEngine) throws(SearchError) -> Result
  ) throws(DirectoryError) -> Result {
    try directory.state.search.translated(ready) { (ready) throws(SearchError) in
      try body(ready.engine)
    }
  }
}

extension StateSearch {
  /// As `answer(_:_:)`, with errors for fronts.
  func translated<Result>(
    _ ready: PreparedEngine,
    _ body: (PreparedEngine) throws(SearchError) -> Result
  ) throws(DirectoryError) -> Result {
    do throws(SearchError) {
      return try answer(ready, body)
    } catch {
      throw DirectoryError(error)
    }
  }
}

extension Directory {
  /// The only person with this address, as `MailAddress` compares it: it decides whose rights one has.
  ///
  /// - Returns: `nil` for what is no address, or that of no one or of several.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func person(withAddress text: String) throws -> UserID? {
    guard let address = MailAddress(text) else { return nil }
    let searcher = try searcher()
    var holders: Set<Int> = []
    // A search finds these, and others who are alike.
    for spelling in address.spellings {
      for leaf in try searcher.leaves(ofPeopleWithAddress: spelling) {
        let user = try user(at: leaf)
        if MailAddress(try state.contacts[.email][user]) == address { holders.insert(user) }
      }
    }
    guard let holder = holders.first, holders.count == 1 else { return nil }
    return UserID(try users.ids[holder])
  }

  /// Searches: for `search`, for look-ups and for filtered trees alike, so that they agree.
  ///
  /// - Throws: `.badData` for a damaged snapshot.
  package func searcher() throws(DirectoryError) -> DirectorySearcher {
    do throws(SnapshotError) {
      return try DirectorySearcher(self, makesIndex: true)
    } catch {
      throw DirectoryError(error)
    }
  }
}

extension DirectoryError {
  init(_ error: SearchError) {
    switch error {
    case .refused(.unknownField(let name, let meant)):
      let fields = SearchField.allCases.map { "\($0.rawValue):" }.joined(separator: ", ")
      self.init(
        .usage,
        "cannot search: there is no field \(name):",
        advice:
          """
          did you mean \(meant.rawValue):? The fields are \(fields) and in:; to search for the text itself, \
          \(.searchLiterally("\(name):…"))
          """
      )
    case .refused(let refusal):
      self.init(.usage, "cannot search: \(refusal)", advice: "shorten the query")
    case .late:
      self.init(.refusedForNow, "the search took too long and was abandoned")
    case .cancelled: self.init(.interrupted, "interrupted")
    case .snapshot(let error): self = DirectoryError(error)
    }
  }
}
