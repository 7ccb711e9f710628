import DirectoryModel
import DirectoryStore
import LibPQ
import Seeds
import Synchronization
import TestSupport
import Testing

/// How many copies of the tables a history is compared with.
private let momentCount = rounds(8, thorough: 20)

@Suite("History beside many writers", .serialized)
struct RecordedHistoryTests {
  @Test func `replays to today's tables, and shows them as they were at any moment`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    let cluster = try await PostgresCluster.make(settings: ["max_prepared_transactions": "10"])
    let conninfo = cluster.conninfo()
    _ = try await Migrator().migrate(conninfo: conninfo)
    let sql = try await SQLSession(conninfo)
    try await sql.run(HistoryWriter.beginning)

    let end = End()
    var copies: [(time: Int64, rows: DirectoryRows)] = []
    var totals = (commits: 0, rollbacks: 0)
    try await withThrowingTaskGroup(of: (commits: Int, rollbacks: Int).self) { group in
      for number in 0..<8 {
        group.addTask {
          var writer = try await HistoryWriter(conninfo, seed: seed &+ UInt64(number))
          while !end.isReached { try await writer.writeOnce() }
          return (writer.commits, writer.rollbacks)
        }
      }
      group.addTask {
        var other = try await RareWriter(conninfo, seed: seed &+ 99)
        while !end.isReached { try await other.writeOnce() }
        return (other.commits, 0)
      }
      defer { end.reach() }
      copies = try await Self.copies(of: conninfo, seed: seed)
      end.reach()
      for try await one in group {
        totals.commits += one.commits
        totals.rollbacks += one.rollbacks
      }
    }

