import DirectoryModel

extension RowChangeSet {
  /// What the changes come to.
  ///
  /// - Complexity: O(changes that make a difference).
  func summary() -> ChangeSummary {
    var summary = ChangeSummary(
      departments: stored.departmentCount,
      users: stored.userCount,
      sides: self
    )
    for index in addedDepartments.indices {
      summary.add(DetectedChange(.department, .added, new: stored.departmentCount + index))
    }
    for row in removedDepartments { summary.add(DetectedChange(.department, .removed, old: row)) }
    for (row, change) in changedDepartments {
      summary.add(change.fields, of: .department, old: row, new: row)
    }
    for (index, user) in users.enumerated() {
      if user.isRemoved {
        summary.add(DetectedChange(.user, .removed, old: user.row))
      } else if user.row < stored.userCount {
        summary.add(user.fields, of: .user, old: user.row, new: index)
      } else {
        summary.add(DetectedChange(.user, .added, new: index))
      }
    }
    summary.declaresOtherwise = stored.fields != records.fields
    summary.hasOtherRules = records.visibility != nil && stored.visibility != records.visibility
    return summary
  }
}

/// A new department is a universal row, a new user an index of `users`.
extension RowChangeSet: ComparedStates {
  func id(of change: DetectedChange) -> String {
    if change.isDepartment { return departmentID(Int(max(change.old, change.new))) }
    return userID(row(of: change))
  }

  func name(of change: DetectedChange) -> String {
    // Of a removed record whose id another one has now, too.
    if change.new == DetectedChange.none {
      let names = change.isDepartment ? stored.departmentNames : stored.userNames
      return names[Int(change.old)]
    }
    return change.isDepartment ? departmentName(Int(change.new)) : userName(row(of: change))
  }

  func identity(of change: DetectedChange) -> RecordIdentity? {
    newIdentity(of: change) ?? stored.identity(of: change)
  }

  /// `nil` also where the record itself is as it was.
  private func newIdentity(of change: DetectedChange) -> RecordIdentity? {
    guard change.new != DetectedChange.none else { return nil }
    let text =
      change.isDepartment
      ? content(ofDepartment: Int(change.new)).map { records.departments.identities[$0] }
      : users[Int(change.new)].content.map { records.users.identities[$0] }
    return RecordIdentity(stored: text ?? "")
  }

  /// Universal row of a user.
  private func row(of change: DetectedChange) -> Int {
    change.new == DetectedChange.none ? Int(change.old) : users[Int(change.new)].row
  }

  func before(_ change: DetectedChange) -> Change.State {
    change.isDepartment
      ? stored.state(ofDepartment: Int(change.old), place: place)
      : stored.state(ofUser: Int(change.old), place: place)
  }

  func after(_ change: DetectedChange) -> Change.State {
    change.isDepartment
      ? state(ofDepartment: Int(change.new)) : state(of: users[Int(change.new)])
  }

  private func state(ofDepartment row: Int) -> Change.State {
    guard let content = content(ofDepartment: row) else {
      return stored.state(ofDepartment: row, place: place)
    }
    let table = records.departments
    let parent = parent(of: row)
    return Change.State(
      name: table.names[content],
      values: StoredDirectory.values(.department, table.texts.map { $0[content] }) { _ in
        String(table.sortOrders[content])
      },
      fields: FieldValues(canonical: table.texts.last?[content] ?? ""),
      primary: parent == Self.root ? nil : place(parent)
    )
  }

  private func state(of user: UserChange) -> Change.State {
    let texts =
      user.content.map { content in records.users.texts.map { $0[content] } }
      ?? stored.userTexts.map { $0[user.row] }
    let memberships = user.places.map { membership in
      Change.Membership(
        place: place(membership.department),
        values: membership.content.map(values) ?? stored.values(ofMembership: membership.membership)
      )
    }
    return Change.State(
      name: texts[0],
      values: StoredDirectory.values(.user, texts) { _ in "" },
      fields: FieldValues(canonical: texts.last ?? ""),
      primary: user.places.first(where: \.isPrimary).map { place($0.department) },
      memberships: memberships.sorted { $0.place.id < $1.place.id }
    )
  }

  /// Of a membership that is written.
  private func values(ofContent content: Int) -> [String?] {
    let table = records.memberships
    return StoredDirectory.values(.membership, table.texts.map { $0[content] }) { column in
      column == .leads ? String(table.leads[content]) : String(table.sortOrders[content])
    }
  }

  /// A department, by the name that it has now, or had last.
  private func place(_ row: Int) -> Change.Place {
    Change.Place(id: DepartmentID(departmentID(row)), name: departmentName(row))
  }
}

extension Change.Action {
  /// What a record that stays went through.
  init(_ fields: ChangeSummary.Fields, of kind: RecordKind) {
    // People who join or leave a further department stay where they are.
    self = fields.contains(kind == .department ? .place : .primary) ? .moved : .changed
  }
}
