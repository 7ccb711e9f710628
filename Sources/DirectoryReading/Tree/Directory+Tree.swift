import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Hands on the rows that a request shows, in order; `tree` and `export` go by the same places, so
  /// that what is exported is what was seen.
  ///
  /// - Complexity: O(rows).
  package func forEachRow(
    of request: TreeRequest,
    _ body: (TreeRow) throws -> Void
  ) throws {
    let contacts = request.withContacts ? try snapshot.contacts() : nil
    try forEachPlace(of: request) { place in
      var row =
        try request.withDetails
        ? row(at: place.node, contacts: contacts) : label(of: place.node)
      row.disclosure = place.disclosure
      try body(
        TreeRow(
          row: row,
          depth: place.depth,
          isLastSibling: place.isLastSibling,
          isMatch: place.isMatch,
          unplacedReason: try tree.unplacedReason(of: place.node)
        )
      )
    }
  }
}
