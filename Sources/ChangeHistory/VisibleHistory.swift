import DirectoryModel
import DirectoryStore
import LiveDirectory

/// History as much of it as a caller sees, by what they see of the directory now.
struct VisibleHistory {
  let history: any RecordedHistory
  /// `nil` where everything is seen.
  private var visibility: Visibility?
  /// Transactions that were looked at, as much of each as is seen; `nil` where nothing is.
  private var masks: [Int64: RecordedTransaction?] = [:]
  /// Records that were asked about.
  private var sought: Set<RecordKey> = []
  private var hasHeardOfIDs = false
  private var hasHeardOfPeople = false

  init(_ history: any RecordedHistory, _ visibility: Visibility?) {
    (self.history, self.visibility) = (history, visibility)
  }

  var isEverything: Bool { visibility == nil }

  /// As much of changes as is seen, in their order.
  mutating func visible(_ changes: [Change]) async throws -> [Change] {
    guard visibility != nil else { return changes }
    try await hearOfIDs()
    try await hear(of: visibility?.unknown(in: changes).subtracting(sought) ?? [])
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
    guard !seen.isEmpty else {
      masks[transaction.number] = .some(nil)
      return nil
    }
    var shown = transaction
    shown.rows = ChangeTotals(of: seen)
    (shown.declarations, shown.rules) = ("", 0)
    if transaction.rules != 0 || seen.map(\.items) != all.map(\.items) {
      (shown.reason, shown.hasForgotten) = ("", false)
    }
    masks[transaction.number] = shown
    return (shown, seen)
  }

  /// The transaction alone.
  ///
  /// - Returns: `nil` where nothing of what it did is seen.
  mutating func mask(_ transaction: RecordedTransaction) async throws -> RecordedTransaction? {
    if isEverything { return transaction }
    if let mask = masks[transaction.number] { return mask }
    return try await visible(transaction)?.transaction
  }

  /// The same for one that is known to concern something that is seen.
  mutating func masked(_ transaction: RecordedTransaction) async throws -> RecordedTransaction {
    try await mask(transaction)
      ?? RecordedTransaction(number: transaction.number, at: transaction.at, role: "")
  }

  /// What judges a state of the past that holds some records, among others that are there now.
  mutating func visibility(of keys: Set<RecordKey>) async throws -> Visibility? {
    try await hearOfIDs()
    try await hear(of: visibility?.unknown(among: keys).subtracting(sought) ?? [])
    return visibility
  }

  /// So many people are asked about one by one; of more, all who were removed are read at once.
  private static var fewPeople: Int { 8 }

  private mutating func hearOfIDs() async throws {
    guard !isEverything, !hasHeardOfIDs else { return }
    hasHeardOfIDs = true
    for (former, latter) in try await history.formerIDs() {
      visibility?.note(former, renamed: latter)
    }
  }

  /// Finds out what records were last that are not there any more.
  private mutating func hear(of keys: Set<RecordKey>) async throws {
    var unknown = keys
    var last: [Change.State] = []
    if !hasHeardOfPeople, unknown.count(where: { $0.kind == .user }) > Self.fewPeople {
      hasHeardOfPeople = true
      for step in try await history.formerPeople() {
        let key = RecordKey(step.change)
        visibility?.note(step.change.before, of: key)
        unknown.remove(key)
        last += [step.change.before].compactMap { $0 }
      }
    }
    while true {
      for key in unknown {
        let steps = try await history.steps(of: key.kind, key.id)
        let state = try await history.lastState(of: key.kind, key.id, steps)?.state
        visibility?.note(state, of: key)
        sought.insert(key)
        last += [state].compactMap { $0 }
      }
      let departments = Set(last.flatMap(\.departments).map { RecordKey.department($0) })
      unknown = try visibility?.unknown(among: departments).subtracting(sought) ?? []
      if unknown.isEmpty { return }
      last = []
    }
  }
}
