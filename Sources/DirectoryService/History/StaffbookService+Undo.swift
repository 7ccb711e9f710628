import DirectoryModel
import DirectoryStore

extension StaffbookService {
  /// Takes transactions back, newest first, in one transaction.
  ///
  /// What was changed again since is named and left alone, unless it is forced.
  ///
  /// - Parameters:
  ///   - numbers: The transactions.
  ///   - force: Whether later changes go, too.
  ///   - reason: Why, for the history.
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
    let doing = "undo " + numbers.map(String.init).joined(separator: ", ")
    let history = try await openRecord(doing)
    let (_, editor) = try await openForEdits(doing, reason ?? doing)
    var changes: [Change] = []
    for transaction in try await transactions(numbers, history) {
      if transaction.declarations > 0 {
        notice("the declarations of fields in transaction \(transaction.number) stay as they are")
      }
      changes += try await history.changes(in: transaction)
    }
    let present = try await editor.present(
      departments: changes.ids(.department).map { DepartmentID($0) },
      users: changes.ids(.user).map { UserID($0) }
    )
    var undoing = Undoing(present: present, force: force)
    for change in changes { undoing.takeBack(change) }
    for conflict in undoing.conflicts.prefix(DeletionBrake.namedCount) {
      notice("left alone, since it was changed again: \(conflict.text)")
    }
    if undoing.conflicts.count > DeletionBrake.namedCount {
      notice("and \(undoing.conflicts.count - DeletionBrake.namedCount) more")
    }
    return try await carryOut(undoing.changes(editor.fields), editor, doing, isDryRun, observer)
  }

  /// Newest first, each once.
  private func transactions(
    _ numbers: [Int64],
    _ history: DirectoryHistory
  ) async throws(DirectoryError) -> [RecordedTransaction] {
    var transactions: [RecordedTransaction] = []
    for number in Set(numbers) {
      guard let transaction = try await history.transaction(number) else {
        throw Self.noTransaction(number)
      }
      transactions.append(transaction)
    }
    return transactions.sorted { ($0.at, $0.number) > ($1.at, $1.number) }
  }

  /// Brings back a person or a department that was removed, as it was last; a person with the
  /// memberships of departments that are still there.
  ///
  /// - Throws: `.notFound` where nobody of that id was removed, and as `edit`.
  package func restore(
    _ who: String,
    reason: String?,
    isDryRun: Bool,
    observer: EditObserver
  ) async throws -> EditReport {
    let doing = "restore \(who)"
    let history = try await openRecord(doing)
    let (_, editor) = try await openForEdits(doing, reason)
    let kind: RecordKind
    let id: String
    switch try await subject(who, history) {
    case .user(let user, _): (kind, id) = (.user, user.rawValue)
    case .department(let department, _): (kind, id) = (.department, department.rawValue)
    }
    let present = try await editor.present(
      departments: kind == .department ? [DepartmentID(id)] : [],
      users: kind == .user ? [UserID(id)] : []
    )
    guard present.state(kind, id) == nil else {
      throw DirectoryError(.notFound, "cannot \(doing): \(id) is there")
    }
    let steps = try await history.steps(of: kind, id)
    guard var state = steps.first(where: { $0.change.after == nil })?.change.before else {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): the history does not know what \(id) was when it was removed"
      )
    }
    state.fields = state.fields.keeping(editor.fields, of: kind)
    state = try await placed(state, kind, doing, editor)
    let change = Change(kind, id, from: nil, to: state)
    return try await carryOut(change.map { [$0] } ?? [], editor, doing, isDryRun, observer)
  }

  /// The state without departments that are gone.
  private func placed(
    _ state: Change.State,
    _ kind: RecordKind,
    _ doing: String,
    _ editor: DirectoryEditor
  ) async throws(DirectoryError) -> Change.State {
    var state = state
    let places = state.posts.map(\.place.id) + (state.main.map { [$0.id] } ?? [])
    let there = try await editor.present(departments: places).departments
    for post in state.posts where there[post.place.id] == nil {
      notice("\(post.place.name) (\(post.place.id)) is gone, and the membership with it")
    }
    state.posts.removeAll { there[$0.place.id] == nil }
    guard let main = state.main, there[main.id] == nil else { return state }
    guard kind == .user, let next = state.posts.first else {
      throw DirectoryError(
        .notFound,
        "cannot \(doing): \(main.name) (\(main.id)) is gone, too",
        advice: "restore it first"
      )
    }
    state.main = next.place
    return state
  }
}

extension [Change] {
  fileprivate func ids(_ kind: RecordKind) -> [String] {
    filter { $0.kind == kind }.map(\.id)
  }
}
