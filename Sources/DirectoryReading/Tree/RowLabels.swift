import DirectoryModel
import DirectorySnapshot

/// What rows of a drawn tree show, for comparing two states of the directory.
///
/// It has the parts of the state itself, as `RowReader`, and for the same reason.
final class RowLabels {
  private let tree: TreePart
  private let departments: DepartmentPart
  private let memberships: MembershipPart
  private let unplacedCount: Int
  private let departmentNames: TextRows
  private let userNames: TextRows
  private let titles: TextRows

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the columns) the first time.
  init(_ directory: Directory) throws(SnapshotError) {
    tree = directory.tree
    departments = directory.departments
    memberships = directory.memberships
    unplacedCount = directory.unplacedCount
    departmentNames = try directory.departments.names.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
  }

  /// Whether a node looks as another one does in another state; what cannot be read does not.
  ///
  /// - Complexity: O(bytes of the label).
  func isSame(_ node: Int, _ other: RowLabels, _ otherNode: Int) -> Bool {
    do {
      let isDepartment = try tree.isDepartment(node)
      guard try isDepartment == other.tree.isDepartment(otherNode),
        try reason(of: node) == other.reason(of: otherNode)
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

  private func reason(of node: Int) throws(SnapshotError) -> String? {
    unplacedCount > 0 ? try tree.unplacedReason(of: node) : nil
  }
}
