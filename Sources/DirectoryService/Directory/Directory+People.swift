import DirectoryModel
import DirectorySnapshot
import Outlines

extension Directory {
  /// The people of a department in the order of the tree, each once.
  ///
  /// - Parameters:
  ///   - node: The department.
  ///   - recursive: Also those of all departments below; a person's row is the first of the
  ///     person's leaves in there.
  ///   - body: Gets one row after the other; rows carry path and departments.
  /// - Throws: What `body` throws, or that the snapshot is damaged.
  /// - Complexity: O(nodes of the subtree), with one bit for each user.
  package func forEachPerson(
    in node: Int,
    recursive: Bool,
    _ body: (DirectoryRow) throws -> Void
  ) throws {
    let lookup = try PersonLookup(self)
    var seen = [UInt64](repeating: 0, count: (users.count + 63) / 64)
    func isNew(_ user: Int) -> Bool {
      let bit: UInt64 = 1 << UInt64(user % 64)
      defer { seen[user / 64] |= bit }
      return seen[user / 64] & bit == 0
    }
    if recursive {
      for leaf in hierarchy.descendants(of: node) where !hierarchy.isGroup(leaf) {
        if isNew(memberships.user(of: tree.record(of: leaf))) { try body(lookup.row(at: leaf)) }
      }
    } else {
      for child in hierarchy.children(of: node) where !hierarchy.isGroup(child) {
        if isNew(memberships.user(of: tree.record(of: child))) { try body(lookup.row(at: child)) }
      }
    }
  }

  /// One row for a person or a department, with path and departments, for lists outside the tree.
  package func card(at node: Int) throws -> DirectoryRow {
    guard hierarchy.isGroup(node) else { return try PersonLookup(self).row(at: node) }
    var row = row(at: node, contacts: nil)
    row.path = path(to: node)
    row.disclosure = hierarchy.hasChildren(node) ? .collapsed : .empty
    return row
  }

  /// The leaf that stands for a user where one row is shown: the primary membership's.
  package func leaf(ofUser user: Int) throws -> Int? {
    let leaves = try snapshot.leaves().nodes(of: user)
    return leaves.first { memberships.isPrimary(tree.record(of: $0)) } ?? leaves.first
  }
}

/// Rows of people with everything about them.
struct PersonLookup {
  private let directory: Directory
  private let contacts: ContactPart
  private let leaves: LeafPart

  init(_ directory: Directory) throws(SnapshotError) {
    self.directory = directory
    contacts = try directory.snapshot.contacts()
    leaves = try directory.snapshot.leaves()
  }

  /// - Complexity: O(memberships of the person · level).
  func row(at leaf: Int) -> DirectoryRow {
    var row = directory.row(at: leaf, contacts: contacts)
    row.level = nil
    row.parent = nil
    row.path = directory.path(to: leaf)
    let user = directory.memberships.user(of: directory.tree.record(of: leaf))
    let own = leaves.nodes(of: user)
    let primary = own.filter { directory.memberships.isPrimary(directory.tree.record(of: $0)) }
    let others = own.filter { !directory.memberships.isPrimary(directory.tree.record(of: $0)) }
    row.departments = (Array(primary) + Array(others)).compactMap(reference)
    return row
  }

  private func reference(to leaf: Int) -> DirectoryRow.DepartmentReference? {
    directory.hierarchy.parent(of: leaf).map { department in
      DirectoryRow.DepartmentReference(
        id: directory.departmentID(of: department),
        name: directory.departmentName(of: department),
        path: directory.path(to: department)
      )
    }
  }
}
