import Seeds
import DirectoryModel
import LibPQ
import Synchronization
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("Loading")
struct LoadTests {
  @Test func `equals a plain SELECT on whatever people write`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run("begin")
      for row in 0..<60 {
        let parent = row == 0 || row % 7 == 0 ? nil : "d\(Int.random(in: 0..<row, using: &random))"
        try await insertDepartment("d\(row)", parent: parent, sql, &random)
      }
      for row in 0..<200 { try await insertUser("u\(row)", sql, &random) }
      try await sql.run("commit")

      let records = try await DirectoryRepository(conninfo: conninfo).load().records
      #expect(
        cells(records.departments)
          == (try await sql.rows(
            "select id, coalesce(parent_id, ''), name, description, sort_order "
              + "from staffbook.departments order by id"
          )),
        "seed \(seed)"
      )
      #expect(
        cells(records.users)
          == (try await sql.rows(
            "select id, primary_department_id, name, email, phone "
              + "from staffbook.users order by id"
          )),
        "seed \(seed)"
      )
      #expect(
        cells(records.memberships)
          == (try await sql.rows(
            "select user_id, department_id, title, sort_order "
              + "from staffbook.memberships order by user_id, department_id"
          )),
        "seed \(seed)"
      )
    }
  }

  /// Text in every script, with all that COPY's format has to escape.
  private func text(_ random: inout SeededGenerator) -> String {
    let pieces = [
      "\t", "\n", "\r", "\\", "\\N", "\\.", "\u{8}", "\u{B}", "\u{C}", "\u{1}", "\u{7F}", "\"",
      "'", " ", "Åse", "e\u{301}", "日本", "עברית", "العربية", "हिन्दी", "👩🏽‍🚀", "\u{200B}", "\u{10FFFF}",
      "n", "t", "",
    ]
    let count = Int.random(in: 0...8, using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  private func number(_ random: inout SeededGenerator) -> Int64 {
    [Int64.min, .max, 0, -1, 7, Int64.random(in: .min ... .max, using: &random)]
      .randomElement(using: &random) ?? 0
  }

  private func insertDepartment(
    _ id: String,
    parent: String?,
    _ sql: SQLSession,
    _ random: inout SeededGenerator
  ) async throws {
    _ = try await sql.rows(
      """
      insert into staffbook.departments (id, parent_id, name, description, sort_order)
        values ($1, $2, $3, $4, $5)
      """,
      [
        .text(id), .text(parent), .text("n" + text(&random)), .text(text(&random)),
        .int64(number(&random)),
      ]
    )
  }

  private func insertUser(
    _ id: String,
    _ sql: SQLSession,
    _ random: inout SeededGenerator
  ) async throws {
    let department = "d\(Int.random(in: 0..<60, using: &random))"
    let id = id + text(&random)
    _ = try await sql.rows(
      """
      insert into staffbook.users (id, name, email, phone, primary_department_id)
        values ($1, $2, $3, $4, $5)
      """,
      [
        .text(id), .text("n" + text(&random)), .text(text(&random)), .text(text(&random)),
        .text(department),
      ]
    )
    _ = try await sql.rows(
      """
      insert into staffbook.memberships (user_id, department_id, title, sort_order)
        values ($1, $2, $3, $4)
      """,
      [.text(id), .text(department), .text(text(&random)), .int64(number(&random))]
    )
  }

  private func cells(_ table: DepartmentTable) -> [[String]] {
    (0..<table.count).map { table[$0] }.sorted { $0.id < $1.id }.map {
      [$0.id.rawValue, $0.parent?.rawValue ?? "", $0.name, $0.description, "\($0.sortOrder)"]
    }
  }

  private func cells(_ table: UserTable) -> [[String]] {
    (0..<table.count).map { table[$0] }.sorted { $0.id < $1.id }.map {
      [$0.id.rawValue, $0.primaryDepartment.rawValue, $0.name] + $0.contacts.all
    }
  }

  private func cells(_ table: MembershipTable) -> [[String]] {
    (0..<table.count).map { table[$0] }
      .sorted { ($0.user, $0.department) < ($1.user, $1.department) }.map {
        [$0.user.rawValue, $0.department.rawValue, $0.title, "\($0.sortOrder)"]
      }
  }

  @Test func `says where the state comes from and how far it reaches`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let source = try await DirectoryRepository(conninfo: conninfo).load().source
      let watermark = try #require(source.watermark)
      #expect(source.database == (try await sql.value("select current_database()")))
      #expect(
        watermark.systemIdentifier
          == (try await sql.value("select system_identifier from pg_control_system()"))
      )
      #expect(watermark.layout == (try await sql.value("select staffbook.layout()")))
      #expect(watermark.epoch == (try await sql.value("select epoch from staffbook.epoch")))
      let lowest = try await sql.value("select changed_in from staffbook.ledger")
      // Other tests' transactions may hold it back.
      #expect(watermark.proof.from <= (UInt64(lowest) ?? 0))
      #expect(watermark.proof.digest.utf8.count == 64)
      #expect(!source.isStandby)
      let now = try await sql.value("select (extract(epoch from now()) * 1000000)::int8")
      #expect(abs((Int64(now) ?? 0) - source.takenAt) < 600_000_000)
    }
  }

  @Test func `shows one state while others write`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await withThrowingTaskGroup { group in
        group.addTask {
          let writer = try await SQLSession(conninfo)
          for round in 0..<60 {
            try await writer.run(
              """
              begin;
              update staffbook.departments set description = '\(round)';
              update staffbook.users set email = '\(round)';
              update staffbook.memberships set title = '\(round)';
              commit;
              """
            )
          }
        }
        for _ in 0..<20 {
          let records = try await DirectoryRepository(conninfo: conninfo).load().records
          let marks = Set(
            (0..<records.departments.count).map { records.departments[$0].description }
              + (0..<records.users.count).map { records.users[$0].contacts[.email] }
          )
          #expect(marks.count == 1, "\(marks)")
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `reports how far it has come`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("analyze")
      let reports = Reports()
      _ = try await DirectoryRepository(conninfo: conninfo).load { reports.append($0) }
      #expect(reports.all.last == LoadProgress(rows: 10, expectedRows: 10))
    }
  }

  @Test func `of a database without a directory says how to make one`() async throws {
    try await withTestDatabase { conninfo in
      let error = await #expect(throws: DirectoryError.self) {
        try await DirectoryRepository(conninfo: conninfo).load()
      }
      let database = try await SQLSession(conninfo).value("select current_database()")
      #expect(
        error
          == DirectoryError(
            .badData,
            "cannot load the directory: the database \(database) has no Staffbook schema",
            advice: "run: \(.migrate)" as Advice
          )
      )
    }
  }

  @Test func `without a server is unavailable, in one line`() async throws {
    let error = await #expect(throws: DirectoryError.self) {
      try await DirectoryRepository(
        conninfo: "host=/nowhere/at/all,/nor/here user=x password=sesame"
      ).load()
    }
    #expect(error?.kind == .unavailable)
    #expect(error?.message.contains("/nor/here") == true)
    #expect(error?.message.contains("\n") == false)
    #expect(error?.message.contains("sesame") == false)
  }

  @Test func `does not start before a TRUNCATE that is under way has ended`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let epoch = try await sql.value("select epoch from staffbook.epoch")
      try await sql.run("begin; truncate staffbook.users cascade")
      async let loading = DirectoryRepository(conninfo: conninfo).load()
      try await waitForBlockedSession(try await SQLSession(conninfo))
      try await sql.run("commit")
      let loaded = try await loading
      #expect(loaded.records.users.count == 0)
      #expect(loaded.source.watermark?.epoch != epoch)
    }
  }
}

/// Waits until another session of the same database waits for a lock.
func waitForBlockedSession(_ sql: SQLSession) async throws {
  try await wait(until: "another session waits for a lock") {
    try await sql.value(
      """
      select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      """
    ) != "0"
  }
}

private final class Reports: Sendable {
  private let list = Mutex<[LoadProgress]>([])

  func append(_ report: LoadProgress) { list.withLock { $0.append(report) } }

  var all: [LoadProgress] { list.withLock { $0 } }
}
