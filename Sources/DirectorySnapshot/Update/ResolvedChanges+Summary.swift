import DirectoryModel

extension ResolvedChanges {
  /// What the changes come to.
  ///
  /// - Complexity: O(changes that make a difference), and sorting what is listed.
  func summary(limit: Int) -> ChangeSummary {
    var summary = ChangeSummary(
      departments: stored.departmentCount,
      users: stored.userCount,
      limit: limit
    )
    for index in addedDepartments.indices {
      let row = stored.departmentCount + index
      summary.add(.added, .department) { departmentEntry(.added, row) }
    }
    for row in removedDepartments {
      summary.add(.removed, .department) { departmentEntry(.removed, row) }
    }
    for (row, change) in changedDepartments.sorted(by: { $0.key < $1.key }) {
      let action = ChangeSummary.Action(change.fields)
      summary.add(action, .department) { departmentEntry(action, row, change.fields) }
    }
    for user in users {
      let action: ChangeSummary.Action =
        user.isRemoved
        ? .removed : user.row < stored.userCount ? ChangeSummary.Action(user.fields) : .added
      summary.add(action, .user) { entry(action, user) }
    }
    summary.declaresOtherwise = stored.fields != records.fields
    summary.finish()
    return summary
  }

  private func departmentEntry(
    _ action: ChangeSummary.Action,
    _ row: Int,
    _ fields: ChangeSummary.Fields = []
  ) -> ChangeSummary.Entry {
    var entry = ChangeSummary.Entry(
      action: action,
      kind: .department,
      id: departmentID(row),
      name: departmentName(row)
    )
    entry.fields = fields
    if fields.contains(.name) { entry.formerName = stored.departmentNames[row] }
    if fields.contains(.declared), let content = content(ofDepartment: row),
      let values = records.departments.texts.last, let former = stored.departmentTexts.last
    {
      entry.declaredFields = ChangeSummary.declaredFields(values, content, former, row)
    }
    if action == .removed || fields.contains(.place) {
      entry.from = department(stored.parentDepartment(of: row) ?? Self.root)
    }
    if action == .added || fields.contains(.place) { entry.to = department(parent(of: row)) }
    return entry
  }

  private func entry(
    _ action: ChangeSummary.Action,
    _ user: UserChange
  ) -> ChangeSummary.Entry {
    let isStored = user.row < stored.userCount
    var entry = ChangeSummary.Entry(
      action: action,
      kind: .user,
      id: userID(user.row),
      name: user.content.map { records.users.names[$0] } ?? stored.userNames[user.row]
    )
    if action != .added, action != .removed { entry.fields = user.fields }
    if isStored, user.fields.contains(.name) { entry.formerName = stored.userNames[user.row] }
    if isStored, user.fields.contains(.declared), let content = user.content,
      let values = records.users.texts.last, let former = stored.userTexts.last
    {
      entry.declaredFields = ChangeSummary.declaredFields(values, content, former, user.row)
    }
    entry.from = sorted(user.left.lazy.map(\.department))
    entry.to = sorted(user.places.lazy.filter { $0.node == nil }.map(\.department))
    if action == .moved, entry.from.isEmpty, entry.to.isEmpty {
      entry.from = department(stored.primaryDepartment(of: user.row) ?? Self.root)
      entry.to = sorted(user.places.lazy.filter(\.isPrimary).map(\.department))
    }
    return entry
  }

  private func department(_ row: Int) -> [ChangeSummary.Department] {
    row == Self.root
      ? []
      : [ChangeSummary.Department(id: DepartmentID(departmentID(row)), name: departmentName(row))]
  }

  private func sorted(_ rows: some Sequence<Int>) -> [ChangeSummary.Department] {
    rows.flatMap { department($0) }.sorted { $0.id < $1.id }
  }

}

extension ChangeSummary.Action {
  /// What a record that stays went through.
  init(_ fields: ChangeSummary.Fields) {
    self = fields.isDisjoint(with: ChangeSummary.Fields.moves) ? .changed : .moved
  }
}
