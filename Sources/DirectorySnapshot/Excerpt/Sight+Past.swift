import DirectoryModel

extension Sight {
  /// What this sight shows of a former state: of each record and place what it shows then and, where
  /// that is there now, now.
  ///
  /// - Parameters:
  ///   - past: All of the former state.
  ///   - now: All of the state as it is.
  /// - Returns: A sight of that state alone, which names every department and whoever differs from it.
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(records of both · level).
  package func ofThen(
    _ past: DirectorySnapshot,
    now: DirectorySnapshot
  ) throws -> Sight {
    let (then, today) = (
      try Visibility(self, whole: past, seen: past), try Visibility(self, whole: now, seen: now)
    )
    var sight = Sight(base, fields: .all)
    let departments = try past.departments()
    for row in 0..<departments.count {
      let id = DepartmentID(try departments.ids[row])
      let isThere = try now.departmentIndex().row(of: id.rawValue) != nil
      let showings = [try then.said(of: id), isThere ? try today.said(of: id) : .whole]
      sight.departments[id] = [.nothing, .name, .whole].first(where: showings.contains)
      let fields = try then.fields(of: id)
      sight.departmentFields.below[id] =
        isThere ? fields.intersection(try today.fields(of: id)) : fields
    }
    let (users, leaves, tree) = (try past.users(), try past.leaves(), try past.tree())
    let unplaced = try past.unplacedNodes()
    for row in 0..<users.count {
      let id = UserID(try users.ids[row])
      let isThere = try now.userIndex().row(of: id.rawValue) != nil
      var fields = try then.fields(of: id)
      if isThere { fields = fields.intersection(try today.fields(of: id)) }
      if fields != .all { sight.fieldsOfPeople[id] = fields }
      let isShownNow = try !isThere || today.shows(id)
      let placesNow = try today.places(of: id)
      for leaf in try leaves.nodes(of: row) where !unplaced.contains(leaf) {
        guard let parent = try tree.parent(of: leaf) else { continue }
        let department = DepartmentID(try departments.ids[tree.departmentRecord(of: parent)])
        let place = MembershipKey(user: id, department: department)
        let isShown =
          try isShownNow && then.shows(place)
          && (!placesNow.contains(department) || today.shows(place))
        if isShown != (sight.departments[department] == .whole) { sight.places[place] = isShown }
      }
    }
    return sight
  }
}
