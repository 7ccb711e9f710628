import DirectoryModel
import DirectorySnapshot

/// For each node of a directory the node of an earlier state that it was, by the ids of departments
/// and people.
struct NodeOrigins {
  /// A position in the earlier state for each node; −1 for a node that is new.
  private(set) var nodes: [Int32] = []

  private let new: Directory
  private let old: Directory
  /// For each department and each user the earlier row, or −1.
  private let departments: [Int32]
  private let users: [Int32]
  /// A bit for each earlier node that was found: of several places of a person under *Unplaced* each
  /// is another one.
  private var taken: [UInt64]

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes), and O(bytes of the ids) the first time.
  init(of new: Directory, in old: Directory) throws(SnapshotError) {
    (self.new, self.old) = (new, old)
    departments = try Self.rows(
      of: new.departments.ids,
      in: old.departments.ids,
      old.state.departmentIndex
    )
    users = try Self.rows(of: new.users.ids, in: old.users.ids, old.state.userIndex)
    taken = [UInt64](repeating: 0, count: (old.tree.count + 63) / 64)
    nodes.reserveCapacity(new.tree.count)
    let leaves = old.state.leaves
    for node in 0..<new.tree.count {
      let found = try new.tree.isDepartment(node) ? department(at: node) : leaf(at: node, leaves)
      nodes.append(Int32(found ?? -1))
      if let found { taken[found / 64] |= 1 << UInt64(found % 64) }
    }
  }

  private func department(at node: Int) throws(SnapshotError) -> Int? {
    let row = departments[try new.tree.record(of: node)]
    return row < 0 ? nil : try old.departments.node(of: Int(row))
  }

  /// The place of the same person in the same department.
  private func leaf(at node: Int, _ leaves: LeafPart) throws(SnapshotError) -> Int? {
    let user = users[try new.user(at: node)]
    guard user >= 0 else { return nil }
    let parent = try new.tree.parent(of: node)
    let origin = parent.map { nodes[$0] }
    for leaf in try leaves.nodes(of: Int(user)) {
      guard try old.tree.parent(of: leaf).map({ Int32($0) }) == origin else { continue }
      if taken[leaf / 64] >> UInt64(leaf % 64) & 1 == 0 { return leaf }
    }
    return nil
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
      let isSame =
        row < oldIDs.count
        && newIDs.withBytes(at: row) { id in oldIDs.withBytes(at: row) { id.elementsEqual($0) } }
      rows.append(Int32(isSame ? row : try index.row(of: newIDs[row]) ?? -1))
    }
    return rows
  }
}
