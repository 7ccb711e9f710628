import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Outlines

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

  /// Rows of the tree that match a query, and every ancestor of a match, opened.
  ///
  /// A matching department none of whose descendants match stays closed.
  func forEachFilteredRow(
    of request: TreeRequest,
    query: String,
    _ body: (TreeRow) throws -> Void
  ) throws {
    let hierarchy = try hierarchy
    let range = request.root.map { hierarchy.subtree(of: $0) } ?? hierarchy.nodes
    let found = try SubstringSearch(snapshot).matchingNodes(for: SearchQuery(query), in: range)
    // Only departments: then a person who matches leads nowhere.
    let matches = request.kinds == .departments ? found.filter(hierarchy.isGroup) : found
    let contacts = request.withContacts ? try snapshot.contacts() : nil
    let shown = FilteredNodes(matches: matches, in: hierarchy, top: request.root)
    let top = request.root.map { hierarchy.level(of: $0) } ?? 0
    for node in shown.nodes {
      let isGroup = hierarchy.isGroup(node.position)
      if request.kinds == .departments && !isGroup || request.kinds == .people && isGroup {
        continue
      }
      let depth = hierarchy.level(of: node.position) - top
      if depth > request.depth ?? .max { continue }
      var row = try row(at: node.position, contacts: contacts)
      if isGroup {
        row.disclosure =
          node.leadsToMatch && depth != request.depth
          ? .expanded : hierarchy.hasChildren(node.position) ? .collapsed : .empty
      }
      try body(
        TreeRow(
          row: row,
          depth: depth,
          isLastSibling: node.isLastSibling,
          isMatch: node.isMatch,
          unplacedReason: try tree.unplacedReason(of: node.position)
        )
      )
    }
  }
}
