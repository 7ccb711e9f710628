import DirectoryModel
import DirectorySnapshot
import Outlines

/// The tree as somebody browses it: what is open, what a filter leaves, and the rows that are
/// therefore shown, each found by its number.
///
/// Every change says which rows went, came, moved and look different, so that a front draws nothing
/// else. A value keeps its state of the directory until it is given the next one.
package struct DirectoryOutline: Sendable {
  package private(set) var directory: Directory
  private var state: OutlineState
  /// What the view has open and the directory does not know, or knows without anything to open: it
  /// may come back.
  private var absent: Set<DepartmentID>
  /// Those of them that came back while a filter was on: they open when it is cleared.
  private var returned: [DepartmentID: Int] = [:]
  /// The query whose matches, with the departments above them, are all that is shown.
  package private(set) var filter: String?

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(open departments that become visible), and O(nodes) where nobody proved the
  ///   shape of the tree before.
  package init(_ directory: Directory, _ view: SavedView) throws(SnapshotError) {
    let (open, absent) = try view.nodes(in: directory)
    self.directory = directory
    self.absent = absent
    state = OutlineState(try directory.hierarchy, expanded: open)
  }

  /// What is open, for the next time; without the filter, if one is on, and without a selection.
  package var view: SavedView {
    get throws(SnapshotError) {
      var view = SavedView(expanded: absent)
      for node in state.expandedNodes { view.expanded.insert(try directory.departmentID(of: node)) }
      return view
    }
  }

  // MARK: Rows

  package var rowCount: Int { state.rowCount }

  /// The node that a row shows.
  ///
  /// - Complexity: O(log nodes).
  package func node(atRow row: Int) -> Int { state.node(atRow: row) }

  /// The row of a node; `nil` if it is hidden.
  ///
  /// - Complexity: O(1).
  package func row(of node: Int) -> Int? { state.row(of: node) }

  /// The row of a node or of the innermost department around it that is shown.
  ///
  /// - Complexity: O(log nodes), and while a filter is on O(level) more.
  package func nearestRow(of node: Int) -> Int? {
    state.nearestVisible(node).flatMap { state.row(of: $0) }
  }

  /// The department above a node; `nil` for a root.
  ///
  /// - Complexity: O(1).
  package func parent(of node: Int) -> Int? { state.hierarchy.parent(of: node) }

  /// Where the departments above a row stand, the outermost first.
  ///
  /// - Complexity: O(level).
  package func ancestors(ofRow row: Int) -> [TreePlace] {
    state.hierarchy.ancestors(of: state.node(atRow: row)).reversed()
      .map { TreePlace(state.presentation(of: $0)) }
  }

  /// Where a row stands.
  ///
  /// - Complexity: O(log nodes).
  package func place(atRow row: Int) -> TreePlace { TreePlace(state.rows[row]) }

  /// Lends what a drawn tree shows of some rows, in order, each for the time of a call of `body`.
  ///
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(log nodes + rows).
  package func forEachRow(in rows: Range<Int>, _ body: (RowFields) throws -> Void) throws {
    for row in state.rows[rows] { try directory.lendLabel(at: TreePlace(row), body) }
  }

  /// Hands on the places of the rows at and below a department, or of all.
  ///
  /// - Complexity: O(log nodes + rows).
  func forEachPlace(below root: Int?, _ body: (TreePlace) throws -> Void) rethrows {
    let end = root.map { state.hierarchy.subtree(of: $0).upperBound } ?? .max
    let top = root.map { state.hierarchy.level(of: $0) } ?? 0
    guard let first = root.map({ state.row(of: $0) }) ?? 0 else { return }
    for row in state.rows[first..<state.rowCount] {
      guard row.node < end else { return }
      var place = TreePlace(row)
      place.depth -= top
      if row.node == root { place.isLastSibling = true }
      try body(place)
    }
  }

  // MARK: Changes

  /// Opens and closes.
  ///
  /// - Complexity: O(nodes / 64 + departments that become visible) for each named department.
  @discardableResult
  package mutating func apply(_ change: ViewChange) -> RowChanges {
    switch change {
    case .expand(let nodes, let recursive):
      return each(of: nodes) { state, node in
        let revealed = state.reveal(node)
        return revealed.followed(
          by: recursive ? state.expandSubtree(of: node) : state.expand(node)
        )
      }
    case .collapse(let nodes, let recursive):
      return each(of: nodes) { $0.collapse($1, keepingDescendants: !recursive) }
    case .expandAll: return state.expandAll()
    case .collapseAll: return state.collapseAll()
    case .levels(let levels): return state.expand(toLevel: levels)
    }
  }

  private mutating func each(
    of nodes: [Int],
    _ change: (inout OutlineState, Int) -> RowChanges
  ) -> RowChanges {
    nodes.reduce(.none) { $0.followed(by: change(&state, $1)) }
  }

  /// Opens what leads to a node.
  @discardableResult
  package mutating func reveal(_ node: Int) -> RowChanges { state.reveal(node) }

  /// What a query matches, to be found without holding up who draws.
  package struct Matches: Sendable {
    package let query: String
    /// Positions, rising.
    package let nodes: [Int]
    /// Whether there are no others; otherwise they are those around one of them.
    package var isAll = true

    func filter(_ isWanted: (Int) throws -> Bool) rethrows -> Matches {
      Matches(query: query, nodes: try nodes.filter(isWanted))
    }

    /// - Complexity: O(log matches).
    package func contains(_ node: Int) -> Bool {
      var (low, high) = (0, nodes.count)
      while low < high {
        let middle = (low + high) / 2
        if nodes[middle] < node { low = middle + 1 } else { high = middle }
      }
      return low < nodes.count && nodes[low] == node
    }
  }

  /// Shows only matches and the departments above them, opened; `nil` shows all again, open as it
  /// was before, but for departments that were opened by hand since.
  ///
  /// - Parameter matches: Of the same directory.
  /// - Returns: Among others every row that stays, since it may bear another mark.
  /// - Complexity: O(nodes / 64 + matches + departments above them).
  @discardableResult
  package mutating func setFilter(_ matches: Matches?) -> RowChanges {
    filter = matches?.query
    guard let matches else { return state.clearFilter().followed(by: openReturned()) }
    return state.setFilter(matches.nodes)
  }

  private mutating func openReturned() -> RowChanges {
    guard !returned.isEmpty else { return .none }
    absent.subtract(returned.keys)
    defer { returned = [:] }
    return state.expand(returned.values)
  }

  /// How many nodes the filter matches; `nil` without one.
  package var matchCount: Int? { state.matchCount }

  /// The nearest match below or above a node, in the order of the tree; `nil` if there is none.
  ///
  /// - Complexity: O(nodes / 64).
  package func match(_ direction: Direction, _ node: Int) -> Int? {
    switch direction {
    case .after: return state.matchingNodes.first { $0 > node }
    case .before:
      var last: Int?
      for match in state.matchingNodes {
        guard match < node else { break }
        last = match
      }
      return last
    }
  }

  package enum Direction: Sendable { case before, after }

  /// Goes on to the next state of the directory: what is open stays open, by id, and the filter that
  /// is on is applied anew.
  ///
  /// - Parameter next: The same directory, for the same viewer.
  /// - Returns: What became of the rows, and of each node by its number before: its number now, or
  ///   `nil` where it is gone.
  /// - Throws: `SnapshotError.damaged`, or as `matches(for:root:)`; nothing has changed then.
  /// - Complexity: O(nodes).
  package mutating func follow(
    to next: Directory
  ) throws -> (rows: RowChanges, node: (Int) -> Int?) {
    let (open, absent) = try view.nodes(in: next)
    let origins = try NodeOrigins(of: next, in: directory).nodes
    let matches = try filter.map { try next.matches(for: $0) }
    let (old, new) = (try RowLabels(directory), try RowLabels(next))
    var returned: [DepartmentID: Int] = [:]
    for id in self.absent.subtracting(absent) { returned[id] = try next.node(of: id) }
    let hierarchy = try next.hierarchy
    let oldCount = try directory.hierarchy.count
    // From here on nothing throws.
    var rows = state.replace(by: hierarchy, origins: origins) { !old.isSame($0, new, $1) }
    if let matches {
      self.returned = returned
      self.absent.formUnion(absent)
      rows = rows.followed(by: state.setFilter(matches.nodes))
    } else {
      // What was away and is back opens again.
      if absent != self.absent { rows = rows.followed(by: state.expand(open)) }
      self.absent = absent
    }
    directory = next
    var positions = [Int32](repeating: -1, count: oldCount)
    for (position, origin) in origins.enumerated() where origin >= 0 {
      positions[Int(origin)] = Int32(position)
    }
    return (rows, { [positions] node in positions[node] < 0 ? nil : Int(positions[node]) })
  }
}

