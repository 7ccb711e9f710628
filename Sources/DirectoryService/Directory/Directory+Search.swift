import DirectoryModel
import DirectorySearch
import DirectorySnapshot

/// The hits of a search as rows.
package struct SearchResults: Sendable {
  /// The best hits, with path, and departments for people.
  package var rows: [DirectoryRow]
  /// All hits, shown or not.
  package var total: Int
}

extension Directory {
  /// Finds people and departments.
  ///
  /// - Parameters:
  ///   - text: What somebody typed; every word must be found, in any field.
  ///   - root: The department to look in; `nil` for everywhere.
  ///   - limit: The most rows; `nil` for all.
  /// - Returns: The best hits, and how many there are.
  /// - Throws: When the snapshot is damaged.
  package func search(_ text: String, in root: Int?, limit: Int?) throws -> SearchResults {
    var rows: [DirectoryRow] = []
    let total = try forEachHit(of: text, in: root, limit: limit) { rows.append($0) }
    return SearchResults(rows: rows, total: total)
  }

  /// Calls `body` with one hit after the other, best first, and keeps none: paths make the rows of
  /// a deep tree many times as large as the tree.
  ///
  /// - Parameters: As of `search(_:in:limit:)`.
  /// - Returns: How many hits there are, shown or not.
  /// - Throws: When the snapshot is damaged, and what `body` throws.
  package func forEachHit(
    of text: String,
    in root: Int?,
    limit: Int?,
    _ body: (DirectoryRow) throws -> Void
  ) throws -> Int {
    let range = try root.map { try tree.subtree(of: $0) } ?? 0..<tree.count
    let hits = try SubstringSearch(snapshot).hits(for: SearchQuery(text), in: range)
    let people = try PersonLookup(self)
    for hit in hits.prefix(limit ?? hits.count) {
      try body(tree.isDepartment(hit.node) ? card(at: hit.node) : people.row(at: hit.node))
    }
    return hits.count
  }
}
