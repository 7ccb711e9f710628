import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

@Suite("Backups")
struct BackupTests {
  private func withCompany(_ body: (Book, FilePath) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("field", "add", "mobile", "--no-sync")
        try await book.lines("import", folder.string, "-m", "first import")
        try await book.lines("set", "id:u1", "mobile=77", "-m", "a mobile")
        try await body(book, folder.appending("company.backup"))
      }
    }
  }

  /// What the program shows of a directory and its history.
  private func shown(_ book: Book) async throws -> [[String]] {
    [
      try await book.lines("export", "--all", "--format", "jsonl"),
      try await book.lines("log", "-p", "--json"),
      try await book.lines("blame", "id:u1", "--json"),
      try await book.run("search", "--left", "noé", "--json").stdout.split(separator: "\n")
        .map(String.init),
    ]
  }

  @Test func `what was backed up comes back with its history`() async throws {
    try await withCompany { book, file in
      try await book.lines("remove", "id:u3", "--yes")
      let before = try await shown(book)
      let made = try await book.run("backup", file.string)
      #expect(made.status == 0, "\(made)")
      #expect(
        made.stderr.reads(
          "staffbook: wrote 2 people, 4 departments and 4 transactions of history to \(file) (… bytes) and verified it"
        ),
        "\(made)"
      )
      #expect(try file.stat().permissions == .ownerReadWrite)

      try await book.lines("set", "id:u1", "mobile=78")
      try await book.lines("add", "user", "Later", "--in", "Mirrors")
      let rehearsal = try await book.run("restore-backup", file.string, "--dry-run")
      #expect(
        rehearsal.stderr.reads(
          "staffbook: … holds 2 people, 4 departments and 4 transactions of history"
        )
      )
      #expect(
        try await book.lines("tree", "--all", "--fresh").contains { $0.reads("│  │  ├─ Later") }
      )
      try await book.lines("restore-backup", file.string, "--yes")
      for (now, then) in zip(try await shown(book), before) { #expect(now == then) }
      try await book.lines("doctor")

      // Life goes on from there.
      try await book.lines("set", "id:u1", "mobile=79")
      #expect(
        try await book.lines("log", "id:u1").filter { $0.hasPrefix("transaction") }.count == 3
      )
      try await book.lines("restore", "u3", "--yes")
      try await book.lines("sync")
      #expect(
        try await book.lines("tree", "--all").contains { $0.reads("│  │  ├─ Émile Noé · Grinder") }
      )
    }
  }

  @Test func `a backup moves a directory to another database`() async throws {
    try await withCompany { book, file in
      let before = try await shown(book)
      try await book.lines("backup", file.string)
      try await withTestDatabase { conninfo in
        try await withTemporaryDirectory { home in
          let other = Book(home: home, conninfo: conninfo)
          // No one is there who could be lost, so no one is asked.
          try await other.lines("restore-backup", file.string)
          #expect(try await shown(other) == before)
          try await other.lines("doctor")
          try await other.lines("set", "id:u1", "mobile=80")
          #expect(try await other.lines("show", "id:u1").contains("  Mobile:       80"))
        }
      }
    }
  }

  @Test func `a file that is no whole backup restores nothing`() async throws {
    try await withCompany { book, file in
      try await book.lines("backup", file.string)
      let whole = try bytes(of: file)
      let before = try book.contents()
      let broken = file.removingLastComponent().appending("broken")
      var flipped = whole
      flipped[whole.count * 2 / 3] ^= 0x55
      let inputs: [(String, [UInt8])] = [
        ("empty", []), ("text", Array("people\n".utf8)), ("cut off", Array(whole.dropLast(300))),
        ("half", Array(whole.prefix(whole.count / 2))), ("flipped", flipped),
      ]
      for (name, content) in inputs {
        try write(bytes: content, to: broken)
        let outcome = try await book.run("restore-backup", broken.string, "--yes")
        #expect(outcome.status == 65, "\(name): \(outcome)")
        #expect(
          name == "flipped"
            ? outcome.stderr.reads(
              "staffbook: cannot restore \(broken): the file is damaged: checksum mismatch",
              "staffbook: use another backup"
            )
            : outcome.stderr.reads(
              "staffbook: warning: \(broken) does not end with a checksum; damage would not be detected",
              "staffbook: cannot … \(broken): …",
              "…"
            ),
          "\(name): \(outcome)"
        )
        #expect(try book.contents() == before, "\(name)")
      }
      try write(bytes: Array(whole.dropLast(1)), to: broken)
      let unsealed = try await book.run("restore-backup", broken.string, "--dry-run")
      #expect(unsealed.status == 0, "\(unsealed)")
      #expect(
        unsealed.stderr.reads(
          "staffbook: warning: … does not end with a checksum; damage would not be detected",
          "staffbook: … holds 3 people, 4 departments and 3 transactions of history"
        ),
        "\(unsealed)"
      )
      let missing = try await book.run("restore-backup", "/nowhere/file", "--yes")
      #expect(missing.status == 66, "\(missing)")
      let folder = file.removingLastComponent().string
      #expect(try await book.run("restore-backup", folder, "--yes").status == 74)
    }
  }

  /// Makes a backup without its checksum, in whose script a statement stands in the place of a comment.
  private func backUp(
    _ book: Book,
    to file: FilePath,
    running statement: String
  ) async throws {
    try await book.lines("backup", file.string)
    var archive = try bytes(of: file)
    let comment = Array("COMMENT ON COLUMN staffbook.accepted_deletions.system_identifier".utf8)
    let place = try #require(
      archive.indices.dropLast(comment.count).first {
        archive[$0] == comment[0] && archive[$0...].starts(with: comment)
      }
    )
    let script = Array((statement + "; --").utf8)
    try #require(script.count <= comment.count)
    archive.replaceSubrange(place..<(place + script.count), with: script)
    try write(bytes: archive.dropLast(1), to: file)
  }

  /// A script that pg_restore gives is not ours to trust: the statements stand in the archive's text.
  @Test(arguments: [
    "commit", "rollback", "end", "abort", "commit and chain", "rollback and chain",
    "set constraints all immediate", "commit; begin", "rollback; begin",
  ])
  func `a script that ends the transaction restores nothing`(statement: String) async throws {
    try await withCompany { book, file in
      try await backUp(book, to: file, running: statement)
      try await book.lines("set", "id:u1", "mobile=78")
      let before = try book.contents()
      let history = try book.query("select count(*), max(number) from staffbook.transactions")
      let outcome = try await book.run("restore-backup", file.string, "--yes")
      #expect(outcome.status == 65, "\(outcome)")
      // Behind a rollback the former schema is there again, and in the way.
      let isUndone = statement.hasPrefix("rollback") || statement == "abort"
      #expect(
        outcome.stderr.reads(
          "staffbook: warning: … does not end with a checksum; damage would not be detected",
          isUndone
            ? "staffbook: cannot restore …: psql: …already exists"
            : "staffbook: cannot restore …: psql: its script ends the transaction in which it is restored"
        ),
        "\(outcome)"
      )
      #expect(try book.contents() == before)
      #expect(
        try book.query("select count(*), max(number) from staffbook.transactions") == history
      )
    }
  }

  @Test func `a script that gets past that is said to have changed the database`() async throws {
    try await withCompany { book, file in
      try await backUp(
        book,
        to: file,
        running: "abort;update staffbook.users set name='X';commit;x"
      )
      let outcome = try await book.run("restore-backup", file.string, "--yes")
      #expect(outcome.status == 65, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: warning: … does not end with a checksum; damage would not be detected",
          "staffbook: cannot restore …: psql: syntax error at or near \"x\"; the database was changed in the meantime",
          "staffbook: review the newest changes before you continue"
        ),
        "\(outcome)"
      )
      #expect(try book.query("select distinct name from staffbook.users") == [["X"]])
    }
  }

  @Test func `backups of others and of newer programs are refused`() async throws {
    try await withCompany { book, file in
      let before = try book.contents()
      try await withTestDatabase { conninfo in
        let other = file.removingLastComponent().appending("other")
        let dump = try await runProgram(
          "pg_dump",
          ["-Fc", "-f", other.string, "--dbname=\(conninfo)"]
        )
        try #require(dump.status == 0, "\(dump)")
        let foreign = try await book.run("restore-backup", other.string, "--yes")
        #expect(
          foreign.status == 65
            && foreign.stderr.reads(
              "staffbook: warning: … does not end with a checksum; damage would not be detected",
              "staffbook: cannot restore …: it is not a backup of Staffbook"
            )
        )
        let home = file.removingLastComponent()
        let none = try await Book(home: home, conninfo: conninfo).run("backup", file.string)
        #expect(
          none.status == 65
            && none.stderr.reads(
              "staffbook: cannot back up the database: the database contains no directory"
            ),
          "\(none)"
        )
      }
      try book.script(
        "insert into staffbook.migrations select 999 + n, 'x', repeat('0', 64) "
          + "from generate_series(1, 9) n"
      )
      try await book.lines("backup", file.string)
      try book.script("delete from staffbook.migrations where version > 900")
      let newer = try await book.run("restore-backup", file.string, "--yes")
      #expect(
        newer.status == 65
          && newer.stderr.reads(
            "staffbook: cannot restore …: it has version … of the schema; this program supports versions up to …",
            "staffbook: use a newer Staffbook"
          ),
        "\(newer)"
      )
      #expect(try book.contents() == before)
    }
  }

  @Test func `an existing file is kept, and nothing is left where a backup fails`() async throws {
    try await withCompany { book, file in
      try write("mine", to: file)
      let kept = try await book.run("backup", file.string)
      #expect(
        kept.status == 73
          && kept.stderr.reads(
            "staffbook: cannot write …: the file exists",
            "staffbook: replace it with --force"
          ),
        "\(kept)"
      )
      #expect(try bytes(of: file) == Array("mine".utf8))
      try await book.lines("backup", file.string, "--force")
      #expect(try bytes(of: file).starts(with: Array("PGDMP".utf8)))
      let folder = file.removingLastComponent()
      for (place, kind) in [(folder.string, "a folder"), ("/dev/null", "not a regular file")] {
        let refused = try await book.run("backup", place)
        #expect(
          refused.status == 73
            && refused.stderr.reads(
              "staffbook: cannot write \(place): it is \(kind)",
              "staffbook: name a file"
            ),
          "\(refused)"
        )
      }
      let names = try folderEntries(folder)
      try await book.withoutConnections {
        let down = try await book.run("backup", folder.appending("none").string)
        #expect(down.status == 69, "\(down)")
      }
      #expect(try folderEntries(folder) == names)
    }
  }

  @Test func `restoring asks first, and names what would be lost besides`() async throws {
    try await withCompany { book, file in
      try await book.lines("backup", file.string)
      let before = try book.contents()
      let unasked = try await book.run("restore-backup", file.string)
      #expect(unasked.status == 75, "\(unasked)")
      #expect(
        unasked.stderr.reads(
          "staffbook: cannot restore …: it would replace 3 people, 4 departments and 3 transactions of history in the database",
          "staffbook: if this is intended, repeat the command with --yes"
        ),
        "\(unasked)"
      )
      try book.script("create view public.everybody as select name from staffbook.users")
      let refused = try await book.run("restore-backup", file.string, "--yes")
      #expect(
        refused.status == 65
          && refused.stderr.reads(
            "staffbook: cannot restore …: psql: the view public.everybody would be dropped with the tables; drop it first, and create it again afterwards"
          )
      )
      #expect(try book.contents() == before)
      #expect(try book.query("select count(*) from public.everybody") == [["3"]])
      try book.script("drop view public.everybody")
      try await book.lines("restore-backup", file.string, "--yes")
    }
  }

  @Test func `tokens come back only where that is said`() async throws {
    try await withCompany { book, file in
      try await book.lines("token", "add", "id:u1", "--for", "phone", "--expires", "never")
      try await book.lines("backup", file.string)
      try await book.lines("token", "remove", "1")
      let rehearsal = try await book.run("restore-backup", file.string, "--dry-run")
      #expect(rehearsal.stderr.contains("of history, with 1 token\n"), "\(rehearsal)")
      let before = try book.contents()
      let undecided = try await book.run("restore-backup", file.string, "--yes")
      #expect(undecided.status == 64, "\(undecided)")
      #expect(
        undecided.stderr.reads(
          "staffbook: cannot restore …: it has 1 token as of 20…, of which some may have been removed since",
          "staffbook: restore them with --with-tokens, or leave them out with --without-tokens"
        ),
        "\(undecided)"
      )
      #expect(try book.contents() == before)
      func tokens() throws -> String? { try book.value("select count(*) from staffbook.tokens") }
      try await book.lines("restore-backup", file.string, "--yes", "--without-tokens")
      #expect(try tokens() == "0")
      try await book.lines("restore-backup", file.string, "--yes", "--with-tokens")
      #expect(try tokens() == "1")
    }
  }

  @Test func `other readers follow a restored backup`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("sample", "--load", "--people", "40", "--departments", "5")
        let file = folder.appending("company.backup")
        try await book.lines("backup", file.string)
        try await book.lines("sample", "--load", "--people", "600", "--departments", "40")
        let reader = Book(home: folder, conninfo: book.conninfo)
        try await reader.lines("sync")
        try await book.lines("restore-backup", file.string, "--yes")
        // Without what the restoration accepted for all, the brake would hold here.
        try await reader.lines("sync")
        #expect(
          try await reader.lines("export", "--all", "--format", "jsonl")
            == book.lines("export", "--all", "--format", "jsonl")
        )
      }
    }
  }

  @Test func `a killed restoration leaves the database as it was or as it was to be`() async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("sample", "--load", "--people", "2000", "--departments", "100")
        let file = folder.appending("company.backup")
        try await book.lines("backup", file.string)
        let old = try book.contents()
        try await book.lines("remove", "-r", "--yes", try book.value(Self.largest))
        let new = try book.contents()
        try #require(old != new)
        try await book.lines("restore-backup", file.string, "--yes", "--no-sync")
        try #require(try book.contents() == old)
        let clock = ContinuousClock()
        var length = Duration.seconds(1)
        let enough = rounds(4, thorough: 10)
        var kills = 0
        // How long it takes changes on a busy machine: each that comes to its end measures it
        // again.
        for _ in 1...40 where kills < enough {
          let now = try book.contents()
          // In the foreground, so that only the program is killed, and not what it started.
          let seconds = length / .seconds(1) * Double(kills + 1) / Double(enough + 2)
          let start = clock.now
          let killed = try await runProgram(
            "timeout",
            ["--foreground", "-s", "KILL", "\(seconds)", try Book.program()]
              + ["restore-backup", file.string, "--yes", "--no-sync"],
            environment: book.variables
          )
          if killed.status == 137 { kills += 1 } else { length = clock.now - start }
          let after = try book.contents()
          #expect(after == now || after == old)
        }
        #expect(kills >= enough / 2)
        try await book.lines("doctor")
        try await book.lines("sync")
      }
    }
  }

  private static let largest = """
    select 'id:' || d.id from staffbook.departments d
      join staffbook.memberships m on m.department_id = d.id
      group by d.id order by count(*) desc limit 1
    """
}
