import DirectoryModel
import OutlineEngine

/// The sides of changes as a stored state tells them.
extension StoredDirectory {
  /// A department, its parent named by `place`.
  func state(ofDepartment row: Int, place: (Int) -> Change.Place) -> Change.State {
    Change.State(
      name: departmentNames[row],
      values: Self.values(.department, departmentTexts.map { $0[row] }) { _ in
        String(departmentSortOrders[row])
      },
      fields: FieldValues(canonical: departmentTexts.last?[row] ?? ""),
      primary: parentDepartment(of: row).map(place)
    )
  }

  /// A person with all memberships, whose departments are named by `place`.
  func state(ofUser row: Int, place: (Int) -> Change.Place) -> Change.State {
    let memberships = leaves(of: row).map { node in
      Change.Membership(
        place: place(department(ofLeaf: Int(node))),
        values: values(ofMembership: Int(nodeRecords[Int(node)]))
      )
    }
    return Change.State(
      name: userNames[row],
      values: Self.values(.user, userTexts.map { $0[row] }) { _ in "" },
      fields: FieldValues(canonical: userTexts.last?[row] ?? ""),
      primary: primaryDepartment(of: row).map(place),
      memberships: memberships.sorted { $0.place.id < $1.place.id }
    )
  }

  /// Of the stored side of a change; `nil` where it has none.
  func identity(of change: DetectedChange) -> RecordIdentity? {
    guard change.old != DetectedChange.none else { return nil }
    let identities = change.isDepartment ? departmentIdentities : userIdentities
    return RecordIdentity(stored: identities[Int(change.old)])
  }

  func values(ofMembership row: Int) -> [String?] {
    Self.values(.membership, membershipTexts.map { $0[row] }) { column in
      column == .leads ? String(leads(row)) : String(membershipSortOrders[row])
    }
  }

  /// The values of `RecordKind.valueColumns`.
  ///
  /// - Parameters:
  ///   - kind: Whose they are.
  ///   - texts: Those of `RecordKind.texts`.
  ///   - number: That of one of `RecordKind.numbers`.
  /// - Returns: A value for each column.
  static func values(
    _ kind: RecordKind,
    _ texts: [String],
    number: (RecordColumn) -> String
  ) -> [String?] {
    // `valueTexts` are the first of `texts`.
    zip(kind.valueTexts, texts).map { $0.1 } + kind.numbers.map(number)
  }
}

extension DirectorySnapshot {
  /// A department or a person with all that the snapshot has of it; `nil` where it is not there.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(bytes of the snapshot) to verify it the first time, at about the speed of memory.
  package func state(of kind: RecordKind, _ id: String) throws(SnapshotError) -> Change.State? {
    let stored = try StoredDirectory(self)
    func place(_ row: Int) -> Change.Place {
      Change.Place(id: DepartmentID(stored.departmentIDs[row]), name: stored.departmentNames[row])
    }
    let id = Array(id.utf8)
    return id.withUnsafeBytes { id in
      kind == .department
        ? stored.departmentRow(of: id).map { stored.state(ofDepartment: $0, place: place) }
        : stored.userRow(of: id).map { stored.state(ofUser: $0, place: place) }
    }
  }

  /// The departments with those above them, a root's being `nil`.
  package func departmentParents() throws(SnapshotError) -> [DepartmentID: DepartmentID?] {
    let stored = try StoredDirectory(self)
    var parents: [DepartmentID: DepartmentID?] = [:]
    for row in 0..<stored.departmentCount {
      parents[DepartmentID(stored.departmentIDs[row])] = .some(
        stored.parentDepartment(of: row).map { DepartmentID(stored.departmentIDs[$0]) }
      )
    }
    return parents
  }
}
