import DirectoryModel

extension Visibility {
  /// What a sight shows of changes, by the state of the directory as it is now.
  ///
  /// - Parameters:
  ///   - sight: What may be seen.
  ///   - whole: All of the state.
  ///   - seen: The excerpt that the sight makes of it.
  /// - Throws: `SnapshotError.damaged`.
  package init(
    _ sight: Sight,
    whole: DirectorySnapshot,
    seen: DirectorySnapshot
  ) throws(SnapshotError) {
    let (index, people) = (try whole.departmentIndex(), try whole.userIndex())
    let (departments, leaves) = (try whole.departments(), try whole.leaves())
    let tree = try whole.tree()
    let (seenIndex, seenDepartments) = (try seen.departmentIndex(), try seen.departments())
    let (seenTree, unplaced) = (try seen.tree(), try whole.unplacedNodes())
    func id(_ node: Int) throws(SnapshotError) -> DepartmentID {
      DepartmentID(try departments.ids[tree.departmentRecord(of: node)])
    }
    let isTold = try !whole.users().identities.isBlank || !departments.identities.isBlank
    let identity: (RecordKey) throws -> RecordIdentity? = { try whole.identity(of: $0) }
    self.init(
      sight,
      try whole.fields().declared,
      department: { department in
        guard let row = try index.row(of: department.rawValue) else { return nil }
        let node = try departments.node(of: row)
        guard !unplaced.contains(node) else { return nil }
        let order = try seenIndex.row(of: department.rawValue).map {
          try seenTree.subtree(of: seenDepartments.node(of: $0)).upperBound
        }
        return Department(parent: try tree.parent(of: node).map { try id($0) }, order: order)
      },
      departments: { user in
        guard let row = try people.row(of: user.rawValue) else { return nil }
        return try leaves.nodes(of: row).filter { !unplaced.contains($0) }
          .compactMap { try tree.parent(of: $0).map { try id($0) } }
      },
      hasValue: { user, field, value in
        guard let row = try people.row(of: user.rawValue) else { return false }
        return try whole.person(row, has: field, value)
      },
      identity: isTold ? identity : nil
    )
  }
}
