/// Records of one kind by what happens to them; each is counted once.
///
/// Of what an import's files do not mention, only what is removed is counted.
package struct ChangeCounts: Hashable, Sendable {
  package var added = 0
  package var changed = 0
  package var moved = 0
  package var removed = 0
  package var unchanged = 0

  package init(
    added: Int = 0,
    changed: Int = 0,
    moved: Int = 0,
    removed: Int = 0,
    unchanged: Int = 0
  ) {
    self.added = added
    self.changed = changed
    self.moved = moved
    self.removed = removed
    self.unchanged = unchanged
  }

  /// How many do not stay as they are.
  package var touched: Int { added + changed + moved + removed }

  /// How many there were.
  package var before: Int { changed + moved + removed + unchanged }

  /// How many there are afterwards.
  package var after: Int { added + changed + moved + unchanged }

  package subscript(action: Change.Action) -> Int {
    switch action {
    case .added: added
    case .changed: changed
    case .moved: moved
    case .removed: removed
    }
  }

  /// Counts a record that was taken for unchanged, or is new.
  package mutating func add(_ action: Change.Action) {
    switch action {
    case .added: added += 1
    case .changed: changed += 1
    case .moved: moved += 1
    case .removed: removed += 1
    }
    if action != .added { unchanged -= 1 }
  }
}

/// How much changes: of departments and people what a person sees, of memberships rows.
package struct ChangeTotals: Hashable, Sendable {
  package var departments = ChangeCounts()
  /// People; what changes about a person's memberships is a change of the person.
  package var users = ChangeCounts()
  /// Rows, of which none is `moved`; a sync does not count them by themselves.
  package var memberships = ChangeCounts()

  package init(
    departments: ChangeCounts = ChangeCounts(),
    users: ChangeCounts = ChangeCounts(),
    memberships: ChangeCounts = ChangeCounts()
  ) {
    self.departments = departments
    self.users = users
    self.memberships = memberships
  }

  /// Whether everything stays as it is.
  package var isEmpty: Bool {
    departments.touched == 0 && users.touched == 0 && memberships.touched == 0
  }

  /// The counts of a kind.
  package subscript(kind: RecordKind) -> ChangeCounts {
    switch kind {
    case .department: departments
    case .user: users
    case .membership: memberships
    }
  }
}
