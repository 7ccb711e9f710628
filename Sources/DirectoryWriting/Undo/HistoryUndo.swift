import ChangeHistory
import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory
import Platform

/// Takes back what history has.
package struct HistoryUndo: Sendable {
  private let site: Site
  private let history: HistoryReader
  private let writer: DirectoryWriter

  package init(_ administrator: Administrator) {
    site = administrator.site
    history = HistoryReader(administrator.session)
    writer = DirectoryWriter(administrator.session)
  }

  /// Takes transactions back, newest first, in one transaction.
  ///
  /// What was changed again since is named and left alone, unless it is forced.
  ///
  /// - Parameters:
  ///   - numbers: The transactions; none is the caller's newest, which is asked about.
  ///   - force: Whether later changes go, too.
  ///   - reason: The reason, recorded in the history.
  ///   - isDryRun: Whether all is done and taken back.
  ///   - observer: Sees the plan, and is asked.
  /// - Returns: What was done.
  /// - Throws: `.notFound` for numbers that are not in the history, and as `edit`.
  package func undo(
    _ numbers: [Int64],
    force: Bool,
    reason: String?,
    isDryRun: Bool,
    observer: EditObserver
  ) async throws -> EditReport {
    let isProposed = numbers.isEmpty
    var numbers = numbers
    if isProposed { numbers = [try await ownNewest()] }
    let doing = "undo " + numbers.map(String.init).joined(separator: ", ")
    let record = try await site.openRecord(doing)
    let (_, editor) = try await writer.openForEdits(doing, reason ?? doing)
    var changes: [Change] = []
    var forgotten: [(Int64, Change)] = []
    var formerIDs = FormerIDs()
    let presentRules = try await editor.presentRules()
    var rules = VisibilityUndoPlan(present: presentRules, force: force)
    for transaction in try await transactions(numbers, record) {
      if !transaction.declarations.isEmpty {
        site.notice(
          "undo does not affect field declarations (transaction \(transaction.number))"
        )
      }
      let all = try await record.changes(in: [transaction])[0]
      forgotten += all.filter(\.isForgotten).map { (transaction.number, $0) }
      changes += formerIDs.takeBack(all.filter { !$0.isForgotten })
      for change in try await record.visibilityChanges(in: transaction) { rules.takeBack(change) }
    }
    let isAll = changes.isEmpty && rules.states == presentRules
    try await refuseForgotten(forgotten, isAll: isAll, doing, editor)
    let keys = changes.map { RecordKey($0) } + formerIDs.keys
    let present = try await editor.present(
      departments: keys.filter { $0.kind == .department }.map { DepartmentID($0.id) },
      users: keys.filter { $0.kind == .user }.map { UserID($0.id) }
    )
    let living = try await record.ids(of: Set(changes.compactMap(\.identity)))
    var undoing = UndoPlan(of: changes, present: present, living: living, force: force)
    for change in changes { undoing.takeBack(change) }
    let zone = writer.session.caller.zone
    let conflicts =
      undoing.conflicts.map { $0.text(in: zone) } + rules.conflicts.map(\.conflictText)
    for conflict in conflicts.prefix(DeletionGuard.namedCount) {
      site.notice("skipped, since it was changed again: \(conflict)")
    }
    if conflicts.count > DeletionGuard.namedCount {
      site.notice("and \(conflicts.count - DeletionGuard.namedCount) more")
    }
    let inverse = try await placeable(
      try formerIDs.giveBack(undoing.changes(editor.fields), present, doing),
      doing,
      editor
    )
    return try await writer.carryOut(
      inverse,
      editor,
      doing,
      isDryRun,
      observer,
      asksAlways: isProposed,
      effect: .takenBack(numbers),
      rules: rules.states.changes(from: presentRules),
      writing: VisibilityRuleWriter(
        VisibilityRules(rules.states),
        replacing: VisibilityRules(presentRules)
      )
    )
  }

  /// The number of the caller's newest transaction that changed records or visibility rules.
  private func ownNewest() async throws(DirectoryError) -> Int64 {
    let actor = writer.session.caller.actor
    var filter = HistoryFilter()
    filter.by = actor
    filter.limit = 100
    // A role of the same name may have been another person's.
    let own = try await site.openRecord("undo").transactions(filter).filter {
      $0.author.lowercased() == actor.lowercased()
    }
    guard !actor.isEmpty, let newest = own.first(where: { $0.rowCount + $0.rules > 0 }) else {
      throw DirectoryError(
        .notFound,
        "cannot undo: no transaction of yours is recorded",
        advice: "give the number of a transaction; list them with: \(.showLog)"
      )
    }
    let reason = newest.reason.isEmpty ? newest.summary : newest.reason
    // Declarations of fields cannot be undone.
    let which = own.first?.number == newest.number ? "" : " that can be undone"
    site.notice("the newest transaction of \(actor)\(which) is \(newest.number): \(reason)")
    return newest.number
  }

  /// What was before is unknown: taking it back would remove who was not added, or bring back half.
  ///
  /// Anyone who was removed and then forgotten no longer exists, and is only left out.
  private func refuseForgotten(
    _ forgotten: [(Int64, Change)],
    isAll: Bool,
    _ doing: String,
    _ editor: DirectoryEditor
  ) async throws(DirectoryError) {
    guard !forgotten.isEmpty else { return }
    let present = try await editor.present(users: forgotten.map { UserID($0.1.id) }).users
    let named = forgotten.filter { !$0.1.id.isEmpty }.map { number, change in
      let name = present[UserID(change.id)]?.name ?? change.name
      return "transaction \(number): \(name) (\(change.id))"
    }
    guard named.isEmpty, !isAll else {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): it changed \(counted(forgotten.count, "person", "people")) whose values have "
          + "been forgotten",
        advice: "nothing was changed; erased values cannot be restored",
        details: named
      )
    }
    for (number, _) in forgotten {
      site.notice("left out: people whom transaction \(number) changed have been forgotten")
    }
  }

  /// Newest first, each once.
  private func transactions(
    _ numbers: [Int64],
    _ history: DirectoryHistory
  ) async throws(DirectoryError) -> [RecordedTransaction] {
    var transactions: [RecordedTransaction] = []
    for number in Set(numbers) {
      guard let transaction = try await history.transaction(number) else {
        throw HistoryReader.noTransaction(number)
      }
      transactions.append(transaction)
    }
    return transactions.sorted { ($0.at, $0.number) > ($1.at, $1.number) }
  }

  /// Brings back a person or a department that was removed, as it was last, without what it refers to
  /// and is not there any more: memberships of a person, and people whom fields name.
  ///
  /// - Throws: `.notFound` where no one of that id or name was removed, and as `edit`.
  package func restore(
    _ who: String,
    reason: String?,
    isDryRun: Bool,
    observer: EditObserver
  ) async throws -> EditReport {
    let doing = "restore \(who)"
    let record = try await site.openRecord(doing)
    let (directory, editor) = try await writer.openForEdits(doing, reason)
    let removed = try await removed(who, doing, record, directory)
    let (kind, id) = (removed.kind, removed.id)
    let present = try await editor.present(
      departments: kind == .department ? [DepartmentID(id)] : [],
      users: kind == .user ? [UserID(id)] : []
    )
    if let id = removed.presentID {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): it has not been removed; its id is now \(id)"
      )
    }
    if let state = present.state(kind, id) {
      guard let own = removed.identity, own != present.identity(RecordKey(kind, id)) else {
        throw DirectoryError(.notFound, "cannot \(doing): \(id) has not been removed")
      }
      throw DirectoryError(
        .refusedForNow,
        "cannot \(doing): \(id) is now the id of \(state.name)",
        advice: "nothing was changed; give that record another id, and try again"
      )
    }
    let steps = try await record.steps(of: kind, removed.key.id)
    guard var state = steps.first(where: { $0.change.after == nil })?.change.before,
      !state.isForgotten
    else {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): the history does not know what \(id) was when it was removed"
      )
    }
    state.fields = state.fields.keeping(editor.fields, of: kind)
    state = try await placed(state, kind, doing, editor)
    var change = Change(kind, id, from: nil, to: state)
    change?.identity = removed.identity
    let changes = try await placeable(change.map { [$0] } ?? [], doing, editor)
    return try await writer.carryOut(
      changes,
      editor,
      doing,
      isDryRun,
      observer,
      effect: .takenBack([])
    )
  }

  /// The one removed record that is meant, a person before a department of the same id.
  private func removed(
    _ who: String,
    _ doing: String,
    _ history: DirectoryHistory,
    _ directory: Directory
  ) async throws -> RemovedRecord {
    var removed: [RemovedRecord] = []
    for key in RemovedRecord.Key.allCases where removed.isEmpty {
      removed = try await history.removed(DepartmentName(who).text, by: key)
    }
    if removed.count > 1, removed[0].kind == removed[1].kind {
      throw HistoryReader.severalRemoved(who, removed)
    }
    if let removed = removed.first { return removed }
    if case .found = try directory.lookUp(who, limit: 1) {
      throw DirectoryError(.notFound, "cannot \(doing): \(who) has not been removed")
    }
    throw DirectoryError(
      .notFound,
      "no removed record is called \(who)",
      advice: "find people who were removed with: \(.findLeavers)"
    )
  }

  /// The state without departments that have been removed.
  private func placed(
    _ state: Change.State,
    _ kind: RecordKind,
    _ doing: String,
    _ editor: DirectoryEditor
  ) async throws(DirectoryError) -> Change.State {
    var state = state
    let places = state.memberships.map(\.place.id) + (state.primary.map { [$0.id] } ?? [])
    let there = try await editor.present(departments: places).departments
    for membership in state.memberships where there[membership.place.id] == nil {
      site.notice(
        "left out: the membership in \(membership.place.name) (\(membership.place.id)), which has been removed"
      )
    }
    state.memberships.removeAll { there[$0.place.id] == nil }
    guard let primary = state.primary, there[primary.id] == nil else { return state }
    guard kind == .user, let next = state.memberships.first else {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): \(primary.name) (\(primary.id)) has been removed, too",
        advice: "restore it first"
      )
    }
    state.primary = next.place
    return state
  }

  /// The changes, if all that they refer to is there once they are made.
  ///
  /// People who are not, and whom fields of a record name that is brought back, are left out.
  ///
  /// - Throws: `.refusedForNow` with the records that are in the way.
  private func placeable(
    _ changes: [Change],
    _ doing: String,
    _ editor: DirectoryEditor
  ) async throws(DirectoryError) -> [Change] {
    let references = try await References(of: changes, editor)
    let obstacles = changes.flatMap(references.obstacles) + references.remainders
    guard obstacles.isEmpty else {
      let named = obstacles.prefix(DeletionGuard.namedCount)
      let more = obstacles.count - named.count
      throw DirectoryError(
        .refusedForNow,
        "cannot \(doing): it conflicts with other records",
        advice:
          "nothing was changed; restore what has been removed, or change the other records, "
          + "and try again",
        details: named + (more > 0 ? ["and \(more) more"] : [])
      )
    }
    return changes.map { change in
      guard change.before == nil, var after = change.after else { return change }
      for (field, name) in references.missingPeople(after.fields, of: change.kind) {
        site.notice(
          "left out: \(field) of \(change.name) (\(change.id)): \(name) has been removed"
        )
      }
      after.fields = references.withoutMissing(after.fields, of: change.kind)
      var change = change
      change.after = after
      return change
    }
  }
}

extension VisibilityRules.States {
  fileprivate func changes(from former: Self) -> [VisibilityChange] {
    Set(keys).union(former.keys).filter { self[$0] != former[$0] }.sorted()
      .map { VisibilityChange($0, from: former[$0], to: self[$0]) }
  }
}
