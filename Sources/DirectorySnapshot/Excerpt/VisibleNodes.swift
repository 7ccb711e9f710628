import DirectoryModel

/// The nodes of a snapshot that a viewer sees, found from the ranges that a sight names.
///
/// - Complexity: O(what is seen · log what the sight names).
struct VisibleNodes {
  /// Positions in the snapshot, rising.
  private(set) var nodes: [Int32] = []
  /// For each of them the index of the one above; −1 for a root.
  private(set) var parents: [Int32] = []
  /// Indexes of departments of which only the name is shown.
  private(set) var stubs: Set<Int32> = []

  private let tree: TreePart
  private let present: VisiblePlaces?
  /// The departments that the last node lies in: index, and end of the subtree.
  private var open: [(index: Int32, node: Int, end: Int)] = []

  /// - Parameters:
  ///   - places: What is shown of the snapshot.
  ///   - snapshot: Where the nodes are.
  ///   - present: What is shown now, for a snapshot that is of a former state.
  /// - Throws: `SnapshotError.damaged`.
  init(
    _ places: SightPlaces,
    _ snapshot: DirectorySnapshot,
    _ present: VisiblePlaces?
  ) throws {
    tree = try snapshot.tree()
    self.present = present
    var people = try places.singlePlaces(snapshot.leaves())[...]
    for (range, outcome) in places.ranges {
      var position = range.lowerBound
      while let single = people.first, single.node < range.upperBound {
        people.removeFirst()
        if outcome == .shown { try append(position..<single.node) }
        if single.isShown { try append(single.node..<single.node + 1) }
        position = single.node + 1
      }
      if outcome == .shown { try append(position..<range.upperBound) }
    }
  }

  private mutating func append(_ range: Range<Int>) throws {
    for node in range where try present?.shows(node) ?? true { try append(node) }
  }

  /// Adds a node behind the others, and before it the departments above that are not there yet.
  private mutating func append(_ node: Int) throws(SnapshotError) {
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
    try insert(node)
  }

  @discardableResult
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

/// What is shown now of the records of a former state; of what is not there any more, what was last.
struct VisiblePlaces {
  private let visibility: Visibility
  private let time: Int64
  private let (pastTree, tree): (TreePart, TreePart)
  private let pastMemberships: MembershipPart
  private let (pastDepartments, departments): (DepartmentPart, DepartmentPart)
  private let pastUsers: UserPart
  private let (departmentIndex, userIndex): (IndexPart, IndexPart)
  private let leaves: LeafPart
  private let places: SightPlaces
  private var fields: SightFields

  init(
    _ sight: Sight,
    of past: DirectorySnapshot,
    _ present: CurrentState
  ) throws(SnapshotError) {
    let now = present.snapshot
    (visibility, time) = (present.visibility, present.time)
    (pastTree, tree) = (try past.tree(), try now.tree())
    pastMemberships = try past.memberships()
    (pastDepartments, departments) = (try past.departments(), try now.departments())
    pastUsers = try past.users()
    (departmentIndex, userIndex) = (try now.departmentIndex(), try now.userIndex())
    leaves = try now.leaves()
    places = try SightPlaces(sight, now)
    fields = try SightFields(sight, now)
  }

  /// What a department of the former state is known by.
  private func departmentID(at node: Int) throws -> DepartmentID {
    let id = try pastDepartments.ids[pastTree.departmentRecord(of: node)]
    return DepartmentID(try visibility.presentID(of: RecordKey(.department, id), at: time))
  }

  /// What a user of the former state is known by.
  private func userID(_ row: Int) throws -> UserID {
    UserID(try visibility.presentID(of: RecordKey(.user, pastUsers.ids[row]), at: time))
  }

  /// Where a department of the former state is now.
  private func department(at node: Int) throws -> Int? {
    guard let row = try departmentIndex.row(of: departmentID(at: node).rawValue) else { return nil }
    return try departments.node(of: row)
  }

  /// The row now of a user of the former state.
  private func user(_ row: Int) throws -> Int? { try userIndex.row(of: userID(row).rawValue) }

  /// What is hidden now of a department of the former state.
  mutating func hidden(ofDepartment node: Int) throws -> HiddenFields {
    guard let now = try department(at: node) else {
      return try visibility.hidden(of: departmentID(at: node))
    }
    return fields.hidden(ofDepartment: now)
  }

  /// What is hidden now of a user of the former state.
  mutating func hidden(ofUser row: Int) throws -> HiddenFields {
    guard let now = try user(row) else { return try visibility.hidden(of: userID(row)) }
    return try fields.hidden(ofUser: now)
  }

  /// Whether a node of the former state is shown now, or was when it was last there.
  ///
  /// - Complexity: O(places of the person · log what the sight names), expected.
  func shows(_ node: Int) throws -> Bool {
    if try pastTree.isDepartment(node) {
      guard let department = try department(at: node) else {
        return try visibility.showsAll(of: departmentID(at: node))
      }
      return places.outcome(department: department) == .shown
    }
    let row = try pastMemberships.user(of: pastTree.record(of: node))
    guard let user = try user(row) else {
      return try visibility.shows(
        userID(row),
        in: pastTree.parent(of: node).map { try departmentID(at: $0) }
      )
    }
    var department: Int?
    if let parent = try pastTree.parent(of: node) { department = try self.department(at: parent) }
    var isShown = false
    for leaf in try leaves.nodes(of: user) {
      let isShownHere = places.outcome(place: leaf, of: user) == .shown
      if try tree.parent(of: leaf) == department, !isShownHere { return false }
      isShown = isShown || isShownHere
    }
    return isShown
  }
}
