import DirectoryModel
import DirectorySnapshot

/// What writers of records look up beyond the row they are handed.
///
/// That is a person's other places, a department's members and the way to the root; of the places
/// and members only those that are written count.
package struct RecordSource {
  let tree: TreePart
  let departmentIDs: TextRows
  let departmentNames: TextRows
  let userIDs: TextRows
  let titles: TextRows
  let departments: DepartmentPart
  let memberships: MembershipPart
  private let leaves: LeafPart
  private let people: IndexPart
  /// The nodes whose rows are written.
  package let written: NodeSet

  /// - Throws: `SnapshotError.damaged`.
  package init(_ snapshot: DirectorySnapshot, written: NodeSet) throws(SnapshotError) {
    self.written = written
    tree = try snapshot.tree()
    departments = try snapshot.departments()
    departmentIDs = try departments.ids.verified()
    departmentNames = try departments.names.verified()
    userIDs = try snapshot.users().ids.verified()
    memberships = try snapshot.memberships()
    titles = try memberships.titles.verified()
    leaves = try snapshot.leaves()
    people = try snapshot.userIndex()
  }

  /// The first written place of a person; `nil` where there is none.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func place(ofPerson id: String) throws(SnapshotError) -> Int? {
    guard let user = try people.row(of: id), let leaf = try leaves.nodes(of: user).first else {
      return nil
    }
    return try places(ofPersonAt: leaf).first
  }

  /// The written places of the person of a leaf: the one of the primary membership first, then in
  /// the order of the tree.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(memberships of the person).
  func places(ofPersonAt leaf: Int) throws(SnapshotError) -> [Int] {
    var places: [Int] = []
    for place in try leaves.nodes(of: user(at: leaf)) where written.contains(place) {
      if try memberships.isPrimary(tree.record(of: place)) {
        places.insert(place, at: 0)
      } else {
        places.append(place)
      }
    }
    return places
  }

  /// The place of the primary membership of the person of a leaf, written or not.
  func mainPlace(ofPersonAt leaf: Int) throws(SnapshotError) -> Int {
    for place in try leaves.nodes(of: user(at: leaf))
    where try memberships.isPrimary(tree.record(of: place)) {
      return place
    }
    return leaf
  }

  /// The row of the main department of the person of a leaf, where that place is not written.
  ///
  /// A part of a directory then says that the person is at home elsewhere.
  func mainDepartmentElsewhere(ofPersonAt leaf: Int) throws(SnapshotError) -> Int? {
    let main = try mainPlace(ofPersonAt: leaf)
    guard !written.contains(main), let department = try tree.parent(of: main) else { return nil }
    return try tree.departmentRecord(of: department)
  }

  /// Row of the user of a leaf.
  func user(at leaf: Int) throws(SnapshotError) -> Int {
    try memberships.user(of: tree.record(of: leaf))
  }

  /// The nearest department above that is written; `nil` where there is none.
  func parent(of node: Int) throws(SnapshotError) -> Int? {
    var above = try tree.parent(of: node)
    while let ancestor = above, !written.contains(ancestor) {
      above = try tree.parent(of: ancestor)
    }
    return above
  }

  /// Rows of the departments from the root down to a department, itself included, of a long way the
  /// root and the last ones alone.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(level), and O(`longest`) memory.
  func way(to department: Int, longest: Int) throws(SnapshotError) -> [Int] {
    var rows: [Int] = []
    var node: Int? = department
    while let current = node {
      let row = try tree.departmentRecord(of: current)
      if rows.count == longest { rows[longest - 1] = row } else { rows.append(row) }
      node = try tree.parent(of: current)
    }
    return rows.reversed()
  }
}
