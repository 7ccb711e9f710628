import DirectoryModel
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("The plan of an import")
struct ImportPlanTests {
  private static let company = ImportFiles(
    departments: [
      .init(id: "a", name: "Lamps"), .init(id: "b", parent: "a", name: "Lenses"),
      .init(id: "c", parent: "b", name: "Grinding"),
    ],
    users: [
      .init(id: "u1", department: "a", name: "Ngaire Holm", title: "Keeper"),
      .init(id: "u2", department: "b", name: "Tomasz Brandt", title: "Grinder"),
      .init(id: "u3", department: "c", name: "灯 美"),
    ],
    memberships: [.init(user: "u3", department: "a", title: "Guest")]
  )

  private func plan(
    _ files: ImportFiles,
    replace: Bool = false,
    _ conninfo: String
  ) async throws -> (ChangeTotals, [Change]) {
    let importer = try await DirectoryImporter(
      conninfo: conninfo,
      files: ImportFiles.names,
      replace: replace,
      planAlone: true
    )
    try await files.stage(in: importer)
    try await importer.lockOutWriters()
    #expect(try await importer.check(limit: 1).total == 0)
    let summary = try await importer.plan(listed: true)
    var changes: [Change] = []
    while true {
      let more = try await importer.nextChanges()
      if more.isEmpty { break }
      changes += more
    }
    await importer.rollback()
    return (summary, changes)
  }

  private func place(_ id: String, _ name: String) -> Change.Place {
    Change.Place(id: DepartmentID(id), name: name)
  }

  @Test func `into an empty database names everything as added`() async throws {
    try await withDirectory { conninfo in
      let (summary, changes) = try await plan(Self.company, conninfo)
      #expect(summary.departments == ChangeCounts(added: 3))
      #expect(summary.users == ChangeCounts(added: 3))
      #expect(summary.memberships == ChangeCounts(added: 4))
      #expect(changes.map(\.id) == ["c", "a", "b", "u1", "u2", "u3"])
      #expect(changes.allSatisfy { $0.action == .added && $0.differences.values.isEmpty })
      #expect(changes[at: 0]?.to == place("b", "Lenses"))
      #expect(changes[at: 1]?.to == nil)
      #expect(changes[at: 5]?.to == place("c", "Grinding"))
      #expect(changes[at: 5]?.differences.joined == [place("a", "Lamps")])
      let sql = try await SQLSession(conninfo)
      #expect(try await sql.value("select count(*) from staffbook.departments") == "0")
    }
  }

  @Test func `of what is there already is empty`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      for replace in [false, true] {
        let (summary, changes) = try await plan(Self.company, replace: replace, conninfo)
        #expect(summary.isEmpty)
        #expect(changes.isEmpty)
      }
    }
  }

  @Test func `tells values, moves, memberships and removals by name`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      var files = Self.company
      files.departments = [
        .init(id: "a", name: "Lamps", sortOrder: 7), .init(id: "c", parent: "a", name: "Polishing"),
        .init(id: "d", parent: "c", name: "Sand"),
      ]
      files.users = [
        .init(id: "u1", department: "a", name: "Ngaire Holm", title: "Head", email: "n@x.example"),
        .init(id: "u3", department: "a", name: "灯 美", title: "Host"),
      ]
      files.memberships = [.init(user: "u1", department: "d")]
      let (summary, changes) = try await plan(files, replace: true, conninfo)
      #expect(summary.departments == ChangeCounts(added: 1, changed: 1, moved: 1, removed: 1))
      #expect(summary.users == ChangeCounts(changed: 1, moved: 1, removed: 1))
      #expect(summary.memberships == ChangeCounts(added: 1, changed: 2, removed: 2))
      #expect(
        changes.map { "\($0.action) \($0.kind) \($0.name)" } == [
          "added department Sand", "changed department Lamps", "moved department Polishing",
          "removed department Lenses", "changed user Ngaire Holm", "moved user 灯 美",
          "removed user Tomasz Brandt",
        ]
      )
      let (lamps, lenses) = (place("a", "Lamps"), place("b", "Lenses"))
      #expect(
        changes.map(\.from) == [nil, nil, lenses, lamps, lamps, place("c", "Polishing"), lenses]
      )
      #expect(changes.map(\.to) == [place("c", "Polishing"), nil, lamps, nil, lamps, lamps, nil])
      #expect(
        changes.map(\.differences.values) == [
          [], [.init(field: "sort_order", old: "0", new: "7")],
          [.init(field: "name", old: "Grinding", new: "Polishing")], [],
          [
            .init(field: "email", old: "", new: "n@x.example"),
            .init(field: "title", department: lamps, old: "Keeper", new: "Head"),
          ], [.init(field: "title", department: lamps, old: "Guest", new: "Host")], [],
        ]
      )
      #expect(changes.map(\.differences.joined) == [[], [], [], [], [place("d", "Sand")], [], []])
      #expect(changes.allSatisfy { $0.differences.left.isEmpty })
    }
  }

  @Test func `takes a new membership in the primary department for the old one's values`()
    async throws
  {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let files = ImportFiles(
        users: [
          .init(id: "u2", department: "c", name: "Tomasz Brandt", title: "Head", sortOrder: 3)
        ]
      )
      let (summary, changes) = try await plan(files, conninfo)
      #expect(summary.users == ChangeCounts(moved: 1))
      let values: [ChangeDifferences.Value] = [
        .init(
          field: "title",
          department: place("c", "Grinding"),
          old: "Grinder",
          new: "Head"
        ),
        .init(field: "sort_order", department: place("c", "Grinding"), old: "0", new: "3"),
      ]
      #expect(changes.map(\.differences.values) == [values])
      #expect(
        changes[at: 0]?.differences.joined.isEmpty == true
          && changes[at: 0]?.differences.left.isEmpty == true
      )
    }
  }

  @Test func `locks no session out and waits for none`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let other = try await SQLSession(conninfo)
      try await other.run("begin; update staffbook.users set name = 'x' where id = 'u1'")
      let (summary, _) = try await plan(Self.company, conninfo)
      #expect(summary.isEmpty)
      try await other.run("commit")
    }
  }
}

