import DirectoryModel

extension ChangeTotals {
  /// The counts of changes of which none is left out.
  package init(of changes: [Change]) {
    self.init()
    for change in changes {
      count(change)
      if change.kind == .user { memberships.count(change) }
    }
  }

  /// Counts a change of a department or a person.
  mutating func count(_ change: Change) {
    if change.kind == .department {
      departments.count(change.action)
    } else {
      users.count(change.action)
    }
  }
}

extension ChangeCounts {
  fileprivate mutating func count(_ action: Change.Action) {
    unchanged += action == .added ? 0 : 1
    add(action)
  }

  /// Counts the rows of a person's memberships.
  fileprivate mutating func count(_ change: Change) {
    let (old, new) = (change.before?.memberships ?? [], change.after?.memberships ?? [])
    for membership in new {
      let former = old.first { $0.place.id == membership.place.id }
      if former == nil {
        count(.added)
      } else if former?.values != membership.values {
        count(.changed)
      }
    }
    for membership in old where !new.contains(where: { $0.place.id == membership.place.id }) {
      count(.removed)
    }
  }
}
