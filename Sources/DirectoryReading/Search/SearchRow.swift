import DirectoryModel
import DirectorySearch

/// A hit of a search as a front shows it.
package struct SearchRow: Sendable {
  /// With path, and departments for people.
  package var row: DirectoryRow
  /// Where a search found it.
  package var node: Node?
  /// Parts of the name's UTF-8 that were found, rising and apart.
  package var highlights: [Range<Int>] = []
  /// Why it is a hit, where that was asked for.
  package var reasons: [Reason] = []
  /// What was made of the query where this is not found as it was typed.
  package var reading: Reading?
  /// The smallest department that a person near the asker shares with the asker, where reasons were
  /// asked for.
  package var shared: String?

  package init(row: DirectoryRow, node: Node? = nil) {
    self.row = row
    self.node = node
  }

  /// Where one word of the query was found.
  package struct Reason: Sendable, Hashable {
    package var word: String
    /// The name of a `SearchField`, or of a declared field.
    package var field: String
    /// How, in words, such as `start of a word`.
    package var match: String
    /// The text it was found in.
    package var text: String
  }

  /// What was made of a query.
  package struct Reading: Sendable, Hashable {
    /// The kind of reading, as `SearchTier.key` names it.
    package var tier: String
    /// The reading in words, such as `read as: ada lund`.
    package var note: String
  }
}

extension SearchRow.Reason {
  init(_ word: SearchExplanation.Word) {
    self.init(
      word: word.typed,
      field: word.field,
      match: word.quality.phrase,
      text: word.text
    )
  }
}

extension SearchRow.Reason: Encodable {}

extension SearchRow.Reading: Encodable {
  init?(_ hit: SearchHit, _ explanation: SearchExplanation, isExplained: Bool) {
    if let reading = explanation.reading {
      self.init(tier: hit.tier.key, note: reading)
      return
    }
    let words = explanation.words.filter { $0.quality.isPartOfReading }.map { "\"\($0.typed)\"" }
    guard !isExplained, !words.isEmpty else { return nil }
    let verb = words.count == 1 ? "matches" : "match"
    self.init(
      tier: hit.tier.key,
      note: words.joined(separator: ", ") + " \(verb) part of a reading of the name"
    )
  }
}

/// What the user asks a search for.
package struct SearchOptions: Sendable {
  /// As typed; `DirectorySearch.SearchQuery` says what it may hold.
  package var text: String
  /// The department to look in; `nil` for everywhere.
  package var root: Node?
  /// The most rows; `nil` for all.
  package var limit: Int?
  /// Rows that are left out at the front.
  package var offset = 0
  /// Whether a typing error or two may find something.
  package var allowsErrors = true
  /// Whether the query may be taken in other ways where it finds too little.
  package var allowsTiers = true
  /// Whether rows say why they were found.
  package var explains = false
  /// When to give up, which a cancelled task does in any case; `nil` for never.
  package var deadline: ContinuousClock.Instant?

  package init(_ text: String) { self.text = text }
}

/// How many hits there are, shown or not.
package enum SearchTotal: Sendable, Equatable {
  case exactly(Int)
  case moreThan(Int)

  package var isZero: Bool { self == .exactly(0) }
}
