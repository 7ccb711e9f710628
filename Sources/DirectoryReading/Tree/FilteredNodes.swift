import Outlines

/// The matches of a filter and their ancestors, in preorder.
struct FilteredNodes {
  struct Node {
    var position: Int
    var isMatch: Bool
    /// Whether a descendant matches.
    var leadsToMatch = false
    /// Whether no shown sibling follows.
    var isLastSibling = true
  }

  private(set) var nodes: [Node] = []

  /// Collects matches and ancestors.
  ///
  /// - Parameters:
  ///   - matches: Positions, rising.
  ///   - hierarchy: The tree they are positions in.
  ///   - top: The node above which no ancestor is shown; always shown itself where anything is.
  /// - Complexity: O(shown nodes).
  init(matches: [Int], in hierarchy: Hierarchy, top: Int?) {
    // Indexes into `nodes` of the ancestors of the last one, itself included.
    var open: [Int] = []
    for match in matches {
      var missing: [Int] = match == top ? [] : [match]
      while let last = open.last,
        !hierarchy.subtree(of: nodes[last].position).contains(match)
      {
        open.removeLast()
      }
      let known = open.last.map { nodes[$0].position }
      for ancestor in hierarchy.ancestors(of: match) {
        if ancestor == known { break }
        missing.append(ancestor)
        if ancestor == top { break }
      }
      if match == top { missing = [match] }
      for position in missing.reversed() {
        nodes.append(Node(position: position, isMatch: position == match))
        open.append(nodes.count - 1)
      }
    }
    markParents(in: hierarchy)
  }

  /// From the end: the first sibling met is the last one.
  private mutating func markParents(in hierarchy: Hierarchy) {
    // For each level on the way up, whether a later sibling was seen there.
    var laterSibling: [Bool] = []
    for index in nodes.indices.reversed() {
      let level = hierarchy.level(of: nodes[index].position)
      while laterSibling.count <= level { laterSibling.append(false) }
      nodes[index].isLastSibling = !laterSibling[level]
      nodes[index].leadsToMatch = laterSibling.count > level + 1
      laterSibling.removeLast(laterSibling.count - level - 1)
      laterSibling[level] = true
    }
  }
}
