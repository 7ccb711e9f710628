import DirectoryModel

/// The hits of a search as rows.
package struct SearchResults: Sendable {
  /// The best hits, with path, and departments for people.
  package var rows: [DirectoryRow]
  /// All hits, shown or not.
  package var total: SearchTotal
}

extension Directory {
  /// Finds people and departments.
  ///
  /// - Parameters:
  ///   - text: What somebody typed; every word must be found, in any field.
  ///   - root: The department to look in; `nil` for everywhere.
  ///   - limit: The most rows; `nil` for all.
  /// - Returns: The best hits, and how many there are.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func search(_ text: String, in root: Int?, limit: Int?) throws -> SearchResults {
    var options = SearchOptions(text)
    options.root = root
    options.limit = limit
    var rows: [DirectoryRow] = []
    let total = try searcher().forEachHit(of: options) { rows.append($0.row) }
    return SearchResults(rows: rows, total: total)
  }
}
