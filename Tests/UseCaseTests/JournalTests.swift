import Administration
import ChangeHistory
import DirectoryModel
import DirectorySnapshot
import LibPQ
import Platform
import SQLite
import Seeds
import SiteSettings
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryReading
@testable import LiveDirectory

/// Tables of a company's own that change at random, and what the syncs of them left behind.
private struct OwnTables {
  static let beginning = """
    create table unit (no text primary key, above text, title text, note text, rank int);
    create table person (no text primary key, unit text, full_name text, mail text, phone text,
      office text);
    create table post (person text, unit text, role text, rank int, leads boolean,
      primary key (person, unit));
    insert into unit select 'd' || n, case when n > 0 then 'd' || (n - 1) / 3 end, 'Unit ' || n, '', 0
      from generate_series(0, 19) n;
    insert into person select 'u' || n, 'd' || n % 20, 'Person ' || n, '', '', ''
      from generate_series(0, 59) n;
    insert into post select no, unit, 'Role', 0, false from person;
    """

  static let configuration = """
    source:
      departments: select no as id, above as parent_id, title as name, note as description,
        rank as sort_order from unit
      users: select no as id, unit as department_id, full_name as name, mail as email, phone, office
        from person
      memberships: select person as user_id, unit as department_id, role as title,
        rank as sort_order, leads from post
      fields: office

    """

  var generator: SeededGenerator
  private var next = 100

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A few statements; the tree stays one, since what is above has a smaller number.
  mutating func change() -> String {
    (0..<Int.random(in: 1...6, using: &generator)).map { _ in statement() }
      .joined(separator: ";\n")
  }

  private mutating func statement() -> String {
    next += 1
    let value = "'v\(next) é\u{202E}\n'"
    let person = "(select no from person order by md5(no || '\(next)') limit 1)"
    let unit = "(select no from unit order by md5(no || '\(next)') limit 1)"
    switch Int.random(in: 0..<12, using: &generator) {
    case 0:
      return """
        insert into person values ('u\(next)', 'd0', \(value), '', '', '');
        insert into post values ('u\(next)', 'd0', '', 0, false)
        """
    case 1:
      return """
        with gone as (delete from person where no = \(person) returning no)
        delete from post using gone where person = no
        """
    case 2: return "update person set full_name = \(value) where no = \(person)"
    case 3: return "update person set mail = \(value), office = \(value) where no = \(person)"
    case 4:
      return """
        with p as (select \(person) as no), u as (select \(unit) as no),
          added as (insert into post select p.no, u.no, \(value), 1, true from p, u
            on conflict do nothing)
        update person set unit = u.no from p, u where person.no = p.no
        """
    case 5:
      return """
        delete from post where (person, unit) = (select person, unit from post o
          where not exists (select from person p where p.no = o.person and p.unit = o.unit)
          order by md5(person || unit || '\(next)') limit 1)
        """
    case 6: return "update post set role = \(value), leads = not leads where person = \(person)"
    case 7: return "update unit set title = \(value), note = \(value) where no = \(unit)"
    case 8: return "insert into unit values ('e\(next)', \(unit), \(value), '', 3)"
    case 9:
      return """
        delete from unit where no = (select no from unit u
          where not exists (select from post where post.unit = u.no)
            and not exists (select from unit b where b.above = u.no)
          order by md5(no) limit 1)
        """
    case 10:
      // What has nothing below it may go anywhere.
      return """
        update unit set above = 'd0' where no = (select no from unit u
          where no <> 'd0' and not exists (select from unit b where b.above = u.no)
          order by md5(no || '\(next)') limit 1)
        """
    default: return "update unit set rank = rank + 1 where no = \(unit)"
    }
  }
}