    #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
    #expect(try await sql.rows("select 1 from staffbook.transactions where at is null") == [])
    let steps = try await Self.replay(sql)
    try await Self.compare(copies, conninfo)
    print(
      "recorded history: \(totals.commits) commits, \(totals.rollbacks) rollbacks, \(steps) changes "
        + "replayed, \(copies.count) moments compared; seed \(seed)"
    )
  }

  @Test func `undone transaction by transaction, newest first, ends with an empty directory`()
    async throws
  {
    let seed = UInt64.random(in: .min ... .max)
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(HistoryWriter.beginning)
      var writer = try await HistoryWriter(conninfo, seed: seed)
      while writer.commits < 60 { try await writer.writeOnce() }
      let history = try await DirectoryHistory(conninfo: conninfo, doing: "undo")
      let editor = try await DirectoryEditor(
        conninfo: conninfo,
        authorship: Authorship(actor: "the test", reason: "undo"),
        doing: "undo"
      )
      let transactions = try await history.transactions(HistoryFilter())
      var undone = 0
      for transaction in transactions {
        let changes = try await history.changes(in: [transaction])[0]
        try await sql.run(Self.declarations(of: transaction, hadBefore: true))
        let inverse = Self.inverse(of: changes)
        let conflicts = try await editor.apply(inverse)
        #expect(conflicts == [], "transaction \(transaction.number), seed \(seed)")
        try await editor.commit()
        try await sql.run(Self.declarations(of: transaction, hadBefore: false))
        undone += inverse.count
      }
      for table in ["departments", "users", "memberships", "fields"] {
        #expect(try await sql.value("select count(*) from staffbook.\(table)") == "0", "\(table)")
      }
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
      print("undone: \(transactions.count) transactions, \(undone) records; seed \(seed)")
    }
  }

  /// One change for each id: an id that passed to another record has a removal and an addition.
  private static func inverse(of changes: [Change]) -> [Change] {
    var states: [RecordKey: (before: Change.State?, after: Change.State?)] = [:]
    for change in changes {
      let key = RecordKey(change)
      states[key, default: (nil, nil)].before = change.before ?? states[key]?.before
      states[key, default: (nil, nil)].after = change.after ?? states[key]?.after
    }
    return states.compactMap { key, state in
      Change(key.kind, key.id, from: state.after, to: state.before)
    }
  }

  /// Declares again what a transaction removed or changed, or removes what it declared.
  private static func declarations(of transaction: RecordedTransaction, hadBefore: Bool) -> String {
    hadBefore
      ? """
      insert into staffbook.fields (of, name, kind, label, is_multiple, is_searched, sort_order)
        select c.key1, c.key2, c.before ->> 'kind', c.before ->> 'label',
            (c.before ->> 'is_multiple')::boolean, (c.before ->> 'is_searched')::boolean,
            (c.before ->> 'sort_order')::bigint
          from staffbook.changes c where c.transaction = \(transaction.number)
            and c.kind = 'field' and c.before is not null
        on conflict (of, name) do update set label = excluded.label
      """
      : """
      delete from staffbook.fields f using staffbook.changes c
        where c.transaction = \(transaction.number) and c.kind = 'field' and c.before is null
          and f.of = c.key1 and f.name = c.key2
      """
  }

  /// The tables at random moments when no one is writing.
  private static func copies(
    of conninfo: String,
    seed: UInt64
  ) async throws -> [(time: Int64, rows: DirectoryRows)] {
    var random = SeededGenerator(seed: seed ^ 0xC0B1)
    let session = try await PGSession.connect(conninfo: conninfo)
    var copies: [(time: Int64, rows: DirectoryRows)] = []
    while copies.count < momentCount {
      try await Task.sleep(for: .milliseconds(Int.random(in: 1...60, using: &random)))
      let copy = try await session.withConnection { (connection) throws(PostgresError) in
        try Self.copy(&connection)
      }
      if let copy { copies.append(copy) }
    }
    return copies
  }

  /// - Returns: `nil` where a writer holds a lock for longer, or where this is ended as the victim of a deadlock
  ///   with one that locks the tables in another order, which on a busy machine is not always the writer.
  private static func copy(
    _ connection: inout PGConnection
  ) throws(PostgresError) -> (time: Int64, rows: DirectoryRows)? {
    do throws(PostgresError) {
      try connection.executeScript(
        """
        begin; set local lock_timeout = '3s'; set local deadlock_timeout = '2s';
        lock table staffbook.departments, staffbook.users, staffbook.memberships, staffbook.fields
          in share mode
        """
      )
    } catch {
      guard error.isTransient else { throw error }
      try connection.executeScript("rollback")
      return nil
    }
    let time = try connection.execute(
      "select (extract(epoch from clock_timestamp()) * 1000000)::int8"
    ).text(row: 0, column: 0)
    let rows = try DirectoryRows(&connection)
    try connection.executeScript("commit")
    return (Int64(time ?? "") ?? 0, rows)
  }

  /// Takes every change in the order of times; each begins where the one before it ended.
  ///
  /// - Returns: How many there are.
  private static func replay(_ sql: SQLSession) async throws -> Int {
    let changes = try await sql.rows(
      """
      select c.kind || ' ' || c.key1 || ' ' || c.key2, c.before::text, c.after::text
        from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
        order by t.at, c.place
      """
    )
    var state: [String: String] = [:]
    for change in changes {
      #expect((state[change[0]] ?? "∅") == change[1], "\(change)")
      #expect(change[at: 1] != change[at: 2], "\(change)")
      state[change[0]] = change[2] == "∅" ? nil : change[2]
    }
    let tables = try await sql.rows(
      """
      select 'department ' || id || ' ', to_jsonb(t) - '{id,changed_in,identity}'::text[]
          from staffbook.departments t
        union all select 'user ' || id || ' ', to_jsonb(t) - '{id,changed_in,identity}'::text[]
          from staffbook.users t
        union all select 'membership ' || user_id || ' ' || department_id,
            to_jsonb(t) - '{user_id,department_id,changed_in}'::text[] from staffbook.memberships t
        union all select 'field ' || of || ' ' || name, to_jsonb(t) - '{of,name}'::text[]
          from staffbook.fields t
      """
    )
    #expect(state == Dictionary(uniqueKeysWithValues: tables.map { ($0[0], $0[1]) }))
    return changes.count
  }

  private static func compare(
    _ copies: [(time: Int64, rows: DirectoryRows)],
    _ conninfo: String
  ) async throws {
    let loaded = try await DirectoryRepository(conninfo: conninfo).read(since: nil)
    var today = DirectoryState()
    today.apply(loaded)
    let history = try await DirectoryHistory(conninfo: conninfo, doing: "look back")
    for copy in copies {
      var then = today
      then.apply(try await history.changes(backTo: copy.time))
      var (rows, truth) = (then.rows, copy.rows)
      // Some write past the triggers, and what they did to one record or to two is not known then.
      (rows.identities, truth.identities) = ([], [])
      #expect(rows.difference(from: truth) == nil)
    }
    var beginning = today
    beginning.apply(try await history.changes(backTo: try await history.beginning()))
    #expect(beginning.rows.count == 0)
  }
}

