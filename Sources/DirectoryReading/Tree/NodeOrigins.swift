import DirectoryModel
import DirectorySnapshot

/// For each node of a directory the node of an earlier state that it was, by the ids of departments
/// and people.
enum NodeOrigins {
  /// - Returns: A position in the earlier state for each node; −1 for a node that is new.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes), and O(bytes of the ids) the first time.
  static func nodes(of new: Directory, in old: Directory) throws(SnapshotError) -> [Int32] {
    // Parts of their own: one that is read from a directory is copied for each node, which takes longer
    // than what is done with it.
    let (tree, memberships) = (new.tree, new.memberships)
    let (oldTree, oldMemberships, oldDepartments) = (old.tree, old.memberships, old.departments)
    let leaves = old.state.leaves
    let departments = try rows(
      of: new.departments.ids,
      in: old.departments.ids,
      old.state.departmentIndex
    )
    let users = try rows(of: new.users.ids, in: old.users.ids, old.state.userIndex)
    let (count, oldCount) = (tree.count, oldTree.count)
    // A bit for each earlier node that was found: of several places of a person under *Unplaced* each
    // is another one.
    var taken = [UInt64](repeating: 0, count: (oldCount + 63) / 64)
    var nodes: [Int32] = []
    nodes.reserveCapacity(count)

    /// The place of the same person in the same department, which is mostly that after the one before.
    func leaf(of user: Int, below parent: Int32?, guess: Int) throws(SnapshotError) -> Int? {
      if parent != nil, guess < oldCount, try !oldTree.isDepartment(guess),
        try oldMemberships.user(of: oldTree.record(of: guess)) == user,
        try oldTree.parent(of: guess).map({ Int32($0) }) == parent
      {
        return guess
      }
      for leaf in try leaves.nodes(of: user) {
        guard try oldTree.parent(of: leaf).map({ Int32($0) }) == parent else { continue }
        if taken[leaf / 64] >> UInt64(leaf % 64) & 1 == 0 { return leaf }
      }
      return nil
    }

    for node in 0..<count {
      let record = try tree.record(of: node)
      var found: Int?
      if try tree.isDepartment(node) {
        let row = departments[record]
        if row >= 0 { found = try oldDepartments.node(of: Int(row)) }
      } else {
        let user = users[try memberships.user(of: record)]
        if user >= 0 {
          let parent = try tree.parent(of: node).map { nodes[$0] }
          found = try leaf(of: Int(user), below: parent, guess: Int(nodes.last ?? -1) + 1)
        }
      }
      nodes.append(Int32(found ?? -1))
      if let found { taken[found / 64] |= 1 << UInt64(found % 64) }
    }
    return nodes
  }

  /// Most rows keep their number from one state to the next.
  private static func rows(
    of new: TextColumn,
    in old: TextColumn,
    _ index: IndexPart
  ) throws(SnapshotError) -> [Int32] {
    let (newIDs, oldIDs) = (try new.verified(), try old.verified())
    var rows: [Int32] = []
    rows.reserveCapacity(newIDs.count)
    for row in 0..<newIDs.count {
      let isSame = row < oldIDs.count && newIDs.isSame(at: row, as: oldIDs, at: row)
      rows.append(Int32(isSame ? row : try index.row(of: newIDs[row]) ?? -1))
    }
    return rows
  }
}
