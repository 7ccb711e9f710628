import DirectoryModel
import OutlineEngine

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
  /// What an excerpt does not show of departments and of users.
  let hidden: (departments: RecordSets, users: RecordSets)

  init(
    _ records: DirectoryRecords,
    _ placement: Placement,
    _ order: SiblingOrder,
    _ linked: LinkedHierarchy
  ) {
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
    hidden = (RecordSets(), RecordSets())

    var nodeRecords = [UInt32](repeating: 0, count: linked.inputs.count)
    for (node, input) in linked.inputs.enumerated() {
      let input = Int(input)
      nodeRecords[node] =
        input < departmentCount
        ? order.departments[input] : order.memberships[input - departmentCount]
    }
    let placed = DerivedColumns(
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

    let unplaced = Self.unplaced(placement, hierarchy, nodeRecords)
    unplacedNodes = unplaced.map(\.node)
    unplacedReasons = unplaced.map(\.reason)
  }

  /// Takes records that are placed already, in whatever order their rows are.
  ///
  /// - Complexity: O(records), expected.
  init(
    _ records: DirectoryRecords,
    hierarchy: Hierarchy,
    nodeRecords: [UInt32],
    membershipUsers: [UInt32],
    primary: [UInt64],
    hidden: (departments: RecordSets, users: RecordSets)
  ) {
    self.hidden = hidden
    let placed = DerivedColumns(
      hierarchy: hierarchy,
      records: nodeRecords,
      membershipUsers: membershipUsers,
      departmentCount: records.departments.count,
      userCount: records.users.count,
      personCount: records.users.count
    )
    let hash = SipHash13.random()
    departmentIndex = IdentifierIndex.make(of: records.departments.ids, hash: hash).index
    userIndex = IdentifierIndex.make(of: records.users.ids, hash: hash).index
    departmentCount = records.departments.count
    userCount = records.users.count
    self.records = records
    self.hierarchy = hierarchy
    self.nodeRecords = nodeRecords
    self.membershipUsers = membershipUsers
    self.primary = primary
    departmentNodes = placed.departmentNodes
    departmentPeople = placed.departmentPeople
    userLeafStarts = placed.userLeafStarts
    userLeafNodes = placed.userLeafNodes
    unplacedNodes = []
    unplacedReasons = []
  }

  /// What has no place, in preorder.
  private static func unplaced(
    _ placement: Placement,
    _ hierarchy: Hierarchy,
    _ records: [UInt32]
  ) -> [(node: Int32, reason: String)] {
    guard !placement.unplaced.isEmpty else { return [] }
    var departments: [UInt32: String] = [:]
    var memberships: [UInt32: String] = [:]
    for entry in placement.unplaced {
      switch entry.record {
      case .department(let row): departments[UInt32(row)] = entry.reason
      case .membership(let row): memberships[UInt32(row)] = entry.reason
      }
    }
    return records.indices.compactMap { node in
      let reasons = hierarchy.isGroup(node) ? departments : memberships
      return reasons[records[node]].map { (Int32(node), $0) }
    }
  }
}
