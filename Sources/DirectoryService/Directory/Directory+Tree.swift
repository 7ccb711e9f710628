import DirectoryModel
import DirectorySearch
import DirectorySnapshot
import Outlines

extension Directory {
  /// Hands on the rows that a request shows, in order; `tree` and `export` both come here, so that
  /// what is exported is what was seen.
  ///
  /// - Complexity: O(rows), and one bit for each node.
  package func forEachRow(
    of request: TreeRequest,
    _ body: (TreeRow) throws -> Void
  ) throws {
    if let filter = request.filter {
      try forEachFilteredRow(of: request, query: filter, body)
      return
    }
    let outline = try outline(for: request)
    let contacts = request.withContacts ? try snapshot.contacts() : nil
    let range = request.root.map { hierarchy.subtree(of: $0) } ?? hierarchy.nodes
    guard !range.isEmpty, let first = outline.row(of: range.lowerBound) else { return }
    let top = hierarchy.level(of: range.lowerBound)
    for line in outline.rows[first..<outline.rowCount] {
      guard range.contains(line.node) else { return }
      let depth = line.level - top
      guard depth <= request.depth ?? .max, shows(line.node, request.kinds) else { continue }
      var row = row(at: line.node, contacts: contacts)
      row.disclosure = line.disclosure.map(DirectoryDisclosure.init)
      if depth == request.depth, row.disclosure == .expanded { row.disclosure = .collapsed }
      try body(
        TreeRow(
          row: row,
          depth: depth,
          isLastSibling: line.node == request.root
            || isLastShown(line, kinds: request.kinds),
          isMatch: false,
          unplacedReason: tree.unplacedReason(of: line.node)
        )
      )
    }
  }

  /// The open groups of a request as an outline.
  private func outline(for request: TreeRequest) throws -> OutlineState {
    var outline: OutlineState
    switch request.opening {
    case .all:
      outline = OutlineState(hierarchy)
      if let root = request.root {
        outline.expandSubtree(of: root)
      } else {
        outline.expandAll()
      }
    case .levels(let levels):
      let top = request.root.map { hierarchy.level(of: $0) } ?? 0
      outline = OutlineState(hierarchy, expandedLevels: levels > .max - top ? .max : top + levels)
    case .view(let view):
      outline = OutlineState(hierarchy, expanded: try view.expandedNodes(in: self))
    }
    if let root = request.root {
      outline.reveal(root)
      outline.expand(root)
    }
    return outline
  }

  private func shows(_ node: Int, _ kinds: TreeRequest.Kinds) -> Bool {
    switch kinds {
    case .everything: true
    case .departments: hierarchy.isGroup(node)
    case .people: !hierarchy.isGroup(node)
    }
  }

  /// Departments come before people, so without people the last department is the last row.
  private func isLastShown(_ line: OutlineRow, kinds: TreeRequest.Kinds) -> Bool {
    guard !line.isLastSibling, kinds == .departments else { return line.isLastSibling }
    return !hierarchy.isGroup(hierarchy.subtree(of: line.node).upperBound)
  }
}

extension DirectoryDisclosure {
  init(_ disclosure: Disclosure) {
    switch disclosure {
    case .expanded: self = .expanded
    case .collapsed: self = .collapsed
    case .empty: self = .empty
    }
  }
}
