/// A person or a department that a query found.
package struct SearchHit: Sendable, Equatable {
  /// Position in the tree: the department, or the leaf that stands for the person.
  package let node: Int
  package let isDepartment: Bool
  /// Row of the department or of the user.
  package let row: Int
  package let rank: SearchRank
  /// What it was found by.
  package internal(set) var tier = SearchTier.asTyped
}

/// Where to look: departments by their nodes.
package struct SearchScope: Sendable, Equatable {
  /// A hit is in each of them or below.
  package var within: [Int]
  /// A hit is in none of them nor below.
  package var outside: [Int]

  package static let everywhere = SearchScope(within: [], outside: [])

  package init(within: [Int], outside: [Int] = []) {
    self.within = within
    self.outside = outside
  }
}

/// One search, as a front asks for it.
package struct SearchRequest: Sendable {
  package var query: SearchQuery
  package var scope: SearchScope
  /// The most hits; `nil` for all.
  package var limit: Int?
  /// Hits that are left out at the front.
  package var offset: Int
  /// Whether a typing error or two may find something.
  package var allowsErrors: Bool
  /// Whether the query may be taken in other ways where it finds too little.
  package var allowsTiers = true
  /// Who comes first among hits of one rank.
  package var neighbourhood: Neighbourhood?
  /// When to give up.
  package var deadline: ContinuousClock.Instant?

  package init(
    _ query: SearchQuery,
    in scope: SearchScope = .everywhere,
    limit: Int? = nil,
    offset: Int = 0,
    allowsErrors: Bool = true,
    deadline: ContinuousClock.Instant? = nil
  ) {
    self.query = query
    self.scope = scope
    self.limit = limit
    self.offset = offset
    self.allowsErrors = allowsErrors
    self.deadline = deadline
  }

  /// How many hits have to be known, counted from the first.
  var wanted: Int {
    guard let limit else { return .max }
    let (sum, overflow) = max(limit, 0).addingReportingOverflow(max(offset, 0))
    return overflow ? .max : sum
  }
}

/// The hits of a search, best first.
package struct SearchOutcome: Sendable, Equatable {
  package enum Total: Sendable, Equatable {
    case exactly(Int)
    /// Looking stopped when there were enough.
    case moreThan(Int)
  }

  package var hits: [SearchHit]
  /// How many there are without limit and offset.
  package var total: Total
  /// What the query was taken for: first as it was typed, then each tier that found something.
  package var stages: [SearchStage] = []

  /// The readings by one of which a hit was found.
  func stage(of hit: SearchHit) -> SearchStage? { stages.first { $0.tier == hit.tier } }

  /// Readings that find nothing may be left out or not.
  package static func == (left: SearchOutcome, right: SearchOutcome) -> Bool {
    left.hits == right.hits && left.total == right.total
  }
}
