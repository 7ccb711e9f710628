import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// Hands on the rows that a request shows, in order; `tree` and `export` both come here, so that
  /// what is exported is what was seen.
  ///
  /// - Complexity: O(rows).
  package func forEachRow(
    of request: TreeRequest,
    _ body: (TreeRow) throws -> Void
  ) throws {
    if let filter = request.filter {
      try forEachFilteredRow(of: request, query: filter, body)
      return
    }
    let isOpen = try openGroups(of: request)
    let contacts = request.withContacts ? try snapshot.contacts() : nil
    var rows = try TreeRows(tree, below: request.root)
    // What the request leaves out below its depth is not walked over either.
    while let line = try rows.next(isOpen: { $1 < request.depth ?? .max && isOpen($0, $1) }) {
      guard shows(line, request.kinds) else { continue }
      var row = try row(at: line.node, contacts: contacts)
      row.disclosure = DirectoryDisclosure(of: line)
      try body(
        TreeRow(
          row: row,
          depth: line.depth,
          isLastSibling: try isLastShown(line, kinds: request.kinds),
          isMatch: false,
          unplacedReason: try tree.unplacedReason(of: line.node)
        )
      )
    }
  }

  /// Which groups of a request are open, by node and depth; the root that it names is.
  private func openGroups(of request: TreeRequest) throws -> (Int, Int) -> Bool {
    switch request.opening {
    case .all: return { _, _ in true }
    case .levels(let levels):
      let hasRoot = request.root != nil
      return { $1 < levels || hasRoot && $1 == 0 }
    case .view(let view):
      var open = Set(try view.expandedNodes(in: self))
      if let root = request.root { open.insert(root) }
      return { node, _ in open.contains(node) }
    }
  }

  private func shows(_ line: TreeRows.Row, _ kinds: TreeRequest.Kinds) -> Bool {
    switch kinds {
    case .everything: true
    case .departments: line.isDepartment
    case .people: !line.isDepartment
    }
  }

  /// Departments come before people, so without people the last department is the last row.
  private func isLastShown(
    _ line: TreeRows.Row,
    kinds: TreeRequest.Kinds
  ) throws(SnapshotError) -> Bool {
    guard !line.isLastSibling, kinds == .departments else { return line.isLastSibling }
    return try !tree.isDepartment(tree.subtree(of: line.node).upperBound)
  }
}

extension DirectoryDisclosure {
  /// The sign of a row; `nil` for a person.
  fileprivate init?(of row: TreeRows.Row) {
    guard row.isDepartment else { return nil }
    self = !row.hasChildren ? .empty : row.isOpen ? .expanded : .collapsed
  }
}
