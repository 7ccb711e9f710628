import DirectoryModel
import Outlines

/// What `expand` and `collapse` do to the saved view.
package enum ViewChange: Sendable {
  /// Opens departments and what leads to them.
  case expand([Int], recursive: Bool)
  /// Closes departments; what was open below is kept unless `recursive`.
  case collapse([Int], recursive: Bool)
  case expandAll
  case collapseAll
  /// Opens exactly the groups of the first levels.
  case levels(Int)
}

extension SavedView {
  /// - Complexity: O(nodes).
  package mutating func apply(_ change: ViewChange, to directory: Directory) throws {
    let hierarchy = try directory.hierarchy
    var outline = OutlineState(hierarchy, expanded: try expandedNodes(in: directory))
    switch change {
    case .expand(let nodes, let recursive):
      for node in nodes {
        outline.reveal(node)
        if recursive { outline.expandSubtree(of: node) } else { outline.expand(node) }
      }
    case .collapse(let nodes, let recursive):
      for node in nodes { outline.collapse(node, keepingDescendants: !recursive) }
    case .expandAll: outline.expandAll()
    case .collapseAll: outline.collapseAll()
    case .levels(let levels): outline.expand(toLevel: levels)
    }
    try replace(with: outline, of: directory)
  }
}
