import DirectoryExchange
import DirectorySnapshot
import OutlineEngine

/// For each node of a directory the node of an earlier state that it was, by the ids of departments
/// and people.
enum NodeOrigins {
  /// - Returns: A position in the earlier state for each node; −1 for a node that is new.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes), and O(bytes of the ids) the first time.
  static func nodes(of new: Directory, in old: Directory) throws(SnapshotError) -> [Int32] {
    // Parts of their own: one that is read from a directory is copied for each node.
    let (tree, memberships) = (new.tree, new.memberships)
    let (oldTree, oldDepartments) = (old.tree, old.departments)
    let leaves = old.state.leaves
    let departments = try rows(
      of: new.departments.ids,
      in: old.departments.ids,
      old.state.departmentIndex
    )
    let users = try rows(of: new.users.ids, in: old.users.ids, old.state.userIndex)
    let others = try otherMemberships(of: new, in: old, users)
    let (shape, oldShape) = (try new.hierarchy, try old.hierarchy)
    let records = try new.snapshot.column(.nodeRecords, as: UInt32.self)
    let oldRecords = try old.snapshot.column(.nodeRecords, as: UInt32.self)
    let (count, oldCount) = (tree.count, oldTree.count)
    // A bit for each earlier node that was found: of several places of a person under *Unplaced* each
    // is another one.
    var taken = NodeSet(count: oldCount)
    var nodes: [Int32] = []
    nodes.reserveCapacity(count)

    /// Whether the node after the last one that was found stands for the same membership in the same
    /// department, as most do. Columns are read in their order: two looks at the memberships, whose order
    /// is another one, took half a second for a million people.
    func isNext(_ guess: Int, _ node: Int, below parent: Int32?) -> Bool {
      guard let parent, parent >= 0, guess < oldCount, records[node] == oldRecords[guess],
        oldShape.parents[guess] == parent, !oldShape.isGroup(guess), !taken.contains(guess)
      else { return false }
      let record = Int(records[node])
      return record < memberships.count && !others.contains(record)
    }

    func leaf(of user: Int, below parent: Int32?) throws(SnapshotError) -> Int? {
      for leaf in try leaves.nodes(of: user) {
        guard try oldTree.parent(of: leaf).map({ Int32($0) }) == parent else { continue }
        if !taken.contains(leaf) { return leaf }
      }
      return nil
    }

    for node in 0..<count {
      var found: Int?
      if shape.isGroup(node) {
        let row = departments[try tree.record(of: node)]
        if row >= 0 { found = try oldDepartments.node(of: Int(row)) }
      } else {
        let parent = shape.parent(of: node).map { nodes[$0] }
        let guess = Int(nodes.last ?? -1) + 1
        if isNext(guess, node, below: parent) {
          found = guess
        } else {
          let user = users[try memberships.user(of: tree.record(of: node))]
          if user >= 0 { found = try leaf(of: Int(user), below: parent) }
        }
      }
      nodes.append(Int32(found ?? -1))
      if let found { taken.insert(found) }
    }
    return nodes
  }

  /// Rows of memberships that are not of the same person as the earlier ones of the same rows.
  private static func otherMemberships(
    of new: Directory,
    in old: Directory,
    _ users: [Int32]
  ) throws(SnapshotError) -> NodeSet {
    let memberships = new.memberships
    let people = try old.snapshot.column(.membershipUsers, as: UInt32.self)
    var others = NodeSet(count: memberships.count)
    for row in 0..<memberships.count {
      let user = row < people.count ? Int(people[row]) : -2
      if try Int(users[memberships.user(of: row)]) != user { others.insert(row) }
    }
    return others
  }

  /// Most rows keep their number from one state to the next.
  private static func rows(
    of new: TextColumn,
    in old: TextColumn,
    _ index: IndexPart
  ) throws(SnapshotError) -> [Int32] {
    let (newIDs, oldIDs) = (try new.verified(), try old.verified())
    var rows = (0..<newIDs.count).map(Int32.init)
    for row in newIDs.rowsUnlike(oldIDs) { rows[row] = Int32(try index.row(of: newIDs[row]) ?? -1) }
    return rows
  }
}
