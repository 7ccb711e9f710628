import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// No one waits without a word, or without end.
@Suite("Waiting for others")
struct WaitTests {
  /// A book with a small company in its snapshot.
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try writeSmallCompany(to: book.home)
      try await book.lines("import", book.home.string)
      try await book.lines("sync")
      try await body(book)
    }
  }

  /// Runs `body` while a session of that name holds a lock; it gets the session's process.
  private func withLock(
    _ lock: String,
    in book: Book,
    _ body: (_ pid: Int32) async throws -> Void
  ) async throws {
    var holder = try PGConnection(conninfo: book.conninfo + " application_name=maintenance")
    try holder.executeScript("begin; \(lock)")
    try await body(holder.backendPID)
    try holder.executeScript("rollback")
  }

  @Test func `for a lock is said, with who holds it, and ends`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      var book = book
      // Long enough to ask a busy server what is waited for.
      book.environment["STAFFBOOK_TIMEOUT"] = "21"
      for (lock, arguments) in [
        ("lock table staffbook.users", ["sync"]),
        ("lock table staffbook.migrations", ["sync", "--full"]),
        ("lock table staffbook.users in share mode", ["import", book.home.string]),
        ("lock table staffbook.memberships", ["doctor", "--verify"]),
      ] {
        try await withLock(lock, in: book) { pid in
          let outcome = try await book.run(arguments)
          #expect(
            outcome.stderr.reads(
              "…",
              "staffbook: waiting for a lock that is held by process \(pid) (maintenance, user …); giving up after 20 seconds of waiting for one lock",
              "…"
            ),
            "\(outcome)"
          )
          #expect(outcome.status == (arguments[at: 0] == "doctor" ? 65 : 75), "\(outcome)")
          #expect(
            (outcome.stdout + outcome.stderr).reads(
              "…",
              "…cannot …: another session holds a lock on the tables: …",
              "…nothing was changed; try again when that session has finished",
              "…"
            ),
            "\(outcome)"
          )
        }
        try await book.lines("sync")
      }
    }
  }

  @Test func `for a lock ends after half a minute in all`() async throws {
    try await withCompany { book in
      try await withLock("lock table staffbook.users", in: book) { _ in
        let start = ContinuousClock.now
        let outcome = try await book.run("sync")
        #expect(outcome.status == 75, "\(outcome)")
        #expect(ContinuousClock.now - start >= .seconds(29))
      }
    }
  }

  @Test func `for a sync that is stopped names it, and --fresh goes on without it`() async throws {
    try await withCompany { book in
      try await withLock("lock table staffbook.users", in: book) { _ in
        try await withProgram(
          FilePath(try Book.program()),
          ["sync"],
          environment: book.variables
        ) { pid in
          try await wait(until: "it waits for the lock") {
            try book.query(
              "select 1 from pg_stat_activity where datname = current_database() "
                + "and wait_event_type = 'Lock'"
            ) != []
          }
          kill(pid, SIGSTOP)
          defer { kill(pid, SIGKILL) }
          let tree = try await book.run("tree", "--fresh", "--all")
          #expect(tree.status == 0 && tree.stdout.reads("…", "└─ Ada Lund · Head"), "\(tree)")
          #expect(
            tree.stderr.reads(
              "staffbook: waiting for process \(pid) (which is stopped), which is writing the snapshot; giving up after … seconds",
              "staffbook: … (which is stopped) is still writing the snapshot; showing the previous one"
            ),
            "\(tree)"
          )
          #expect(
            tree.stderr.reads(
              "staffbook: waiting for … (which is stopped), which is writing the snapshot; giving up after 10 seconds",
              "staffbook: … (which is stopped) is still writing the snapshot; showing the previous one"
            ),
            "\(tree)"
          )
          let sync = try await book.run("sync")
          #expect(sync.status == 75, "\(sync)")
          #expect(
            sync.stderr.reads(
              "staffbook: waiting for process \(pid) (which is stopped), which is writing the snapshot; giving up after … seconds",
              "staffbook: cannot write the snapshot: … (which is stopped) is still writing it",
              "staffbook: wait until it has finished, or end it, and try again"
            ),
            "\(sync)"
          )
        }
      }
      try await book.lines("sync")
    }
  }

  @Test func `for a lost synchronous standby says what became of an import`()
    async throws
  {
    let cluster = try await PostgresCluster.make()
    try await withTemporaryDirectory { (home: FilePath) async throws -> Void in
      var book = Book(home: home, conninfo: cluster.conninfo())
      book.environment["STAFFBOOK_TIMEOUT"] = "4"
      try await book.lines("db", "migrate")
      try cluster.configure(["synchronous_standby_names": "'ghost'"])
      try await cluster.reload()
      try await wait(until: "the server has the setting") {
        try book.query("show synchronous_standby_names") == [["ghost"]]
      }
      try writeSmallCompany(to: home)
      let outcome = try await book.run("import", home.string)
      #expect(outcome.status == 69, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "…",
          "staffbook: the server has written the changes and is waiting for a synchronous standby to confirm them",
          "…"
        ),
        "\(outcome)"
      )
      #expect(
        outcome.stderr.reads(
          "…",
          "staffbook: cannot import the directory for certain: the server has written it, but no synchronous standby confirms it, so it is not yet visible",
          "…"
        ),
        "\(outcome)"
      )
    }
  }
}
