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
    let membershipCount = records.memberships.count
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
    var departmentNodes = [Int32](repeating: 0, count: departmentCount)
    var membershipNodes = [Int32](repeating: 0, count: membershipCount)
    for (node, input) in linked.inputs.enumerated() {
      let input = Int(input)
      if input < departmentCount {
        nodeRecords[node] = UInt32(input)
        departmentNodes[input] = Int32(node)
      } else {
        nodeRecords[node] = UInt32(input - departmentCount)
        membershipNodes[input - departmentCount] = Int32(node)
      }
    }
    let leaves = Self.leaves(
      nodeRecords: nodeRecords,
      hierarchy: hierarchy,
      users: users,
      userCount: records.users.count
    )
    let people = Self.people(
      hierarchy: hierarchy,
      nodeRecords: nodeRecords,
      users: users,
      knownUserCount: placement.knownUserCount,
      userCount: records.users.count
    )
    departmentPeople = departmentNodes.map { UInt32(people[Int($0)]) }
    userLeafStarts = leaves.starts
    userLeafNodes = leaves.nodes

    let unplaced = placement.unplaced.map { entry in
      switch entry.record {
      case .department(let row): (departmentNodes[row], entry.reason)
      case .membership(let row): (membershipNodes[row], entry.reason)
      }
    }.sorted { $0.0 < $1.0 }
    unplacedNodes = unplaced.map(\.0)
    unplacedReasons = unplaced.map(\.1)
    self.nodeRecords = nodeRecords
    self.departmentNodes = departmentNodes
  }

  /// Every user's leaves by a counting sort, which keeps them in preorder.
  private static func leaves(
    nodeRecords: [UInt32],
    hierarchy: Hierarchy,
    users: [UInt32],
    userCount: Int
  ) -> (starts: [UInt32], nodes: [Int32]) {
    var starts = [UInt32](repeating: 0, count: userCount + 1)
    for user in users { starts[Int(user) + 1] += 1 }
    for user in 0..<userCount { starts[user + 1] += starts[user] }
    var next = starts
    var nodes = [Int32](repeating: 0, count: users.count)
    for node in 0..<hierarchy.count where !hierarchy.isGroup(node) {
      let user = Int(users[Int(nodeRecords[node])])
      nodes[Int(next[user])] = Int32(node)
      next[user] += 1
    }
    return (starts, nodes)
  }

  private static func people(
    hierarchy: Hierarchy,
    nodeRecords: [UInt32],
    users: [UInt32],
    knownUserCount: Int,
    userCount: Int
  ) -> [Int32] {
    var lastLeaf = [Int32](repeating: -1, count: userCount)
    return PeopleCount.distinct(
      in: hierarchy,
      previousLeaf: { node in
        let user = Int(users[Int(nodeRecords[node])])
        defer { lastLeaf[user] = Int32(node) }
        return lastLeaf[user]
      },
      counts: { node in Int(users[Int(nodeRecords[node])]) < knownUserCount }
    )
  }
}
