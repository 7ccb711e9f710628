import DirectoryModel
import DirectorySnapshot
import Outlines

/// The directory as fronts read it: one snapshot, opened.
///
/// Everything here works without the database. A value keeps its state for as long as it lives,
/// whatever a sync puts in the snapshot's place meanwhile.
package struct Directory: Sendable {
  package let snapshot: DirectorySnapshot
  let tree: TreePart
  let departments: DepartmentPart
  let users: UserPart
  let memberships: MembershipPart

  package init(_ snapshot: DirectorySnapshot) throws(SnapshotError) {
    self.snapshot = snapshot
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    users = try snapshot.users()
    memberships = try snapshot.memberships()
  }

  package var hierarchy: Hierarchy { tree.hierarchy }
  package var departmentCount: Int { departments.count }
  package var membershipCount: Int { memberships.count }
  package var userCount: Int { users.count }
  package var unplacedCount: Int { tree.unplacedCount }
  package var isEmpty: Bool { hierarchy.isEmpty }

  /// What the front shows at a node.
  ///
  /// - Parameters:
  ///   - node: Position in the tree.
  ///   - contacts: Where the email address and the phone number come from, if wanted.
  /// - Returns: The row, without disclosure and path.
  func row(at node: Int, contacts: ContactPart?) -> DirectoryRow {
    hierarchy.isGroup(node) ? departmentRow(at: node) : userRow(at: node, contacts: contacts)
  }

  private func departmentRow(at node: Int) -> DirectoryRow {
    let record = tree.record(of: node)
    var row = DirectoryRow(
      kind: .department,
      id: departments.ids[record],
      name: departments.names[record]
    )
    row.level = hierarchy.level(of: node)
    row.parent = parent(of: node)
    row.people = departments.people(of: record)
    row.description = withReason(departments.descriptions[record], of: node)
    return row
  }

  private func userRow(at node: Int, contacts: ContactPart?) -> DirectoryRow {
    let record = tree.record(of: node)
    let user = memberships.user(of: record)
    var row = DirectoryRow(kind: .user, id: users.ids[user], name: users.names[user])
    row.level = hierarchy.level(of: node)
    row.parent = parent(of: node)
    row.title = withReason(memberships.titles[record], of: node)
    if let contacts {
      row.email = contacts.emails[user]
      row.phone = contacts.phones[user]
    }
    return row
  }

  private func parent(of node: Int) -> DepartmentID? {
    hierarchy.parent(of: node).map { DepartmentID(departments.ids[tree.record(of: $0)]) }
  }

  /// A detail, and the reason where the node could not be placed.
  private func withReason(_ detail: String, of node: Int) -> String {
    guard let reason = tree.unplacedReason(of: node) else { return detail }
    return detail.isEmpty ? "(\(reason))" : "\(detail) (\(reason))"
  }

  /// Names from the root down to the node's parent.
  ///
  /// - Complexity: O(level).
  package func path(to node: Int) -> [String] {
    Array(hierarchy.ancestors(of: node)).reversed().map { departments.names[tree.record(of: $0)] }
  }

  func departmentID(of node: Int) -> DepartmentID {
    DepartmentID(departments.ids[tree.record(of: node)])
  }

  func departmentName(of node: Int) -> String { departments.names[tree.record(of: node)] }

  /// The node of a department, by its id alone.
  ///
  /// - Complexity: O(1), expected.
  package func node(of department: DepartmentID) throws(SnapshotError) -> Int? {
    try snapshot.departmentIndex().row(of: department.rawValue).map { departments.node(of: $0) }
  }
}
