import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import Platform
import SQLite
import SystemPackage

/// The history of a source of one's own: what its syncs wrote down.
///
/// It goes by the snapshot that they lead to, and needs no database server.
package struct JournalHistory: Sendable {
  package let snapshot: DirectorySnapshot
  private let path: FilePath
  private let now: Int64

  /// - Parameters:
  ///   - path: The journal.
  ///   - snapshot: Opened before: transactions that are newer are left out.
  ///   - now: Microseconds since 1970, UTC.
  /// - Throws: `.notFound` where there is no journal, `.badData`, `.cannotRead`.
  package init(_ path: FilePath, _ snapshot: DirectorySnapshot, now: Int64) throws(DirectoryError) {
    (self.path, self.snapshot, self.now) = (path, snapshot, now)
    try read { _ in }
  }

  /// Reads one state of the journal, whatever is written meanwhile.
  private func read<R>(
    _ body: (borrowing JournalDatabase) throws(SQLiteError) -> R
  ) throws(DirectoryError) -> R {
    do throws(SQLiteError) {
      let journal = try JournalDatabase(path, asOf: snapshot.checksum, now: now)
      guard journal.leadsToSnapshot else { throw .damaged("its newest transactions are missing") }
      return try body(journal)
    } catch {
      throw DirectoryError(error, journal: path, "read")
    }
  }

  /// Gives all changes with their transactions, newest transactions first.
  private func forEachChange(
    after time: Int64 = .min,
    _ body: (JournalTransaction, Change) -> Void
  ) throws(DirectoryError) {
    try read { (journal) throws(SQLiteError) in
      try journal.forEachTransaction { (transaction) throws(SQLiteError) in
        guard transaction.at > time else { return false }
        try journal.forEachChange(of: transaction) { change in
          body(transaction, change)
          return true
        }
        return true
      }
    }
  }

  private func forEachTransaction(
    _ body: (JournalTransaction) -> Bool
  ) throws(DirectoryError) {
    try read { (journal) throws(SQLiteError) in
      try journal.forEachTransaction { body($0) }
    }
  }

  /// Reads everything that is kept.
  ///
  /// - Returns: How many transactions there are.
  /// - Throws: `.badData` where one of them is damaged.
  package func verify() throws(DirectoryError) -> Int {
    try read { (journal) throws(SQLiteError) in try journal.verify() }
  }

  /// Since when nothing is missing.
  package func beginning() throws(DirectoryError) -> Int64 {
    try read { (journal) throws(SQLiteError) in
      var beginning = Int64.max
      try journal.forEachTransaction { transaction in
        beginning = transaction.at
        return !transaction.isBeginning
      }
      return max(beginning, journal.horizon)
    }
  }

  package func transaction(_ number: Int64) throws(DirectoryError) -> RecordedTransaction? {
    var found: RecordedTransaction?
    try forEachTransaction { transaction in
      if transaction.number == number { found = transaction.recorded }
      return transaction.number > number
    }
    return found
  }

  package func transactions(_ filter: HistoryFilter) throws(DirectoryError) -> [RecordedTransaction]
  {
    // It is unknown who did it.
    if let by = filter.by, !by.isEmpty { return [] }
    var transactions: [RecordedTransaction] = []
    var subject = try JournalSubject(filter.subject, snapshot)
    try read { (journal) throws(SQLiteError) in
      try journal.forEachTransaction { (transaction) throws(SQLiteError) in
        if let since = filter.since, transaction.at < since { return false }
        let isMeant = try subject.takeBack(transaction, of: journal)
        if isMeant, filter.until.map({ transaction.at <= $0 }) ?? true {
          transactions.append(transaction.recorded)
        }
        return filter.limit.map { transactions.count < $0 } ?? true
      }
    }
    return transactions
  }

  // MARK: Changes

  package func changes(
    in transactions: [RecordedTransaction],
    of record: RecordKey?,
    limit: Int?
  ) throws(DirectoryError) -> [[Change]] {
    var changes: [Int64: [Change]] = [:]
    var sought = Set(transactions.map(\.number))
    try read { (journal) throws(SQLiteError) in
      guard !sought.isEmpty else { return }
      try journal.forEachTransaction { (transaction) throws(SQLiteError) in
        guard sought.remove(transaction.number) != nil else { return true }
        changes[transaction.number] = try journal.changes(of: transaction, record, limit)
        return !sought.isEmpty
      }
    }
    return transactions.map { (changes[$0.number] ?? []).sorted(by: Self.precedes) }
  }

  package func changes(
    in transaction: RecordedTransaction,
    below department: DepartmentID,
    limit: Int
  ) throws(DirectoryError) -> [Change] {
    let former = Set(try departments(below: department, at: transaction.at - 1))
    let latter = Set(try departments(below: department, at: transaction.at))
    let all = try changes(in: [transaction], of: nil, limit: nil).joined()
    return Array(all.lazy.filter { $0.touches(former, latter) }.prefix(limit))
  }

  package func changes(from: Int64, to: Int64) throws(DirectoryError) -> [Change] {
    var span = JournalSpan()
    try forEachChange(after: from) { transaction, change in
      if transaction.at <= to { span.takeBack(change) }
    }
    return span.changes.sorted(by: Self.precedes)
  }

  package func changes(backTo time: Int64) throws(DirectoryError) -> DirectoryChanges {
    let fields: [Field]
    var span = JournalSpan()
    try forEachChange(after: time) { _, change in span.takeBack(change) }
    for id in span.forgottenUsers {
      if let state = try state(of: .user, id) { span.complete(id, state) }
    }
    do throws(SnapshotError) {
      fields = try snapshot.fields().declared
    } catch {
      throw DirectoryError(error)
    }
    return try span.past(fields: fields)
  }

  private static func precedes(_ left: Change, _ right: Change) -> Bool {
    if left.kind != right.kind { return left.kind == .department }
    return left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
  }

  // MARK: Records

  package func steps(of kind: RecordKind, _ id: String) throws(DirectoryError) -> [HistoryStep] {
    let key = RecordKey(kind, id)
    var steps: [HistoryStep] = []
    try read { (journal) throws(SQLiteError) in
      try journal.forEachTransaction { (transaction) throws(SQLiteError) in
        for change in try journal.changes(of: transaction, to: key) {
          steps.append(HistoryStep(transaction: transaction.recorded, change: change))
        }
        return true
      }
    }
    return steps
  }

  package func state(of kind: RecordKind, _ id: String) throws(DirectoryError) -> Change.State? {
    do throws(SnapshotError) {
      return try snapshot.state(of: kind, id)
    } catch {
      throw DirectoryError(error)
    }
  }

  package func states(
    at moments: Set<RecordMoment>
  ) throws(DirectoryError) -> [RecordMoment: Change.State] {
    var (states, unchanged): ([RecordMoment: Change.State], [RecordMoment]) = ([:], [])
    try read { (journal) throws(SQLiteError) in
      for moment in moments {
        if let change = try journal.change(to: moment.key, after: moment.time) {
          states[moment] = change.before
        } else {
          unchanged.append(moment)
        }
      }
    }
    for moment in unchanged { states[moment] = try state(of: moment.key.kind, moment.key.id) }
    return states
  }

  package func lastStates(
    of users: Set<DirectoryModel.UserID>
  ) throws(DirectoryError) -> [DirectoryModel.UserID: LastState] {
    var last: [DirectoryModel.UserID: LastState] = [:]
    try read { (journal) throws(SQLiteError) in
      for user in users {
        guard let (change, at) = try journal.lastChange(to: .user(user)), change.after == nil
        else { continue }
        last[user] = change.before.map { LastState(state: $0, time: at - 1) }
      }
    }
    for user in users where last[user] == nil {
      last[user] = try state(of: .user, user.rawValue).map { LastState(state: $0, time: nil) }
    }
    return last
  }

  /// - Complexity: All recorded changes.
  package func departmentMoves() throws(DirectoryError) -> FormerDepartments {
    var past = FormerDepartments()
    func place(_ state: Change.State?) -> FormerParents.Move.Place {
      state.map { .under($0.primary?.id) } ?? .none
    }
    try forEachChange { transaction, change in
      guard change.kind == .department else { return }
      let (before, after) = (place(change.before), place(change.after))
      guard before != after else { return }
      past.moves.append(
        FormerParents.Move(DepartmentID(change.id), at: transaction.at, from: before, to: after)
      )
    }
    past.moves.reverse()
    return past
  }

  package func removed(
    _ text: String,
    by key: RemovedRecord.Key
  ) throws(DirectoryError) -> [RemovedRecord] {
    let text = ItemText(text)
    var seen: Set<RecordKey> = []
    var found: [RemovedRecord] = []
    try forEachChange { transaction, change in
      guard seen.insert(RecordKey(change)).inserted, !change.isForgotten else { return }
      let record = RemovedRecord(
        kind: change.kind,
        id: change.id,
        name: change.name,
        transaction: transaction.number
      )
      switch key {
      case .id: if ItemText(change.id) == text { found.append(record) }
      case .name: if change.after == nil, change.name == text.text { found.append(record) }
      }
    }
    return found.sorted { $0.kind == .user && $1.kind != .user }
  }

  package func departments(
    below id: DepartmentID,
    at time: Int64
  ) throws(DirectoryError) -> [DepartmentID] {
    var parents = DepartmentParents(try Self.parents(snapshot), below: id)
    try forEachChange(after: time) { _, change in parents.takeBack(change) }
    return parents.all()
  }

  static func parents(
    _ snapshot: DirectorySnapshot
  ) throws(DirectoryError) -> [DepartmentID: DepartmentID?] {
    do throws(SnapshotError) {
      return try snapshot.departmentParents()
    } catch {
      throw DirectoryError(error)
    }
  }

  package func formerPeople() throws(DirectoryError) -> [HistoryStep] {
    var seen: Set<RecordKey> = []
    var steps: [HistoryStep] = []
    try forEachChange { transaction, change in
      guard change.kind == .user, seen.insert(RecordKey(change)).inserted, change.after == nil,
        !change.isForgotten
      else { return }
      steps.append(HistoryStep(transaction: transaction.recorded, change: change))
    }
    return steps
  }
}