private final class End: Sendable {
  private let reached = Atomic(false)

  var isReached: Bool { reached.load(ordering: .relaxed) }

  func reach() { reached.store(true, ordering: .relaxed) }
}

/// What few people do: prepared transactions, imports, TRUNCATE, constraints made immediate.
private struct RareWriter {
  private var random: SeededGenerator
  private let session: PGSession
  private let conninfo: String
  private(set) var commits = 0

  init(_ conninfo: String, seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    self.conninfo = conninfo
    session = try await PGSession.connect(conninfo: conninfo)
    try await run("set lock_timeout = '200ms'")
  }

  mutating func writeOnce() async throws {
    try await Task.sleep(for: .milliseconds(Int.random(in: 1...40, using: &random)))
    do {
      switch Int.random(in: 0...11, using: &random) {
      case 0:
        try await run("begin; truncate staffbook.memberships, staffbook.users; commit")
      case 1...3: try await importSomething()
      case 4...7:
        let end = Bool.random(using: &random) ? "commit" : "rollback"
        try await run("begin; \(email()); prepare transaction 'p'")
        try await run("\(end) prepared 'p'")
      default:
        try await run(
          "begin; \(email()); set constraints all immediate; \(email()); savepoint s; \(email());"
            + (Bool.random(using: &random) ? "rollback to s;" : "") + "\(email()); commit"
        )
      }
      commits += 1
    } catch let error as PostgresError where !error.isConnectionGone {
      try await run("rollback")
      // Left behind where it was not decided within the time for a lock.
      try? await run("rollback prepared 'p'")
    } catch let error as DirectoryError where error.kind != .bug {
      // The user held a lock for too long, or what was to be imported did not fit.
    }
  }

  private mutating func email() -> String {
    let number = Int.random(in: 1...80, using: &random)
    return "update staffbook.users set email = 'r' || random() where id = 'u\(number)'"
  }

  private mutating func importSomething() async throws {
    var files = ImportFiles()
    for _ in 0..<3 {
      let number = Int.random(in: 1...80, using: &random)
      guard !files.users.contains(where: { $0.id == "u\(number)" }) else { continue }
      files.users.append(
        ImportFiles.User(id: "u\(number)", department: "open", title: "t\(number % 3)")
      )
    }
    let importer = try await files.locked(conninfo)
    guard try await importer.check(limit: 1).total == 0 else { return await importer.rollback() }
    _ = try await importer.plan()
    try await importer.apply()
    try await importer.commit()
  }

  private func run(_ sql: String) async throws {
    try await session.withConnection { (connection) throws(PostgresError) in
      for statement in sql.split(separator: ";") where !statement.allSatisfy(\.isWhitespace) {
        try connection.executeScript(String(statement))
      }
    }
  }
}
