import DirectoryModel
import DirectorySnapshot
import SQLite

/// Who or what a log is about, as one goes back from transaction to transaction.
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

  /// Goes back before a transaction.
  ///
  /// - Returns: Whether the transaction is about the subject: below a department is what was there
  ///   before or after it.
  mutating func takeBack(
    _ transaction: JournalTransaction,
    of journal: borrowing JournalDatabase
  ) throws(SQLiteError) -> Bool {
    switch self {
    case .everything:
      return transaction.changeCount > 0 || transaction.hasForgotten || transaction.isBeginning
    case .user(let id):
      return try !journal.changes(of: transaction, to: RecordKey(.user, id.rawValue)).isEmpty
    case .department(var parents):
      defer { self = .department(parents) }
      let changes = try journal.changes(of: transaction)
      var isMeant = changes.contains { parents.holds($0, $0.after) }
      for change in changes { parents.takeBack(change) }
      if !isMeant { isMeant = changes.contains { parents.holds($0, $0.before) } }
      return isMeant
    }
  }
}
