import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Platform
import SiteSettings

/// Who or what a question about history is about: by the id, or the former key of a record that is not
/// there.
package enum HistorySubject: Sendable {
  case user(UserID, name: String)
  case department(DepartmentID, name: String)

  init(_ removed: RemovedRecord) {
    self =
      removed.kind == .user
      ? .user(UserID(removed.key.id), name: removed.name)
      : .department(DepartmentID(removed.key.id), name: removed.name)
  }

  init(_ row: DirectoryRow) {
    self =
      row.kind == .user
      ? .user(UserID(row.id), name: row.name) : .department(DepartmentID(row.id), name: row.name)
  }

  var filter: HistoryFilter.Subject {
    switch self {
    case .user(let id, _): .user(id)
    case .department(let id, _): .department(id)
    }
  }
}

/// What the user asks of the log, in words.
package struct LogRequest: Sendable {
  /// A person or a department; `nil` is everything.
  package var who: String?
  /// The same as a record, which may have been removed.
  package var record: RecordKey?
  package var since: String?
  package var until: String?
  package var by: String?
  package var limit: Int?
  /// One transaction with all that it changed, instead of all the above.
  package var number: Int64?
  /// Whether each transaction is told with what it changed.
  package var withChanges = false

  package init() {}
}

/// A transaction of the log.
package struct LogEntry: Sendable {
  package var transaction: RecordedTransaction
  /// What it changed, where that was asked for: of the person whose log it is, or of many the first.
  package var changes: [Change] = []
  /// What it changed of visibility rules, for those who see everything.
  package var rules: [VisibilityChange] = []
  /// Whether there is more than `changes` tells.
  package var isCut = false
}

