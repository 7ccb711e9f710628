import DirectoryModel
import DirectorySnapshot
import TextRules

/// Why a record is a hit, word by word, and what of its name to show as found.
package struct SearchExplanation: Sendable, Equatable {
  package struct Word: Sendable, Equatable {
    /// As looked for, folded.
    package var typed: String
    /// The name of the field it was found in, as queries call it.
    package var field: String
    package var quality: MatchQuality
    /// The text it was found in, as written.
    package var text: String
  }

  package var words: [Word]
  /// Parts of the name's UTF-8, rising and apart.
  package var highlights: [Range<Int>]
  /// What was made of the query where this is not found as it was typed.
  package var reading: String?
}

extension SearchEngine {
  /// Explains a hit.
  ///
  /// - Parameters:
  ///   - hit: A hit of the query.
  ///   - outcome: What the search gave.
  /// - Returns: The best place of each word; of equal ones the name.
  /// - Throws: `SnapshotError.damaged`.
  package func explain(
    _ hit: SearchHit,
    of outcome: SearchOutcome
  ) throws(SnapshotError) -> SearchExplanation {
    guard let stage = outcome.stage(of: hit) else {
      return SearchExplanation(words: [], highlights: [])
    }
    var explainer = HitExplainer(self, try fields(of: hit))
    let reading = explainer.add(stage.ways(allowsErrors: true))
    var explanation = explainer.explanation
    explanation.reading = reading.flatMap { stage.readings[$0].note }
    return explanation
  }

  private func fields(of hit: SearchHit) throws(SnapshotError) -> [HitExplainer.Field] {
    var fields: [HitExplainer.Field] = []
    if hit.isDepartment {
      fields.append(.init(.name, .other, try parts.departments.names[hit.row]))
      fields.append(.init(.id, nil, try parts.departments.ids[hit.row]))
      try addPath(above: hit.node, to: &fields)
      add(try parts.fields.values(ofDepartment: hit.row), of: .department, to: &fields)
      return fields
    }
    fields.append(.init(.name, .person, try parts.users.names[hit.row]))
    fields.append(.init(.id, nil, try parts.users.ids[hit.row]))
    for field in Field.contacts {
      fields.append(.init(.field(field), nil, try parts.contacts[field][hit.row]))
    }
    for leaf in try parts.leaves.nodes(of: hit.row) {
      fields.append(
        .init(.title, .other, try parts.memberships.titles[parts.tree.record(of: leaf)])
      )
      try addPath(above: leaf, to: &fields)
    }
    add(try parts.fields.values(ofUser: hit.row), of: .user, to: &fields)
    return fields
  }

  private func add(
    _ values: FieldValues,
    of owner: RecordKind,
    to fields: inout [HitExplainer.Field]
  ) {
    guard let values = values.values else { return }
    for field in parts.searchedFields where field.owner == owner {
      for text in values[field.name]?.texts ?? [] { fields.append(.init(.field(field), nil, text)) }
    }
  }

  private func addPath(
    above node: Int,
    to fields: inout [HitExplainer.Field]
  ) throws(SnapshotError) {
    for ancestor in try parts.tree.ancestors(of: node) {
      let name = try parts.departments.names[parts.tree.departmentRecord(of: ancestor)]
      fields.append(.init(.department, .other, name))
    }
  }
}

/// The parts of names to show as found by a query, without saying why.
package struct NameHighlighter: Sendable {
  private let ofPeople: [TermMatcher]
  private let ofDepartments: [TermMatcher]

  package init(_ query: SearchQuery) {
    func matchers(in fields: [SearchField]) -> [TermMatcher] {
      let terms = query.terms.filter { term in fields.contains { term.mayMatch($0) } }
      return TermInterpretations(terms, allowsErrors: true).matchers
    }
    ofPeople = matchers(in: [.name])
    ofDepartments = matchers(in: [.name, .department])
  }

  /// Parts of a name's UTF-8, rising and apart.
  ///
  /// - Complexity: O(name · terms).
  package func ranges(in name: String, isPerson: Bool) -> [Range<Int>] {
    HitHighlights(name, isPerson ? .person : .other)
      .ranges(of: isPerson ? ofPeople : ofDepartments)
  }
}

