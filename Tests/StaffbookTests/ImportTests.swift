import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Importing")
struct ImportTests {
  @Test func `columns that a file does not have stay as they are stored`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try write(
          "id,parent_id,name\nlum,,Lumen\nopt,lum,Optics\nmir,opt,Mirrors\nvac,lum,Vacant\n",
          to: folder.appending("departments.csv")
        )
        try write(
          "name,id,department_id\nAda Lund,u1,lum\nŁukasz Żak,u2,mir\nÉmile Noé,u3,mir\n",
          to: folder.appending("users.csv")
        )
        try write("user_id,department_id\nu2,opt\n", to: folder.appending("memberships.csv"))
        for option in [[], ["--replace"]] {
          let outcome = try await book.run(["import", folder.string] + option)
          #expect(outcome.status == 0)
          #expect(
            outcome.stderr.reads(
              "…",
              "staffbook: warning: …:1: has no column phone; stored values are kept, and new rows have none",
              "…"
            )
          )
          #expect(try book.contents() == before, "\(option)")
        }
      }
    }
  }

  @Test func `a changed primary department takes the place of the old one`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try writeCompany(
          departments: "new,lum,New,,0\n",
          users: "u2,new,Łukasz Żak,Founder,lukasz@lumen.example,,0\n",
          to: folder
        )
        try remove(folder.appending("memberships.csv"))
        try await book.lines("import", folder.string)
        #expect(
          try book.query(
            "select department_id, title from staffbook.memberships where user_id = 'u2' order by 1"
          )
            == [["new", "Founder"], ["opt", "Adviser"]]
        )
        #expect(try await book.lines("staff", "Mirrors", "--plain").count == 1)
      }
    }
  }

  @Test func `two imports at once come out as one after the other`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("sample", "--people", "2000", "--departments", "100", folder.string)
        let statuses = try await withThrowingTaskGroup(of: Int32.self) { group in
          for _ in 0..<4 {
            group.addTask { try await book.run("import", "--replace", folder.string).status }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [0, 0, 0, 0])
        #expect(try book.query("select count(*) from staffbook.users")[at: 0] == ["2000"])
      }
    }
  }

  @Test func `the second says so, waits, and plans on what the first left`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let first = try await PGSession.connect(conninfo: book.conninfo)
        try await first.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript(
            """
            begin; lock table staffbook.users in share row exclusive mode;
            update staffbook.users set name = 'Ada Byron' where id = 'u1'
            """
          )
        }
        let dry = try await book.lines("import", "-n", folder.string)
        #expect(
          dry == ["departments: 4 unchanged; people: 3 unchanged; memberships: 4 unchanged"],
          "a plan alone does not wait"
        )
        let said = book.home.appending("said")
        async let second = runProgram(
          "/bin/sh",
          ["-c", "exec \"$@\" 2>\"$0\"", said.string, try Book.program(), "import"]
            + [folder.string],
          environment: book.variables
        )
        try await wait(until: "the second says that it waits") {
          ((try? BadInputTests.text(of: said)) ?? "")
            .contains("waiting for a lock that is held by process")
        }
        try await first.withConnection { (connection) throws(PostgresError) in
          try connection.executeScript("commit")
        }
        let outcome = try await second
        #expect(outcome.status == 0)
        let told = try BadInputTests.text(of: said)
        #expect(told.contains("people: changed 1, 2 unchanged"), "\(told)")
      }
    }
  }

  @Test func `an import killed half-way changes nothing`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try await book.lines(
          "sample",
          "--no-fields",
          "--people",
          "60000",
          "--departments",
          "3000",
          "--force",
          folder.string
        )
        // Half of it is done when the server holds it up.
        try book.script(
          """
          create function public.dawdle() returns trigger language plpgsql
            as $$ begin perform pg_sleep(3000); return null; end $$;
          create trigger dawdle after insert on staffbook.users
            for each statement execute function public.dawdle()
          """
        )
        let held = """
          from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'
            and query like 'insert into staffbook.users%'
          """
        try await withProgram(
          FilePath(try Book.program()),
          ["import", folder.string],
          environment: book.variables
        ) { process in
          try await wait(until: "people are written") { try book.query("select 1 \(held)") != [] }
          #expect(kill(process, SIGKILL) == 0)
        }
        // An older server would sleep on.
        _ = try book.query("select pg_terminate_backend(pid) \(held)")
        try book.script("drop function public.dawdle() cascade")
        #expect(try book.contents() == before)
        #expect(try await book.lines("tree").first == "▾ Lumen (3)")
        try await book.lines("import", folder.string)
        #expect(try book.query("select count(*) from staffbook.users")[at: 0] == ["60003"])
      }
    }
  }

  @Test func `a dry run tells everything by name and writes nothing`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try writeCompany(
          departments: """
            lum,,Lumen,Makers of light,0
            mir,lum,Mirrors,,0
            pri,lum,"Pris\u{1B}[31mms\n",,3

            """,
          users: """
            u1,lum,Ada Lund,Chair,ada@lumen.example,+1 555 0100,0
            u2,lum,Łukasz Żak,Polisher,lukasz@lumen.example,+1 555 0101,0

            """,
          memberships: "u1,pri,,0\n",
          to: folder
        )
        let text = try await book.lines(
          "import",
          "--dry-run",
          "--replace",
          "--accept-deletions",
          folder.string
        )
        #expect(
          text == [
            "departments: will add 1, move 1, remove 2, 1 unchanged; "
              + "people: will change 1, move 1, remove 1; memberships: will add 2, change 1, remove 3",
            "+ department Pris␛[31mms␊ (pri) under Lumen",
            "> department Mirrors (mir) from Optics to Lumen",
            "- department Optics (opt) under Lumen",
            "- department Vacant (vac) under Lumen",
            "~ Ada Lund (u1); title in Lumen \"Head\" is now \"Chair\"; also in Pris␛[31mms␊",
            "> Łukasz Żak (u2) from Mirrors to Lumen; no longer in Optics",
            "- Émile Noé (u3) in Mirrors",
          ]
        )
        let json = try await book.lines(
          "import",
          "-n",
          "--replace",
          "--accept-deletions",
          "--json",
          folder.string
        )
        #expect(json.count == text.count)
        let planned: String =
          #"{"applied":false,"changes":{"departments":{"added":1,"changed":0,"moved":1,"removed":2,"unchanged":1},"#
          + #""memberships":{"added":2,"changed":1,"moved":0,"removed":3,"unchanged":0},"#
          + #""people":{"added":0,"changed":1,"moved":1,"removed":1,"unchanged":0}},"#
          + #""dryRun":true,"event":"plan"}"#
        #expect(json[at: 0] == planned)
        #expect(
          values(of: "action", in: Array(json.dropFirst())).prefix(3) == [
            "added", "moved", "removed",
          ]
        )
        #expect(
          json[at: 5]?.reads(
            #"{"action":"changed","event":"change","id":"u1","joined":[{"id":"pri","name":"…"}],"#
              + #""kind":"user","name":"Ada Lund","values":[{"department":{"id":"lum","#
              + #""name":"Lumen"},"field":"title","new":"Chair","old":"Head"}]}"#
          ) == true,
          "\(json)"
        )
        #expect(try book.contents() == before)
        let done = try await book.run(
          "import",
          "--replace",
          "--accept-deletions",
          "--verbose",
          folder.string
        )
        #expect(done.stdout.split(separator: "\n").map(String.init) == text)
        #expect(
          done.stderr.reads(
            "…",
            "staffbook: imported \(folder): departments: added 1, moved 1, removed 2, 1 unchanged; "
              + "people: changed 1, moved 1, removed 1; memberships: added 2, changed 1, removed 3"
          ),
          "\(done)"
        )
        #expect(try book.contents() != before)
        let again = try await book.lines("import", "--replace", "--json", folder.string)
        let unchanged =
          #""changes":{"departments":{"added":0,"changed":0,"moved":0,"removed":0,"unchanged":3},"#
          + #""memberships":{"added":0,"changed":0,"moved":0,"removed":0,"unchanged":3},"#
          + #""people":{"added":0,"changed":0,"moved":0,"removed":0,"unchanged":2}}"#
        #expect(
          again == [
            #"{"applied":false,\#(unchanged),"dryRun":false,"event":"plan"}"#,
            #"{"applied":true,\#(unchanged),"dryRun":false,"event":"report"}"#,
          ]
        )
      }
    }
  }

  private func people(_ ids: some Sequence<String>) -> String {
    ids.map { "\($0),a,Person \($0),,,,0\n" }.joined()
  }

  @Test func `a list of a few, or of others, does not empty a small company`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        func write(_ ids: some Sequence<String>) throws {
          try writeCompany(departments: "a,,All,,0\n", users: people(ids), to: folder)
        }
        let all = (10..<50).map { "p\($0)" }
        try write(all)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        for (ids, gone) in [
          (Array(all[..<5]), 35), ((10..<50).map { "q\($0)" }, 40), (Array(all[9...]), 9),
          ((0..<1000).map { "q\($0)" } + all[..<31], 9),
        ] {
          try write(ids)
          let refused = try await book.run("import", "--replace", folder.string)
          #expect(refused.status == 75, "\(gone): \(refused)")
          #expect(
            refused.stderr.reads(
              "…",
              "staffbook: cannot import: \(gone) of 40 people would be removed",
              "…"
            ),
            "\(refused)"
          )
          #expect(refused.stderr.reads("…", "staffbook: - Person p…) in All", "…"), "\(refused)")
          #expect(
            refused.stderr.reads(
              "…",
              "staffbook: nothing was changed; if this is intended, repeat the command with --accept-deletions",
              "…"
            )
          )
          #expect(try book.contents() == before)
        }
        try write(all[8...])
        try await book.lines("import", "--replace", folder.string)
        #expect(try book.query("select count(*) from staffbook.users") == [["32"]], "a fifth")
      }
    }
  }

  @Test(arguments: [["--replace"], []])
  func `ids that lost their zeros, or gained them, are not those of others`(_ form: [String])
    async throws
  {
    for (recorded, listed) in [("000", ""), ("", "00")] {
      try await withBook { book in
        try await withTemporaryDirectory { folder in
          func write(_ prefix: String, _ further: [String] = []) throws {
            let ids =
              (1...6).map { "\(prefix)\($0)" }.dropFirst(further.count == 4 ? 1 : 0) + further
            try writeCompany(departments: "a,,All,,0\n", users: people(ids), to: folder)
          }
          try write(recorded)
          try await book.lines("import", folder.string)
          let before = try book.contents()
          try write(listed, ["77", "78"])
          let refused = try await book.run(["import", folder.string] + form)
          #expect(refused.status == 75, "\(refused)")
          let pairs = (1...5).map { id in
            "\(listed)\(id) (Person \(listed)\(id)) in the files, "
              + "\(recorded)\(id) (Person \(recorded)\(id)) in the database"
          }
          let said =
            [
              "cannot import: 6 of 8 new people in the files have ids that differ from recorded ids only by leading zeros"
            ] + pairs + [
              "and 1 more",
              "nothing was changed; format the column of ids as text and export the list again, or, if these are different records, repeat the command with --accept-deletions",
            ]
          #expect(refused.stderr.reads(["…"] + said.map { "staffbook: \($0)" }), "\(refused)")
          #expect(try await book.run(["import", "-n", folder.string] + form).status == 75)
          #expect(try book.contents() == before)
          // One of many is a coincidence, and anyone who is sure may say so.
          try write(recorded, ["\(listed)1", "77", "78", "79"])
          _ = try await book.lines(["import", folder.string] + form)
          try write(listed)
          #expect(try await book.run(["import", folder.string] + form).status == 75)
          _ = try await book.lines(["import", folder.string, "--accept-deletions"] + form)
        }
      }
    }
  }

  @Test func `too many removals are refused with the first names, and accepted on record`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let people = (100..<200).map { "p\($0),a,Person \($0),,,,0\n" }
        try writeCompany(departments: "a,,All,,0\n", users: people.joined(), to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        try writeCompany(departments: "a,,All,,0\n", users: people[..<30].joined(), to: folder)
        let refused = try await book.run("import", "--replace", folder.string)
        #expect(refused.status == 75)
        #expect(
          refused.stderr.reads(
            "…",
            "staffbook: cannot import: 70 of 100 people would be removed",
            "…"
          )
        )
        #expect(refused.stderr.reads("…", "staffbook: - Person 130 (p130) in All", "…"))
        #expect(refused.stderr.reads("…", "staffbook: and 50 more", "…"))
        #expect(try book.contents() == before)
        let dry = try await book.run("import", "--replace", "-n", folder.string)
        #expect(dry.status == 75)
        #expect(dry.stderr.reads("staffbook: this was a dry run: nothing was changed", "…"))
        #expect(
          dry.stderr.reads("…", "staffbook: cannot import: 70 of 100 people would be removed", "…")
        )
        try await book.lines("import", folder.string)
        #expect(try book.contents() == before)
        try await book.lines("import", "--replace", "--accept-deletions", folder.string)
        #expect(try book.query("select count(*) from staffbook.users") == [["30"]])
        #expect(
          try book.query("select users, departments from staffbook.accepted_deletions")
            == [["70", "0"]]
        )
      }
    }
  }

  @Test func `who moves, is renamed, leaves and returns stays the same person`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        func importUsers(_ users: String) async throws {
          try writeCompany(departments: "a,,A,,0\nb,a,B,,0\n", users: users, to: folder)
          let form = ["--replace", "--accept-deletions", "--no-sync"]
          _ = try await book.lines(["import", folder.string] + form)
        }
        try await importUsers("u1,a,Mira Holt,,,,0\nu2,a,Else,,,,0\n")
        try await importUsers("u1,b,Mira Sand,,,,0\nu2,a,Else,,,,0\n")
        try await importUsers("u2,a,Else,,,,0\n")
        try await importUsers("u1,b,Mira Sand,,,,0\nu2,a,Else,,,,0\n")
        #expect(
          try book.query("select id, name, primary_department_id from staffbook.users order by 1")
            == [["u1", "Mira Sand", "b"], ["u2", "Else", "a"]]
        )
        let card = try await book.lines("show", "id:u1", "--fresh", "--json")
        #expect(card.count == 1)
      }
    }
  }

  @Test func `what export writes as one file changes nothing when it comes back`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let before = try book.contents()
        for name in ["list.csv", "list.json", "list.jsonl"] {
          let file = folder.appending(name).string
          try await book.lines("export", "--all", "-o", file)
          let outcome = try await book.run("import", "--replace", file)
          #expect(outcome.status == 0, "\(outcome)")
          let format = name == "list.csv" ? "CSV of departments and people" : "JSON"
          let counts =
            "departments: 4 unchanged; people: 3 unchanged; memberships: 4 unchanged"
          #expect(
            outcome.stderr.reads(
              "staffbook: \(file): \(format)",
              "staffbook: \(counts)",
              "staffbook: imported \(file): \(counts)"
            ),
            "\(outcome)"
          )
          #expect(try book.contents() == before, "\(name)")
        }
        try book.script(
          """
          update staffbook.users set primary_department_id = 'opt' where id = 'u2';
          update staffbook.memberships set title = 'Sage' where user_id = 'u2'
            and department_id = 'opt';
          """
        )
        let file = folder.appending("list.csv").string
        let plan = try await book.lines("import", "-n", file)
        #expect(
          plan.last == "> Łukasz Żak (u2) from Optics to Mirrors; title in Optics \"Sage\" is now "
            + "\"Adviser\""
        )
        // Who does not tell which department is the primary one leaves it as it is.
        let silent = try await ExportReaders.python(
          """
          import csv, sys
          rows = list(csv.DictReader(open(sys.argv[1], newline='', encoding='utf8')))
          with open(sys.argv[1], 'w', newline='', encoding='utf8') as file:
              names = [name for name in rows[0] if name != 'primary']
              writer = csv.DictWriter(file, names, extrasaction='ignore')
              writer.writeheader()
              writer.writerows(rows)
          print(len(rows))
          """,
          file
        )
        #expect(silent == ["8"])
        let other = try await book.lines("import", "-n", file)
        #expect(other.last == "~ Łukasz Żak (u2); title in Optics \"Sage\" is now \"Adviser\"")
      }
    }
  }

  /// Ana Perè in windows-1252, Ana Perč in windows-1250.
  private static let ambiguous =
    Array("Nr;Naam;Team\n1;Ana Per".utf8) + [0xE8] + Array(";Works\n".utf8)

  @Test func `a list in one of two encodings is refused without a terminal`() async throws {
    try await withBook { book in
      let list = book.home.appending("list.csv")
      try write(bytes: Self.ambiguous, to: list)
      let columns = ["--map", "id={Nr}", "--map", "name={Naam}", "--map", "department={Team}"]
      let refused = try await book.run(["import", list.string] + columns)
      #expect(refused.status == 65)
      #expect(refused.stderr.contains("list.csv: its encoding may be windows-125"), "\(refused)")
      for told in [
        "windows-1252: \"Ana Per", "windows-1250: \"Ana Per", "as in --encoding windows-125",
      ] {
        #expect(refused.stderr.contains(told), "\(refused)")
      }
      #expect(try book.query("select count(*) from staffbook.users") == [["0"]])
      let named = ["import", list.string, "--encoding", "windows-1250"]
      let imported = try await book.run(named + columns)
      #expect(imported.status == 0, "\(imported)")
      #expect(try book.query("select name from staffbook.users") == [["Ana Perč"]])
    }
  }

  @Test func `a list in one of two encodings is read as the user at the terminal says`()
    async throws
  {
    try await withTerminal { book in
      try write(bytes: Self.ambiguous, to: book.home.appending("list.csv"))
    } _: { terminal, book in
      let columns = "--map id={Nr} --map name={Naam} --map department={Team}"
      try await terminal.start(
        "staffbook import \(book.home)/list.csv \(columns); echo status $?; sleep 1000",
        columns: 150
      )
      try await terminal.wait(for: "Which line is right? [1-2]")
      let screen = try await terminal.screen()
      try await terminal.enter("maybe\r")
      try await terminal.wait(for: "\"maybe\" is not an answer; type a number or q")
      let isFirst = screen.contains("1  windows-1250: ")
      try await terminal.enter(isFirst ? "1\r" : "2\r")
      try await terminal.wait(for: "status 0")
      #expect(try book.query("select name from staffbook.users") == [["Ana Perč"]])
    }
  }

  @Test func `files come from standard input, packed, and in other encodings`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = """
          {"kind":"department","id":"a","name":"Über"}
          {"kind":"user","id":"u","name":"Zoë","parent":"a"}

          """
        let latin = list.unicodeScalars.map { UInt8($0.value) }
        try write(bytes: latin, to: folder.appending("list.json"))
        let gzip = try await runProgram("gzip", [folder.appending("list.json").string])
        try #require(gzip.status == 0)
        let packed = folder.appending("list.json.gz").string
        let detected = try await book.run("import", "-n", packed)
        #expect(detected.status == 0)
        #expect(
          detected.stderr.reads("staffbook: …list.json.gz: JSON, windows-1252", "…"),
          "\(detected)"
        )
        try await book.lines("import", "--encoding", "ISO-8859-1", packed)
        #expect(try book.query("select name from staffbook.users") == [["Zoë"]])

        let input = try FileDescriptor.open(FilePath(packed), .readOnly)
        let bytes = try input.closeAfter {
          var bytes = [UInt8](repeating: 0, count: 65_536)
          let count = try bytes.withUnsafeMutableBytes { try input.read(into: $0) }
          return Array(bytes[..<count])
        }
        let outcome = try await runProgram(
          FilePath(try Book.program()),
          ["import", "-n", "--encoding", "latin1", "-"],
          environment: [
            "PATH": "/usr/bin:/bin", "HOME": book.home.string, "STAFFBOOK_HOME": book.home.string,
            "STAFFBOOK_DATABASE_URL": book.conninfo, "STAFFBOOK_LOCALE": "C",
          ],
          stdin: bytes
        )
        #expect(outcome.status == 0)
        #expect(
          outcome.stderr.reads(
            "staffbook: standard input: JSON, latin1",
            "staffbook: this was a dry run: nothing was changed"
          )
        )
        #expect(
          outcome.stdout
            == "departments: 1 unchanged; people: 1 unchanged; memberships: 1 unchanged\n"
        )
      }
    }
  }

  @Test func `what a spreadsheet saves as Unicode Text comes in`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let table =
          "kind\tid\tparent_id\tname\tprimary\r\ndepartment\ta\t\tÜber, alles\t\r\n"
          + "user\tu\ta\t\"Zoë \"\"Z\"\" Ünal\"\tTRUE\r\n\t\t\t\t\r\n"
        let units = [0xFEFF] + Array(table.utf16)
        let file = folder.appending("table.txt")
        try write(bytes: units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, to: file)
        let outcome = try await book.run("import", file.string)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: …: CSV of departments and people, UTF-16, separated by tabs",
            "…"
          ),
          "\(outcome)"
        )
        #expect(try book.query("select name from staffbook.departments") == [["Über, alles"]])
        #expect(try book.query("select name from staffbook.users") == [["Zoë \"Z\" Ünal"]])
      }
    }
  }

  @Test func `people without a department go to the one that is named`() async throws {
    try await withBook { book in
      let cards = try TestData.directory(named: "files").appending("gmail-list.vcf").string
      let refused = try await book.run("import", cards)
      #expect(refused.status == 65)
      #expect(
        refused.stderr.reads(
          "…",
          "staffbook: …gmail-list.vcf:1: \"Arnold Smith\" has no ORG and is in no group, and therefore in no department; name one with --into",
          "…"
        )
      )
      let unknown = try await book.run("import", "--into", "guests", cards)
      #expect(unknown.status == 65)
      #expect(
        unknown.stderr.reads(
          "…",
          "staffbook: …gmail-list.vcf:1: asmithk@gmail.com: the department \"guests\" is neither in the files nor in the database",
          "…"
        )
      )
      try book.script("insert into staffbook.departments (id, name) values ('guests', 'Guests')")
      try await book.lines("import", "--into", "guests", cards)
      #expect(try await book.lines("staff", "Guests", "--plain").count == 3)
      let ldif = try TestData.directory(named: "files").appending("openldap-test.ldif").string
      try await book.lines("import", ldif)
      #expect(try await book.lines("search", "hampster", "--plain").count == 1)
    }
  }

  private func remove(_ path: FilePath) throws {
    let outcome = path.withPlatformString { unlink($0) }
    #expect(outcome == 0)
  }
}
