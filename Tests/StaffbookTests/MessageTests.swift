import SystemPackage
import TestSupport
import Testing

/// Every way on which text from outside gets into a message or a report.
@Suite("Messages about hostile text")
struct MessageTests {
  /// A line of its own, a title of the terminal's, an order turned round, and what hides.
  private static let hostile =
    "a\nstaffbook: forged\u{1B}]0;x\u{7}\u{9B}31m\r\t\u{202E}b\u{200B}\u{85}c\u{2028}\u{FEFF}d"

  private func expectHarmless(
    _ outcome: ProgramOutcome,
    _ what: String,
    isReport: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for line in outcome.stderr.unicodeScalars.split(separator: "\n") {
      #expect(
        String(line).hasPrefix("staffbook: ") && !String(line).hasPrefix("staffbook: forged"),
        "\(what): \(String(line).debugDescription)",
        sourceLocation: sourceLocation
      )
    }
    let texts = isReport ? [outcome.stderr, outcome.stdout] : [outcome.stderr]
    for text in texts {
      let bad = text.unicodeScalars.filter(Self.isHarmful)
      #expect(bad.isEmpty, "\(what): \(text.debugDescription)", sourceLocation: sourceLocation)
      #expect(
        !text.unicodeScalars.split(separator: "\n")
          .contains { String($0).hasPrefix("staffbook: forged") },
        "\(what)",
        sourceLocation: sourceLocation
      )
    }
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F...0x9F, 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E,
      0x2060...0x2067, 0xFEFF:
      true
    default: false
    }
  }

  /// For data of programs: that the text is in it as it is.
  private func expectLossless(_ outcome: ProgramOutcome, _ what: String) {
    expectHarmless(outcome, what, isReport: false)
    #expect(outcome.status == 0, "\(what): \(outcome)")
    #expect(outcome.stdout.reads("…", "…b\u{200B}…", "…"), "\(what): \(outcome)")
  }

  @Test func `arguments`() async throws {
    let hostile = Self.hostile
    try await withTemporaryDirectory { home in
      let book = Book(home: home, conninfo: "")
      let commands = [
        [hostile], ["help", hostile], ["help", "db", hostile], ["db", hostile], ["-\(hostile)"],
        ["tree", "--\(hostile)"], ["tree", "--depth", hostile], ["tree", "--depth=\(hostile)"],
        ["tree", "--color", hostile], ["tree", "--json=\(hostile)"], ["tree", "x", hostile],
        ["tree", "-\(hostile)"], ["export", "--format", hostile], ["export", "-o", hostile],
        ["export", "-o", "\(hostile)/x.csv"], ["export", "--vcard-version", hostile],
        ["export", "--ldif-base", hostile, "--format", "ldif"], ["search", "--\(hostile)"],
        ["search", "--limit", hostile, "x"], ["sync", hostile], ["sample", "--seed", hostile],
        ["sample", "\(hostile)/below"], ["sample", "/dev/null/\(hostile)"],
        ["import", hostile], ["import", "--encoding", hostile, "/dev/null"],
        ["import", "--separator", hostile, "/dev/null"], ["sync", "--database", hostile],
        ["sync", "--database", "postgresql:///\(hostile)"], ["db", "stop", hostile],
        ["db", "status", "--database", "host=/nowhere dbname='\(hostile)'"],
        ["status", "--database", "host='/nowhere/\(hostile)'"],
        ["sync", "--database", "service='\(hostile)'"],
      ]
      for arguments in commands {
        let outcome = try await runProgram(
          FilePath(try Book.program()),
          arguments,
          environment: book.variables.merging(["STAFFBOOK_HOME": home.string]) { $1 },
          workingDirectory: home
        )
        expectHarmless(outcome, "\(arguments)")
      }
      try await stopServer(in: home)
    }
  }

  /// Stops the private server that commands without another database start.
  private func stopServer(in home: FilePath) async throws {
    #expect(try await Book(home: home, conninfo: "").run("db", "stop").status == 0)
  }

  @Test func `environment and configuration`() async throws {
    let hostile = Self.hostile
    let unreachable = "host=/nowhere dbname=none"
    try await withTemporaryDirectory { home in
      for name in [
        "STAFFBOOK_HOME", "STAFFBOOK_DATABASE_URL", "STAFFBOOK_LOCALE", "STAFFBOOK_TIMEOUT",
        "PGHOST",
        "PGSERVICE", "PGPORT", "LC_ALL", "TERM", "COLUMNS", "STAFFBOOK_PAGER", "TMPDIR",
      ] {
        var book = Book(home: home, conninfo: name.hasPrefix("PG") ? "" : unreachable)
        let isPath = name == "STAFFBOOK_HOME"
        book.environment = [name: isPath ? home.appending(hostile).string : hostile]
        for command in ["status", "tree", "sync", "doctor", "expand --all"] {
          let outcome = try await book.run(command.split(separator: " ").map(String.init))
          expectHarmless(outcome, "\(name) \(command)")
        }
      }
      try makeFolder(home.appending("config"))
      let quoted =
        "\"a\\nstaffbook: forged\\e]0;x\\a\\x9B\\r\\t\\u202Eb\\u200B\\N\\Lc\\uFEFF\""
      for text in [
        "\(quoted): 1\n", "database: \(quoted)\n", "locale: \(quoted)\n", "country: \(quoted)\n",
        "source: {\(quoted): x}\n", "source: \(quoted)\n", "database: {a: \(quoted)}\n",
        "\(quoted): a\n\(quoted): b\n", "*\(hostile)\n", "!\u{1B} x\n", "a: \u{7}\n",
      ] {
        try write(text, to: home.appending("config").appending("config.yaml"))
        var book = Book(home: home, conninfo: "")
        book.locale = ""
        for command in ["status", "doctor", "tree"] {
          expectHarmless(try await book.run(command), "\(text) \(command)")
        }
      }
      try write("", to: home.appending("config").appending("config.yaml"))
      try await stopServer(in: home)
    }
  }

  /// A directory in which every text is hostile.
  private func withHostileDirectory(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try book.script(
        """
        begin;
        insert into staffbook.departments (id, parent_id, name) values ('top', null, 'Top');
        insert into staffbook.departments (id, parent_id, name, description)
          select t || n, 'top', t, t from generate_series(1, 2) n, \(Self.literal) as l(t);
        insert into staffbook.users (id, name, email, phone, primary_department_id)
          select t || n, t, t, t, t || 2 from generate_series(1, 3) n, \(Self.literal) as l(t);
        insert into staffbook.memberships (user_id, department_id, title)
          select id, primary_department_id, name from staffbook.users;
        commit;
        """
      )
      try await body(book)
    }
  }

  /// The hostile text as a row of SQL.
  private static var literal: String {
    let units = hostile.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "(values (U&'\(units.joined())'))"
  }

  @Test func `records`() async throws {
    let hostile = Self.hostile
    try await withHostileDirectory { book in
      expectHarmless(try await book.run("sync", "-v"), "first sync")
      try book.script(
        """
        update staffbook.departments set name = name || 'x', description = 'y' where id <> 'top';
        update staffbook.users set name = name || 'x' where id like '%2';
        update staffbook.users set primary_department_id = 'top' where id like '%1';
        update staffbook.memberships set department_id = 'top' where user_id like '%1';
        delete from staffbook.memberships where user_id like '%3';
        delete from staffbook.users where id like '%3';
        """
      )
      let changed = try await book.run("sync", "-v")
      expectHarmless(changed, "sync -v")
      #expect(changed.stdout.split(separator: "\n").count == 7, "\(changed)")
      for command in ["status", "doctor", "doctor --verify", "db status", "tree --all", "search a"]
      {
        let outcome = try await book.run(command.split(separator: " ").map(String.init))
        expectHarmless(outcome, command)
      }
      for arguments in [
        ["staff", hostile], ["show", hostile], ["show", "id:" + hostile + "1"], ["tree", hostile],
        ["expand", hostile], ["search", hostile], ["search", "--in", hostile, "x"],
        ["staff", "id:" + hostile + "2"], ["export", hostile, "--all"], ["tree", "Tpo"],
        ["tree", hostile + "X"], ["search", "--explain", "forged"], ["search", "fogred"],
      ] {
        let isReport = arguments.first != "export"
        expectHarmless(try await book.run(arguments), "\(arguments)", isReport: isReport)
      }
      expectLossless(try await book.run("export", "--all", "--format", "tsv"), "tsv")
      expectLossless(try await book.run("tree", "--all", "--json"), "--json")
      expectLossless(try await book.run("search", "forged", "--plain"), "--plain")
      try book.script("truncate staffbook.memberships, staffbook.users, staffbook.departments")
      let refused = try await book.run("sync")
      #expect(
        refused.status == 75
          && refused.stderr.reads(
            "…",
            "staffbook: - department a␊staffbook: forged␛]0;x␇\\u{9B}31m␍␉\\u{202E}b\\u{200B}␤c␤\\u{FEFF}dx (a␊staffbook: forged␛]0;x␇\\u{9B}31m␍␉\\u{202E}b\\u{200B}␤c␤\\u{FEFF}d1) under Top",
            "…"
          )
      )
      expectHarmless(refused, "the brake")
      expectHarmless(
        try await book.run("sync", "--dry-run", "-v", "--accept-deletions"),
        "a dry run"
      )
      expectLossless(
        try await book.run("sync", "-v", "--json", "--accept-deletions"),
        "sync --json"
      )
    }
  }

  @Test func `the server's words`() async throws {
    let hostile = Self.hostile
    try await withHostileDirectory { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let absent = try await book.run(
          "sync",
          "--database",
          book.conninfo + " dbname='\(hostile.replacing("'", with: ""))'"
        )
        expectHarmless(absent, "no such database")
        try book.script(
          """
          create function public.refuse() returns trigger language plpgsql as $$
            begin raise exception using message = U&'\(Self.units)', detail = U&'\(Self.units)',
              hint = U&'\(Self.units)'; end $$;
          create trigger refuse before insert on staffbook.users
            for each row execute function public.refuse()
          """
        )
        let refused = try await book.run("import", folder.string)
        #expect(refused.status != 0)
        expectHarmless(refused, "a trigger's exception")
      }
    }
  }

  private static var units: String {
    String(literal.dropFirst("(values (U&'".count).dropLast("'))".count))
  }

  @Test func `files`() async throws {
    let hostile = Self.hostile
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let quoted = "\"\(hostile)\""
        try writeCompany(
          departments: "top,,Top,,0\n\(quoted),nowhere,\(quoted),,\(quoted)\n",
          users: "\(quoted),nowhere,\(quoted),,,,0\n\(quoted),top,X,,,,0\n",
          to: folder
        )
        expectHarmless(try await book.run("import", folder.string), "problems")
        for name in [
          "\(hostile).csv", "\(hostile).ldif", "\(hostile).vcf", "\(hostile).json", hostile,
        ] {
          let file = folder.appending(name.replacing("/", with: ""))
          for text in [
            "", "id,name\n\(quoted),\n", "dn: \u{1B}\n", "BEGIN:VCARD\n\u{1B}", "[{\u{1B}",
          ] {
            try write(text, to: file)
            expectHarmless(try await book.run("import", file.string, "-n"), "\(name) \(text)")
          }
        }
        try writeCompany(
          departments: "top,,Top,,0\n\(quoted),top,\(quoted),,0\n",
          users: "\(quoted),\(quoted),\(quoted),,,,0\n",
          to: folder
        )
        expectHarmless(try await book.run("import", folder.string, "-v"), "import -v")
        let target = folder.appending("\(hostile).csv")
        expectHarmless(try await book.run("export", "-o", target.string), "export")
        expectHarmless(try await book.run("export", "-o", target.string), "export again")
        expectHarmless(try await book.run("sample", folder.appending(hostile).string), "sample")
        expectHarmless(
          try await book.run("sample", folder.appending(hostile).string),
          "sample again"
        )
      }
    }
  }
}
