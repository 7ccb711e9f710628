import DirectoryModel
import DirectoryReading

/// What of a tree is open and shown, with and without a filter, found again for each question.
///
/// Departments are known by their keys, so that a list can go on to another state of the directory.
struct SlowList {
  struct Row: Equatable {
    var node: Int
    var isLastSibling: Bool
    var disclosure: DirectoryDisclosure?
    var isMatch: Bool
  }

  private struct Filter {
    var matches: Set<Int>
    /// Matches, what is above them, and what is below those that are above none.
    var shown: Set<Int> = []
    var open: Set<Int> = []
    /// Of those shown, departments that the user opened.
    var openedByHand: Set<Int> = []
  }

  private(set) var tree: SlowTree
  private var open: Set<Int> = []
  /// What was open and has nothing to open now.
  private var absent: Set<String> = []
  /// Those that have something again, and open when the filter was removed.
  private var returned: Set<String> = []
  private var filter: Filter?

  init(_ tree: SlowTree) { self.tree = tree }

  // MARK: Rows

  func isOpen(_ node: Int) -> Bool {
    if let filter, filter.shown.contains(node) { return filter.open.contains(node) }
    return open.contains(node)
  }

  func isVisible(_ node: Int) -> Bool {
    guard filter?.shown.contains(node) ?? true else { return false }
    return tree.ancestors(of: node).allSatisfy { isOpen($0) }
  }

  var visibleNodes: [Int] {
    var visible: [Int] = []
    var next = 0
    for node in tree.nodes.indices where node >= next {
      let isShown = filter?.shown.contains(node) ?? true
      if isShown { visible.append(node) }
      if !isShown || !isOpen(node) { next = tree.nodes[node].end }
    }
    return visible
  }

  func row(at node: Int, among visible: [Int]) -> Row {
    let place = tree.nodes[node]
    let later = visible.contains { $0 >= place.end && tree.nodes[$0].parent == place.parent }
    var disclosure: DirectoryDisclosure?
    if place.department != nil { disclosure = self.disclosure(node) }
    return Row(
      node: node,
      isLastSibling: !later,
      disclosure: disclosure,
      isMatch: filter?.matches.contains(node) ?? false
    )
  }

  func disclosure(_ node: Int) -> DirectoryDisclosure {
    if !tree.hasChildren(node) { return .empty }
    return isOpen(node) ? .expanded : .collapsed
  }

  /// The node, or the innermost department around it that is shown.
  func nearest(_ node: Int) -> Int? {
    ([node] + tree.ancestors(of: node)).first { isVisible($0) }
  }

  var isFiltered: Bool { filter != nil }

  var matches: [Int] { filter?.matches.sorted() ?? [] }

  // MARK: Changes

  mutating func setOpen(_ node: Int, _ value: Bool) {
    guard isOpen(node) != value, tree.nodes[node].department != nil else { return }
    guard filter?.shown.contains(node) == true else {
      if value { open.insert(node) } else { open.remove(node) }
      return
    }
    if value {
      filter?.open.insert(node)
      filter?.openedByHand.insert(node)
    } else {
      filter?.open.remove(node)
      filter?.openedByHand.remove(node)
    }
  }

  mutating func reveal(_ node: Int) {
    for outer in tree.ancestors(of: node) { setOpen(outer, true) }
  }

  mutating func openSubtree(_ node: Int) {
    for below in node..<tree.nodes[node].end
    where filter?.shown.contains(node) != true || filter?.shown.contains(below) == true {
      setOpen(below, true)
    }
  }

  mutating func openAll() {
    guard let filter else {
      open = Set(tree.departments)
      return
    }
    self.filter?.open.formUnion(tree.departments.filter { filter.shown.contains($0) })
  }

  mutating func openLevels(_ levels: Int) {
    let opened = Set(tree.departments.filter { tree.nodes[$0].depth < levels })
    guard let shown = filter?.shown else {
      open = opened
      return
    }
    filter?.open = opened.intersection(shown)
    filter?.openedByHand.formIntersection(opened)
  }

  mutating func setFilter(_ matches: [Int]?) {
    open.formUnion(filter?.openedByHand ?? [])
    filter = nil
    guard let matches else {
      for key in returned { if let node = tree.node(of: key) { open.insert(node) } }
      absent.subtract(returned)
      returned = []
      return
    }
    var filter = Filter(matches: Set(matches))
    let above = Set(matches.flatMap { tree.ancestors(of: $0) })
    filter.shown = filter.matches.union(above)
    filter.open = open.union(above)
    for match in matches where tree.nodes[match].department != nil && !above.contains(match) {
      filter.shown.formUnion(match..<tree.nodes[match].end)
      filter.open.remove(match)
    }
    self.filter = filter
  }

  /// Goes on to the next tree; `matches` are those of the filter there, if one is on.
  mutating func follow(_ next: SlowTree, matches: [Int]?) {
    let all = open.union(filter?.openedByHand ?? [])
    let view = absent.union(all.filter { tree.hasChildren($0) }.map { tree.nodes[$0].key })
    let opened = view.filter { key in next.node(of: key).map { next.hasChildren($0) } ?? false }
    let nowAbsent = view.subtracting(opened)
    open = Set(all.compactMap { next.node(of: tree.nodes[$0].key) })
    filter = nil
    tree = next
    if let matches {
      returned = absent.subtracting(nowAbsent)
      absent.formUnion(nowAbsent)
      setFilter(matches)
    } else {
      if absent != nowAbsent { open.formUnion(opened.compactMap { next.node(of: $0) }) }
      absent = nowAbsent
    }
  }
}