extension DirectoryError {
  /// - Parameters:
  ///   - error: Why the journal cannot be used.
  ///   - path: The journal.
  ///   - doing: `read` or `write`.
  init(_ error: SQLiteError, journal path: FilePath, _ doing: String) {
    switch error {
    case .missing:
      self.init(
        .notFound,
        "there is no history yet: the source is queries on other tables, whose changes are "
          + "recorded by each sync",
        advice: "begin with: \(.sync)"
      )
    case .foreign:
      self.init(
        .badData,
        "cannot \(doing) the journal: \(path) is not a journal of Staffbook",
        advice: "the next sync sets it aside and starts a new one: \(.sync)"
      )
    case .newerFormat(let version):
      self.init(
        .badData,
        "cannot \(doing) the journal: \(path) has format \(version), which is newer than this "
          + "program supports",
        advice: "install the newer version of this program, or move the journal elsewhere"
      )
    case .damaged(let part):
      self.init(
        .badData,
        "cannot \(doing) the journal \(path): it is damaged (\(part))",
        advice: "restore it from a backup, or move it elsewhere; start a new one with: \(.sync)"
      )
    case .failed(let reason):
      self.init(
        reason == .permissionDenied
          ? .notPermitted : doing == "write" ? .cannotWrite : .cannotRead,
        "cannot \(doing) the journal \(path): \(reason)",
        advice: Advice(
          reason.adviceForWriting(or: "set XDG_DATA_HOME or STAFFBOOK_HOME to another folder")
        )
      )
    }
  }
}

extension JournalDatabase {
  /// What a transaction did to a record, or to the first so many; those who were forgotten are one.
  fileprivate func changes(
    of transaction: JournalTransaction,
    _ record: RecordKey?,
    _ limit: Int?
  ) throws(SQLiteError) -> [Change] {
    if let record, !record.id.isEmpty {
      return try self.changes(of: transaction, to: record)
    }
    var changes: [Change] = []
    try forEachChange(of: transaction) { change in
      if record == nil || record == RecordKey(change),
        !change.id.isEmpty || !changes.contains(where: { $0.id.isEmpty })
      {
        changes.append(change)
      }
      return limit.map { changes.count < $0 } ?? true
    }
    return changes
  }
}
