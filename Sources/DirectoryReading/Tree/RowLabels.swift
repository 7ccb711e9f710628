import DirectoryModel
import DirectorySnapshot

/// What rows of a drawn tree show, for comparing two states of the directory.
struct RowLabels {
  private let directory: Directory
  private let departmentNames: TextRows
  private let userNames: TextRows
  private let titles: TextRows

  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the columns) the first time.
  init(_ directory: Directory) throws(SnapshotError) {
    self.directory = directory
    departmentNames = try directory.departments.names.verified()
    userNames = try directory.users.names.verified()
    titles = try directory.memberships.titles.verified()
  }

  /// Whether a node looks as another one does in another state; what cannot be read does not.
  ///
  /// - Complexity: O(bytes of the label).
  func isSame(_ node: Int, _ other: RowLabels, _ otherNode: Int) -> Bool {
    do {
      let isDepartment = try directory.tree.isDepartment(node)
      guard try isDepartment == other.directory.tree.isDepartment(otherNode),
        try reason(of: node) == other.reason(of: otherNode)
      else { return false }
      let record = try directory.tree.record(of: node)
      let otherRecord = try other.directory.tree.record(of: otherNode)
      if isDepartment {
        return try Self.isSame(departmentNames, record, other.departmentNames, otherRecord)
          && directory.departments.people(of: record)
            == other.directory.departments.people(of: otherRecord)
      }
      let (mine, others) = (directory.memberships, other.directory.memberships)
      return try Self.isSame(titles, record, other.titles, otherRecord)
        && mine.leads(record) == others.leads(otherRecord)
        && Self.isSame(
          userNames,
          mine.user(of: record),
          other.userNames,
          others.user(of: otherRecord)
        )
    } catch {
      return false
    }
  }

  private func reason(of node: Int) throws(SnapshotError) -> String? {
    directory.unplacedCount > 0 ? try directory.tree.unplacedReason(of: node) : nil
  }

  private static func isSame(_ left: TextRows, _ row: Int, _ right: TextRows, _ other: Int) -> Bool
  {
    left.withBytes(at: row) { text in right.withBytes(at: other) { text.elementsEqual($0) } }
  }
}
