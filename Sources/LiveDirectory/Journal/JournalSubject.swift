import DirectoryModel
import DirectorySnapshot

/// Who or what a log is about, as one goes back from entry to entry.
enum JournalSubject {
  case everything
  case user(UserID)
  case department(DepartmentParents)

  init(_ subject: HistoryFilter.Subject, _ snapshot: DirectorySnapshot) throws(DirectoryError) {
    switch subject {
    case .everything: self = .everything
    case .user(let id): self = .user(id)
    case .department(let id):
      self = .department(DepartmentParents(try JournalHistory.parents(snapshot), below: id))
    }
  }

  /// Goes back before an entry.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - changes: Gives its changes.
  /// - Returns: Whether the entry is about the subject: below a department is what was there before or
  ///   after it.
  /// - Throws: What `changes` throws.
  mutating func takeBack(
    _ entry: JournalFile.Entry,
    _ changes: (_ body: (Change) -> Bool) throws(DirectoryError) -> Void
  ) throws(DirectoryError) -> Bool {
    switch self {
    case .everything: return entry.mark.length > JournalFormat.markSize || entry.mark.flags != []
    case .user(let id):
      var isMeant = false
      try changes { change in
        isMeant = change.kind == .user && UserID(change.id) == id
        return !isMeant
      }
      return isMeant
    case .department(var parents):
      defer { self = .department(parents) }
      var isMeant = false
      try changes { change in
        isMeant = parents.holds(change, change.after)
        return !isMeant
      }
      try changes { change in
        parents.takeBack(change)
        return true
      }
      if isMeant { return true }
      try changes { change in
        isMeant = parents.holds(change, change.before)
        return !isMeant
      }
      return isMeant
    }
  }
}
