import DirectoryModel
import DirectoryStore
import LiveDirectory

/// History as much of it as a caller sees, by what they see of the directory now.
struct VisibleHistory {
  let history: any RecordedHistory
  /// `nil` where everything is seen.
  private var visibility: Visibility?
  /// Removed departments that were asked about.
  private var sought: Set<DepartmentID> = []
  /// Transactions that were looked at, and whether all that they did is seen.
  private var areWhole: [Int64: Bool] = [:]

  init(_ history: any RecordedHistory, _ visibility: Visibility?) {
    (self.history, self.visibility) = (history, visibility)
  }

  var isEverything: Bool { visibility == nil }

  /// As much of changes as is seen, in their order.
  mutating func visible(_ changes: [Change]) async throws -> [Change] {
    guard visibility != nil else { return changes }
    try await hear(of: changes)
    return try changes.compactMap { try visibility?.visible($0) }
  }

  /// The state of a record as much of it as is seen; `nil` where nothing of it is.
  mutating func visible(
    _ state: Change.State,
    of kind: RecordKind,
    _ id: String
  ) async throws -> Change.State? {
    guard visibility != nil else { return state }
    guard let change = Change(kind, id, from: state, to: nil) else { return nil }
    return try await visible([change]).first?.before
  }

  /// A transaction with what it did as far as that is seen; its reason is told where all of it is.
  ///
  /// - Returns: `nil` where nothing of it is seen.
  mutating func visible(
    _ transaction: RecordedTransaction
  ) async throws -> (transaction: RecordedTransaction, changes: [Change])? {
    let all = try await history.changes(in: transaction, of: nil, limit: nil)
    let seen = try await visible(all)
    let isWhole = transaction.rules == 0 && seen.map(\.items) == all.map(\.items)
    areWhole[transaction.number] = isWhole
    guard !seen.isEmpty else { return nil }
    var shown = transaction
    shown.rows = ChangeTotals(of: seen)
    (shown.declarations, shown.rules) = (0, 0)
    if !isWhole { (shown.reason, shown.hasForgotten) = ("", false) }
    return (shown, seen)
  }

  /// The same for one that is known to concern something that is seen.
  mutating func masked(_ transaction: RecordedTransaction) async throws -> RecordedTransaction {
    if isEverything || areWhole[transaction.number] == true { return transaction }
    if areWhole[transaction.number] == nil {
      if let seen = try await visible(transaction)?.transaction { return seen }
    }
    return RecordedTransaction(number: transaction.number, at: transaction.at, role: "")
  }

  /// Finds out where departments were that changes name and that are not there any more.
  private mutating func hear(of changes: [Change]) async throws {
    for change in changes { visibility?.note(change) }
    var pending = changes.flatMap { [$0.before, $0.after] }.compactMap(\.?.departments)
      .flatMap { $0 }
    while let id = pending.popLast() {
      guard sought.insert(id).inserted, try visibility?.knows(id) == false else { continue }
      let steps = try await history.steps(of: .department, id.rawValue)
      guard
        let last = try await history.lastState(of: .department, id.rawValue, steps)?.state,
        let removal = Change(.department, id.rawValue, from: last, to: nil)
      else { continue }
      visibility?.note(removal)
      pending += last.departments
    }
  }
}

extension Change.State {
  /// The departments that it names as places.
  fileprivate var departments: [DepartmentID] {
    posts.map(\.place.id) + (primary.map { [$0.id] } ?? [])
  }
}
