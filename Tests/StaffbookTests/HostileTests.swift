import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Hostile surroundings")
struct HostileTests {
  /// Runs a shell script in which `"$@"` is the program with its arguments.
  private func shell(
    _ script: String,
    _ arguments: [String],
    _ book: Book
  ) async throws -> ProgramOutcome {
    try await runProgram(
      "/bin/sh",
      ["-c", script, "sh", try Book.program()] + arguments,
      environment: [
        "PATH": environmentValue("PATH") ?? "/usr/bin:/bin", "HOME": book.home.string,
        "STAFFBOOK_HOME": book.home.string, "STAFFBOOK_DATABASE_URL": book.conninfo,
        "LC_ALL": "C.UTF-8",
      ]
    )
  }

  @Test func `what is opened never takes the place of a closed standard stream`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let importing = try await shell(
          "exec \"$@\" <&- >&- 2>&-",
          ["import", folder.string],
          book
        )
        #expect(importing.status == 0)
        let reading = try await shell("exec \"$@\" >&-", ["tree"], book)
        #expect(reading.status == 73)
        #expect(
          reading.stderr.reads("staffbook: cannot write the output: bad file descriptor"),
          "\(reading)"
        )
        #expect(try await shell("exec \"$@\" 2>&-", ["sync"], book).status == 0)
      }
    }
  }

  @Test func `an argument that is not UTF-8 is refused and not repaired`() async throws {
    try await withBook { book in
      let outcome = try await shell(
        "exec \"$@\" \"$STAFFBOOK_HOME/$(printf '\\377')\"",
        ["sample"],
        book
      )
      #expect(outcome.status == 64)
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot read argument 2, …: it is not UTF-8",
          "staffbook: rename the file, or give the name of a link to it"
        ),
        "\(outcome)"
      )
      let made = try await shell("ls \"$STAFFBOOK_HOME\" | grep -c '[^a-z]'", [], book)
      #expect(made.stdout == "0\n")
    }
  }

  @Test func `files without rows do not empty a small directory either`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try writeCompany(departments: "", users: "", memberships: "", to: folder)
        let refused = try await book.run("import", "--replace", folder.string)
        #expect(refused.status == 75)
        #expect(
          refused.stderr.reads(
            "…",
            "staffbook: cannot import: the files are empty, and the database contains 3 people in 4 departments",
            "…"
          ),
          "\(refused)"
        )
        #expect(try book.contents() == before)
        let accepted = try await book.run(
          "import",
          "--replace",
          "--accept-deletions",
          folder.string
        )
        #expect(accepted.status == 0)
        #expect(try book.query("select count(*) from staffbook.departments")[at: 0] == ["0"])
      }
    }
  }

  /// The planner has not seen anything like the one department, and a join by department alone
  /// takes minutes.
  @Test func `a company that moves into one department is imported in no time`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let many = 20_000
        try writeCompany(
          departments: (0..<many).map { "d\($0),,Department \($0),,0\n" }.joined(),
          users: (0..<many).map { "u\($0),d\($0),Person \($0),,,,0\n" }.joined(),
          to: folder
        )
        try await book.lines("import", folder.string, "--no-sync")
        try writeCompany(
          departments: "d0,,All,,0\n",
          users: (0..<6 * many).map { "u\($0),d0,Person \($0),,,,0\n" }.joined(),
          to: folder
        )
        var hurried = book
        hurried.environment = ["PGOPTIONS": "-c statement_timeout=1800s"]
        let outcome = try await hurried.run(
          "import",
          folder.string,
          "--replace",
          "--accept-deletions",
          "--no-sync"
        )
        #expect(outcome.status == 0, "\(outcome)")
      }
    }
  }

  @Test func `the server lets go of the tables when an import is killed`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        guard
          try book.query("select 1 where current_setting('server_version_num')::int >= 140000")
            != []
        else { return }
        try book.script(
          """
          create function public.dawdle() returns trigger language plpgsql
            as $$ begin perform pg_sleep(3000); return new; end $$;
          create trigger dawdle before insert on staffbook.users
            for each statement execute function public.dawdle()
          """
        )
        try await withProgram(
          FilePath(try Book.program()),
          ["import", folder.string],
          environment: book.variables
        ) { process in
          try await wait(until: "the server is at it") {
            try book.query(
              "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
            ) != []
          }
          #expect(kill(process, SIGKILL) == 0)
        }
        let others = """
          select state, wait_event, query from pg_stat_activity
            where datname = current_database() and backend_type = 'client backend'
              and pid <> pg_backend_pid()
          """
        try await wait(until: "the server has let go", seen: { "\(try book.query(others))" }) {
          try book.query(others).allSatisfy { $0 == ["idle", "ClientRead", others] }
        }
      }
    }
  }

  @Test(arguments: ["mkdir", "mkfifo", "ln -s /", "ln -s snapshot.link"])
  func `what is no file in the snapshot's place is set aside`(_ command: String) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try await book.lines("tree", "--all")
        let replaced = try await shell(
          """
          cd "$STAFFBOOK_HOME"/cache/* && ln -s snapshot.link snapshot.link &&
            rm directory.snapshot && \(command) directory.snapshot
          """,
          [],
          book
        )
        try #require(replaced.status == 0, "\(replaced)")
        let outcome = try await book.run("tree", "--all")
        #expect(outcome.status == 0)
        #expect(outcome.stdout == before.joined(separator: "\n") + "\n")
        #expect(
          outcome.stderr.reads(
            "staffbook: … is not a snapshot; it is kept as …directory.snapshot.unusable"
          ),
          "\(outcome)"
        )
      }
    }
  }

  @Test func `a word given a thousand times is looked for once, and ten thousand are refused`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        func words(_ count: Int) -> String {
          Array(repeating: "mir", count: count).joined(separator: " ")
        }
        #expect(try await book.lines("search", words(1_000)) == book.lines("search", "mir"))
        let refused = try await book.run("search", words(10_000))
        #expect(refused.status == 64, "\(refused)")
        #expect(
          refused.stderr.reads(
            "staffbook: cannot search: the query has 39999 bytes; the limit is 8192",
            "staffbook: shorten the query"
          ),
          "\(refused)"
        )
      }
    }
  }
}
