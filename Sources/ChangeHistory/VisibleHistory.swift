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
  /// Records that were asked about, and ids.
  private var sought: Set<RecordKey> = []
  private var soughtIDs: Set<RecordKey> = []
  private var hasHeardOfThePast = false
  /// Authors that were looked at, and whether each is a person who is hidden.
  private var hiddenAuthors: [UserID: Bool] = [:]

  init(_ history: any RecordedHistory, _ visibility: Visibility?) {
    (self.history, self.visibility) = (history, visibility)
  }

  var isEverything: Bool { visibility == nil }

  /// What happened between two times; `nil` is now.
  private struct Span {
    var changes: [Change]
    var from: Int64?
    var to: Int64?

    init(_ changes: [Change], from: Int64?, to: Int64?) {
      (self.changes, self.from, self.to) = (changes, from, to)
    }

    init(_ changes: [Change], in transaction: RecordedTransaction) {
      self.init(changes, from: transaction.at - 1, to: transaction.at)
    }
  }

  /// As much of changes as is seen, in their order.
  ///
  /// - Parameters:
  ///   - changes: What happened.
  ///   - from: The time of the states before; `nil` is now.
  ///   - to: That of the states afterwards.
  /// - Returns: What may be told of it.
  /// - Throws: What the history says.
  mutating func visible(
    _ changes: [Change],
    from: Int64?,
    to: Int64?
  ) async throws -> [Change] {
    try await visible([Span(changes, from: from, to: to)])[0]
  }

  /// The same of several spans, in as many questions as of one.
  private mutating func visible(_ spans: [Span]) async throws -> [[Change]] {
    guard let ids = visibility.map({ known in spans.flatMap(\.changes).flatMap(known.keys(in:)) })
    else { return spans.map(\.changes) }
    try await hearOfThePast()
    try await hear(ofHolders: Set(ids))
    var named: Set<RecordMoment> = []
    for span in spans {
      named.formUnion(moments(of: span.changes.compactMap(\.before), at: span.from))
      named.formUnion(moments(of: span.changes.compactMap(\.after), at: span.to))
    }
    try await hear(of: named)
    var unknown: Set<RecordKey> = []
    for span in spans {
      for change in span.changes {
        unknown.formUnion(try visibility?.unknown(in: change, from: span.from, to: span.to) ?? [])
      }
    }
    try await hear(of: unknown.subtracting(sought))
    return try spans.map { span in
      try span.changes.compactMap { try visibility?.visible($0, from: span.from, to: span.to) }
    }
  }

  /// What a transaction did, as much of it as is seen.
  mutating func visible(
    _ changes: [Change],
    in transaction: RecordedTransaction
  ) async throws -> [Change] {
    try await visible([Span(changes, in: transaction)])[0]
  }

  /// The state of a record as much of it as is seen; `nil` where nothing of it is.
  mutating func visible(
    _ last: LastState,
    of kind: RecordKind,
    _ id: String
  ) async throws -> Change.State? {
    guard visibility != nil else { return last.state }
    guard let change = Change(kind, id, from: last.state, to: nil) else { return nil }
    return try await visible([change], from: last.time ?? Self.now, to: nil).first?.before
  }

  /// Later than everything that is recorded.
  private static var now: Int64 { .max / 4 }

  /// A transaction, and what of it is seen.
  typealias Seen = (transaction: RecordedTransaction, changes: [Change])

  /// Transactions with what they did as far as that is seen; the reason of one is told where all of it is,
  /// with all values on both sides.
  ///
  /// Of declarations and rules nothing is told. An author is not named who is a hidden person.
  ///
  /// - Returns: One for each, `nil` where nothing of it is seen.
  mutating func visible(_ transactions: [RecordedTransaction]) async throws -> [Seen?] {
    try await hear(ofAuthors: transactions)
    let all = try await history.changes(in: transactions, of: nil, limit: nil)
    let seen = try await visible(zip(all, transactions).map { Span($0, in: $1) })
    return zip(transactions, zip(all, seen)).map { transaction, changes in
      let (all, seen) = changes
      let isWhole =
        transaction.rules == 0 && transaction.declarations.isEmpty
        && seen.map(\.itemsOnBothSides) == all.map(\.itemsOnBothSides)
      let shown = shown(transaction, seen, isWhole: isWhole)
      masks[transaction.number] = .some(shown?.transaction)
      return shown
    }
  }

  /// The most rows that a transaction may have changed to be looked at as a whole.
  static let lookedAt = 1_000
  /// Of a transaction that has changed more, how many records of a department are looked at: first so many,
  /// and where none of them is seen, so many.
  private static let lookedAtOfSubject = [1_000, 10_000]

  /// The same for the log of a person or a department.
  ///
  /// Of a large transaction, which stands alone, it is only found out what it did to whom the log is about:
  /// its reason is not told, nor what it did otherwise.
  mutating func visible(
    _ transactions: [RecordedTransaction],
    of subject: HistoryFilter.Subject
  ) async throws -> [Seen?] {
    guard subject != .everything, transactions.count == 1, transactions[0].rowCount > Self.lookedAt
    else { return try await visible(transactions) }
    try await hear(ofAuthors: transactions)
    let changes = try await changes(in: transactions[0], of: subject)
    return [shown(transactions[0], changes, isWhole: false)]
  }

  /// What a transaction did to whom a log is about, as much of it as is seen.
  private mutating func changes(
    in transaction: RecordedTransaction,
    of subject: HistoryFilter.Subject
  ) async throws -> [Change] {
    switch subject {
    case .everything: return []
    case .user(let id):
      let changes = try await history.changes(in: [transaction], of: .user(id), limit: nil)[0]
      return try await visible(changes, in: transaction)
    case .department(let id):
      for limit in Self.lookedAtOfSubject {
        let all = try await history.changes(in: transaction, below: id, limit: limit)
        let seen = try await visible(all, in: transaction)
        let own = try changes(seen, of: subject, at: transaction.at)
        if !own.isEmpty { return own }
      }
      return []
    }
  }

  /// A transaction with those of its changes that are seen; `nil` where there are none.
  private func shown(
    _ transaction: RecordedTransaction,
    _ seen: [Change],
    isWhole: Bool
  ) -> Seen? {
    guard !seen.isEmpty else { return nil }
    var shown = transaction
    if hiddenAuthors[UserID(shown.actor)] == true { shown.actor = "" }
    if hiddenAuthors[UserID(shown.role)] == true { shown.role = "" }
    shown.rows = ChangeTotals(of: seen)
    (shown.declarations, shown.rules) = ("", 0)
    if !isWhole { (shown.reason, shown.hasForgotten) = ("", false) }
    return (shown, seen)
  }

  /// Finds out which authors are people who are hidden, now or formerly by those ids.
  ///
  /// An author who is no person, such as a role of the database, is told.
  private mutating func hear(ofAuthors transactions: [RecordedTransaction]) async throws {
    guard !isEverything else { return }
    try await hearOfThePast()
    let authors = Set(transactions.flatMap { [$0.actor, $0.role] }.map { UserID($0) })
      .filter { !$0.rawValue.isEmpty && hiddenAuthors[$0] == nil }
    guard !authors.isEmpty else { return }
    try await hear(ofHolders: Set(authors.map { .user($0) }))
    var holders: [UserID: Set<RecordKey>] = [:]
    for author in authors {
      holders[author] = try visibility?.presentIDs(of: .user(author)) ?? []
    }
    let keys = holders.values.reduce(into: Set()) { $0.formUnion($1) }
    let former = keys.filter { visibility?.lastMoment(of: $0) != nil }
    let others = Set(keys.subtracting(former).map { UserID($0.id) })
    let people = former.union(try await history.lastStates(of: others).keys.map { .user($0) })
    try await hear(of: visibility?.unknown(among: people).subtracting(sought) ?? [])
    for (author, keys) in holders {
      hiddenAuthors[author] = try keys.contains { key in
        try people.contains(key) && visibility?.shows(UserID(key.id)) == false
      }
    }
  }

  /// The transaction alone.
  ///
  /// - Returns: `nil` where nothing of what it did is seen.
  mutating func mask(_ transaction: RecordedTransaction) async throws -> RecordedTransaction? {
    if isEverything { return transaction }
    if let mask = masks[transaction.number] { return mask }
    return try await visible([transaction])[0]?.transaction
  }

  /// A transaction by its number, with what it did.
  ///
  /// Where none has that number the newest one is looked at instead: the time until the answer does not
  /// tell that from one of which nothing is seen.
  ///
  /// - Returns: `nil` where none has it, or nothing of what it did is seen.
  mutating func transaction(_ number: Int64) async throws -> Seen? {
    let transaction = try await history.transaction(number)
    guard !isEverything else {
      guard let transaction else { return nil }
      return (transaction, try await history.changes(in: [transaction], of: nil, limit: nil)[0])
    }
    var filter = HistoryFilter()
    filter.limit = 1
    let newest = try await history.transactions(filter).first
    guard let looked = transaction ?? newest else { return nil }
    let seen = try await visible([looked])[0]
    return transaction == nil ? nil : seen
  }

  /// When a transaction ended; `nil` where there is none with that number.
  mutating func time(of number: Int64) async throws -> Int64? {
    if isEverything { return try await history.transaction(number)?.at }
    if let mask = masks[number] { return mask?.at }
    return try await transaction(number)?.transaction.at
  }

  /// Those of a transaction's changes that concern what a log is about.
  func changes(
    _ all: [Change],
    of subject: HistoryFilter.Subject,
    at time: Int64
  ) throws -> [Change] {
    switch subject {
    case .everything: all
    case .user(let user):
      try all.filter { change in
        guard change.kind == .user else { return false }
        guard let visibility else { return UserID(change.id) == user }
        let (key, own) = (RecordKey(change), try visibility.presentID(of: .user(user)))
        func isOwn(_ state: Change.State?, at time: Int64) throws -> Bool {
          try state != nil
            && RecordKey(.user, visibility.presentID(of: key, at: time))
              == RecordKey(.user, own)
        }
        return try isOwn(change.before, at: time - 1) || isOwn(change.after, at: time)
      }
    case .department(let id):
      try all.filter { change in
        func isBelow(_ state: Change.State?, at time: Int64) throws -> Bool {
          let own = change.kind == .department ? [DepartmentID(change.id)] : []
          return try ((state?.departments ?? []) + (state == nil ? [] : own)).contains {
            try visibility?.isIn($0, or: id, at: time) ?? true
          }
        }
        return try isBelow(change.before, at: time - 1) || isBelow(change.after, at: time)
      }
    }
  }

  /// Those of the records that a text means of which something is seen.
  ///
  /// It is found out what a person and a department of this id were last, whether there were any: the time
  /// until the answer does not tell what is hidden from what never was.
  mutating func shown(
    _ records: [RemovedRecord],
    of text: String
  ) async throws -> [RemovedRecord] {
    guard visibility != nil else { return records }
    let keys = records.map(\.key)
    try await hearOfThePast()
    let asked = Set(keys + [RecordKey(.user, text), RecordKey(.department, text)])
    try await hear(ofHolders: asked, always: true)
    try await hear(
      of: Set(
        asked.map { RecordKey($0.kind, try visibility?.presentID(of: $0) ?? $0.id) }
      )
    )
    return try zip(records, keys).compactMap { record, key in
      let isShown =
        try key.kind == .user
        ? visibility?.shows(UserID(key.id)) : visibility?.showsAll(of: DepartmentID(key.id))
      return isShown == true ? record : nil
    }
  }

  /// What judges the state of a time that holds some records, among others that are there now.
  mutating func visibility(of keys: Set<RecordKey>, at time: Int64) async throws -> Visibility? {
    guard !isEverything else { return nil }
    try await hearOfThePast()
    try await hear(ofHolders: keys)
    try await hear(of: visibility?.unknown(among: keys, at: time).subtracting(sought) ?? [])
    return visibility
  }

  /// Finds out where departments were, and by which ids.
  private mutating func hearOfThePast() async throws {
    guard !isEverything, !hasHeardOfThePast else { return }
    hasHeardOfThePast = true
    let past = try await history.departmentMoves()
    try visibility?.note(past.terms)
    visibility?.note(FormerParents(past.moves))
  }

  /// Finds out whose some ids, or former keys, were formerly: those of people, since all that departments
  /// had is known.
  ///
  /// Where the time must tell nothing, it is `always` asked, also where all is known.
  private mutating func hear(ofHolders keys: Set<RecordKey>, always: Bool = false) async throws {
    let users = Set(keys.filter { $0.kind == .user }.map { RecordKey(.user, $0.lastID) })
    let unknown = users.subtracting(soughtIDs)
    guard always || !unknown.isEmpty else { return }
    soughtIDs.formUnion(unknown)
    let terms = try await history.formerTerms(of: Set(users.map { UserID($0.id) }))
    try visibility?.note(terms.filter { unknown.contains($0.key) })
  }

  /// People whom states of a time name, at that time.
  private func moments(of states: [Change.State], at time: Int64?) -> [RecordMoment] {
    guard let time else { return [] }
    return (visibility?.named(in: states) ?? []).map { RecordMoment(.user($0), time) }
  }

  /// Finds out where people were at times.
  private mutating func hear(of moments: Set<RecordMoment>) async throws {
    guard !moments.isEmpty else { return }
    let found = try await history.states(at: moments)
    try await hear(ofHolders: people(named: Array(found.values)))
    for moment in moments {
      visibility?.note([UserID(moment.key.id): found[moment]], at: moment.time)
    }
  }

  /// People whom states name as values.
  private func people(named states: [Change.State]) -> Set<RecordKey> {
    Set((visibility?.named(in: states) ?? []).map { .user($0) })
  }

  /// Finds out what records were last that are not there any more: in a few questions, however many
  /// records they are about.
  private mutating func hear(of keys: Set<RecordKey>) async throws {
    var unknown = keys
    while !unknown.isEmpty {
      sought.formUnion(unknown)
      var moments: [RecordKey: RecordMoment] = [:]
      for key in unknown {
        moments[key] =
          visibility?.lastMoment(of: key)
          ?? (key.kind == .department ? RecordMoment(key, Self.now) : nil)
      }
      let found = try await history.states(at: Set(moments.values))
      let users = unknown.filter { moments[$0] == nil && $0.formerIdentity == nil }
        .map { UserID($0.id) }
      let last = try await history.lastStates(of: Set(users))
      let states = found.values + last.values.map(\.state)
      try await hear(ofHolders: people(named: states), always: true)
      for user in users {
        visibility?.note(last[user]?.state, of: .user(user), at: last[user]?.time)
      }
      var above: Set<RecordKey> = []
      func note(_ state: Change.State?, at time: Int64?) throws {
        let departments = (state?.departments ?? []).map { RecordKey.department($0) }
        above.formUnion(try visibility?.unknown(among: Set(departments), at: time) ?? [])
      }
      for (key, moment) in moments {
        visibility?.note(found[moment], of: key, at: moment.time)
        try note(found[moment], at: moment.time)
      }
      for state in last.values { try note(state.state, at: state.time) }
      unknown = above.subtracting(sought)
    }
  }
}
