import DirectorySnapshot

/// A search, tier after tier, as long as there is room among the hits that are wanted.
///
/// The order is: what is found as typed, tiers that only take away what is not part of a name,
/// typing errors in what was typed, tiers that guess. Which tiers are tried depends on what is
/// found alone, so that pages of one search fit together.
struct TieredSearch {
  private let engine: SearchEngine
  private let request: SearchRequest
  private let scope: ScopeFilter
  private var stages: [SearchStage] = []
  /// What comes before typing errors, those, and what comes behind them.
  private var near: [SearchHit] = []
  private var mistyped: [SearchHit] = []
  private var far: [SearchHit] = []
  private var seen: Set<Int> = []
  /// Whether no search stopped because there was enough.
  private var isAll = true
  private var words: DirectoryVocabulary

  init(_ engine: SearchEngine, _ request: SearchRequest, _ scope: ScopeFilter) {
    self.engine = engine
    self.request = request
    self.scope = scope
    words = DirectoryVocabulary(engine, request, scope)
  }

  /// Walks.
  ///
  /// - Throws: `SearchError`; not `.late` where something was found before it was.
  mutating func run() throws(SearchError) -> SearchOutcome {
    let rewriter = QueryRewriter(request.query, engine.phones)
    try takeAsTyped(rewriter)
    if request.allowsTiers, !request.query.terms.isEmpty {
      do throws(SearchError) {
        for tier in SearchTier.allCases.dropFirst() { try visit(tier, rewriter) }
      } catch {
        guard error == .late, count > 0 else { throw error }
        return outcome(total: .moreThan(max(0, count - 1)))
      }
    }
    let isMore = !isAll || count > request.wanted
    return outcome(total: isMore ? .moreThan(request.wanted) : .exactly(count))
  }

  private var count: Int { near.count + mistyped.count + far.count }

  private func outcome(total: SearchOutcome.Total) -> SearchOutcome {
    let hits = near + mistyped + far
    let page = hits.dropFirst(max(request.offset, 0)).prefix(max(request.limit ?? hits.count, 0))
    return SearchOutcome(
      hits: Array(page),
      total: isAll && count <= request.wanted ? .exactly(count) : total,
      stages: stages
    )
  }

  // MARK: - As typed

  /// So many of the first hits are put in the order of exact values, whatever page is asked for.
  private static let reordered = 256

  private mutating func takeAsTyped(_ rewriter: QueryRewriter) throws(SearchError) {
    for stage in request.query.stagesAsTyped {
      var found = try engine.search(stage, request, in: scope, wanted: request.wanted)
      stages = [stage]
      isAll = found.isAll
      guard !found.hits.isEmpty else { continue }
      let mayBeExact = found.hits.contains(where: \.rank.mayBeExact)
      let forms =
        request.allowsTiers && found.hits.contains(where: \.rank.isWithinName)
        ? try rewriter.stage(.nameVariants, &words) : nil
      if mayBeExact || forms != nil {
        if !found.isAll, request.wanted < Self.reordered {
          found = try engine.search(stage, request, in: scope, wanted: Self.reordered)
        }
        try SearchError.reading { () throws(SnapshotError) in
          var first = found.hits[..<min(found.hits.count, Self.reordered)]
          try engine.putExactFirst(&first, stage)
          if let forms { try engine.putNameFormsFirst(&first, forms) }
          found.hits.replaceSubrange(first.indices, with: first)
        }
      }
      let errors = found.hits.firstIndex { $0.rank.quality >= .oneError } ?? found.hits.count
      near = Array(found.hits[..<errors])
      mistyped = Array(found.hits[errors...])
      seen = Set(near.map(\.key))
      return
    }
  }

  // MARK: - Tiers

  private mutating func visit(
    _ tier: SearchTier,
    _ rewriter: QueryRewriter
  ) throws(SearchError) {
    if tier == .initials { return try visitInitials(rewriter) }
    guard request.allowsErrors || !tier.isGuess, hasRoom(tier), mayBeNeeded(tier) else { return }
    guard let stage = try rewriter.stage(tier, &words), isNeeded(stage.need) else { return }
    // What is found twice counts once.
    let (most, overflow) = request.wanted.addingReportingOverflow(count)
    let found = try engine.search(stage, request, in: scope, wanted: overflow ? .max : most)
    guard !found.hits.isEmpty else { return }
    stages.append(stage)
    if !found.isAll { isAll = false }
    let new = found.hits.filter { seen.insert($0.key).inserted }
    if tier.precedesErrors {
      near += new
      mistyped.removeAll { seen.contains($0.key) }
    } else {
      far += new.filter { hit in !mistyped.contains { $0.key == hit.key } }
    }
  }

  /// Departments by their initials come before what has the letters inside a word; a few departments
  /// come behind a few of what begins so, since an abbreviation is meant as often.
  private mutating func visitInitials(_ rewriter: QueryRewriter) throws(SearchError) {
    guard request.query.excluded.isEmpty, let initials = rewriter.initialLetters,
      mayBeCalled(initials), let stage = try rewriter.stage(.initials, &words)
    else { return }
    let found = try engine.departments(with: initials, request, in: scope)
    guard !found.isEmpty else { return }
    stages.append(stage)
    let keys = Set(found.map(\.key))
    near.removeAll { keys.contains($0.key) }
    mistyped.removeAll { keys.contains($0.key) }
    seen.formUnion(keys)
    let place = near.firstIndex { $0.rank.quality > .reading } ?? near.count
    let isRare = found.count <= Self.fewDepartments
    near.insert(contentsOf: found, at: isRare ? min(place, Self.fewStarts) : place)
  }

  /// Whether a query may be an abbreviation: no name has it as a word, and a reading only a short one.
  private func mayBeCalled(_ initials: DepartmentInitials) -> Bool {
    let names = near.prefix { $0.rank.quality <= .wholeReading }.filter { !$0.rank.isOutsideName }
    guard let first = names.first else { return true }
    return first.rank.quality == .wholeReading && initials.letters.count <= 3
  }

  private static let fewDepartments = 3
  private static let fewStarts = 4

  private func hasRoom(_ tier: SearchTier) -> Bool {
    tier.precedesErrors ? near.count <= request.wanted : isAll && count <= request.wanted
  }

  /// Whether it is worth while to work out what a tier looks for.
  private func mayBeNeeded(_ tier: SearchTier) -> Bool {
    switch tier {
    case .otherSpellings, .nameVariants: isNeeded(.noWholeName)
    case .joinedWords, .misread: isNeeded(.noName)
    case .number, .signsAsBlanks, .keyboard, .withoutWord: isNeeded(.nothing)
    default: true
    }
  }

  private func isNeeded(_ need: SearchStage.Condition) -> Bool {
    switch need {
    case .room: true
    case .noWholeName:
      !near.contains { !$0.rank.isOutsideName && $0.rank.quality <= .wholeReading }
    case .noName: !near.contains { !$0.rank.isOutsideName }
    case .nothing: count == 0
    }
  }
}

extension SearchQuery {
  /// The ways to take it as typed, of which the first counts that finds something.
  var stagesAsTyped: [SearchStage] {
    var readings = [terms]
    if let joined = termsWithJoinedNumber {
      // The digits of a whole number are never looked for one by one.
      readings = isWholeNumber ? [joined] : [joined, terms]
    }
    return readings.map { SearchStage(.asTyped, [SearchReading(terms: $0)], need: .room) }
  }
}

extension SearchHit {
  /// Tells people and departments apart.
  fileprivate var key: Int { row << 1 | (isDepartment ? 1 : 0) }
}
