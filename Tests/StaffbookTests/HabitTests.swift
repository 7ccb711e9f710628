import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Habits of the command line")
struct HabitTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        var ada = book
        ada.environment["STAFFBOOK_ACTOR"] = "Ada"
        try await ada.lines("import", folder.string, "-m", "first import")
        try await body(ada)
      }
    }
  }

  @Test func `log names whom it is asked about exactly, and transactions by number or on a line`()
    async throws
  {
    try await withCompany { book in
      var ben = book
      ben.environment["STAFFBOOK_ACTOR"] = "Ben Ek"
      try await ben.lines("set", "id:u1", "phone=77", "-m", "new phone\nsecond line")
      for part in ["Be", "Ek", "a", "post"] {
        #expect(try await book.run("log", "--by", part).status == 1, "\(part)")
      }
      let log = try await book.lines("log", "--by", "ben ek")
      #expect(log.filter { $0.hasPrefix("transaction ") }.count == 1)
      let newest = try #require(log.first?.split(separator: " ").last.map(String.init))
      let role = try book.value("select by_role from staffbook.transactions limit 1")
      #expect(try await book.lines("log", "--by", role, "--oneline").count == 2)
      let line = try await book.run("log", "--oneline", "-n", "1")
      #expect(line.stdout.reads("\(newest)  20…  Ben Ek (as \(role)): new phone"), "\(line)")
      let whole = try await book.run("log", "--transaction", newest)
      #expect(
        whole.stdout.reads(
          "transaction \(newest)",
          "Author: Ben Ek (as \(role))",
          "Date:   …",
          "",
          "    new phone",
          "    second line",
          "",
          "  ~ Ada Lund (u1); phone \"+1 555 0100\" is now \"77\""
        ),
        "\(whole)"
      )
      #expect(try await book.run("log", "--transaction", "999").status == 1)
      #expect(try await book.run("log", "--transaction", newest, "-n", "1").status == 64)
    }
  }

  @Test func `undo alone proposes the newest of one's own, and asks`() async throws {
    try await withCompany { book in
      var ben = book
      ben.environment["STAFFBOOK_ACTOR"] = "Ben"
      #expect(try await ben.run("undo").status == 1)
      try await book.lines("set", "id:u1", "phone=77", "-m", "new phone")
      try await ben.lines("set", "id:u2", "phone=88")
      let asked = try await book.run("undo")
      #expect(asked.status == 75, "\(asked)")
      #expect(
        asked.stderr.reads(
          "staffbook: the newest transaction of Ada is …: new phone",
          "staffbook: confirmation required, but standard input is not a terminal",
          "…"
        ),
        "\(asked)"
      )
      #expect(asked.stdout.reads(#"~ Ada Lund (u1); phone "77" is now "+1 555 0100""#), "\(asked)")
      try await book.lines("field", "add", "mobile")
      #expect(
        try await book.run("undo").stderr.reads(
          "staffbook: the newest transaction of Ada that can be undone is …: new phone",
          "…"
        )
      )
      try await book.lines("undo", "--yes")
      let phones =
        "select string_agg(phone, ' ' order by id) from staffbook.users where phone <> ''"
      #expect(try book.value(phones) == "+1 555 0100 88")
    }
  }

  @Test func `a difference from before history begins there`() async throws {
    try await withCompany { book in
      try await book.lines("set", "id:u1", "phone=77")
      let outcome = try await book.run("diff", "yesterday")
      #expect(
        outcome.status == 0 && outcome.stdout.reads("…", "  + Ada Lund (u1) in Lumen", "…"),
        "\(outcome)"
      )
      #expect(
        outcome.stderr.reads("staffbook: comparing from …, when the history begins", ""),
        "\(outcome)"
      )
      #expect(try await book.run("diff", "2 years ago", "1 year ago").status == 1)
    }
  }

  /// Edits with a shell script as the editor, without confirmation.
  ///
  /// - Returns: The file that is kept.
  private func keep(_ book: Book, _ script: String, _ arguments: String...) async throws -> String {
    let asked = try await edit(book, script, arguments)
    #expect(asked.status == 75, "\(asked)")
    let words = "staffbook: continue with: staffbook edit --resume "
    let line = try #require(asked.stderr.split(separator: "\n").first { $0.hasPrefix(words) })
    return String(line.dropFirst(words.count))
  }

  private func edit(
    _ book: Book,
    _ script: String,
    _ arguments: [String]
  ) async throws -> ProgramOutcome {
    let editor = book.home.appending("editor.sh")
    var edited = book
    edited.environment["VISUAL"] = "sh '\(editor)'"
    try write(script + "\n", to: editor)
    return try await edited.run(["edit"] + arguments)
  }

  @Test func `a saved text is resumed, and shows what was changed meanwhile`()
    async throws
  {
    try await withCompany { book in
      let file = try await keep(book, "sed -i 's/^phone:.*/phone: 99/' \"$1\"", "u1")
      try await book.lines("set", "u1", "email=new@x.example")
      try await book.lines("join", "u1", "Vacant")
      let seen = book.home.appending("seen")
      let done = try await edit(book, "cp \"$1\" '\(seen)'", ["--resume", file, "--yes"])
      #expect(done.status == 0, "\(done)")
      let text = String(decoding: try bytes(of: seen), as: UTF8.self)
      #expect(
        text.hasPrefix(
          """
          # ! changed in the meantime: ~ Ada Lund (u1); email "ada@lumen.example" is now "new@x.example"; \
          also in Vacant

          """
        ),
        "\(text)"
      )
      #expect(text.contains("\nphone: 99\n"), "\(text)")
      #expect(
        try book.query(
          """
          select u.email, u.phone, count(*) from staffbook.users u
            join staffbook.memberships m on m.user_id = u.id where u.id = 'u1' group by u.id
          """
        ) == [["new@x.example", "99", "2"]]
      )
      let again = try await book.run("edit", "--resume", file)
      #expect(again.status == 66, "\(again)")
      #expect(
        again.stderr.reads(
          "staffbook: cannot resume …: No such file or directory",
          ""
        )
      )
      try await withTemporaryDirectory { folder in
        let other = folder.appending("other")
        try write("phone: 99\n", to: other)
        let unknown = try await book.run("edit", "--resume", other.string)
        #expect(unknown.status == 66, "\(unknown)")
        #expect(
          unknown.stderr.reads("staffbook: cannot resume …: it is not the text of an edit", "")
        )
      }
    }
  }

  @Test func `a kept text whose value was changed to another one meanwhile is not taken silently`()
    async throws
  {
    try await withCompany { book in
      let phone = "select phone from staffbook.users where id = 'u1'"
      let file = try await keep(book, "sed -i 's/^phone:.*/phone: 99/' \"$1\"", "u1")
      try await book.lines("set", "u1", "phone=77", "email=new@x.example")
      let refused = try await edit(book, "true", ["--resume", file, "--yes"])
      #expect(refused.status == 65, "\(refused)")
      #expect(
        refused.stderr.reads(
          "staffbook: line …: it was changed in the meantime: Ada Lund (u1): phone is now \"77\", not \"+1 555 0100\"; Ada changed it at 20…; save again to keep this text",
          "staffbook: your text was saved in …",
          "staffbook: continue with: staffbook edit --resume …",
          "staffbook: cannot edit …: the text still contains errors"
        ),
        "\(refused)"
      )
      #expect(try book.value(phone) == "77")
      let saved = try await edit(book, "echo >> \"$1\"", ["--resume", file, "--yes"])
      #expect(saved.status == 0, "\(saved)")
      #expect(try book.value(phone) == "99")
      #expect(
        try book.value("select email from staffbook.users where id = 'u1'") == "new@x.example"
      )
    }
  }

  @Test func `a kept table removes no one who joined meanwhile, and reverts no value`() async throws
  {
    try await withCompany { book in
      let file = try await keep(
        book,
        "sed -i 's/Grinder/Foreman/' \"$1\"",
        "Mirrors",
        "--people"
      )
      try await book.lines("set", "u2", "email=a.much.longer.address@lumen.example")
      try await book.lines("add", "user", "Zoë Winter", "--in", "Mirrors", "--id", "zoe")
      try await book.lines("join", "u1", "Mirrors")
      let seen = book.home.appending("seen")
      let done = try await edit(book, "cp \"$1\" '\(seen)'", ["--resume", file, "--yes"])
      #expect(done.stdout == "~ Émile Noé (u3); title in Mirrors \"Grinder\" is now \"Foreman\"\n")
      let text = String(decoding: try bytes(of: seen), as: UTF8.self)
      let marks = text.split(separator: "\n").filter { $0.hasPrefix("# ! ") }
      #expect(
        marks == [
          "# ! changed in the meantime: + Zoë Winter (zoe) in Mirrors",
          """
          # ! changed in the meantime: ~ Łukasz Żak (u2); email "lukasz@lumen.example" is now \
          "a.much.longer.address@lumen.example"
          """,
          "# ! changed in the meantime: ~ Ada Lund (u1); also in Mirrors",
        ],
        "\(text)"
      )
      #expect(
        try book.value(
          "select string_agg(user_id, ' ' order by user_id) from staffbook.memberships where department_id = 'mir'"
        ) == "u1 u2 u3 zoe"
      )
    }
  }

  @Test func `a kept outline removes nothing that was added meanwhile, and moves nothing back`()
    async throws
  {
    try await withCompany { book in
      let file = try await keep(book, "sed -i 's/Vacant/Vaults/' \"$1\"", "--tree")
      try await book.lines("add", "department", "Towers", "--under", "lum", "--id", "tow")
      try await book.lines("add", "user", "Zoë Winter", "--in", "tow", "--id", "zoe")
      try await book.lines("move", "u3", "--to", "tow")
      try await book.lines("rename", "mir", "Mirror Works")
      let seen = book.home.appending("seen")
      let done = try await edit(book, "cp \"$1\" '\(seen)'", ["--resume", file, "--yes"])
      #expect(
        done.stdout == "~ department Vaults (vac); name \"Vacant\" is now \"Vaults\"\n",
        "\(done)"
      )
      let text = String(decoding: try bytes(of: seen), as: UTF8.self)
      let marks = text.split(separator: "\n").filter { $0.hasPrefix("# ! ") }
      #expect(
        marks == [
          "# ! changed in the meantime: + department Towers (tow) under Lumen",
          "# ! changed in the meantime: ~ department Mirror Works (mir); name \"Mirrors\" is now \"Mirror Works\"",
          "# ! changed in the meantime: + Zoë Winter (zoe) in Towers",
          "# ! changed in the meantime: ~ Émile Noé (u3); also in Towers; no longer in Mirror Works",
        ],
        "\(text)"
      )
    }
  }

  @Test func `declared fields are listed as JSON Lines`() async throws {
    try await withCompany { book in
      try await book.lines("field", "add", "mobile")
      try await book.lines("set", "u1", "mobile=1")
      #expect(
        try await book.lines("field", "list", "--json") == [
          #"{"kind":"phone","label":"Mobile","name":"mobile","of":"people","oneself":true,"records":1,"searched":true,"several":false,"visible":true}"#
        ]
      )
    }
  }

  @Test func `a backup goes through a pipe, whole or not at all`() async throws {
    try await withCompany { book in
      let file = book.home.appending("piped.backup")
      let program = try Book.program()
      let outcome = try await runProgram(
        "/bin/sh",
        ["-c", "'\(program)' backup - > '\(file)'"],
        environment: book.variables
      )
      #expect(outcome.status == 0, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: wrote 3 people, 4 departments and 1 transaction of history to standard output (… bytes) and verified it"
        ),
        "\(outcome)"
      )
      try await book.lines("remove", "u1", "--yes")
      try await book.lines("restore-backup", file.string, "--yes")
      #expect(try book.value("select count(*) from staffbook.users") == "3")
      let full = try await runProgram(
        "/bin/sh",
        ["-c", "'\(program)' backup - > /dev/full"],
        environment: book.variables
      )
      #expect(full.status == 73, "\(full)")
    }
  }

  @Test func `a department is put below another by its parent`() async throws {
    try await withCompany { book in
      let parent = "select coalesce(parent_id, '') from staffbook.departments where id = 'mir'"
      try await book.lines("set", "Mirrors", "parent=Vacant")
      #expect(try book.value(parent) == "vac")
      try await book.lines("set", "Mirrors", "parent=")
      #expect(try book.value(parent) == "")
      let ring = try await book.run("set", "Lumen", "parent=Optics")
      #expect(
        ring.status == 65
          && ring.stderr.reads("staffbook: cannot change Lumen: Optics is inside Lumen"),
        "\(ring)"
      )
      #expect(try await book.run("set", "u1", "parent=Optics").status == 64)
    }
  }

  @Test func `what a reader may not do is not printed as if it were done`() async throws {
    try await withCompany { book in
      let reader = "reader\(Int.random(in: 0..<1_000_000_000))"
      try book.script("create role \(reader) login; grant staffbook_reader to \(reader)")
      var reading = book
      let conninfo = book.conninfo
      reading = Book(
        home: book.home,
        conninfo: conninfo,
        environment: ["PGOPTIONS": "-c role=\(reader)"]
      )
      for arguments in [["set", "u1", "phone=1"], ["remove", "u1", "--yes"]] {
        let outcome = try await reading.run(arguments)
        #expect(outcome.status == 77 && outcome.stdout.isEmpty, "\(outcome)")
      }
      try book.script("drop owned by \(reader); drop role \(reader)")
    }
  }

  @Test func `more results than are shown are told to programs on standard output`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let users = (1...60).map { "p\($0),d,Pat \($0),,,,0\n" }.joined()
        try writeCompany(departments: "d,,All,,0\n", users: users, to: folder)
        try await book.lines("import", folder.string)
      }
      let lines = try await book.lines("search", "--json", "pat")
      #expect(lines.count == 51)
      #expect(lines.last == #"{"event":"more","shown":50}"#)
      #expect(try await book.lines("search", "--json", "--limit", "50", "pat").count == 50)
      #expect(try await book.lines("search", "--json", "--limit", "0", "pat").count == 60)
      try await withTemporaryDirectory { folder in
        try writeCompany(departments: "d,,All,,0\n", users: "q,d,Quinn,,,,0\n", to: folder)
        try await book.lines("import", folder.string, "--replace", "--accept-deletions")
      }
      let left = try await book.lines("search", "--json", "--left", "pat")
      #expect(
        left.count == 51 && left.last == #"{"event":"more","shown":50}"#,
        "\(left.last ?? "")"
      )
      #expect(
        try await book.lines("search", "--json", "--left", "--limit", "0", "pat").count == 60
      )
      let text = try await book.run("search", "--left", "pat")
      #expect(text.stdout.split(separator: "\n").count == 50)
      #expect(
        text.stderr
          == "staffbook: showing the first 50 results; use --limit to see more\n"
      )
    }
  }

  @Test(arguments: ["", "source:\n  departments: a\n  users: b\n  memberships: c\n"])
  func `a watch without a database sets up none, and says what to write`(
    _ configuration: String
  ) async throws {
    try await withTemporaryDirectory { home in
      try makeFolder(home.appending("config"))
      try write(configuration, to: home.appending("config/config.yaml"))
      let book = Book(home: home, conninfo: "")
      let outcome = try await book.run("sync", "--watch")
      #expect(outcome.status == 64)
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot watch: no database is configured, and there is no private server",
          "staffbook: write database: postgresql://HOST/DATABASE to …/config.yaml or /etc/staffbook/config.yaml, or run: staffbook db start",
          ""
        ),
        "\(outcome)"
      )
      #expect(try !folderEntries(home).contains("data"))
    }
  }
}