extension Directory {
  /// What a query matches.
  ///
  /// - Parameters:
  ///   - query: As somebody types it.
  ///   - root: The department to look in; `nil` for everywhere.
  /// - Returns: Nodes of people and departments.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func matches(
    for query: String,
    root: Int? = nil
  ) throws -> DirectoryOutline.Matches {
    .init(query: query, nodes: try searcher().matchingNodes(for: query, root: root))
  }

  /// Enough of what a query matches for a screen of the filtered tree around one match, while
  /// `matches(for:root:)` is under way.
  ///
  /// - Parameters:
  ///   - node: The match.
  ///   - query: As somebody types it.
  ///   - rows: Of the screen.
  /// - Returns: With these as filter, the rows from so many above the match to so many below it are what
  ///   they are with all matches; `nil` where only a look at everything tells.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func matches(
    around node: Int,
    for query: String,
    rows: Int
  ) throws -> DirectoryOutline.Matches? {
    let nodes = try searcher().matchingNodes(around: node, for: query, rows: rows)
    return nodes.map { .init(query: query, nodes: $0, isAll: false) }
  }

  /// The places of the person at a node, or the node of a department alone.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func places(of node: Int) throws(SnapshotError) -> [Int] {
    guard try !tree.isDepartment(node) else { return [node] }
    return try state.leaves.nodes(of: memberships.user(of: tree.record(of: node)))
  }
}

extension TreePlace {
  fileprivate init(_ row: OutlineRow) {
    self.init()
    node = row.node
    depth = row.level
    isDepartment = row.isGroup
    disclosure = row.disclosure.map(DirectoryDisclosure.init)
    isLastSibling = row.isLastSibling
    isMatch = row.isMatch
    hasRowsBelow = disclosure == .expanded
  }
}

extension DirectoryDisclosure {
  fileprivate init(_ disclosure: Disclosure) {
    switch disclosure {
    case .expanded: self = .expanded
    case .collapsed: self = .collapsed
    case .empty: self = .empty
    }
  }
}
