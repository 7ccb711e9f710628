import DirectoryModel
import LibPQ
import Seeds
import TestSupport
import Testing

@testable import DirectoryStore

/// All departments and people of a company get the same new name in one import or edit, so that a
/// state between two of them has two names.
@Suite("A cancelled task")
struct CancellationTests {
  private enum Work: CaseIterable { case importing, editing, reading }

  private static let departments = (0..<20).map { "d\($0)" }
  private static let users = (0..<200).map { "u\($0)" }

  private static func rename(to name: String, _ conninfo: String) async throws {
    var files = ImportFiles()
    files.departments = departments.map { .init(id: $0, name: name) }
    files.users = users.map { .init(id: $0, department: "d1", name: name) }
    try await importFiles(files, conninfo)
  }

  private static func edit(to name: String, _ conninfo: String) async throws {
    let editor = try await DirectoryEditor(
      conninfo: conninfo,
      authorship: Authorship(),
      doing: "edit"
    )
    let present = try await editor.present(
      departments: departments.map { DepartmentID($0) },
      users: users.map { UserID($0) }
    )
    let kinds: [(RecordKind, [String])] = [(.department, departments), (.user, users)]
    let changes = kinds.flatMap { kind, ids in
      ids.compactMap { id -> Change? in
        guard let before = present.state(kind, id) else { return nil }
        var after = before
        after.values[0] = name
        after.name = name
        return Change(kind: kind, action: .changed, id: id, before: before, after: after)
      }
    }
    _ = try await editor.apply(changes)
    try await editor.commit()
  }

  private static func run(_ work: Work, to name: String, _ conninfo: String) async throws {
    switch work {
    case .importing: try await rename(to: name, conninfo)
    case .editing: try await edit(to: name, conninfo)
    case .reading: _ = try await DirectoryRepository(conninfo: conninfo).load()
    }
  }

  @Test(arguments: newSeeds(2))
  func `leaves the database as it was or as it was to be, and nothing behind`(
    seed: UInt64
  ) async throws {
    try await withDirectory { conninfo in
      var random = SeededGenerator(seed: seed)
      let sql = try await SQLSession(conninfo)
      try await Self.rename(to: "n", conninfo)
      var (name, cancelled) = ("n", 0)
      var longest: [Work: Duration] = [:]
      // A busy machine wakes the test late: works that end first have later ones cancelled sooner.
      var share: [Work: Double] = [:]
      var round = 0
      while round < 90 || cancelled <= 20 && round < 900 {
        defer { round += 1 }
        let comment: Comment = "seed \(seed), round \(round)"
        let work = Work.allCases[round % 3]
        let next = "n\(round)"
        let began = ContinuousClock.now
        let task = Task { try await Self.run(work, to: next, conninfo) }
        if let limit = longest[work] {
          let part = Double.random(in: 0...1.1, using: &random) * share[work, default: 1]
          try await Task.sleep(for: limit * part)
          task.cancel()
        }
        do {
          try await task.value
          if longest[work] == nil { longest[work] = ContinuousClock.now - began }
          share[work, default: 1] *= 0.7
          if work != .reading { name = next }
        } catch {
          try #require(error as? DirectoryError == .interrupted, comment)
          cancelled += 1
          share[work] = min(1, share[work, default: 1] * 1.4)
        }
        let names = try await sql.rows(
          "select name from staffbook.departments union select name from staffbook.users"
        )
        #expect(names == [[name]], comment)
        try await wait(until: "no session is left") {
          try await sql.value(
            """
            select (select count(*) from pg_stat_activity where datname = current_database()
                and pid <> pg_backend_pid() and backend_type = 'client backend')
              + (select count(*) from pg_locks l join pg_database d on d.oid = l.database
                where d.datname = current_database() and l.pid <> pg_backend_pid())
            """
          ) == "0"
        }
      }
      #expect(cancelled > 20, "seed \(seed)")
    }
  }

  @Test func `waits for no lock`() async throws {
    try await withDirectory { conninfo in
      let (holder, sql) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await holder.run("begin; lock table staffbook.users")
      let task = Task { try await Self.rename(to: "x", conninfo) }
      try await waitForBlockedSession(sql)
      task.cancel()
      await #expect(throws: DirectoryError.interrupted) { try await task.value }
      // Not of other tests, whose databases are on the same server.
      #expect(
        try await sql.value(
          """
          select count(*) from pg_locks where not granted
            and database = (select oid from pg_database where datname = current_database())
          """
        ) == "0"
      )
    }
  }

  @Test func `waits for nothing that is written`() async throws {
    try await withDirectory { conninfo in
      let listener = try await ChangeListener.connect(
        conninfo: conninfo,
        silenceLimit: nil,
        rest: .seconds(60)
      ).get()
      _ = try await listener.arm()
      let task = Task { try await listener.wait(until: .now + .seconds(600), orReadable: -1) }
      task.cancel()
      await #expect(throws: DirectoryError.interrupted) { _ = try await task.value }
    }
  }
}
