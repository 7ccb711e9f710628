import DirectoryModel
import SQLite
import SystemPackage

/// The journal of a source of one's own: two tables in a SQLite database, as history has them.
///
/// Each transaction continues the one before it: their numbers follow each other, and it starts from the
/// snapshot that the one before led to, unless the record begins with it. Keys keep rows from standing
/// there twice; each row has a checksum, its keys included, and each transaction the number of its
/// changes.
struct JournalDatabase: ~Copyable {
  private let database: SQLiteDatabase
  /// What is newer than this transaction is not read.
  private let end: Int64
  /// What is older than this time is not kept: microseconds since 1970, UTC.
  let horizon: Int64
  /// Whether a transaction leads to the snapshot that it was opened for.
  let leadsToSnapshot: Bool

  static let format = SQLiteFormat(
    application: 0x5342_4A4C,  // "SBJL"
    version: 1,
    schema: """
      create table history (
        only_row integer primary key check (only_row = 1),
        keep text,    -- a period such as 2y; null for ever
        folder text   -- that of the last snapshot, in the cache
      );
      insert into history (only_row) values (1);
      create table transactions (
        number integer primary key,
        at integer not null,      -- microseconds since 1970, UTC
        former integer,           -- checksum of the snapshot before; null: the record begins here
        latter integer not null,  -- checksum of the snapshot afterwards
        has_forgotten integer not null,
        departments text not null,  -- how many were added, changed, moved, removed
        users text not null,
        checksum integer not null
      );
      create table changes (
        number integer not null references transactions on delete cascade,
        place integer not null,
        kind text not null check (kind in ('department', 'user')),
        action text not null,
        id text not null,  -- empty for a person who was forgotten
        before text,
        after text,
        checksum integer not null,
        primary key (number, place),
        check (before is not null or after is not null)
      ) without rowid;
      \(index)
      """
  )

  /// An id may be one record's before a transaction and another one's afterwards.
  private static let index = """
    create unique index if not exists changes_by_id on changes (id, kind, number, before is null)
      where id <> ''
    """

  /// - Parameters:
  ///   - path: The file.
  ///   - isMade: Whether it is made where it is missing.
  /// - Throws: Why it cannot be used.
  init(_ path: FilePath, making isMade: Bool = false) throws(SQLiteError) {
    let database = try SQLiteDatabase.open(path, Self.format, making: isMade)
    // Journals had another index, which allowed one change of an id.
    if isMade { try database.execute("drop index if exists changes_id; \(Self.index)") }
    (end, horizon, leadsToSnapshot) = (.max, .min, false)
    self.database = database
  }

  /// Opens it for what led to a snapshot.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - checksum: The snapshot's; transactions after the one that leads to it are not read.
  ///   - now: Microseconds since 1970, UTC.
  /// - Throws: Why it cannot be used.
  init(_ path: FilePath, asOf checksum: UInt64, now: Int64) throws(SQLiteError) {
    let database = try SQLiteDatabase.open(path, Self.format)
    try database.execute("begin")
    let period = try Self.period(of: database)
    let newest = try database.number(
      "select max(number) from transactions where latter = \(Int64(bitPattern: checksum))"
    )
    horizon = period?.beginning(before: now) ?? .min
    leadsToSnapshot = newest > 0
    end = leadsToSnapshot ? newest : .max
    self.database = database
  }

  /// How long it is kept; `nil` is for ever.
  func period() throws(SQLiteError) -> RetentionPeriod? { try Self.period(of: database) }

  private static func period(
    of database: borrowing SQLiteDatabase
  ) throws(SQLiteError) -> RetentionPeriod? {
    let row = try database.prepare("select keep from history")
    guard try row.step() else { throw .damaged("its period is missing") }
    guard let text = row.text(0) else { return nil }
    guard let period = try? RetentionPeriod(text) else { throw .damaged("its period is \(text)") }
    return period
  }

  /// XXH64 of texts, to find damage.
  static func checksum(_ parts: [String?]) -> Int64 {
    var text = parts.map { $0 ?? "\u{1}" }.joined(separator: "\u{0}")
    return Int64(bitPattern: text.withUTF8 { XXHash64.digest(UnsafeRawBufferPointer($0)) })
  }

  // MARK: Reading

  /// Gives the transactions that are kept, newest first, until `body` has enough.
  ///
  /// - Throws: What `body` throws, and `.damaged` where one does not continue the one before it.
  func forEachTransaction(
    _ body: (JournalTransaction) throws(SQLiteError) -> Bool
  ) throws(SQLiteError) {
    let rows = try database.prepare(
      "select \(JournalTransaction.columns) from transactions where number <= ?1 order by number desc",
      .number(end)
    )
    var newer: JournalTransaction?
    while try rows.step() {
      guard !Task.isCancelled else { throw .failed(.canceled) }
      let transaction = try JournalTransaction(rows)
      if let newer {
        guard newer.number == transaction.number + 1,
          newer.isBeginning || newer.former == transaction.latter
        else { throw .damaged("transaction \(newer.number) does not continue the one before it") }
      }
      guard transaction.at >= horizon, try body(transaction) else { return }
      newer = transaction
    }
    if let newer, !newer.isBeginning {
      throw .damaged("the transactions before \(newer.number) are missing")
    }
  }

