import DirectoryModel
import DirectoryStore
import LiveDirectory
import SiteSettings

/// A history that can be looked at: the database's own, or what syncs of a source of one's own wrote
/// down.
///
/// Times are microseconds since 1970, UTC.
package protocol RecordedHistory: Sendable {
  /// Since when it is kept.
  func beginning() async throws(DirectoryError) -> Int64

  /// One transaction; `nil` where none has that number, or not any longer.
  func transaction(_ number: Int64) async throws(DirectoryError) -> RecordedTransaction?

  /// The transactions that the user asks for, newest first.
  func transactions(_ filter: HistoryFilter) async throws(DirectoryError) -> [RecordedTransaction]

  /// What each of some transactions did, or did to one record, departments first, then by id; of each at
  /// most `limit` records are told.
  func changes(
    in transactions: [RecordedTransaction],
    of record: RecordKey?,
    limit: Int?
  ) async throws(DirectoryError) -> [[Change]]

  /// What a transaction did to a department and what was below it, before or afterwards, and perhaps to
  /// some who were there at another time; at most `limit` records are told.
  func changes(
    in transaction: RecordedTransaction,
    below department: DepartmentID,
    limit: Int
  ) async throws(DirectoryError) -> [Change]

  /// What differs between two times, departments first, then by id.
  func changes(from: Int64, to: Int64) async throws(DirectoryError) -> [Change]

  /// What differs of visibility rules and groups between two times, rules first.
  func visibilityChanges(from: Int64, to: Int64) async throws(DirectoryError) -> [VisibilityChange]

  /// What makes of the directory that of a time.
  func changes(backTo time: Int64) async throws(DirectoryError) -> DirectoryChanges

  /// What happened to a department or a person, newest first.
  func steps(of kind: RecordKind, _ id: String) async throws(DirectoryError) -> [HistoryStep]

  /// A department or a person as it is; `nil` where it is not there.
  func state(of kind: RecordKind, _ id: String) async throws(DirectoryError) -> Change.State?

  /// Departments and people as they were, each at times of its own; those who were not there then are
  /// left out.
  func states(
    at moments: Set<RecordMoment>
  ) async throws(DirectoryError) -> [RecordMoment: Change.State]

  /// People as they are, or were last; those of whom nothing is known are left out.
  func lastStates(of users: Set<UserID>) async throws(DirectoryError) -> [UserID: LastState]

  /// Departments that were removed or put elsewhere, in the order of time, and those that came back; and
  /// all terms of departments with ids that have ended.
  func departmentMoves() async throws(DirectoryError) -> FormerDepartments

  /// Recorded people and departments, people first: those with this very id, now or formerly, or those
  /// who were removed and had this very name last.
  func removed(
    _ text: String,
    by key: RemovedRecord.Key
  ) async throws(DirectoryError) -> [RemovedRecord]

  /// A department and everything that was below it at a time.
  func departments(
    below id: DepartmentID,
    at time: Int64
  ) async throws(DirectoryError) -> [DepartmentID]

  /// People who were removed, newest first, as they last were.
  func formerPeople() async throws(DirectoryError) -> [HistoryStep]

  /// The terms of people with some ids that have ended, in the order of time.
  func formerTerms(of ids: Set<UserID>) async throws(DirectoryError) -> [FormerHolders.Term]
}

extension DirectoryHistory: RecordedHistory {}
extension JournalHistory: RecordedHistory {
  /// None: a record that has another id is another record to a journal.
  package func formerTerms(
    of ids: Set<UserID>
  ) async throws(DirectoryError) -> [FormerHolders.Term] { [] }

  /// None: the configuration, which has the rules then, is not part of a journal.
  package func visibilityChanges(
    from: Int64,
    to: Int64
  ) async throws(DirectoryError) -> [VisibilityChange] { [] }
}

extension RecordedHistory {
  /// A record as it is, or was last; `nil` where nothing is known of it.
  func lastState(
    of kind: RecordKind,
    _ id: String,
    _ steps: [HistoryStep]
  ) async throws(DirectoryError) -> LastState? {
    if let state = try await state(of: kind, id) { return LastState(state: state, time: nil) }
    return steps.lazy.compactMap { step in
      step.change.before.map { LastState(state: $0, time: step.transaction.at - 1) }
    }.first
  }

  /// What a transaction did to visibility rules and groups.
  package func visibilityChanges(
    in transaction: RecordedTransaction
  ) async throws(DirectoryError) -> [VisibilityChange] {
    guard transaction.rules > 0 else { return [] }
    return try await visibilityChanges(from: transaction.at - 1, to: transaction.at)
  }
}

extension Session {
  /// The history to look at: the database's own, or of a source of one's own the journal, which needs no
  /// database once there is a snapshot.
  package func openHistory(_ doing: String) async throws(DirectoryError) -> any RecordedHistory {
    guard site.settings.source.queries != nil else { return try await site.openPast(doing) }
    try await requireSnapshot()
    return try DirectoryJournal(site).open()
  }
}

extension Site {
  /// The database's own history, for code that changes it or relies on it.
  package func openRecord(_ doing: String) async throws(DirectoryError) -> DirectoryHistory {
    try requireWritable(doing)
    return try await DirectoryHistory(conninfo: conninfo(), doing: doing, access: access)
  }

  /// The same for a question about the past.
  func openPast(_ doing: String) async throws(DirectoryError) -> DirectoryHistory {
    try requireWritable(doing)
    return try await DirectoryHistory(conninfo: conninfo(), doing: doing, access: pastAccess)
  }
}
