import DirectoryExchange
import DirectoryModel
import DirectorySnapshot
import OutlineEngine
import Platform

/// The tree as the user browses it: what is open, what a filter leaves, and the rows that are
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
  /// - Complexity: O(open departments that become visible), and O(nodes) where nothing verified the
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
  package func node(atRow row: Int) -> Node { directory.node(state.node(atRow: row)) }

  /// The row of a node; `nil` if it is hidden, or of another state.
  ///
  /// - Complexity: O(1).
  package func row(of node: Node) -> Int? { own(node).flatMap { state.row(of: $0) } }

  private func own(_ node: Node) -> Int? {
    node.state == directory.checksum ? node.position : nil
  }

  /// The row of a node or of the innermost department around it that is shown; `nil` for a node of
  /// another state.
  ///
  /// - Complexity: O(log nodes), and while a filter is on O(level) more.
  package func nearestRow(of node: Node) -> Int? {
    own(node).flatMap { state.nearestVisible($0) }.flatMap { state.row(of: $0) }
  }

  /// The department above a node; `nil` for a root.
  ///
  /// - Complexity: O(1).
  package func parent(of node: Node) -> Node? {
    state.hierarchy.parent(of: directory.position(of: node)).map(directory.node)
  }

  /// Where the departments above a row stand, the outermost first.
  ///
  /// - Complexity: O(level).
  package func ancestors(ofRow row: Int) -> [TreePosition] {
    state.hierarchy.ancestors(of: state.node(atRow: row)).reversed()
      .map { TreePosition(state.presentation(of: $0)) }
  }

  /// Where a row stands.
  ///
  /// - Complexity: O(log nodes).
  package func place(atRow row: Int) -> TreePosition { TreePosition(state.rows[row]) }

  /// Lends what a drawn tree shows of some rows, in order, each for the time of a call of `body`.
  ///
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(log nodes + rows).
  package func forEachRow(in rows: Range<Int>, _ body: (RowFields) throws -> Void) throws {
    for row in state.rows[rows] { try directory.lendLabel(at: TreePosition(row), body) }
  }

  /// Hands on the places of the rows at and below a department, or of all.
  ///
  /// - Complexity: O(log nodes + rows).
  func forEachPlace(below root: Int?, _ body: (TreePosition) throws -> Void) rethrows {
    let end = root.map { state.hierarchy.subtree(of: $0).upperBound } ?? .max
    let top = root.map { state.hierarchy.level(of: $0) } ?? 0
    guard let first = root.map({ state.row(of: $0) }) ?? 0 else { return }
    for row in state.rows[first..<state.rowCount] {
      guard row.node < end else { return }
      var place = TreePosition(row)
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
    of nodes: [Node],
    _ change: (inout OutlineState, Int) -> RowChanges
  ) -> RowChanges {
    nodes.reduce(.none) { $0.followed(by: change(&state, directory.position(of: $1))) }
  }

  /// Opens what leads to a node.
  @discardableResult
  package mutating func reveal(_ node: Node) -> RowChanges {
    state.reveal(directory.position(of: node))
  }

  /// What a query matches, to be found without holding up who draws.
  package struct Matches: Sendable {
    package let query: String
    /// Of the nodes, rising.
    package let positions: [Int]
    /// The checksum of the state that they are of.
    fileprivate let state: UInt64
    /// Whether there are no others; otherwise they are those around one of them.
    package var isAll = true

    /// The first in the order of the tree.
    package var first: Node? { positions.first.map { Node(position: $0, state: state) } }

    func filter(_ isWanted: (Int) throws -> Bool) rethrows -> Matches {
      Matches(query: query, positions: try positions.filter(isWanted), state: state)
    }

    /// - Complexity: O(log matches).
    package func contains(_ node: Node) -> Bool {
      guard node.state == state else { return false }
      let first = positions.indices.partitionPoint { positions[$0] < node.position }
      return first < positions.count && positions[first] == node.position
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
    precondition(matches.state == directory.checksum, "matches of another state of the directory")
    return state.setFilter(matches.positions)
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
  /// - Complexity: O(nodes between them / 64).
  package func match(_ direction: Direction, _ node: Node) -> Node? {
    let position = directory.position(of: node)
    let found =
      switch direction {
      case .after: state.firstMatch(in: position + 1..<state.hierarchy.count)
      case .before: state.lastMatch(in: 0..<position)
      }
    return found.map(directory.node)
  }

  package enum Direction: Sendable { case before, after }

  /// Goes on to the next state of the directory: what is open stays open, by id, and the filter that
  /// is on is applied again.
  ///
  /// - Parameter next: The same directory, for the same viewer.
  /// - Returns: What became of the rows, and of each node of before: the node now, or `nil` where it is
  ///   removed.
  /// - Throws: `SnapshotError.damaged`, or as `matches(for:root:deadline:)`; nothing has changed then.
  /// - Complexity: O(nodes).
  package mutating func follow(
    to next: Directory
  ) throws -> (rows: RowChanges, node: (Node) -> Node?) {
    let origins = try NodeOrigins.nodes(of: next, in: directory)
    let matches = try filter.map { try next.matches(for: $0) }
    let changed = try RowLabels(next).changedNodes(from: RowLabels(directory), origins: origins)
    let hierarchy = try next.hierarchy
    var positions = [Int32](repeating: -1, count: try directory.hierarchy.count)
    for (position, origin) in origins.enumerated() where origin >= 0 {
      positions[Int(origin)] = Int32(position)
    }
    var absent = self.absent
    var returned: [DepartmentID: Int] = [:]
    for id in self.absent {
      guard let node = try next.position(of: id), hierarchy.hasChildren(node) else { continue }
      returned[id] = node
      absent.remove(id)
    }
    for node in state.expandedNodes
    where positions[node] < 0 || !hierarchy.hasChildren(Int(positions[node])) {
      absent.insert(try directory.departmentID(of: node))
    }
    // From here on nothing throws.
    var rows = state.replace(by: hierarchy, origins: origins) { changed.contains($1) }
    if let matches {
      self.returned = returned
      self.absent.formUnion(absent)
      rows = rows.followed(by: state.setFilter(matches.positions))
    } else {
      // What was away and is back opens again.
      if !returned.isEmpty { rows = rows.followed(by: state.expand(returned.values)) }
      self.absent = absent
    }
    let former = directory.checksum
    directory = next
    return (
      rows,
      { [positions] node in
        guard node.state == former, positions[node.position] >= 0 else { return nil }
        return next.node(Int(positions[node.position]))
      }
    )
  }
}

extension Directory {
  /// What a query matches.
  ///
  /// - Parameters:
  ///   - query: As the user types it.
  ///   - root: The department to look in; `nil` for everywhere.
  ///   - deadline: When to give up.
  /// - Returns: Nodes of people and departments.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func matches(
    for query: String,
    root: Node? = nil,
    deadline: ContinuousClock.Instant? = nil
  ) throws -> DirectoryOutline.Matches {
    let positions = try searcher().matchingNodes(for: query, root: root, deadline: deadline)
    return .init(query: query, positions: positions, state: checksum)
  }

  /// Some nodes, as if a query matched them and nothing else.
  func matches(exactly nodes: [Node]) -> DirectoryOutline.Matches {
    .init(query: "", positions: Set(nodes.map(position)).sorted(), state: checksum)
  }

  /// Enough of what a query matches for a screen of the filtered tree around one match, while
  /// `matches(for:root:deadline:)` is under way.
  ///
  /// - Parameters:
  ///   - node: The match.
  ///   - query: As the user types it.
  ///   - rows: Of the screen.
  /// - Returns: With these as filter, the rows from so many above the match to so many below it are what
  ///   they are with all matches; `nil` where only a look at everything tells.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`.
  package func matches(
    around node: Node,
    for query: String,
    rows: Int
  ) throws -> DirectoryOutline.Matches? {
    try searcher().matchingNodes(around: position(of: node), for: query, rows: rows)
      .map { .init(query: query, positions: $0, state: checksum, isAll: false) }
  }

  /// The places of the person at a node, or the node of a department alone.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func places(of node: Node) throws(SnapshotError) -> [Node] {
    guard try !tree.isDepartment(position(of: node)) else { return [node] }
    return try state.leaves.nodes(of: user(at: position(of: node))).map(self.node)
  }
}

extension TreePosition {
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
