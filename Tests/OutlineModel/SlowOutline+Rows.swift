import Outlines

/// What a list shows of a node, and the lines in front of it.
package struct SlowRow: Equatable {
  package var item: Item
  package var level: Int
  package var isGroup: Bool
  package var isLastSibling: Bool
  package var disclosure: Disclosure?
  package var isMatch: Bool
  package var leadsToMatch: Bool
  package var loading: SlowNode.Loading
  package var line: String
}

extension SlowOutline {
  package func disclosure(of node: SlowNode) -> Disclosure? {
    guard node.isGroup else { return nil }
    guard !node.children.isEmpty else { return node.loading == .loaded ? .empty : .collapsed }
    return isOpen(node) ? .expanded : .collapsed
  }

  package var rows: [SlowRow] {
    func rows(of siblings: [SlowNode], level: Int, line: String) -> [SlowRow] {
      let shown = siblings.filter(isShown)
      return shown.flatMap { node in
        let isLast = node === shown.last
        let own = level == 0 ? "" : line + (isLast ? "└─ " : "├─ ")
        let inner = level == 0 ? "" : line + (isLast ? "   " : "│  ")
        let row = SlowRow(
          item: node.item,
          level: level,
          isGroup: node.isGroup,
          isLastSibling: isLast,
          disclosure: disclosure(of: node),
          isMatch: isFiltered && node.isMatch,
          leadsToMatch: isFiltered && node.wasLeading,
          loading: node.loading,
          line: own
        )
        return [row] + (isOpen(node) ? rows(of: node.children, level: level + 1, line: inner) : [])
      }
    }
    return rows(of: roots, level: 0, line: "")
  }
}

extension SlowOutline {
  /// The rows without their lines.
  package var bareRows: [SlowRow] {
    rows.map { row in
      var row = row
      row.line = ""
      return row
    }
  }
}

extension SlowRow {
  /// A row of the outline under test.
  package init(_ row: Outline<Item>.Row, line: String) {
    self.init(
      item: row.value,
      level: row.level,
      isGroup: row.isGroup,
      isLastSibling: row.isLastSibling,
      disclosure: row.disclosure,
      isMatch: row.isMatch,
      leadsToMatch: row.leadsToMatch,
      loading: SlowNode.Loading(row.childrenState),
      line: line
    )
  }
}

extension SlowNode.Loading {
  package init(_ state: ChildrenState) {
    self =
      switch state {
      case .loaded: .loaded
      case .notLoaded: .notLoaded
      case .loading: .loading
      case .failed: .failed
      }
  }
}
