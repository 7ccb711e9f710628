import SystemPackage
import TestSupport
import Testing

/// Queries that no one types: whatever stands in one, it ends at once and with a clear answer.
@Suite("Search with hostile queries")
struct SearchHostileTests {
  /// Runs a query, which is killed when it takes ten seconds of a processor: far more than any of these
  /// takes, built for debugging; far less than looking at each record for each word would.
  private func answer(_ book: Book, _ arguments: [String]) async throws -> ProgramOutcome {
    try await runProgram(
      "/bin/sh",
      ["-c", "ulimit -t 10; exec \"$0\" search \"$@\"", try Book.program()] + arguments,
      environment: book.variables
    )
  }

  /// Some hundred people, so that a search has something to look through.
  private func withPeople(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let users = (0..<400).map { row in
          "p\(row),dock,Ada aaaa\(row) O'Hara,Rigger %_ \(row),ada\(row)@sea.example,+49 30 \(row),0"
        }
        try writeCompany(
          departments: "sea,,Seaworthy,,0\ndock,sea,Dry Dock,,0\n",
          users: users.joined(separator: "\n") + "\n",
          memberships: "",
          to: folder
        )
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `what is too much is refused with its limit, at once`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      // The kernel takes 128 KiB in one argument.
      let megabyte = (0..<16).map { _ in String(repeating: "a", count: 65_536) }
      let words = (0..<10_000).map { "w\($0)" }
      for arguments in [megabyte, words, [words.joined(separator: " ")]] {
        let answer = try await answer(book, arguments)
        #expect(answer.status == 64)
        #expect(answer.stdout.isEmpty)
        #expect(
          answer.stderr.reads(
            "staffbook: cannot search: the…limit is…",
            "staffbook: shorten the query"
          ),
          "\(answer.stderr.prefix(300))"
        )
        #expect(answer.stderr.utf8.count < 1_000)
      }
    }
  }

  @Test func `what finds nothing says so, whatever it would mean elsewhere`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for query in [
        "(a+)+$", #"^(([a-z])+.)+[A-Z]([a-z])+$"#, "(.*a){20}", #"'; drop table users; --"#,
        "%%%%%%", "*", "../../etc/passwd", "$(reboot)", "\u{202E}xyzzy", "xyzzy\u{1B}[2J",
        String(repeating: "(", count: 4_000), String(repeating: "\\", count: 8_000),
        "nobody" + String(repeating: "\u{301}", count: 3_000),
      ] {
        let answer = try await answer(book, [query])
        #expect(answer.status == 1, "\(query.prefix(40)): \(answer)")
        #expect(answer.stdout.isEmpty, "\(query.prefix(40))")
        #expect(!answer.stderr.unicodeScalars.contains("\u{1B}"))
        #expect(!answer.stderr.unicodeScalars.contains("\u{202E}"))
      }
    }
  }

  @Test func `what looks like a pattern still finds what is written so`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for query in ["%_ 17", "o'hara 17", "p17"] {
        let found = values(of: "id", in: try await book.lines("search", "--json", query))
        #expect(found.contains("p17"), "\(query)")
      }
    }
  }

  @Test func `marks and blanks alone are nothing to look for`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for query in [
        String(repeating: "\u{301}\u{20DD}", count: 1_000), "\u{200D}\u{200B}\u{FEFF}", "  ",
        "\"\"",
      ] {
        let answer = try await answer(book, [query])
        #expect([1, 64].contains(answer.status), "\(answer)")
        #expect(answer.stdout.isEmpty && !answer.stderr.isEmpty)
      }
    }
  }

  @Test func `64 words in the longest query there may be are all looked for`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let words = (0..<64).map { String(repeating: "a", count: 60 + $0) }
      let answer = try await answer(book, words)
      #expect(answer.status == 1, "\(answer)")
    }
  }
}
