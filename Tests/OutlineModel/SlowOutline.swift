import Outlines

/// The outline as one would write it first: nodes that hold their children, and recursion.
package final class SlowOutline {
  package var roots: [SlowNode]
  package internal(set) var isFiltered = false
  /// Ids that went with an ancestor, since the batch began.
  var goneWithAncestors: Set<Int> = []

  package init(roots: [SlowNode] = []) { self.roots = roots }

  package var all: [SlowNode] { roots.flatMap(\.all) }

  package func node(_ id: Int) -> SlowNode? { all.first { $0.item.id == id } }

  package func siblings(of node: SlowNode) -> [SlowNode] { node.parent?.children ?? roots }

  func family(of parent: SlowNode?) -> [SlowNode] { parent?.children ?? roots }

  func setFamily(of parent: SlowNode?, _ children: [SlowNode]) {
    if let parent { parent.children = children } else { roots = children }
    for child in children { child.parent = parent }
  }

  /// Whether the filter leaves the node.
  package func isShown(_ node: SlowNode) -> Bool { !isFiltered || node.wasShown }

  package func isOpen(_ node: SlowNode) -> Bool {
    isFiltered && node.wasShown ? node.isOpenInFilter : node.isOpen
  }

  // MARK: - Opening and closing

  func setOpen(_ node: SlowNode, _ value: Bool) {
    guard value != isOpen(node), value || !node.isPinned else { return }
    if isFiltered, node.wasShown {
      node.isOpenInFilter = value
      node.isOpenedByHand = value
    } else {
      node.isOpen = value
    }
  }

  package func expand(_ node: SlowNode) {
    if node.isGroup { setOpen(node, true) }
  }

  package func collapse(_ node: SlowNode, keeping: Bool) {
    let isOutsideFilter = !isShown(node)
    setOpen(node, false)
    guard !keeping else { return }
    for other in node.below where isOutsideFilter || isShown(other) { setOpen(other, false) }
  }

  package func toggle(_ node: SlowNode) {
    if isOpen(node) { collapse(node, keeping: true) } else { expand(node) }
  }

  package func expandOnly(_ node: SlowNode) {
    for sibling in siblings(of: node) where sibling !== node { setOpen(sibling, false) }
    expand(node)
  }

  package func expandSubtree(_ node: SlowNode) {
    let isOutsideFilter = !isShown(node)
    for other in node.all where isOutsideFilter || isShown(other) { expand(other) }
  }

  package func reveal(_ node: SlowNode) {
    for ancestor in node.ancestors { expand(ancestor) }
  }

  package func setPinned(_ node: SlowNode, _ value: Bool) {
    guard node.isGroup else { return }
    if value {
      expand(node)
      node.isOpen = true
    }
    node.isPinned = value
  }

  /// For the whole list: while a filter is on this is not by hand.
  package func openAll(where shouldOpen: (SlowNode) -> Bool?) {
    for node in all where node.isGroup && isShown(node) {
      guard let value = shouldOpen(node) else { continue }
      let isOpen = value || node.isPinned
      if isFiltered {
        node.isOpenInFilter = isOpen
        if !isOpen { node.isOpenedByHand = false }
      } else {
        node.isOpen = isOpen
      }
    }
  }

  // MARK: - Filter

  package func setFilter(_ matches: Set<Int>) {
    clearFilter()
    isFiltered = true
    for node in all {
      node.isMatch = matches.contains(node.item.id)
      node.isOpenedByHand = false
    }
    note()
    for node in all where node.wasShown {
      let isClosedMatch = node.isMatch && !node.wasLeading
      node.isOpenInFilter = node.wasLeading || !isClosedMatch && node.isOpen
      if node.isPinned { node.isOpenInFilter = true }
    }
  }

  package func clearFilter() {
    guard isFiltered else { return }
    for node in all {
      if node.isOpenedByHand { node.isOpen = true }
      (node.isMatch, node.isOpenedByHand, node.wasShown, node.wasLeading) =
        (false, false, false, false)
    }
    isFiltered = false
  }

  /// Notes what the filter leaves and which groups are above a match.
  private func note() {
    var leading: Set<Int> = []
    for root in roots { _ = root.noteLeading(into: &leading) }
    func note(_ nodes: [SlowNode], insideMatch: Bool) {
      for node in nodes {
        node.wasLeading = leading.contains(node.item.id)
        node.wasShown = insideMatch || node.isMatch || node.wasLeading
        note(node.children, insideMatch: insideMatch || node.isMatch && !node.wasLeading)
      }
    }
    note(roots, insideMatch: false)
  }

  /// After an edit: the filter holds for what is there now.
  package func settle() {
    let before = all.map { (node: $0, wasShown: $0.wasShown, wasLeading: $0.wasLeading) }
    if isFiltered { note() }
    for (node, wasShown, wasLeading) in before {
      if isFiltered {
        if node.wasShown, !wasShown { node.isOpenInFilter = !node.isNew && node.isOpen }
        if node.wasLeading, !wasLeading { node.isOpenInFilter = true }
        if !node.wasShown, node.isOpenedByHand {
          node.isOpen = true
          node.isOpenedByHand = false
        }
        if node.isPinned { node.isOpenInFilter = true }
      }
      if !node.isGroup {
        (node.isOpen, node.isOpenInFilter, node.isOpenedByHand) = (false, false, false)
        node.isPinned = false
      }
      node.isNew = false
    }
  }
}
