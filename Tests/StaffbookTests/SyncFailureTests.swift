import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// What stops a sync leaves the snapshot as it was, and is told so that one knows what to do.
@Suite("Syncs that cannot be done")
struct SyncFailureTests {
  /// A book with so many people in its snapshot, and one change that is not in it.
  private func withPeople(_ count: Int, _ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await book.lines("sample", "--load", "--people", "\(count)", "--departments", "40")
      try book.script("update staffbook.departments set description = 'new'")
      try await body(book)
    }
  }

  /// Checks that a sync fails, that the old state is still read, and that a sync without the
  /// trouble mends everything.
  private func expectUnharmed(
    _ book: Book,
    status: Int32,
    saying lines: [String],
    sync: (Book) async throws -> ProgramOutcome
  ) async throws {
    let before = try await book.run("tree", "--all", "--json")
    let outcome = try await sync(book)
    #expect(outcome.status == status, "\(outcome)")
    #expect(outcome.stderr.reads(lines), "\(outcome)")
    #expect(try await book.run("tree", "--all", "--json").stdoutBytes == before.stdoutBytes)
    let leftovers = try await runProgram("find", [book.home.string, "-name", "*.new"])
    #expect(leftovers.stdout.isEmpty)
  }

  @Test func `a network that falls silent half-way ends it by a limit`() async throws {
    try await withPeople(3_000) { (direct: Book) async throws -> Void in
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        let relay = try SocketRelay(in: folder, to: direct.conninfo, bytesToClient: 100_000)
        defer { relay.stop() }
        var book = Book(home: direct.home, conninfo: relay.conninfo.pairs)
        book.environment["STAFFBOOK_TIMEOUT"] = "2"
        try direct.script("delete from staffbook.users where id > 'u000100'")
        try await book.lines("sync")
        try await direct.lines("sample", "--load", "--people", "3000", "--departments", "40")
        try await expectUnharmed(
          book,
          status: 69,
          saying: [
            "staffbook: cannot load the directory: the connection to PostgreSQL was lost: the server sent nothing for 2 seconds",
            "staffbook: nothing was changed; try again when the server is back",
          ]
        ) { book in
          try await book.run("sync", "--full")
        }
      }
    }
  }

  @Test func `a server that dies half-way is told`() async throws {
    let cluster = try await PostgresCluster.make()
    let conninfo = cluster.conninfo()
    try await withTemporaryDirectory { (home: FilePath) async throws -> Void in
      let book = Book(home: home, conninfo: conninfo)
      try await book.lines("db", "migrate")
      try await book.lines("sample", "--load", "--people", "3000", "--departments", "40")
      try book.script("update staffbook.departments set description = 'new'")
      try await expectUnharmed(
        book,
        status: 69,
        saying: [
          "staffbook: cannot load the directory: the connection to PostgreSQL was lost: …",
          "staffbook: nothing was changed; try again when the server is back",
        ]
      ) { book in
        // strace makes the reader so slow that it is reading when the server dies.
        async let outcome = runProgram(
          "strace",
          ["-f", "-qq", "-o", "/dev/null", "-e", "trace=recvfrom"]
            + ["-e", "inject=recvfrom:delay_exit=1000000:when=5+"]
            + [try Book.program(), "sync", "--full"],
          environment: book.variables
        )
        try await wait(until: "the sync reads rows") {
          var watcher = try PGConnection(conninfo: conninfo)
          let readers = try watcher.execute(
            """
            select count(*) from pg_stat_activity
              where application_name = 'staffbook' and query ilike 'copy %'
            """
          )
          return readers.int(row: 0, column: 0) == 1
        }
        try await cluster.kill()
        return try await outcome
      }
    }
  }

  @Test func `a full disk is told, and mended by more room`() async throws {
    try #require(geteuid() == 0, "needs root: it mounts a disk")
    try await withPeople(3_000) { (book: Book) async throws -> Void in
      let cache = book.home.appending("cache")
      let small = ["-t", "tmpfs", "-o", "size=400k,mode=700", "tmpfs", cache.string]
      let mount = try await runProgram("mount", small)
      try #require(mount.status == 0, "\(mount)")
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(try await fillAndMend(book, cache))
      } catch {
        outcome = .failure(error)
      }
      let unmount = try await runProgram("umount", [cache.string])
      #expect(unmount.status == 0, "\(unmount)")
      try outcome.get()
    }
  }

  /// On a disk that holds one snapshot and not a second one beside it.
  private func fillAndMend(_ book: Book, _ cache: FilePath) async throws {
    func resize(_ size: String) async throws {
      let outcome = try await runProgram("mount", ["-o", "remount,size=\(size)", cache.string])
      try #require(outcome.status == 0, "\(outcome)")
    }
    try await resize("10m")
    try await book.lines("sync")
    try book.script("update staffbook.departments set description = 'newer'")
    let used = try await runProgram("du", ["-sk", cache.string]).stdout
    let kilobytes = try #require(Int(used.prefix { $0.isNumber }))
    try await resize("\(kilobytes + 40)k")
    try await expectUnharmed(
      book,
      status: 73,
      saying: [
        "staffbook: cannot write the snapshot …: No space left on device",
        "staffbook: free some space on that disk, or set XDG_CACHE_HOME or STAFFBOOK_HOME to another folder",
      ]
    ) { book in
      try await book.run("sync")
    }
    try await resize("10m")
    let mended = try await book.lines("sync")
    #expect(
      mended.contains { $0.reads("read only what changed: 40 departments changed") },
      "\(mended)"
    )
  }

  @Test func `a folder that one may only read is told, and still read`() async throws {
    try #require(geteuid() == 0, "needs root: it runs the program as another account")
    try await withPeople(100) { (book: Book) async throws -> Void in
      try await withTemporaryDirectory { (folder: FilePath) async throws -> Void in
        let program = folder.appending("staffbook")
        let prepared = try await runProgram(
          "sh",
          [
            "-ec",
            "cp \"$1\" \"$2\"; chmod 755 \"$2\" \"$3\"; chmod 711 \"$4\"; chown -R 65534 \"$4\"",
            "sh", try Book.program(), program.string, folder.string, book.home.string,
          ]
        )
        try #require(prepared.status == 0, "\(prepared)")
        let nobody = TestAccount(userID: 65_534, groupID: 65_534)
        func run(_ arguments: String...) async throws -> ProgramOutcome {
          try await runProgram(program, arguments, environment: book.variables, as: nobody)
        }
        let before = try await run("tree", "--all", "--plain")
        #expect(before.status == 0, "\(before)")
        let closed = try await runProgram("chmod", ["-R", "a-w", book.home.string])
        try #require(closed.status == 0, "\(closed)")
        let refused = try await run("sync")
        #expect(refused.status == 73, "\(refused)")
        #expect(
          refused.stderr.reads(
            "staffbook: cannot lock …: Permission denied",
            "staffbook: allow your account to write there, or set STAFFBOOK_HOME to another folder"
          ),
          "\(refused)"
        )
        #expect(try await run("tree", "--all", "--plain").stdoutBytes == before.stdoutBytes)
        #expect(try await run("sync", "--dry-run").status == 0)
      }
    }
  }
}