@Suite("Accepted deletions")
struct ImportAcceptanceTests {
  private static let company = ImportFiles(
    departments: [.init(id: "a"), .init(id: "b", parent: "a")],
    users: [.init(id: "u1", department: "a"), .init(id: "u2", department: "b")]
  )

  private func removeSome(accepting: Bool, _ conninfo: String) async throws {
    let less = ImportFiles(
      departments: [.init(id: "a")],
      users: [.init(id: "u1", department: "a")]
    )
    let importer = try await less.locked(conninfo, replace: true)
    _ = try await importer.check(limit: 1)
    _ = try await importer.plan()
    #expect(try await importer.removed(.user, atMost: 9).map(\.id) == ["u2"])
    try await importer.apply(acceptingDeletions: accepting)
    try await importer.commit()
  }

  @Test func `are recorded with their transaction and counts`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let sql = try await SQLSession(conninfo)
      try await removeSome(accepting: true, conninfo)
      #expect(
        try await sql.rows(
          "select departments, users, memberships from staffbook.accepted_deletions"
        ) == [["1", "1", "1"]]
      )
      #expect(
        try await sql.rows("select changed_in from staffbook.accepted_deletions")
          == sql.rows("select distinct changed_in from staffbook.tombstones")
      )
      #expect(
        try await sql.value(
          "select has_table_privilege('staffbook_reader', 'staffbook.accepted_deletions', 'select')"
        ) == "t"
      )
      try await removeSomeAgain(conninfo)
      #expect(try await sql.value("select count(*) from staffbook.accepted_deletions") == "1")
    }
  }

  /// Nothing is removed this time, and nothing is recorded.
  private func removeSomeAgain(_ conninfo: String) async throws {
    let outcome = try await importFiles(
      ImportFiles(departments: [.init(id: "a")], users: [.init(id: "u1", department: "a")]),
      replace: true,
      conninfo
    )
    guard case .done(let summary) = outcome else { return #expect(Bool(false)) }
    #expect(summary.isEmpty)
  }

  @Test func `are not recorded unless they were accepted`() async throws {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      try await removeSome(accepting: false, conninfo)
      let sql = try await SQLSession(conninfo)
      #expect(try await sql.value("select count(*) from staffbook.accepted_deletions") == "0")
    }
  }

  @Test func `count only for a reader who has not seen their transaction`()
    async throws
  {
    try await withDirectory { conninfo in
      try await importFiles(Self.company, conninfo)
      let before = try #require(try await watermark(conninfo))
      try await removeSome(accepting: true, conninfo)
      let after = try #require(try await watermark(conninfo))
      var accepted = try await DirectoryImporter.acceptedDeletions(
        since: before.xmin,
        seen: before.seen,
        conninfo: conninfo
      )
      #expect(accepted.users == 1 && accepted.departments == 1 && accepted.memberships == 1)
      #expect(accepted.transactions.count == 1)
      let seen = try await ledger(conninfo)
      #expect(accepted.transactions.allSatisfy(seen.map(\.transaction).contains))
      accepted = try await DirectoryImporter.acceptedDeletions(
        since: after.xmin,
        seen: after.seen,
        conninfo: conninfo
      )
      #expect(accepted.isEmpty)
      // A watermark below the transaction, which was seen all the same while another was open.
      accepted = try await DirectoryImporter.acceptedDeletions(
        since: before.xmin,
        seen: seen,
        conninfo: conninfo
      )
      #expect(accepted.isEmpty)
      // The same number with another token is another transaction.
      let others = seen.map {
        LedgerEntry(transaction: $0.transaction, token: LedgerToken(high: 1, low: 2))
      }
      accepted = try await DirectoryImporter.acceptedDeletions(
        since: before.xmin,
        seen: others,
        conninfo: conninfo
      )
      #expect(accepted.users == 1)
    }
  }

  @Test func `of another cluster or of transactions to come count for nothing`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.accepted_deletions (departments, users, memberships, system_identifier)
          values (1, 100, 100, 1);
        insert into staffbook.accepted_deletions (changed_in, departments, users, memberships)
          values ('999999999999', 1, 100, 100);
        """
      )
      let accepted = try await DirectoryImporter.acceptedDeletions(
        since: 3,
        seen: [],
        conninfo: conninfo
      )
      #expect(accepted.isEmpty)
    }
  }

  private func watermark(_ conninfo: String) async throws -> SourceWatermark? {
    try await DirectoryRepository(conninfo: conninfo).load().source.watermark
  }

  private func ledger(_ conninfo: String) async throws -> [LedgerEntry] {
    let half = "('x' || substr(replace(token::text, '-', ''), %, 16))::bit(64)::int8"
    let rows = try await SQLSession(conninfo).rows(
      """
      select changed_in, \(half.replacing("%", with: "1")), \(half.replacing("%", with: "17"))
        from staffbook.ledger
      """
    )
    return rows.map { row in
      LedgerEntry(
        transaction: UInt64(row[0]) ?? 0,
        token: LedgerToken(
          high: UInt64(bitPattern: Int64(row[1]) ?? 0),
          low: UInt64(bitPattern: Int64(row[2]) ?? 0)
        )
      )
    }
  }
}
