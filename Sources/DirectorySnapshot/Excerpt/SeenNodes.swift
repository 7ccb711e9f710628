import DirectoryModel

/// The nodes of a snapshot that somebody sees, found from the ranges that a sight names.
///
/// - Complexity: O(what is seen · log what the sight names), and the people of departments that are
///   shown by name.
struct SeenNodes {
  /// Positions in the snapshot, rising.
  private(set) var nodes: [Int32] = []
  /// For each of them the index of the one above; −1 for a root.
  private(set) var parents: [Int32] = []
  /// Indexes of departments of which only the name is shown.
  private(set) var stubs: Set<Int32> = []

  private let tree: TreePart
  /// The departments that the last node lies in: index, and end of the subtree.
  private var open: [(index: Int32, node: Int, end: Int)] = []

  init(_ sight: Sight, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    tree = try snapshot.tree()
    let places = try SightPlaces(sight, snapshot)
    var people = places.people[...]
    for (range, showing) in places.departments.runs {
      var position = range.lowerBound
      while let single = people.first, single.node < range.upperBound {
        people.removeFirst()
        try append(position..<single.node, showing)
        if single.isShown { try append(single.node) }
        position = single.node + 1
      }
      try append(position..<range.upperBound, showing)
    }
  }

  private mutating func append(
    _ range: Range<Int>,
    _ showing: Sight.Showing
  ) throws(SnapshotError) {
    switch showing {
    case .whole: for node in range { try append(node) }
    case .name:
      for node in range where try tree.isDepartment(node) { stubs.insert(try append(node)) }
    case .nothing: break
    }
  }

  /// Adds a node behind the others, and before it the departments above that are not there yet.
  @discardableResult
  private mutating func append(_ node: Int) throws(SnapshotError) -> Int32 {
    while let last = open.last, last.end <= node { open.removeLast() }
    let parent = try tree.parent(of: node)
    if parent != open.last?.node {
      var missing: [Int] = []
      var above = parent
      while let ancestor = above, ancestor != open.last?.node {
        guard try tree.isDepartment(ancestor) else { throw tree.damagedShape }
        missing.append(ancestor)
        above = try tree.parent(of: ancestor)
      }
      for ancestor in missing.reversed() { stubs.insert(try insert(ancestor)) }
    }
    return try insert(node)
  }

  private mutating func insert(_ node: Int) throws(SnapshotError) -> Int32 {
    let index = Int32(truncatingIfNeeded: nodes.count)
    nodes.append(Int32(truncatingIfNeeded: node))
    parents.append(open.last?.index ?? -1)
    if try tree.isDepartment(node) {
      open.append((index, node, try tree.subtree(of: node).upperBound))
    }
    return index
  }
}

/// Where in a snapshot a sight says something.
private struct SightPlaces {
  let departments: NodeRanges<Sight.Showing>
  /// Single places of people, rising.
  let people: [(node: Int, isShown: Bool)]

  init(_ sight: Sight, _ snapshot: DirectorySnapshot) throws(SnapshotError) {
    let tree = try snapshot.tree()
    let unplaced = try snapshot.unplacedNodes()
    var subtrees = try snapshot.subtrees(of: sight.departments).filter {
      !unplaced.contains($0.nodes.lowerBound)
    }
    subtrees.append((unplaced, .nothing))
    departments = NodeRanges(sight.base, count: tree.count, subtrees)

    let (index, leaves) = (try snapshot.userIndex(), try snapshot.leaves())
    var people: [Int: Bool] = [:]
    for (id, isShown) in sight.people {
      guard let user = try index.row(of: id.rawValue) else { continue }
      try leaves.forEachNode(of: user) { people[$0] = isShown }
    }
    for (place, isShown) in sight.places {
      guard let user = try index.row(of: place.user.rawValue),
        let department = try snapshot.departmentIndex().row(of: place.department.rawValue)
      else { continue }
      let node = try snapshot.departments().node(of: department)
      for leaf in try leaves.nodes(of: user) where try tree.parent(of: leaf) == node {
        people[leaf] = isShown
      }
    }
    self.people = people.filter { !unplaced.contains($0.key) }.map { ($0.key, $0.value) }
      .sorted { $0.0 < $1.0 }
  }
}

extension DirectorySnapshot {
  /// Where departments and everything below them stand; those that are not there are left out.
  func subtrees<Value>(
    of departments: [DepartmentID: Value]
  ) throws(SnapshotError) -> [(nodes: Range<Int>, value: Value)] {
    var subtrees: [(nodes: Range<Int>, value: Value)] = []
    let (index, part, tree) = (try departmentIndex(), try self.departments(), try tree())
    for (id, value) in departments {
      guard let row = try index.row(of: id.rawValue) else { continue }
      subtrees.append((try tree.subtree(of: part.node(of: row)), value))
    }
    return subtrees
  }

  /// The group *Unplaced* and everything below; empty where there is none.
  func unplacedNodes() throws(SnapshotError) -> Range<Int> {
    let tree = try tree()
    guard tree.unplacedCount > 0 else { return 0..<0 }
    let node = try tree.unplaced(at: 0).node
    return try tree.subtree(of: tree.ancestors(of: node).last ?? node)
  }
}