@Suite("The journal of syncs")
struct JournalTests {
  private func withSession(
    seed: UInt64,
    _ body: (Session, inout PGConnection, inout OwnTables) async throws -> Void
  ) async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase { conninfo in
      try scratch.write(Array(OwnTables.configuration.utf8), to: "config/config.yaml")
      let settings = try Settings(
        environment: [
          "STAFFBOOK_HOME": scratch.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
          "STAFFBOOK_LOCALE": "und",
        ]
      )
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript(OwnTables.beginning)
      var tables = OwnTables(seed: seed)
      try await body(Session(settings: settings) { _ in }, &connection, &tables)
    }
  }

  private func sync(_ session: Session) async throws {
    var options = SyncOptions()
    options.acceptDeletions = true
    _ = try await SnapshotSync(Administrator(session, to: "test")).sync(options)
  }

  private func log(_ session: Session, limit: Int? = nil) async throws -> [LogEntry] {
    var request = LogRequest()
    request.limit = limit
    request.withChanges = true
    var entries: [LogEntry] = []
    try await HistoryReader(session).log(request) { entries.append($0) }
    return entries
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `says between any two syncs what differs between their snapshots`(seed: UInt64)
    async throws
  {
    try await withSession(seed: seed) { session, connection, tables in
      try await sync(session)
      var states: [(number: Int64, snapshot: DirectorySnapshot)] = []
      for _ in 0..<rounds(14, thorough: 25) {
        try connection.executeScript(tables.change())
        try await sync(session)
        let newest = try #require(try await log(session, limit: 1).first)
        let number = newest.transaction.number
        if states.last?.number == number { continue }
        // A mapped snapshot stays what it was when another one takes its place.
        states.append((number, try DirectorySnapshot(path: session.site.snapshots.path)))
      }
      try #require(states.count > rounds(7, thorough: 15))
      for (index, former) in states.enumerated() {
        for latter in states[index...] {
          let expected = try differences(former.snapshot, latter.snapshot)
          let found = try await HistoryReader(session).differences(
            from: "\(former.number)",
            to: "\(latter.number)",
            department: nil
          ).records.map(\.change)
          let sides = Dictionary(found.map { (Key($0), Sides($0)) }, uniquingKeysWith: { $1 })
          #expect(
            sides == expected && sides.count == found.count,
            "seed \(seed), \(former.number) to \(latter.number)"
          )
        }
      }
      for state in states {
        let past = try await HistoryReader(session).directory(asOf: "\(state.number)")
        #expect(
          try differences(past.snapshot, state.snapshot).isEmpty,
          "seed \(seed), as of \(state.number)"
        )
      }
    }
  }

  private struct Key: Hashable {
    let kind: RecordKind
    let id: String

    init(_ kind: RecordKind, _ id: String) { (self.kind, self.id) = (kind, id) }
    init(_ change: Change) { self.init(change.kind, change.id) }
  }

  /// What a change says but for the names of departments.
  private struct Sides: Equatable {
    let before: [Change.Item: ItemText]?
    let after: [Change.Item: ItemText]?

    init(_ change: Change) {
      before = change.before?.items(of: change.kind)
      after = change.after?.items(of: change.kind)
    }
  }

  private func differences(
    _ former: DirectorySnapshot,
    _ latter: DirectorySnapshot
  ) throws -> [Key: Sides] {
    var ids: Set<Key> = []
    for snapshot in [former, latter] {
      let (departments, users) = (try snapshot.departments(), try snapshot.users())
      for row in 0..<departments.count { ids.insert(Key(.department, try departments.ids[row])) }
      for row in 0..<users.count { ids.insert(Key(.user, try users.ids[row])) }
    }
    var sides: [Key: Sides] = [:]
    for key in ids {
      let change = Change(
        key.kind,
        key.id,
        from: try former.state(of: key.kind, key.id),
        to: try latter.state(of: key.kind, key.id)
      )
      if let change { sides[key] = Sides(change) }
    }
    return sides
  }

  @Test func `of a sync that died before its snapshot had its name is as before`() async throws {
    try await withSession(seed: 7) { session, connection, tables in
      try await sync(session)
      for _ in 0..<4 {
        try connection.executeScript(tables.change() + "; update unit set rank = rank + 1")
        try await sync(session)
      }
      let snapshot = session.site.snapshots.path
      let former = try await log(session)
      try connection.executeScript("update unit set rank = rank + 1 where no = 'd1'")
      let stored = try bytes(of: snapshot)
      try await sync(session)
      #expect(try await log(session).count == former.count + 1)
      try write(stored, to: snapshot)
      #expect(try await log(session).map(\.transaction) == former.map(\.transaction))
      try await sync(session)
      let found = try await log(session)
      #expect(found.dropFirst().map(\.transaction) == former.map(\.transaction))
      #expect(found.count == former.count + 1)
    }
  }

  /// What anyone who may write the file can do to a journal of six transactions, with SQLite's keys
  /// aside.
  private static let frauds = [
    "delete from transactions where number = 3",
    "delete from changes where number = 6; delete from transactions where number = 6",
    "delete from transactions where number > 3",
    "delete from transactions where number < 3",
    "delete from changes where number = 4 and place = 1",
    "update changes set number = 2, place = 99 where number = 3 and place = 1",
    "update changes set before = after, after = before where number = 4",
    "update changes set after = replace(after, 'v1', 'v2') where after like '%v1%'",
    "update changes set place = place + 1000 where number = 3",
    "insert into changes select number, place + 1000, kind, action, id || 'x', before, after, checksum from changes",
    "update transactions set number = -number; update transactions set number = 7 + number",
    "update transactions set former = latter where number = 4",
    "update transactions set at = at - 1000000000000 where number = 5",
    "update history set keep = '99999d'",
  ]

  @Test func `with rows removed, exchanged, altered or doubled is never believed`() async throws {
    try await withSession(seed: 9) { session, connection, tables in
      try await sync(session)
      for _ in 0..<5 {
        try connection.executeScript(
          tables.change() + "; update unit set rank = rank + 1, note = 'v1' || rank"
        )
        try await sync(session)
      }
      let path = session.site.journalPath
      let whole = try bytes(of: path)
      let sound = try await log(session)
      try #require(sound.count == 6)
      for fraud in Self.frauds {
        do {
          let database = try SQLiteDatabase.open(path, JournalDatabase.format)
          try database.execute("pragma foreign_keys = off; drop index changes_by_id; " + fraud)
        }
        let error = await #expect(throws: DirectoryError.self, "\(fraud)") {
          _ = try await self.log(session)
        }
        #expect(error?.kind == .badData, "\(fraud): \(String(describing: error))")
        #expect(error?.message.contains(path.string) == true)
        try write(whole, to: path)
      }
      for doubled in [
        "insert into changes select number, 99, kind, action, id, before, after, checksum from changes",
        "insert into transactions select * from transactions",
        "insert into changes select 99, place, kind, action, id, before, after, checksum from changes",
      ] {
        let database = try SQLiteDatabase.open(path, JournalDatabase.format)
        #expect(throws: SQLiteError.self, "\(doubled)") { try database.execute(doubled) }
      }
      #expect(try await log(session).map(\.changes) == sound.map(\.changes))
    }
  }

  @Test func `damaged anywhere is never believed`() async throws {
    try await withSession(seed: 9) { session, connection, tables in
      try await sync(session)
      for _ in 0..<3 {
        try connection.executeScript(tables.change() + "; update unit set rank = rank + 1")
        try await sync(session)
      }
      let path = session.site.journalPath
      let whole = try bytes(of: path)
      let sound = try await log(session)
      var refused = 0
      for place in stride(from: 0, to: whole.count, by: 131) {
        var bytes = whole
        bytes[place] ^= 1 << UInt8(place % 8)
        try write(bytes, to: path)
        do {
          #expect(try await log(session).map(\.changes) == sound.map(\.changes), "\(place)")
        } catch let error as DirectoryError {
          #expect(error.kind == .badData, "\(error)")
          refused += 1
        }
      }
      #expect(refused > 20)
    }
  }

  @Test func `goes on when a query is edited, with what that changed`() async throws {
    let scratch = try ScratchFolder()
    try await withTestDatabase { conninfo in
      var connection = try PGConnection(conninfo: conninfo)
      try connection.executeScript(OwnTables.beginning)
      func session(_ configuration: String) throws -> Session {
        try scratch.write(Array(configuration.utf8), to: "config/config.yaml")
        let settings = try Settings(
          environment: [
            "STAFFBOOK_HOME": scratch.path.string, "STAFFBOOK_DATABASE_URL": conninfo,
            "STAFFBOOK_LOCALE": "und",
          ]
        )
        return Session(settings: settings) { _ in }
      }
      let former = try session(OwnTables.configuration)
      try await sync(former)
      try connection.executeScript("update person set mail = 'a@x.example' where no = 'u1'")
      try await sync(former)
      let latter = try session(
        OwnTables.configuration.replacing(
          "full_name as name",
          with: "case no when 'u2' then 'Bo' else full_name end as name"
        )
      )
      #expect(latter.site.snapshots.folder != former.site.snapshots.folder)
      try await sync(latter)
      let found = try await log(latter)
      #expect(found.map(\.transaction.isBeginning) == [false, false, true])
      #expect(found.first?.changes.map(\.name) == ["Bo"])
      let past = try await HistoryReader(latter).directory(asOf: "2")
      #expect(try past.snapshot.state(of: .user, "u2")?.name == "Person 2")
    }
  }

  @Test func `is pruned without losing what is left`() async throws {
    try await withSession(seed: 11) { session, connection, tables in
      try await sync(session)
      for index in 0..<10 {
        // Horizons are whole seconds.
        if index == 5 { try await Task.sleep(for: .seconds(1.1)) }
        try connection.executeScript(tables.change() + "; update unit set rank = rank + 1")
        try await sync(session)
      }
      let sound = try await log(session)
      #expect(try await HistoryRetention(Administrator(session, to: "test")).keepHistory("1d") == 0)
      #expect(try await log(session).map(\.changes) == sound.map(\.changes))

      let journal = try #require(SyncJournal(of: session.site))
      let day: Int64 = 86_400_000_000
      let newest = sound.prefix(5)
      let cut = try #require(newest.last).transaction.at
      let snapshot = try DirectorySnapshot(path: session.site.snapshots.path)
      #expect(try journal.keep(RetentionPeriod("1d"), snapshot, now: cut + day) == 5)
      let kept = try await log(session)
      #expect(kept.dropLast().map(\.transaction) == newest.map(\.transaction))
      #expect(kept.dropLast().map(\.changes) == newest.map(\.changes))
      #expect(kept.last?.transaction.isBeginning == true)
      #expect(try DirectoryJournal(session.site).open().beginning() == cut / 1_000_000 * 1_000_000)
      _ = try await HistoryReader(session).directory(
        asOf: "\(newest.last?.transaction.number ?? 0)"
      )
      #expect(try permissions(of: journal.path) == 0o600)

      try connection.executeScript("update unit set rank = rank + 1")
      try await sync(session)
      #expect(try await log(session).dropFirst().map(\.changes) == kept.map(\.changes))
      // All is too old: what is left is a beginning, from which it goes on.
      let stored = try DirectorySnapshot(path: session.site.snapshots.path)
      #expect(try journal.keep(RetentionPeriod("1d"), stored, now: cut + 3 * day) == 6)
      try connection.executeScript("update unit set rank = rank + 1")
      try await sync(session)
      #expect(try await DirectoryJournal(session.site).keep(nil) == 0)
      #expect(try await log(session).count == 2)
    }
  }

  @Test func `goes back by the calendar`() throws {
    let leap: Int64 = 1_709_208_000_000_000  // 2024-02-29T12:00:00Z
    let times = try ["1d", "1w", "1m", "1y", "4y"].map {
      UTCTime.text(try RetentionPeriod($0).beginning(before: leap))
    }
    #expect(
      times == [
        "2024-02-28T12:00:00Z", "2024-02-22T12:00:00Z", "2024-01-29T12:00:00Z",
        "2023-03-01T12:00:00Z", "2020-02-29T12:00:00Z",
      ]
    )
  }

  private func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(path, .writeOnly, options: [.truncate])
    try file.closeAfter { _ = try file.writeAll(bytes) }
  }
}
