import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Commands")
struct CommandTests {
  /// A book with the small company imported.
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `every command explains itself with examples`() async throws {
    try await withTemporaryDirectory { home in
      let book = Book(home: home, conninfo: "")
      let commands = [
        "tree", "expand", "collapse", "search", "staff", "show", "sync", "status", "import",
        "export", "sample", "db start", "db stop", "db status", "db url", "db shell",
        "db migrate", "field add", "field list", "field remove", "source list", "source rename",
        "source remove",
      ]
      for command in commands {
        let outcome = try await book.run(
          command.split(separator: " ").map(String.init) + ["--help"]
        )
        #expect(outcome.status == 0)
        #expect(outcome.stdout.reads("…", "EXAMPLES", "…"), "\(command)")
      }
      let help = try await book.run()
      #expect(help.status == 0)
      #expect(help.stdout.reads("…", "USAGE: staffbook <subcommand>", "…"))
    }
  }

  @Test func `wrong usage is 64 and says how it is used`() async throws {
    try await withTemporaryDirectory { home in
      let book = Book(home: home, conninfo: "")
      for arguments in [
        ["nonsense"], ["tree", "--json", "--plain"], ["expand"], ["search"],
        ["tree", "--depth", "x"],
        ["sample"], ["tree", "--all", "--level", "2"], ["search", "x", "--tree", "--limit", "2"],
      ] {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 64, "\(arguments): \(outcome)")
        #expect(outcome.stdout.isEmpty)
        #expect(!outcome.stderr.isEmpty)
      }
    }
  }

  @Test func `the first tree has its roots open`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      #expect(
        try await book.lines("tree") == [
          "▾ Lumen (3)", "├─ ▸ Optics (2)", "├─ ▹ Vacant (0)", "└─ Ada Lund · Head",
        ]
      )
      #expect(try await book.lines("tree", "--level", "0") == ["▸ Lumen (3)"])
      #expect(
        try await book.lines("tree", "--all") == [
          "▾ Lumen (3)", "├─ ▾ Optics (2)", "│  ├─ ▾ Mirrors (2)",
          "│  │  ├─ Émile Noé · Grinder", "│  │  └─ Łukasz Żak · Polisher",
          "│  └─ Łukasz Żak · Adviser", "├─ ▹ Vacant (0)", "└─ Ada Lund · Head",
        ]
      )
    }
  }

  @Test func `a terminal without UTF-8 gets ASCII`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      var book = book
      book.environment = ["LC_ALL": "C"]
      let lines = try await book.lines("tree", "--depth", "1")
      #expect(lines == ["v Lumen (3)", "|- > Optics (2)", "|- - Vacant (0)", "`- Ada Lund - Head"])
    }
  }

  @Test func `what was opened stays open, over renames and vanished departments`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      try await book.lines("expand", "Mirrors")
      #expect(try await book.lines("tree").count == 8)
      try book.script("update staffbook.departments set name = 'Lenses' where id = 'mir'")
      try await book.lines("sync")
      #expect(try await book.lines("tree").contains { $0.reads("│  ├─ ▾ Lenses (2)") })
      try await book.lines("collapse", "Optics")
      #expect(try await book.lines("tree").count == 4)
      try await book.lines("expand", "Optics")
      #expect(try await book.lines("tree").count == 8)
      try book.script(
        """
        begin;
        update staffbook.memberships set department_id = 'lum' where department_id = 'mir';
        delete from staffbook.departments where id = 'mir';
        commit;
        """
      )
      try await book.lines("sync")
      #expect(
        try await book.lines("tree") == [
          "▾ Lumen (3)", "├─ ▾ Optics (1)", "│  └─ Łukasz Żak · Adviser", "├─ ▹ Vacant (0)",
          "├─ Ada Lund · Head", "├─ Émile Noé · Grinder", "└─ Łukasz Żak · Polisher",
        ]
      )
      try await book.lines("collapse", "--all")
      #expect(try await book.lines("tree") == ["▸ Lumen (3)"])
      try await book.lines("expand", "--level", "1")
      #expect(try await book.lines("tree").count == 6)
    }
  }

  @Test func `departments are named by id, name and path`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      for name in ["mir", "Mirrors", "mirrors", "id:mir", "name:Mirrors", "Lumen/Optics/Mirrors"] {
        #expect(try await book.lines("staff", name, "--plain").count == 2, "\(name)")
      }
      let unknown = try await book.run("staff", "Mirors")
      #expect(unknown.status == 1)
      #expect(
        unknown.stderr.reads(
          "staffbook: there is no department Mirors",
          "staffbook: did you mean Mirrors?"
        )
      )
      #expect(try await book.run("staff", "name:mir").status == 1)
      let empty = try await book.run("staff", "Vacant")
      #expect(empty.status == 0 && empty.stdout.isEmpty)
      try book.script("update staffbook.departments set name = 'Optics' where id = 'vac'")
      try await book.lines("sync")
      let ambiguous = try await book.run("staff", "Optics")
      #expect(ambiguous.status == 1)
      #expect(
        ambiguous.stderr.reads(
          "staffbook: 2 departments are called Optics",
          "staffbook: name one by its id or path: id:opt (Lumen/Optics), id:vac (Lumen/Optics)"
        )
          && ambiguous.stderr.reads(
            "staffbook: 2 departments are called Optics",
            "staffbook: name one by its id or path: id:opt (Lumen/Optics), id:vac (Lumen/Optics)"
          )
      )
    }
  }

  @Test func `rows in JSON have the keys that apply`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let rows = try await book.lines("tree", "--json")
      #expect(
        rows[at: 0]
          == #"{"kind":"department","id":"lum","name":"Lumen","level":0,"disclosure":"expanded","#
          + #""description":"Makers of light","people":3}"#
      )
      #expect(
        rows[at: 3]
          == #"{"kind":"user","id":"u1","name":"Ada Lund","level":1,"parent":"lum","#
          + #""title":"Head","email":"ada@lumen.example","phone":"+1 555 0100"}"#
      )
      let found = try await book.lines("search", "lukasz", "--json")
      #expect(
        found == [
          #"{"kind":"user","id":"u2","name":"Łukasz Żak","title":"Polisher","#
            + #""email":"lukasz@lumen.example","phone":"+1 555 0101","#
            + #""path":["Lumen","Optics","Mirrors"],"departments":["#
            + #"{"id":"mir","name":"Mirrors","path":["Lumen","Optics"],"title":"Polisher"},"#
            + #"{"id":"opt","name":"Optics","path":["Lumen"],"title":"Adviser"}]}"#
        ]
      )
      #expect(
        try await book.lines("tree", "--plain").last
          == "1\tuser\tu1\tAda Lund\tHead\tada@lumen.example\t+1 555 0100"
      )
    }
  }

  @Test func `reading works with the database down, and writing says so`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let tree = try await book.lines("tree")
      try await book.withoutConnections {
        #expect(try await book.lines("tree") == tree)
        #expect(try await book.lines("search", "lukasz").count == 1)
        #expect(
          try await book.lines("status").contains {
            $0.reads(
              "  Server:    unreachable: cannot connect to PostgreSQL: connection to server on socket \"…\" failed: FATAL:  database \"…\" is not currently accepting connections"
            )
          }
        )
        for command in [["sync"], ["tree", "--fresh"], ["import", "--no-sync", "."]] {
          let outcome = try await book.run(command)
          #expect([66, 69].contains(outcome.status), "\(command): \(outcome)")
        }
        #expect(try await book.run("sync").status == 69)
      }
    }
  }

  @Test func `status says when the data changed and when that was last checked`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      var book = book
      book.environment = ["TZ": "XYZ-05:30"]
      let lines = try await book.lines("status")
      for label in ["Data changed", "Last checked"] {
        #expect(
          lines.contains { $0.reads("  \(label):  20…-…-… …:…:… +05:30 (… ago)") },
          "\(lines)"
        )
      }
    }
  }

  @Test func `no password is shown anywhere`() async throws {
    try await withTemporaryDirectory { home in
      let book = Book(
        home: home,
        conninfo: "postgresql://reader:s3cret@127.0.0.1:1/none?connect_timeout=2"
      )
      for command in [["sync"], ["tree"], ["status"], ["status", "--json"], ["db", "url"]] {
        let outcome = try await book.run(command)
        #expect(!"\(outcome)".contains("s3cret"), "\(command)")
      }
      let argument = try await book.run("sync", "--database", "postgresql://a:s3cret@127.0.0.1:1/b")
      #expect(
        argument.stderr.reads(
          "staffbook: warning: a password on the command line is visible to other accounts; put it in ~/.pgpass",
          "…"
        )
      )
      #expect(!"\(argument)".contains("s3cret"))
      let broken = try await book.run("sync", "--database", "postgresql://a:s3cret@[oops/b")
      #expect(broken.status == 64)
      #expect(!"\(broken)".contains("s3cret"))
    }
  }

  @Test func `a damaged snapshot is set aside and made again`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let tree = try await book.lines("tree")
      let path = try snapshotPath(of: book)
      let file = try FileDescriptor.open(path, .readWrite)
      try file.closeAfter { _ = try file.writeAll(toAbsoluteOffset: 20, Array("ruin".utf8)) }
      let outcome = try await book.run("tree")
      #expect(outcome.status == 0)
      #expect(
        outcome.stderr.reads("staffbook: the snapshot … is damaged (header); it is kept as …")
      )
      #expect(outcome.stdout.split(separator: "\n").map(String.init) == tree)
      #expect(try await book.run("tree").stderr.isEmpty)
    }
  }

  @Test func `files of ours are for their owner alone`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      try await book.lines("expand", "Optics")
      let snapshot = try snapshotPath(of: book)
      #expect(try snapshot.stat().permissions == .ownerReadWrite)
      var folder = snapshot.removingLastComponent()
      while folder != book.home {
        #expect(try folder.stat().permissions == .ownerReadWriteExecute, "\(folder)")
        folder.removeLastComponent()
      }
    }
  }

  @Test func `a sync does not put an empty source in a full snapshot's place`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      try book.script("truncate staffbook.memberships, staffbook.users, staffbook.departments")
      let refused = try await book.run("sync")
      #expect(refused.status == 75)
      #expect(
        refused.stderr.reads(
          "…",
          "staffbook: if this is intended, run: staffbook sync --accept-deletions"
        )
      )
      #expect(try await book.lines("tree").count == 4)
      try await book.lines("sync", "--accept-deletions")
      let empty = try await book.run("tree")
      #expect(empty.status == 0 && empty.stdout.isEmpty)
      #expect(
        empty.stderr.reads(
          "staffbook: the directory is empty; import a folder with: staffbook import FOLDER; or load an invented company with: staffbook sample --load"
        )
      )
    }
  }

  @Test func `an export appears whole, once, and is not overwritten`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let file = book.home.appending("out.csv")
      try await book.lines("export", "-o", file.string)
      let written = try BadInputTests.text(of: file)
      let rows = written.split(separator: "\r\n")
      #expect(
        rows.count == 5
          && rows[0]
            == "level,kind,id,parent_id,name,description,title,email,phone,sort_order,primary,people,path"
      )
      let again = try await book.run("export", "-o", file.string)
      #expect(again.status == 73)
      #expect(
        again.stderr.reads(
          "staffbook: cannot write …: the file exists",
          "staffbook: replace it with --force"
        )
      )
      try await book.lines("export", "--all", "--force", "-o", file.string)
      #expect(try BadInputTests.text(of: file).split(separator: "\r\n").count == 9)
      let nowhere = try await book.run("export", "-o", book.home.appending("no/where.csv").string)
      #expect(nowhere.status == 73)
    }
  }

  @Test func `a filter shows matches and the way to them`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      #expect(
        try await book.lines("search", "polisher", "--tree") == [
          "▾ Lumen (3)", "└─ ▾ Optics (2)", "   └─ ▾ Mirrors (2)",
          "      └─ Łukasz Żak · Polisher",
        ]
      )
      #expect(
        try await book.lines("tree", "--filter", "mirrors") == [
          "▾ Lumen (3)", "└─ ▾ Optics (2)", "   └─ ▸ Mirrors (2)",
        ]
      )
      #expect(try await book.run("tree", "--filter", "nobody").status == 1)
      #expect(try await book.run("search", "nobody").status == 1)
      #expect(try await book.run("search", "").status == 64)
    }
  }

  @Test func `a search without a hit leaves no file`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let file = book.home.appending("none.csv")
      let outcome = try await book.run("export", "--filter", "nobody", "-o", file.string)
      #expect(outcome.status == 1)
      #expect(throws: Errno.noSuchFileOrDirectory) { try file.stat() }
      #expect(try await book.run("export", "-o", book.home.string, "--format", "csv").status == 73)
      #expect(try await book.run("export", "-o", "staff.xyz").status == 64)
    }
  }

  @Test func `a spreadsheet gets a mark and no cell to run`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCompany(
          departments: "d,,D,,0\n",
          users: "u,d,=1+1,@sum,+1,-2,0\n",
          to: folder
        )
        try await book.lines("import", folder.string)
      }
      let plain = try await book.run("export", "--all")
      #expect(
        plain.stdout.reads(
          "level,kind,id,parent_id,name,description,title,email,phone,sort_order,primary,people,path\u{D}",
          "0,department,d,,D,,,,,0,,1,\u{D}",
          "1,user,u,d,=1+1,,@sum,+1,-2,0,true,,D\u{D}"
        )
      )
      let sheet = try await book.run("export", "--all", "--excel")
      #expect(sheet.stdoutBytes.starts(with: [0xEF, 0xBB, 0xBF]))
      #expect(
        sheet.stdout.reads(
          "\u{FEFF}level,kind,id,parent_id,name,description,title,email,phone,sort_order,primary,people,path\u{D}",
          "0,department,d,,D,,,,,0,,1,\u{D}",
          "1,user,u,d,'=1+1,,'@sum,\"=\"\"+1\"\"\",\"=\"\"-2\"\"\",0,true,,D\u{D}"
        )
      )
    }
  }

  @Test func `absurd numbers are no crash`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let huge = String(Int.max)
      #expect(try await book.lines("tree", "Optics", "--level", huge).count == 5)
      #expect(try await book.lines("tree", "--depth", huge).count == 8)
      #expect(try await book.lines("expand", "--level", huge).count == 8)
      let folder = book.home.appending("absurd").string
      #expect(try await book.run("sample", "--departments", huge, folder).status == 64)
    }
  }

  @Test func `a sample is loaded without a file that could be left behind`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        var book = book
        book.environment["TMPDIR"] = folder.string
        let wrong = try await book.run("sample", "--load", "./x")
        #expect(
          wrong.status == 64
            && wrong.stderr.reads(
              "staffbook: --load writes no folder: leave out either --load or the folder ./x",
              "staffbook: usage: staffbook sample [<options>] [<folder>]; see staffbook sample --help"
            ),
          "\(wrong)"
        )
        let other = try await PGSession.connect(conninfo: book.conninfo)
        try await other.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript(
            "begin; lock table staffbook.users in share row exclusive mode"
          )
        }
        try await withProgram(
          FilePath(try Book.program()),
          ["sample", "--load"],
          environment: book.variables
        ) { process in
          try await wait(until: "the import waits") {
            try book.query(
              """
              select 1 from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock'
              """
            ) != []
          }
          #expect(kill(process, SIGKILL) == 0)
        }
        #expect(try folderEntries(folder) == [])
        try await other.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript("rollback")
        }
        try await book.lines("sample", "--load")
        #expect(try folderEntries(folder) == [])
      }
    }
  }

  @Test func `an import that would remove much needs to be told so`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("sample", folder.string)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try writeSmallCompany(to: folder)
        let refused = try await book.run("import", "--replace", folder.string)
        #expect(refused.status == 75)
        #expect(
          refused.stderr.reads(
            "…",
            "staffbook: cannot import: 209 of 209 people and 25 of 25 departments would be removed",
            "…"
          )
        )
        #expect(try book.contents() == before)
        try await book.lines("import", "--replace", "--accept-deletions", folder.string)
        #expect(try book.query("select count(*) from staffbook.users")[at: 0] == ["3"])
      }
    }
  }

  @Test func `a person in several departments is one row of a recursive list`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let rows = try await book.lines("staff", "Lumen", "-r", "--json")
      #expect(values(of: "id", in: rows).sorted() == ["u1", "u2", "u3"])
      #expect(try await book.lines("show", "Ada Lund", "--json").count == 1)
      #expect(
        try await book.lines("show", "id:u2").contains {
          $0.reads("  Departments:  Lumen/Optics/Mirrors (Polisher)")
        }
      )
      #expect(try await book.run("show", "Nobody").status == 1)
    }
  }

  @Test func `a reader that stops early is no failure`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      let outcome = try await runProgram(
        "/bin/sh",
        ["-c", "\"$0\" tree --all --json | head -n 1", try Book.program()],
        environment: [
          "PATH": "/usr/bin:/bin", "HOME": book.home.string, "STAFFBOOK_HOME": book.home.string,
          "STAFFBOOK_DATABASE_URL": book.conninfo, "STAFFBOOK_LOCALE": book.locale,
        ]
      )
      #expect(outcome.status == 0)
      #expect(outcome.stderr.isEmpty, "\(outcome)")
    }
  }

  private func snapshotPath(of book: Book) throws -> FilePath {
    // There is one folder for each source.
    let cache = book.home.appending("cache")
    let source = try #require(try folderEntries(cache).first)
    return cache.appending(source).appending("directory.snapshot")
  }
}