  /// The newest transaction; `nil` where there is none.
  func last() throws(SQLiteError) -> JournalTransaction? {
    let rows = try database.prepare(
      "select \(JournalTransaction.columns) from transactions order by number desc limit 1"
    )
    return try rows.step() ? try JournalTransaction(rows) : nil
  }

  /// Gives the changes of a transaction until `body` has enough.
  func forEachChange(
    of transaction: JournalTransaction,
    _ body: (Change) -> Bool
  ) throws(SQLiteError) {
    let rows = try database.prepare(
      "select \(Self.changeColumns) from changes where number = ?1 order by place",
      .number(transaction.number)
    )
    var count = 0
    while try rows.step() {
      count += 1
      guard body(try Self.change(rows)) else { return }
    }
    guard count == transaction.changeCount else {
      throw .damaged("transaction \(transaction.number) has lost changes")
    }
  }

  /// All changes of a transaction.
  func changes(of transaction: JournalTransaction) throws(SQLiteError) -> [Change] {
    var changes: [Change] = []
    try forEachChange(of: transaction) { change in
      changes.append(change)
      return true
    }
    return changes
  }

  /// What a transaction did to the record of an id; where another record got the id, its addition
  /// and then the removal of the one before.
  func changes(
    of transaction: JournalTransaction,
    to key: RecordKey
  ) throws(SQLiteError) -> [Change] {
    let rows = try database.prepare(
      """
      select \(Self.changeColumns) from changes
        where number = ?1 and kind = ?2 and id = ?3 and id <> '' order by place
      """,
      .number(transaction.number),
      .text(key.kind.rawValue),
      .text(key.id)
    )
    var changes: [Change] = []
    while try rows.step() { changes.append(try Self.change(rows)) }
    return changes
  }

  /// The first change of a record that is later than a time; `nil` where there is none.
  func change(to key: RecordKey, after time: Int64) throws(SQLiteError) -> Change? {
    let rows = try database.prepare(
      """
      select \(Self.changeColumns) from changes
        where id = ?1 and kind = ?2 and id <> '' and number <= ?3
          and number > (select coalesce(max(number), -1) from transactions where at <= ?4)
        order by number, place desc limit 1
      """,
      .text(key.id),
      .text(key.kind.rawValue),
      .number(end),
      .number(time)
    )
    return try rows.step() ? try Self.change(rows) : nil
  }

  /// The last change of a record and when it was made; `nil` where there is none.
  func lastChange(to key: RecordKey) throws(SQLiteError) -> (change: Change, at: Int64)? {
    let rows = try database.prepare(
      """
      select \(Self.changeColumns), (select at from transactions t where t.number = changes.number)
        from changes where id = ?1 and kind = ?2 and id <> '' and number <= ?3
        order by number desc, place limit 1
      """,
      .text(key.id),
      .text(key.kind.rawValue),
      .number(end)
    )
    return try rows.step() ? (try Self.change(rows), rows.number(8)) : nil
  }

  private static let changeColumns = "number, place, kind, action, id, before, after, checksum"

  private static func change(_ row: borrowing SQLiteStatement) throws(SQLiteError) -> Change {
    let texts = (2...6).map { row.text($0) }
    guard row.number(7) == checksum(["\(row.number(0)) \(row.number(1))"] + texts),
      let kind = texts[0].flatMap(RecordKind.init),
      let action = texts[1].flatMap(Change.Action.init),
      let id = texts[2]
    else { throw .damaged("a change of transaction \(row.number(0))") }
    var change = Change(kind: kind, action: action, id: id)
    change.before = texts[3].flatMap { Change.State(journalText: $0, of: kind) }
    change.after = texts[4].flatMap { Change.State(journalText: $0, of: kind) }
    return change
  }

  /// Reads everything, and lets SQLite check its tables.
  ///
  /// - Returns: How many transactions there are.
  func verify() throws(SQLiteError) -> Int {
    let check = try database.prepare("pragma integrity_check")
    if try check.step(), let text = check.text(0), text != "ok" { throw .damaged(text) }
    var count = 0
    try forEachTransaction { (transaction) throws(SQLiteError) in
      count += 1
      _ = try changes(of: transaction)
      return true
    }
    return count
  }

  // MARK: Writing