/// Collects what is said of a hit.
private struct HitExplainer {
  struct Field {
    var field: SearchField
    /// Whose readings count; `nil` for what is only looked at letter for letter.
    var owner: ReadingUnits.Owner?
    var text: String

    init(_ field: SearchField, _ owner: ReadingUnits.Owner?, _ text: String) {
      self.field = field
      self.owner = owner
      self.text = text
    }
  }

  private let engine: SearchEngine
  private let fields: [Field]
  private var words: [SearchExplanation.Word] = []
  private var matchers: [TermMatcher] = []

  init(_ engine: SearchEngine, _ fields: [Field]) {
    self.engine = engine
    self.fields = fields
  }

  /// Takes the words in the way that finds all of them best.
  ///
  /// - Returns: The reading whose way it is.
  mutating func add(_ terms: TermInterpretations) -> Int? {
    let found = terms.matchers.map { best(of: $0) }
    let chosen = terms.ways.indices.min { left, right in
      Self.worst(terms.ways[left].map { found[$0] })
        < Self.worst(terms.ways[right].map { found[$0] })
    }
    guard let chosen else { return nil }
    for index in terms.ways[chosen] {
      if let word = found[index] { words.append(word) }
      let matcher = terms.matchers[index]
      if let name = fields.first, isLookedAt(name, matcher.term) { matchers.append(matcher) }
    }
    return terms.readings[chosen]
  }

  /// The worst quality, past all of them where a word was not found.
  private static func worst(_ words: [SearchExplanation.Word?]) -> UInt8 {
    words.map { $0?.quality.rawValue ?? .max }.max() ?? 0
  }

  private func best(of matcher: TermMatcher) -> SearchExplanation.Word? {
    var best: SearchExplanation.Word?
    for field in fields where isLookedAt(field, matcher.term) {
      guard let quality = quality(of: matcher, in: field),
        best.map({ quality < $0.quality }) ?? true
      else { continue }
      best = SearchExplanation.Word(
        typed: String(decoding: matcher.term.text, as: UTF8.self),
        field: field.field.rawValue,
        quality: quality,
        text: field.text
      )
    }
    return best
  }

  /// A department's own name is both its name and a department's.
  private func isLookedAt(_ field: Field, _ term: SearchTerm) -> Bool {
    term.mayMatch(field.field)
      || field.field == .name && field.owner == .other && term.mayMatch(.department)
  }

  private func quality(of matcher: TermMatcher, in field: Field) -> MatchQuality? {
    var texts = FieldTexts()
    var text = field.text
    if field.field.isNumber {
      let digits = PhoneDigits(Folding.fold(field.text).utf8, rules: engine.phones)
      let found = matcher.quality(in: digits)
      guard digits.isSpelled else { return found }
      text.withUTF8 { texts.take(UnsafeRawBufferPointer($0)) }
      guard let literal = matcher.literal(in: texts) else { return found }
      return found.map { min($0, literal) } ?? literal
    }
    guard let owner = field.owner else {
      text.withUTF8 { texts.take(UnsafeRawBufferPointer($0)) }
      return matcher.literal(in: texts)
    }
    text.withUTF8 { texts.take(UnsafeRawBufferPointer($0), of: owner) }
    // The right half of a word is not a typing error, though it is found together with one that is.
    if matcher.term.means == .errors,
      TermMatcher.literal(matcher.term.text, in: texts.folded) == .whole
    {
      return .whole
    }
    return matcher.best(in: texts)
  }

  var explanation: SearchExplanation {
    var ranges: [Range<Int>] = []
    if let name = fields.first {
      ranges = HitHighlights(name.text, name.owner ?? .other).ranges(of: matchers)
    }
    return SearchExplanation(words: words, highlights: ranges)
  }
}
