import DirectoryModel
import LibPQ

/// Matches that are told with their number and the first of them.
package struct GuessedMatches: Sendable {
  package private(set) var count = 0
  package private(set) var first: [ListMatch] = []

  /// Those that are named.
  static let namedCount = 3

  package init() {}

  /// - Parameters:
  ///   - result: Columns as in `ListMatch.init(_:_:outcome:)`, and the number of all.
  ///   - outcome: What becomes of them.
  init(_ result: borrowing PGResult, outcome: ListMatch.Outcome) {
    guard result.rowCount > 0 else { return }
    count = result.int(row: 0, column: 5) ?? 0
    first = (0..<result.rowCount).map { ListMatch(result, $0, outcome: outcome) }
  }

  mutating func add(_ other: GuessedMatches) {
    count += other.count
    first = Array((first + other.first).prefix(Self.namedCount))
  }
}

extension ImportMatching {
  /// Takes doubtful matches for certain ones.
  ///
  /// - Parameters:
  ///   - query: Selects the list's id, the record's, and the reason.
  ///   - parameters: Those of the query.
  ///   - connection: In the import's transaction.
  /// - Returns: How many there are, with the first ones.
  /// - Throws: What the server says.
  func guess(
    _ query: String,
    _ parameters: [PGParameter],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> GuessedMatches {
    let found = try connection.query(
      """
      with guessed(alias, id, reason) as (
        insert into pg_temp.import_matches (alias, id, reason, is_sure) \(query)
          returning alias, id, reason)
      select g.alias, s.name, g.id, coalesce(p.name, ''), g.reason, count(*) over ()
        from guessed g join pg_temp.import_open s on s.id = g.alias
          left join pg_temp.import_candidates p on p.id = g.id
        order by g.alias limit \(GuessedMatches.namedCount)
      """,
      parameters
    )
    return GuessedMatches(found, outcome: .doubtful)
  }
}