  /// Runs `body` as one transaction of SQLite's, which is durable when this returns.
  func commit<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    try database.execute("begin immediate")
    do throws(SQLiteError) {
      let result = try body()
      try database.execute("commit")
      return result
    } catch {
      // Some errors have rolled back already.
      try? database.execute("rollback")
      throw error
    }
  }

  /// Adds a transaction behind the last one, later than it.
  func append(
    from former: UInt64?,
    to latter: UInt64,
    at time: Int64,
    hasForgotten: Bool = false,
    _ changes: some Sequence<Change> = EmptyCollection()
  ) throws(SQLiteError) {
    let last = try last()
    var transaction = JournalTransaction(
      number: (last?.number ?? 0) + 1,
      at: max(time, last.map { $0.at + 1 } ?? .min),
      from: former,
      to: latter
    )
    transaction.hasForgotten = hasForgotten
    // Its row comes last, when its changes are counted.
    try database.execute("pragma defer_foreign_keys = on")
    let insertion = try database.prepare(
      "insert into changes values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    )
    var place: Int64 = 0
    for change in changes {
      place += 1
      try insertion.bind(Self.values(of: change, transaction.number, place))
      _ = try insertion.step()
      transaction.counts.count(change)
    }
    try insert(transaction)
  }

  private func insert(_ transaction: JournalTransaction) throws(SQLiteError) {
    let insertion = try database.prepare(
      "insert into transactions (\(JournalTransaction.columns)) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    )
    try insertion.bind(transaction.values)
    _ = try insertion.step()
  }

  private static func values(
    of change: Change,
    _ number: Int64,
    _ place: Int64
  ) -> [SQLiteValue] {
    let texts = [
      change.kind.rawValue, change.action.rawValue, change.id,
      change.before?.journalText(of: change.kind), change.after?.journalText(of: change.kind),
    ]
    return [.number(number), .number(place)] + texts.map { .text($0) } + [
      .number(checksum(["\(number) \(place)"] + texts))
    ]
  }

  /// Removes the last transaction, which came to nothing.
  func removeLast() throws(SQLiteError) {
    try database.run(
      "delete from transactions where number = (select max(number) from transactions)"
    )
  }

  /// The folder of the snapshot that it leads to; `nil` where none is recorded.
  func folder() throws(SQLiteError) -> String? {
    let row = try database.prepare("select folder from history")
    return try row.step() ? row.text(0) : nil
  }

  func note(folder: String?) throws(SQLiteError) {
    try database.run("update history set folder = ?1 where folder is not ?1", .text(folder))
  }

  /// Sets how long it is kept.
  func keep(_ period: RetentionPeriod?) throws(SQLiteError) {
    try database.run("update history set keep = ?1", .text(period?.text))
  }

  /// Removes what is older than a time; the record then begins there.
  ///
  /// - Returns: How many transactions were removed, beginnings not counted.
  func prune(before horizon: Int64) throws(SQLiteError) -> Int {
    let rows = try database.prepare(
      """
      select \(JournalTransaction.columns) from transactions where at < ?1
        order by number desc limit 1
      """,
      .number(horizon)
    )
    guard try rows.step() else { return 0 }
    let newest = try JournalTransaction(rows)
    let removed = try database.run(
      "delete from transactions where number <= ?1 and former is not null",
      .number(newest.number)
    )
    guard removed > 0 else { return 0 }
    try database.run("delete from transactions where number <= ?1", .number(newest.number))
    try insert(
      JournalTransaction(number: newest.number, at: horizon, from: nil, to: newest.latter)
    )
    return removed
  }

  /// Erases a person's values.
  ///
  /// - Parameters:
  ///   - id: Whose.
  ///   - isThere: Whether they are in the directory; of others the id goes, too.
  /// - Returns: In how many transactions there were any.
  /// - Throws: Why it cannot be written.
  func forget(_ id: DirectoryModel.UserID, isThere: Bool) throws(SQLiteError) -> Int {
    let rows = try database.prepare(
      "select \(Self.changeColumns) from changes where kind = 'user' and id = ?1 and id <> ''",
      .text(id.rawValue)
    )
    var found: [(number: Int64, place: Int64, change: Change)] = []
    while try rows.step() {
      let change = try Self.change(rows)
      if !(change.isForgotten && isThere) {
        found.append((rows.number(0), rows.number(1), change.forgotten(isThere: isThere)))
      }
    }
    let replacement = try database.prepare(
      "replace into changes values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
    )
    for row in found {
      try replacement.bind(Self.values(of: row.change, row.number, row.place))
      _ = try replacement.step()
    }
    return found.count
  }
}

extension Change {
  fileprivate func forgotten(isThere: Bool) -> Change {
    Change(
      kind: .user,
      action: action == .moved ? .changed : action,
      id: isThere ? id : "",
      before: before.map { _ in .forgotten(.user) },
      after: after.map { _ in .forgotten(.user) }
    )
  }
}
