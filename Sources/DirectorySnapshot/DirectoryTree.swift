import DirectoryModel
import Outlines

/// A built directory in memory, in the columns that a snapshot stores.
package struct DirectoryTree: Sendable {
  package let records: DirectoryRecords
  package let hierarchy: Hierarchy
  /// For each node the row of its department or membership.
  package let nodeRecords: [UInt32]
  /// For each department the position of its node.
  package let departmentNodes: [Int32]
  /// For each department the distinct users in its subtree.
  package let departmentPeople: [UInt32]
  /// For each membership the row of its user.
  package let membershipUsers: [UInt32]
  /// Bit set over memberships.
  package let primary: [UInt64]
  /// Where each user's leaves begin in `userLeafNodes`; one more at the end.
  package let userLeafStarts: [UInt32]
  package let userLeafNodes: [Int32]
  /// Nodes below *Unplaced* that have a reason, rising, and the reasons.
  package let unplacedNodes: [Int32]
  package let unplacedReasons: [String]
  package let departmentIndex: IdentifierIndex
  package let userIndex: IdentifierIndex
  /// Departments that were read; *Unplaced* is not among them.
  package let departmentCount: Int
  /// Users that were read; those that are only referred to are not among them.
  package let userCount: Int

  init(_ records: DirectoryRecords, _ placement: Placement, _ linked: LinkedHierarchy) {
    let departmentCount = records.departments.count
    let hierarchy = linked.hierarchy
    let users = placement.membershipUsers
    self.records = records
    self.hierarchy = hierarchy
    membershipUsers = users
    primary = placement.primary
    departmentIndex = placement.departmentIndex
    userIndex = placement.userIndex
    self.departmentCount = placement.unplacedDepartment ?? departmentCount
    userCount = placement.knownUserCount

    var nodeRecords = [UInt32](repeating: 0, count: linked.inputs.count)
    for (node, input) in linked.inputs.enumerated() {
      let input = Int(input)
      nodeRecords[node] = UInt32(input < departmentCount ? input : input - departmentCount)
    }
    let placed = PlacedColumns(
      hierarchy: hierarchy,
      records: nodeRecords,
      membershipUsers: users,
      departmentCount: departmentCount,
      userCount: records.users.count,
      personCount: placement.knownUserCount
    )
    departmentNodes = placed.departmentNodes
    departmentPeople = placed.departmentPeople
    userLeafStarts = placed.userLeafStarts
    userLeafNodes = placed.userLeafNodes
    self.nodeRecords = nodeRecords

    let unplaced = Self.unplaced(placement, linked, departmentCount: departmentCount)
    unplacedNodes = unplaced.map(\.node)
    unplacedReasons = unplaced.map(\.reason)
  }

  /// What has no place, in preorder.
  private static func unplaced(
    _ placement: Placement,
    _ linked: LinkedHierarchy,
    departmentCount: Int
  ) -> [(node: Int32, reason: String)] {
    guard !placement.unplaced.isEmpty else { return [] }
    let positions = linked.positions()
    return placement.unplaced.map { entry in
      switch entry.record {
      case .department(let row): (positions[row], entry.reason)
      case .membership(let row): (positions[departmentCount + row], entry.reason)
      }
    }.sorted { $0.node < $1.node }
  }
}
