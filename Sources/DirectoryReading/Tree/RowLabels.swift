import DirectoryExchange
import DirectoryModel
import DirectorySnapshot
import OutlineEngine

/// What rows of a drawn tree show, for comparing two states of the directory.
final class RowLabels {
  private let tree: TreePart
  private let departments: DepartmentPart
  private let memberships: MembershipPart
  private let departmentNames: TextRows
  private let userNames: TextRows
  private let titles: TextRows
  private let records: OutlineColumn<UInt32>
  private let people: OutlineColumn<UInt32>
  private let leads: OutlineColumn<UInt64>
  private let leaves: LeafPart

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the columns) the first time.
  init(_ directory: Directory) throws(SnapshotError) {
    tree = directory.tree
    departments = directory.departments
    memberships = directory.memberships
    departmentNames = try directory.departments.names.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
    records = try directory.snapshot.column(.nodeRecords, as: UInt32.self)
    people = try directory.snapshot.column(.membershipUsers, as: UInt32.self)
    leads = try directory.snapshot.column(.membershipLeads, as: UInt64.self)
    leaves = directory.state.leaves
  }

  /// The nodes that look different now.
  ///
  /// Most records have their row of before, and their columns are compared as they lie: only where
  /// something differs there, or the row is another one, a node is looked at by itself.
  ///
  /// - Parameters:
  ///   - old: The state before.
  ///   - origins: As `NodeOrigins.nodes(of:in:)` has them.
  /// - Returns: Their positions in this state.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(nodes), and O(bytes of the labels).
  func changedNodes(from old: RowLabels, origins: [Int32]) throws(SnapshotError) -> NodeSet {
    var changed = NodeSet(count: origins.count)
    let wasUnplaced = try old.unplacedNodes
    for (node, origin) in origins.enumerated() where origin >= 0 {
      if records[node] != old.records[Int(origin)] || wasUnplaced.contains(Int(origin)) {
        compare(node, old, origin, &changed)
      }
    }
    try forEachDoubtfulNode(old) { compare($0, old, origins[$0], &changed) }
    return changed
  }

  private func compare(_ node: Int, _ old: RowLabels, _ origin: Int32, _ changed: inout NodeSet) {
    if origin >= 0, !isSame(node, old, Int(origin)) { changed.insert(node) }
  }

  /// Calls `body` for nodes that stand for a row which does not read as it did.
  private func forEachDoubtfulNode(
    _ old: RowLabels,
    _ body: (Int) -> Void
  ) throws(SnapshotError) {
    for row in departmentNames.rowsUnlike(old.departmentNames) {
      body(try departments.node(of: row))
    }
    for row in 0..<min(departments.count, old.departments.count)
    where try departments.people(of: row) != old.departments.people(of: row) {
      body(try departments.node(of: row))
    }
    for user in userNames.rowsUnlike(old.userNames) { try leaves.forEachNode(of: user, body) }
    for row in titles.rowsUnlike(old.titles) {
      try leaves.forEachNode(of: memberships.user(of: row), body)
    }
    for row in 0..<min(memberships.count, old.memberships.count) {
      let isOtherLead = (leads[row / 64] ^ old.leads[row / 64]) >> UInt64(row % 64) & 1 == 1
      guard isOtherLead || people[row] != old.people[row] else { continue }
      try leaves.forEachNode(of: memberships.user(of: row), body)
    }
    for index in 0..<tree.unplacedCount { body(try tree.unplaced(at: index).node) }
  }

  private var unplacedNodes: NodeSet {
    get throws(SnapshotError) {
      var nodes = NodeSet(count: tree.count)
      for index in 0..<tree.unplacedCount { nodes.insert(try tree.unplaced(at: index).node) }
      return nodes
    }
  }

  /// Whether a node looks as another one does in another state; what cannot be read does not.
  private func isSame(_ node: Int, _ other: RowLabels, _ otherNode: Int) -> Bool {
    do {
      let isDepartment = try tree.isDepartment(node)
      guard try isDepartment == other.tree.isDepartment(otherNode),
        try tree.unplacedReason(of: node) == other.tree.unplacedReason(of: otherNode)
      else { return false }
      let record = try tree.record(of: node)
      let otherRecord = try other.tree.record(of: otherNode)
      if isDepartment {
        return try departmentNames.isSame(at: record, as: other.departmentNames, at: otherRecord)
          && departments.people(of: record) == other.departments.people(of: otherRecord)
      }
      return try titles.isSame(at: record, as: other.titles, at: otherRecord)
        && memberships.leads(record) == other.memberships.leads(otherRecord)
        && userNames.isSame(
          at: memberships.user(of: record),
          as: other.userNames,
          at: other.memberships.user(of: otherRecord)
        )
    } catch {
      return false
    }
  }
}
