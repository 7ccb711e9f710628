import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("How an import ends")
struct ImportEndTests {
  /// Runs a shell script with the program as `$0`.
  private func shell(_ book: Book, _ script: String, _ arguments: String...) async throws
    -> ProgramOutcome
  {
    try await runProgram(
      "/bin/sh",
      ["-c", script, try Book.program()] + arguments,
      environment: book.variables
    )
  }

  /// The program's output goes where the reader has closed the pipe; its status is the last line of
  /// standard error.
  private static let unread = """
    { while [ ! -e "$1/closed" ]; do sleep 0.1; done; shift; "$0" "$@"; echo $? >&2; } \
      | { exec <&-; : > "$1/closed"; }
    """

  @Test func `a reader that stops early does not keep an import from being carried out`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let empty = try book.contents()
        let dry = try await shell(book, Self.unread, folder.string, "import", folder.string, "-n")
        #expect(dry.stderr == "0\n", "\(dry)")
        #expect(try book.contents() == empty)
        for form in ["--verbose", "--json"] {
          try book.script("truncate staffbook.departments, staffbook.users, staffbook.memberships")
          let name = folder.string
          let done = try await shell(book, Self.unread, name, "import", name, form)
          #expect(
            done.stderr.reads(
              "staffbook: imported \(name): departments: added 4; people: added 3; memberships: added 4",
              "0"
            ),
            "\(done)"
          )
          #expect(try book.query("select count(*) from staffbook.users") == [["3"]])
          #expect(try await book.lines("tree", "--all").count == 8, "the snapshot is of now")
        }
      }
    }
  }

  @Test func `output that cannot be written ends an import before anything is changed`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let empty = try book.contents()
        for place in ["/dev/full", "&-"] {
          for option in ["--dry-run", "--verbose", "--json"] {
            let script = "\"$0\" import \"$1\" \(option) >\(place)"
            let outcome = try await shell(book, script, folder.string)
            #expect(outcome.status == 73, "\(place) \(option): \(outcome)")
            #expect(
              outcome.stderr.reads(
                "staffbook: cannot write the output…",
                "staffbook: nothing was imported"
              ),
              "\(outcome)"
            )
            #expect(outcome.stderr.reads("…", "staffbook: nothing was imported", "…"), "\(outcome)")
            #expect(try book.contents() == empty)
          }
        }
        // What is told beside the data needs no standard output.
        let quiet = try await shell(book, "\"$0\" import \"$1\" >/dev/full", folder.string)
        #expect(quiet.status == 0, "\(quiet)")
      }
    }
  }

  /// Runs an import beside `body`, which gets its process id.
  ///
  /// - Returns: What it said on standard error.
  private func importing(
    _ folder: FilePath,
    into book: Book,
    _ body: (pid_t) async throws -> Void
  ) async throws -> String {
    let errors = book.home.appending("errors")
    try await withProgram(
      "/bin/sh",
      [
        "-c", "exec \"$0\" import \"$1\" 2> \"$2\"", try Book.program(), folder.string,
        errors.string,
      ],
      environment: book.variables,
      body
    )
    return try BadInputTests.text(of: errors)
  }

  private func isWaitingForLock(_ book: Book, _ count: Int = 1) throws -> Bool {
    try book.query(
      """
      select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'
      """
    ) == [["\(count)"]]
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `an interrupt before the commit says that nothing was imported`(signal: CInt) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try writeCompany(departments: "lum,,Renamed,,0\n", users: "", to: folder)
        // The plan has been told when the row is waited for.
        let other = try await PGSession.connect(conninfo: book.conninfo)
        try await other.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript("begin; select from staffbook.departments for update")
        }
        let said = try await importing(folder, into: book) { process in
          try await wait(until: "the import waits") { try isWaitingForLock(book) }
          #expect(kill(process, signal) == 0)
        }
        #expect(
          said.reads(
            "staffbook: departments: will change 1; people: none; memberships: 1 unchanged",
            "staffbook: interrupted: nothing was imported"
          ),
          "\(said)"
        )
        try await other.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript("rollback")
        }
        #expect(try book.contents() == before)
      }
    }
  }

  @Test func `an interrupt after the commit says that everything was imported`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let first = try await PGSession.connect(conninfo: book.conninfo)
        try await first.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript(
            "begin; lock table staffbook.users in share row exclusive mode"
          )
        }
        let said = try await importing(folder, into: book) { process in
          try await wait(until: "the import waits") { try isWaitingForLock(book) }
          // Who comes behind the import in the queue holds up the sync that follows it.
          let second = try await PGSession.connect(conninfo: book.conninfo)
          async let locked: Void = second.withConnection { (connection) throws(PostgresError) in
            try connection.executeScript(
              "begin; lock table staffbook.users in access exclusive mode"
            )
          }
          try await wait(until: "both wait") { try isWaitingForLock(book, 2) }
          try await first.withConnection { (connection) throws(PostgresError) in
            try connection.executeScript("commit")
          }
          try await locked
          try await wait(until: "the sync waits") { try isWaitingForLock(book) }
          #expect(kill(process, SIGINT) == 0)
          try await second.withConnection { (connection) throws(PostgresError) in
            try connection.executeScript("commit")
          }
        }
        #expect(
          said.reads(
            "staffbook: departments: will add 4; people: will add 3; memberships: will add 4",
            // Whether the commit or the sync after it is interrupted.
            "…",
            "staffbook: interrupted: everything was imported; update the snapshot with: staffbook sync"
          ),
          "\(said)"
        )
        #expect(try book.query("select count(*) from staffbook.users") == [["3"]])
      }
    }
  }

  @Test func `a dry run ends as the import would for who may only read`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let role = "reader_\(getpid())"
        try book.script("create role \(role) in role staffbook_reader")
        var reader = book
        reader.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
        let dry = try await reader.run("import", "--dry-run", folder.string)
        let real = try await reader.run("import", folder.string)
        try write(
          "id,department_id,name,title\nu1,lum,Ada Lund,\nu1,lum,Bo Ek,\n",
          to: folder.appending("users.csv")
        )
        let faulty = try await reader.run("import", "--dry-run", folder.string)
        try book.script("drop role \(role)")
        #expect(
          faulty.status == 77
            && faulty.stderr.reads(
              "…",
              "staffbook: …users.csv:3: u1: the user id \"u1\" is used twice, on lines 2 and 3; list additional departments in memberships.csv",
              "…"
            ),
          "\(faulty)"
        )
        #expect(real.status == 77, "\(real)")
        #expect(dry.status == 77, "\(dry)")
        #expect(
          dry.stdout.reads(
            "departments: will add 4; people: will add 3; memberships: will add 4",
            "…"
          )
        )
      }
    }
  }
}
