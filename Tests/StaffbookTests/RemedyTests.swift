import DirectoryModel
import Platform
import SystemPackage
import TestSupport
import Testing

/// Does what messages advise, in the situations in which they advise it.
@Suite("Remedies help")
struct RemedyTests {
  /// What a message advises, and how it is followed.
  private enum Step {
    /// The command that the advice names behind `staffbook`.
    case command
    /// The same command with an option that the advice names, and its value.
    case option([String])

    static func option(_ words: String...) -> Step { .option(words) }
  }

  private func withCompany(_ body: (Book, FilePath) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await body(book, folder)
      }
    }
  }

  /// Runs what fails, follows its advice, and runs it again where the advice is another command.
  private func follow(
    _ step: Step,
    of arguments: [String],
    _ book: Book,
    status: Int32,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let refused = try await book.run(arguments)
    #expect(refused.status == status, "\(refused)", sourceLocation: sourceLocation)
    let advice = refused.stderr.split(separator: "\n").map(String.init)
    switch step {
    case .option(let words):
      #expect(
        advice.contains { $0.contains(words[0]) },
        "\(refused)",
        sourceLocation: sourceLocation
      )
      let mended = try await book.run(arguments + words)
      #expect(mended.status == 0, "\(mended)", sourceLocation: sourceLocation)
    case .command:
      let line = try #require(
        advice.last { $0.contains(": staffbook ") },
        "\(refused)",
        sourceLocation: sourceLocation
      )
      let command = try #require(line.firstRange(of: ": staffbook ")).upperBound
      let words = line[command...].prefix { $0 != ";" }
      let followed = try await runProgram(
        "/bin/sh",
        ["-c", "exec '\(try Book.program())' \(words)"],
        environment: book.variables
      )
      #expect(followed.status == 0, "\(words): \(followed)", sourceLocation: sourceLocation)
    }
  }

  @Test func `options that a command lacks`() async throws {
    try await withCompany { book, folder in
      let backup = folder.appending("company.backup").string
      try await book.lines("backup", backup)
      try await follow(.option("--force"), of: ["backup", backup], book, status: 73)

      try await follow(.option("--recursive", "--yes"), of: ["remove", "id:opt"], book, status: 75)
      try await book.lines("restore-backup", backup, "--yes")
      try await follow(
        .option("--people-to", "id:vac", "--yes"),
        of: ["remove", "id:mir"],
        book,
        status: 75
      )

      let card = folder.appending("one.vcf")
      try write("BEGIN:VCARD\nVERSION:4.0\nUID:c1\nFN:Uma Ray\nEND:VCARD\n", to: card)
      try await follow(.option("--into", "vac"), of: ["import", card.string], book, status: 65)

      try await follow(
        .option("--label", "Desk"),
        of: ["field", "add", "desk", "--label", " "],
        book,
        status: 65
      )
    }
  }

  @Test func `tokens of a backup, brought back or left out`() async throws {
    try await withCompany { book, folder in
      let backup = folder.appending("company.backup").string
      try await book.lines("token", "add", "u1", "--for", "x", "--expires", "1y")
      try await book.lines("backup", backup)
      for option in ["--with-tokens", "--without-tokens"] {
        try await follow(
          .option(option),
          of: ["restore-backup", backup, "--yes"],
          book,
          status: 64
        )
      }
    }
  }

  @Test func `commands that show what was meant`() async throws {
    try await withCompany { book, _ in
      try await follow(.command, of: ["tree", "xqzw"], book, status: 1)
      try await follow(.command, of: ["show", "xqzw"], book, status: 1)
      try await follow(.command, of: ["undo", "4711"], book, status: 1)
      try await follow(.command, of: ["field", "remove", "xqzw", "--yes"], book, status: 1)
    }
  }

  @Test func `records that vanished are accepted`() async throws {
    try await withCompany { book, folder in
      try await book.lines("sample", "--load", "--people", "300", "--departments", "20")
      let reader = Book(home: folder, conninfo: book.conninfo)
      try await reader.lines("sync")
      try book.script("truncate staffbook.departments, staffbook.users, staffbook.memberships")
      try await follow(.command, of: ["sync"], reader, status: 75)
    }
  }

  @Test func `the owner's commands are advised to owners, and others are told who may`()
    async throws
  {
    try await withCompany { book, folder in
      let backup = folder.appending("company.backup").string
      try await book.lines("backup", backup)
      let role = "remedy_\(UInt32.random(in: 0 ... .max))"
      try book.script("create role \(role) in role staffbook_reader, staffbook_editor")
      defer { try? book.script("drop owned by \(role); drop role \(role)") }
      var other = book
      other.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      for arguments in [
        ["backup", folder.appending("other.backup").string],
        ["restore-backup", backup, "--yes"],
      ] {
        let refused = try await other.run(arguments)
        #expect(refused.status == 77, "\(refused)")
        #expect(
          refused.stderr.hasSuffix("only the owner of the schema staffbook may do that\n"),
          "\(refused)"
        )
      }

      try book.script(
        "update staffbook.migrations set version = version - 1 where version = (select max(version) from staffbook.migrations)"
      )
      let reader = try await other.run("sync")
      #expect(
        reader.stderr.hasSuffix(
          "have the owner of the schema staffbook run: staffbook db migrate\n"
        ),
        "\(reader)"
      )
      let owner = try await book.run("sync")
      #expect(owner.stderr.hasSuffix("staffbook: run: staffbook db migrate\n"), "\(owner)")
    }
  }

  @Test func `an owner without rights on the database is told which one is missing`() async throws {
    try await withCompany { book, folder in
      let backup = folder.appending("company.backup").string
      try await book.lines("backup", backup)
      let role = "owner_\(UInt32.random(in: 0 ... .max))"
      let database = try book.value("select quote_ident(current_database())")
      // As docs/operations.md has it, but for the last statement.
      try book.script(
        """
        create role \(role);
        do $$
        declare
          command text;
        begin
          for command in
            select format('alter table %s owner to \(role)', c.oid::regclass)
              from pg_class c where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'r'
            union all
            select format('alter function %s owner to \(role)', p.oid::regprocedure)
              from pg_proc p where p.pronamespace = 'staffbook'::regnamespace
            union all select 'alter schema staffbook owner to \(role)'
          loop
            execute command;
          end loop;
        end $$
        """
      )
      var owner = book
      owner.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      let refused = try await owner.run("restore-backup", backup, "--yes")
      #expect(
        refused.status == 77
          && refused.stderr.hasSuffix(
            "staffbook: have the owner of the database grant CREATE on it to this user\n"
          ),
        "\(refused)"
      )
      try book.script("grant create on database \(database) to \(role)")
      let restored = try await owner.run("restore-backup", backup, "--yes")
      #expect(restored.status == 0, "\(restored)")
      try book.script("drop owned by \(role) cascade; drop role \(role)")
    }
  }

  @Test(arguments: [
    "sslmode=bogus", "host=/tmp port=abc",
    "host=/tmp target_session_attrs=bogus", "host=a,b port=1,2,3",
  ])
  func `a connection setting that is not valid is the user's mistake`(_ setting: String)
    async throws
  {
    try await withTemporaryDirectory { home in
      let outcome = try await Book(home: home, conninfo: setting).run("sync")
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.stderr.contains("the connection setting is not valid: "), "\(outcome)")
    }
  }
}
