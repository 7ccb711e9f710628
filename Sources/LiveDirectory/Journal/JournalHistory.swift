import DirectoryModel
import DirectoryReading
import DirectorySnapshot
import SystemPackage

/// The history of a source of one's own: what its syncs wrote down.
///
/// It goes by the snapshot that they lead to, and needs no database.
package struct JournalHistory: Sendable {
  package let snapshot: DirectorySnapshot
  private let path: FilePath
  private let file: JournalFile
  /// Where the last entry ends that the snapshot has.
  private let end: Int
  /// Whether there is one.
  private let leadsToSnapshot: Bool
  /// What is older is not kept.
  private let horizon: Int64

  /// - Parameters:
  ///   - path: The journal.
  ///   - snapshot: Opened before: entries that are newer are left out.
  ///   - now: Microseconds since 1970, UTC.
  /// - Throws: `.notFound` where there is no journal, `.badData`, `.cannotRead`.
  package init(_ path: FilePath, _ snapshot: DirectorySnapshot, now: Int64) throws(DirectoryError) {
    self.path = path
    self.snapshot = snapshot
    do throws(JournalFile.Fault) {
      file = try JournalFile(path)
      horizon = file.keeping.period?.beginning(before: now) ?? .min
      (end, leadsToSnapshot) = try Self.end(of: file, at: snapshot.checksum)
    } catch {
      throw DirectoryError(error, path)
    }
  }

  private static func end(
    of file: JournalFile,
    at checksum: UInt64
  ) throws(JournalFile.Fault) -> (Int, Bool) {
    var end = file.end
    while let entry = try file.entry(endingAt: end) {
      if entry.mark.latter == checksum { return (end, true) }
      end = entry.start
    }
    return (file.end, false)
  }

  // MARK: Entries

  /// Gives the entries that are kept, newest first, until `body` has enough.
  private func forEachEntry(
    _ body: (JournalFile.Entry) throws(DirectoryError) -> Bool
  ) throws(DirectoryError) {
    var next = end
    while let entry = try reading({ () throws(JournalFile.Fault) in
      try file.entry(endingAt: next)
    }) {
      guard entry.mark.at >= horizon, try body(entry) else { return }
      next = entry.start
    }
  }

  private func forEachChange(
    of entry: JournalFile.Entry,
    _ body: (Change) -> Bool
  ) throws(DirectoryError) {
    try reading { () throws(JournalFile.Fault) in
      try file.forEachChange(of: entry) { body($0) }
    }
  }

  private func reading<R>(
    _ body: () throws(JournalFile.Fault) -> R
  ) throws(DirectoryError) -> R {
    do throws(JournalFile.Fault) { return try body() } catch { throw DirectoryError(error, path) }
  }

  /// Reads everything that is kept.
  ///
  /// - Returns: How many entries there are.
  /// - Throws: `.badData` where one of them is damaged.
  package func verify() throws(DirectoryError) -> Int {
    var count = 0
    try forEachEntry { (entry) throws(DirectoryError) in
      count += 1
      try forEachChange(of: entry) { _ in true }
      return true
    }
    return count
  }

  /// Since when nothing is missing.
  package func beginning() throws(DirectoryError) -> Int64 {
    var beginning = Int64.max
    try forEachEntry { entry in
      beginning = entry.mark.at
      return !entry.mark.flags.contains(.isBeginning)
    }
    return max(beginning, horizon)
  }

  package func transaction(_ number: Int64) throws(DirectoryError) -> RecordedTransaction? {
    var found: RecordedTransaction?
    try forEachEntry { entry in
      if Int64(clamping: entry.mark.number) == number { found = entry.mark.transaction }
      return Int64(clamping: entry.mark.number) > number
    }
    return found
  }

  package func transactions(_ filter: HistoryFilter) throws(DirectoryError) -> [RecordedTransaction]
  {
    // Nobody knows who did it.
    if let by = filter.by, !by.isEmpty { return [] }
    var transactions: [RecordedTransaction] = []
    var subject = try JournalSubject(filter.subject, snapshot)
    try forEachEntry { (entry) throws(DirectoryError) in
      if let since = filter.since, entry.mark.at < since { return false }
      let isMeant = try subject.takeBack(entry) { (body) throws(DirectoryError) in
        try forEachChange(of: entry, body)
      }
      if isMeant, filter.until.map({ entry.mark.at <= $0 }) ?? true {
        transactions.append(entry.mark.transaction)
      }
      return filter.limit.map { transactions.count < $0 } ?? true
    }
    return transactions
  }

  // MARK: Changes

  package func changes(
    in transaction: RecordedTransaction,
    of user: DirectoryModel.UserID?,
    limit: Int?
  ) throws(DirectoryError) -> [Change] {
    var changes: [Change] = []
    try forEachEntry { (entry) throws(DirectoryError) in
      guard Int64(clamping: entry.mark.number) == transaction.number else { return true }
      try forEachChange(of: entry) { change in
        if change.isOf(user), !change.id.isEmpty || !changes.contains(where: { $0.id.isEmpty }) {
          changes.append(change)
        }
        return limit.map { changes.count < $0 } ?? true
      }
      return false
    }
    return changes.sorted(by: Self.precedes)
  }

  package func changes(from: Int64, to: Int64) throws(DirectoryError) -> [Change] {
    var span = JournalSpan()
    try forEachEntry { (entry) throws(DirectoryError) in
      guard entry.mark.at > from else { return false }
      if entry.mark.at <= to { try forEachChange(of: entry) { span.takeBack($0) } }
      return true
    }
    return span.changes.sorted(by: Self.precedes)
  }

  package func changes(backTo time: Int64) throws(DirectoryError) -> DirectoryChanges {
    guard leadsToSnapshot else { throw otherSnapshot }
    let fields: [Field]
    var span = JournalSpan()
    try forEachEntry { (entry) throws(DirectoryError) in
      guard entry.mark.at > time else { return false }
      try forEachChange(of: entry) { span.takeBack($0) }
      return true
    }
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

  private var otherSnapshot: DirectoryError {
    DirectoryError(
      .notFound,
      "cannot look back: the journal does not lead to the snapshot that is there",
      advice: "begin it anew with: \(.sync)"
    )
  }

  // MARK: Records

  package func steps(of kind: RecordKind, _ id: String) throws(DirectoryError) -> [HistoryStep] {
    let id = ItemText(id)
    var steps: [HistoryStep] = []
    try forEachEntry { (entry) throws(DirectoryError) in
      try forEachChange(of: entry) { change in
        guard change.kind == kind, ItemText(change.id) == id else { return true }
        steps.append(HistoryStep(transaction: entry.mark.transaction, change: change))
        return false
      }
      return true
    }
    return steps
  }

  package func lastState(
    of kind: RecordKind,
    _ id: String,
    _ steps: [HistoryStep]
  ) throws(DirectoryError) -> (state: Change.State, isGone: Bool)? {
    if let state = try state(of: kind, id) { return (state, false) }
    return steps.lazy.compactMap(\.change.before).first.map { ($0, true) }
  }

  private func state(of kind: RecordKind, _ id: String) throws(DirectoryError) -> Change.State? {
    do throws(SnapshotError) {
      return try snapshot.state(of: kind, id)
    } catch {
      throw DirectoryError(error)
    }
  }

  package func removed(_ text: String) throws(DirectoryError) -> [RemovedRecord] {
    let text = ItemText(text)
    var seen: Set<Undoing.Key> = []
    var ids: [RemovedRecord] = []
    var names: [RemovedRecord] = []
    try forEachEntry { (entry) throws(DirectoryError) in
      try forEachChange(of: entry) { change in
        guard seen.insert(Undoing.Key(change)).inserted, !change.isForgotten else { return true }
        let record = RemovedRecord(
          kind: change.kind,
          id: change.id,
          name: change.name,
          transaction: Int64(clamping: entry.mark.number)
        )
        if ItemText(change.id) == text { ids.append(record) }
        if change.after == nil, change.name == text.text { names.append(record) }
        return true
      }
      return true
    }
    return (ids.isEmpty ? names : ids).sorted { $0.kind == .user && $1.kind != .user }
  }

  package func departments(
    below id: DepartmentID,
    at time: Int64
  ) throws(DirectoryError) -> [DepartmentID] {
    var parents = DepartmentParents(try Self.parents(snapshot), below: id)
    try forEachEntry { (entry) throws(DirectoryError) in
      guard entry.mark.at > time else { return false }
      try forEachChange(of: entry) { change in
        parents.takeBack(change)
        return true
      }
      return true
    }
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

  package func departed() throws(DirectoryError) -> [HistoryStep] {
    var seen: Set<DirectoryModel.UserID> = []
    var steps: [HistoryStep] = []
    try forEachEntry { (entry) throws(DirectoryError) in
      try forEachChange(of: entry) { change in
        guard change.kind == .user, seen.insert(DirectoryModel.UserID(change.id)).inserted,
          change.after == nil, !change.isForgotten
        else { return true }
        steps.append(HistoryStep(transaction: entry.mark.transaction, change: change))
        return true
      }
      return true
    }
    return steps
  }
}

extension DirectoryError {
  init(_ fault: JournalFile.Fault, _ path: FilePath) {
    switch fault {
    case .missing:
      self.init(
        .notFound,
        "nothing is on record yet: the source is queries on other tables, and what they give is "
          + "written down from one sync to the next",
        advice: "begin with: \(.sync)"
      )
    case .foreign:
      self.init(
        .badData,
        "cannot read the journal: \(path) is no journal of Staffbook",
        advice: "the next sync that finds changes sets it aside and begins another one: \(.sync)"
      )
    case .damaged(let offset):
      self.init(
        .badData,
        "cannot read the journal \(path): it is damaged at byte \(offset)",
        advice: "move it elsewhere; another one begins with: \(.sync)"
      )
    case .unreadable(let reason):
      self.init(
        reason == .permissionDenied ? .notPermitted : .cannotRead,
        "cannot read the journal \(path): \(reason)"
      )
    }
  }
}

extension Change {
  /// Whether it is one of a person's; of everybody's where nobody is named.
  fileprivate func isOf(_ user: DirectoryModel.UserID?) -> Bool {
    guard let user else { return true }
    return kind == .user && id.utf8.elementsEqual(user.rawValue.utf8)
  }
}
