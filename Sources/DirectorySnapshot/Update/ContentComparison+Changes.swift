import DirectoryModel

/// Rows of the new state are those of the tree's records.
extension ContentComparison: ComparedStates {
  func id(of change: DetectedChange) -> String {
    switch (change.isDepartment, change.new) {
    case (true, DetectedChange.none): stored.departmentIDs[Int(change.old)]
    case (true, let row): tree.records.departments.ids[Int(row)]
    case (false, DetectedChange.none): stored.userIDs[Int(change.old)]
    case (false, let row): tree.records.users.ids[Int(row)]
    }
  }

  func name(of change: DetectedChange) -> String {
    switch (change.isDepartment, change.new) {
    case (true, DetectedChange.none): stored.departmentNames[Int(change.old)]
    case (true, let row): tree.records.departments.names[Int(row)]
    case (false, DetectedChange.none): stored.userNames[Int(change.old)]
    case (false, let row): tree.records.users.names[Int(row)]
    }
  }

  func identity(of change: DetectedChange) -> RecordIdentity? {
    guard change.new != DetectedChange.none else { return stored.identity(of: change) }
    let records = tree.records
    let new = change.isDepartment ? records.departments.identities : records.users.identities
    return RecordIdentity(stored: new[Int(change.new)]) ?? stored.identity(of: change)
  }

  func before(_ change: DetectedChange) -> Change.State {
    change.isDepartment
      ? stored.state(ofDepartment: Int(change.old), place: storedPlace)
      : stored.state(ofUser: Int(change.old), place: storedPlace)
  }

  func after(_ change: DetectedChange) -> Change.State {
    change.isDepartment ? state(ofDepartment: Int(change.new)) : state(ofUser: Int(change.new))
  }

  private func state(ofDepartment row: Int) -> Change.State {
    let table = tree.records.departments
    return Change.State(
      name: table.names[row],
      values: StoredDirectory.values(.department, table.texts.map { $0[row] }) { _ in
        String(table.sortOrders[row])
      },
      fields: FieldValues(canonical: table.texts.last?[row] ?? ""),
      primary: parentDepartment(of: row).map(place)
    )
  }

  private func state(ofUser row: Int) -> Change.State {
    let table = tree.records.users
    let leaves = leaves(of: row)
    let memberships = leaves.map { node in
      Change.Membership(
        place: place(department(ofLeaf: node)),
        values: values(ofMembership: Int(tree.nodeRecords[Int(node)]))
      )
    }
    return Change.State(
      name: table.names[row],
      values: StoredDirectory.values(.user, table.texts.map { $0[row] }) { _ in "" },
      fields: FieldValues(canonical: table.texts.last?[row] ?? ""),
      primary: leaves.first { isPrimary(Int(tree.nodeRecords[Int($0)])) }
        .map { place(department(ofLeaf: $0)) },
      memberships: memberships.sorted { $0.place.id < $1.place.id }
    )
  }

  private func values(ofMembership row: Int) -> [String?] {
    let table = tree.records.memberships
    return StoredDirectory.values(.membership, table.texts.map { $0[row] }) { column in
      column == .leads ? String(table.leads[row]) : String(table.sortOrders[row])
    }
  }

  private func place(_ row: Int) -> Change.Place {
    Change.Place(
      id: DepartmentID(tree.records.departments.ids[row]),
      name: tree.records.departments.names[row]
    )
  }

  /// A stored department, by the name that it has now, or had last.
  private func storedPlace(_ old: Int) -> Change.Place {
    let now = stored.departmentIDs.withBytes(at: old) {
      tree.departmentIndex.row(of: $0, in: tree.records.departments.ids)
    }
    return now.map { place($0) }
      ?? Change.Place(
        id: DepartmentID(stored.departmentIDs[old]),
        name: stored.departmentNames[old]
      )
  }
}