/// What was changed, by whom, when and why.
package struct HistoryReader: Sendable {
  let session: Session

  package init(_ session: Session) { self.session = session }

  var site: Site { session.site }
  var door: DirectoryOpener { DirectoryOpener(session) }

  /// Records of a transaction that are told one by one; of more the counts tell.
  private static var toldChanges: Int { 1_000 }

  /// The transactions that the user asks for, newest first.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - body: Called with each.
  /// - Throws: `.notFound` for a name that no record has or had, and what `body` throws.
  package func log(_ request: LogRequest, _ body: (LogEntry) throws -> Void) async throws {
    try await log(request, session.openHistory("show the log"), body)
  }

  func log(
    _ request: LogRequest,
    _ history: any RecordedHistory,
    _ body: (LogEntry) throws -> Void
  ) async throws {
    if let number = request.number { return try await body(entry(number, self.seen(history))) }
    var filter = HistoryFilter()
    var user: UserID?
    if let subject = try await subject(of: request, history) {
      filter = HistoryFilter(subject.filter)
      if case .user(let id, _) = subject { user = id }
    }
    var seen = try seen(history)
    filter.since = try await time(request.since, &seen)
    filter.until = try await time(request.until, &seen)
    filter.by = request.by
    filter.limit = request.limit
    guard seen.isEverything else {
      return try await log(request, filter, of: user, &seen, body)
    }
    for portion in try await history.transactions(filter).portions() {
      let changes =
        request.withChanges
        ? try await history.changes(
          in: portion,
          of: user.map { .user($0) },
          limit: Self.toldChanges
        ) : []
      for (index, transaction) in portion.enumerated() {
        var entry = LogEntry(transaction: transaction)
        if request.withChanges {
          entry.changes = changes[index]
          entry.isCut = entry.changes.count == Self.toldChanges
          if user == nil { entry.rules = try await history.visibilityChanges(in: transaction) }
        }
        try body(entry)
      }
    }
  }

  /// Whom or what the log is about; `nil` for everything.
  private func subject(
    of request: LogRequest,
    _ history: any RecordedHistory
  ) async throws -> HistorySubject? {
    guard let record = request.record else {
      return if let who = request.who { try await subject(who, history) } else { nil }
    }
    let directory = try await door.directory()
    if case .found(let nodes) = try directory.lookUp("id:" + record.id, limit: 10),
      let row = try nodes.map(directory.listRow).first(where: {
        ($0.kind == .user) == (record.kind == .user)
      })
    {
      return HistorySubject(row)
    }
    var seen = try seen(history)
    let removed = try await seen.shown(history.removed(record.id, by: .id), of: record.id)
    if let last = removed.first(where: { $0.kind == record.kind }) { return HistorySubject(last) }
    throw DirectoryError(.notFound, "no record, present or removed, is called id:\(record.id)")
  }

  private func entry(_ number: Int64, _ seen: VisibleHistory) async throws -> LogEntry {
    var seen = seen
    guard let (transaction, changes) = try await seen.transaction(number) else {
      throw Self.noTransaction(number)
    }
    let rules =
      seen.isEverything ? try await seen.history.visibilityChanges(in: transaction) : []
    return LogEntry(transaction: transaction, changes: changes, rules: rules)
  }

  /// The same for a caller who does not see everything: what they do not see was not done.
  private func log(
    _ request: LogRequest,
    _ filter: HistoryFilter,
    of user: UserID?,
    _ seen: inout VisibleHistory,
    _ body: (LogEntry) throws -> Void
  ) async throws {
    var rest = request.limit ?? .max
    var window = TransactionWindow(filter)
    while rest > 0, let transactions = try await window.next(seen.history) {
      for portion in transactions.portions() where rest > 0 {
        for case .some((let shown, let all)) in try await seen.visible(portion, of: filter.subject)
        where rest > 0 {
          guard filter.by.map(shown.isBy) ?? true else { continue }
          let changes = try seen.changes(all, of: filter.subject, at: shown.at)
          guard !changes.isEmpty else { continue }
          var entry = LogEntry(transaction: shown)
          if request.withChanges {
            entry.changes = Array((user == nil ? all : changes).prefix(Self.toldChanges))
            entry.isCut = entry.changes.count == Self.toldChanges
          }
          try body(entry)
          rest -= 1
        }
      }
    }
  }

  /// What the caller sees of a history.
  func seen(_ history: any RecordedHistory) throws(DirectoryError) -> VisibleHistory {
    VisibleHistory(history, try session.hub.visibility(for: session))
  }

  /// What differs between two times; an earlier one before history begins is its beginning.
  ///
  /// - Parameters:
  ///   - from: The earlier time, in words.
  ///   - to: The later one; `nil` is now.
  ///   - department: Only who and what is in it or below it at either time.
  /// - Returns: The differences in the order of a report; those of rules for callers who see everything,
  ///   where no department is named.
  /// - Throws: `.usage` for what is not a valid time, `.notFound` where both are before history
  ///   begins.
  package func differences(
    from: String,
    to: String?,
    department: String?
  ) async throws -> Differences {
    let history = try await session.openHistory("compare two times")
    var seen = try seen(history)
    var start = try await time(from, &seen) ?? 0
    let end = try await time(to, &seen) ?? Int64.max / 4
    guard start <= end else {
      throw DirectoryError(
        .usage,
        "cannot compare: \(from) is later than \(to ?? "now")",
        advice: "give the earlier time first"
      )
    }
    let beginning = try await history.beginning()
    if end < beginning { throw tooEarly(to ?? from, beginning) }
    if start < beginning {
      site.notice("comparing from \(text(beginning)), when the history begins")
      start = beginning
    }
    var changes = try await seen.visible(
      history.changes(from: start, to: end),
      from: start,
      to: end
    )
    if let department {
      let (former, latter) = try await departments(below: department, history, start, end)
      changes = changes.filter { $0.touches(former, latter) }
    }
    return Differences(
      records: changes.map(Difference.init).sorted(by: Difference.precedes),
      rules: department == nil && seen.isEverything
        ? try await history.visibilityChanges(from: start, to: end) : []
    )
  }

  /// A department and all below it at two times, by the ids of then.
  private func departments(
    below name: String,
    _ history: any RecordedHistory,
    _ former: Int64,
    _ latter: Int64
  ) async throws -> (Set<DepartmentID>, Set<DepartmentID>) {
    guard case .department(let id, _) = try await subject(name, history) else {
      throw DirectoryError(.notFound, "\"\(name)\" is not a department")
    }
    return (
      Set(try await history.departments(below: id, at: former)),
      Set(try await history.departments(below: id, at: latter))
    )
  }

  /// Each value of a person or department, and the transaction that set it; `nil` where that was
  /// before history begins.
  package func blame(_ who: String) async throws -> BlameReport {
    let history = try await session.openHistory("find out who changed \(who)")
    let subject = try await subject(who, history)
    var seen = try seen(history)
    return try await BlameReport(subject, &seen)
  }

  // MARK: Names and times

  /// Finds a person or department as everywhere, or by the id or name of one that was removed.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - history: Where to look for what was removed.
  ///   - isExact: Whether only an id, an exact name or a path is taken, as for whatever erases.
  /// - Returns: Whom or what the text means.
  /// - Throws: `.notFound` where it means nothing, or several.
  package func subject(
    _ text: String,
    _ history: any RecordedHistory,
    isExact: Bool = false
  ) async throws -> HistorySubject {
    let directory = try await door.directory()
    let found = try directory.lookUp(text, limit: 10)
    let rows: [DirectoryRow] =
      switch found {
      case .found(let nodes): try nodes.map(directory.listRow)
      case .several(let rows, _): rows.map(\.row)
      case .card, .nothing: []
      }
    // Records that had this very id or name come before those whose names contain it: after `remove
    // evil`, `restore evil` answered that a Devilliers was there.
    let words = DepartmentName(text).text
    let isMeant = rows.contains { $0.id.utf8.elementsEqual(words.utf8) || $0.name == words }
    if !isMeant {
      let removed = try await removed(words, history)
      if removed.count > 1, removed[0].kind == removed[1].kind {
        throw Self.severalRemoved(text, removed)
      }
      if let removed = removed.first { return HistorySubject(removed) }
    }
    if isExact, let row = rows.first, row.kind == .user, !DepartmentName(text).isExact(for: row) {
      throw DirectoryError(
        .notFound,
        "no person is called \(text)",
        advice: "did you mean \(row.name) (id:\(row.id))? Give the person's id or full name"
      )
    }
    switch found {
    case .found:
      // A person's id may be a department's, too; what is asked for is then the person.
      return HistorySubject(rows.first { $0.kind == .user } ?? rows[0])
    case .several(let rows, _):
      throw DirectoryError(
        .notFound,
        "several people or departments match \(text)",
        advice: "name one by its id",
        details: rows.map { "id:\($0.row.id) \($0.row.name)" }
      )
    case .card, .nothing:
      let nearest: [String] = if case .nothing(let nearest) = found { nearest } else { [] }
      throw DirectoryError(
        .notFound,
        "no record, present or removed, is called \(text)",
        advice: nearest.isEmpty
          ? "find people who were removed with: \(.findLeavers)"
          : "did you mean \(nearest.joined(separator: ", "))?"
      )
    }
  }

  /// Records of an id or a name that are not there any more, as far as the caller sees them.
  private func removed(
    _ words: String,
    _ history: any RecordedHistory
  ) async throws -> [RemovedRecord] {
    var seen = try seen(history)
    var found: [RemovedRecord] = []
    // Who does not see everything is answered after the same questions, whatever is hidden.
    for key in RemovedRecord.Key.allCases where found.isEmpty || !seen.isEverything {
      let records = try await seen.shown(history.removed(words, by: key), of: words)
      if found.isEmpty { found = records }
    }
    return found
  }

  package static func severalRemoved(_ text: String, _ removed: [RemovedRecord]) -> DirectoryError {
    DirectoryError(
      .notFound,
      "several removed records are called \(text)",
      advice: "name one by its id",
      details: removed.map { "id:\($0.id) \($0.name), removed in transaction \($0.transaction)" }
    )
  }

  /// A time in words as microseconds since 1970; `nil` for no words.
  func time(
    _ words: String?,
    _ seen: inout VisibleHistory
  ) async throws -> Int64? {
    guard let words else { return nil }
    switch TimeExpression(words, in: session.caller.zone) {
    case .time(let time)?: return time
    case .transaction(let number)?:
      guard let at = try await seen.time(of: number) else { throw Self.noTransaction(number) }
      return at
    case nil:
      throw DirectoryError(
        .usage,
        "\"\(words)\" is not a valid time",
        advice: "give it as 2026-10-01, 2026-10-01 14:00, yesterday, 2 weeks ago, or as the number "
          + "of a transaction"
      )
    }
  }

  package static func noTransaction(_ number: Int64) -> DirectoryError {
    DirectoryError(
      .notFound,
      "there is no transaction \(number) in the history",
      advice: "list them with: \(.showLog)"
    )
  }

  /// A time of the history by the caller's clock.
  private func text(_ time: Int64) -> String {
    LocalTime.text(time / 1_000_000, in: session.caller.zone)
  }

  func tooEarly(_ words: String, _ beginning: Int64) -> DirectoryError {
    DirectoryError(
      .notFound,
      "cannot go back to \(words): the history begins at \(text(beginning))",
      advice: "name that time or a later one"
    )
  }
}

extension [RecordedTransaction] {
  /// Parts whose changes are read together: up to `VisibleHistory.lookedAt` rows, and each transaction of
  /// more by itself.
  fileprivate func portions() -> [[RecordedTransaction]] {
    var (portions, rows): ([[RecordedTransaction]], Int) = ([], 0)
    for transaction in self {
      rows += transaction.rowCount
      if portions.isEmpty || rows > VisibleHistory.lookedAt {
        portions.append([])
        rows = transaction.rowCount
      }
      portions[portions.count - 1].append(transaction)
    }
    return portions
  }
}
