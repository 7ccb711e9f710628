import SystemPackage
import TestSupport
import Testing

@Suite("What export writes, and where")
struct ExportCommandTests {
  @Test func `what is seen goes out, and with all of it what folds keeps what is closed closed`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("collapse", "--all")
        let all = try await book.lines("tree", "--all", "--json").count
        let script = """
          import openpyxl, sys
          sheet = openpyxl.load_workbook(sys.argv[1]).worksheets[0]
          rows = [sheet.row_dimensions[r] for r in range(2, sheet.max_row + 1)]
          print(len(rows), sum(r.hidden for r in rows), sum(bool(r.collapsed) for r in rows),
                sheet.freeze_panes, sheet.sheet_properties.outlinePr.summaryBelow)
          """
        let whole = folder.appending("whole.xlsx").string
        try await book.lines("export", "--all", "-o", whole)
        let seen = folder.appending("seen.xlsx").string
        try await book.lines("export", "-o", seen)
        let roots = try await book.lines("tree", "--json").count
        let line = try #require(try await ExportReaders.python(script, whole).first)
        let found = line.split(separator: " ")
        #expect(found[at: 0] == "\(all)" && found[at: 1] == "\(all - roots)" && found[at: 2] != "0")
        #expect(found.dropFirst(3) == ["A2", "False"])
        #expect(try await ExportReaders.python(script, seen) == ["\(roots) 0 0 A2 False"])
      }
    }
  }

  @Test func `people alone, departments alone`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        let all = try await book.lines("export", "--all", "--format", "jsonl")
        let people = try await book.lines("export", "--all", "--people", "--format", "jsonl")
        let departments = try await book.lines(
          "export",
          "--all",
          "--departments",
          "--format",
          "jsonl"
        )
        #expect(people == all.filter { $0.hasPrefix(#"{"kind":"user""#) })
        #expect(departments == all.filter { $0.hasPrefix(#"{"kind":"department""#) })
        #expect(!people.isEmpty && !departments.isEmpty)
        let text = try await book.run("export", "--all", "--format", "text")
        #expect(text.stdout == (try await book.run("tree", "--all")).stdout)
        let file = folder.appending("a.txt")
        try await book.lines("export", "--all", "-o", file.string)
        let written = try await ExportReaders.lines("/bin/cat", [file.string])
        #expect(written.joined(separator: "\n") + "\n" == text.stdout)
      }
    }
  }

  @Test func `text is the same in a pipe as in a file, whatever the locale`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        var plain = book
        plain.environment["LC_ALL"] = "C"
        let piped = try await plain.run("export", "--all", "--format", "text")
        #expect(
          piped.stdout.reads("…", "│  │  └─ Łukasz Żak · Polisher", "…")
            && piped.stdout.reads("…", "│  │  └─ Łukasz Żak · Polisher", "…")
        )
        let file = folder.appending("a.txt")
        try await plain.lines("export", "--all", "-o", file.string)
        #expect(try BadInputTests.text(of: file) == piped.stdout)
      }
    }
  }

  @Test func `what closed departments hold back is said, and goes into a folder`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("collapse", "--all")
        func said(_ arguments: String...) async throws -> String {
          let outcome = try await book.run(["export"] + arguments)
          #expect(outcome.status == 0)
          return outcome.stderr
        }
        func held(_ rows: Int) -> String {
          "staffbook: \(rows) rows below collapsed departments were left out; "
            + "to export the whole directory, use --all\n"
        }
        #expect(try await said() == held(7))
        #expect(try await said("--format", "text") == held(7))
        let file = folder.appending("a.json").string
        #expect(try await said("-o", file) == "staffbook: wrote 1 row to \(file)\n" + held(7))
        #expect(try await said("--departments") == held(3))
        for chosen in [["--visible"], ["--all"], ["--depth", "0"], ["--filter", "lumen"]] {
          #expect(try await book.run(["export"] + chosen).stderr == "", "\(chosen)")
        }
        let whole = folder.appending("whole").string
        #expect(try await said("-o", whole + "/") == "staffbook: wrote 8 rows to \(whole)/\n")
        let seen = folder.appending("seen").string
        #expect(
          try await said("--visible", "-o", seen + "/") == "staffbook: wrote 1 row to \(seen)/\n"
        )
      }
    }
  }

  @Test func `what a spreadsheet got comes back byte for byte`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let names = [
          "007", "+49 30 1", "=1+1", "'=1+1", "=\"007\"", "'=\"007\"", "TRUE", "'007", "-2", "@x",
          "3-4", "12:30 PM", "''", "=\"x\"",
        ]
        try writeCompany(departments: "1E5,,Lumen,,0\n", users: "", to: folder)
        try await book.lines("import", folder.string)
        // Past the reader of CSV, which would unwrap them.
        for (index, name) in names.enumerated() {
          let text = name.replacing("'", with: "''")
          try book.script(
            """
            begin; set constraints all deferred;
            insert into staffbook.users (id, name, primary_department_id)
              values ('0\(index)', '\(text)', '1E5');
            insert into staffbook.memberships (user_id, department_id) values ('0\(index)', '1E5');
            commit
            """
          )
        }
        try await book.lines("sync")
        let before = try book.query("select id, name from staffbook.users order by 1")
        for (option, name) in [
          ("--excel", "excel.csv"), ("--force", "plain.csv"), ("--force", "x/"),
        ] {
          let path = folder.appending("out").string + name
          try await book.lines("export", option, "--all", "-o", path)
          try book.script("truncate staffbook.departments, staffbook.users, staffbook.memberships")
          try await book.lines("import", "--no-sync", path)
          #expect(
            try book.query("select id, name from staffbook.users order by 1") == before,
            "\(name)"
          )
          #expect(try book.query("select id from staffbook.departments") == [["1E5"]])
        }
      }
    }
  }

  @Test(arguments: [
    ["-o", "a.xls"], ["--excel", "-o", "a.json"], ["--excel", "-o", "out/"],
    ["--format", "json", "-o", "out/"], ["--people", "-o", "out/"],
    ["--people", "--departments"], ["--visible", "--all"], ["--vcard-version", "2.1"],
    ["--ldif-base", "cn=x", "--format", "ldif"], ["--format", "doc"], ["-o", ""],
    ["-o", "a.csv.gz"], ["-o", "/tmp"], ["--vcard-version", "3.0"],
    ["--ldif-base", "o=x", "-o", "a.vcf"], ["--exact", "-o", "a.csv"],
  ])
  func `what makes no sense is said and writes nothing`(arguments: [String]) async throws {
    try await withBook { book in
      let before = try folderEntries(book.home).sorted()
      let outcome = try await book.run(["export"] + arguments)
      #expect(outcome.status == 64, "\(outcome)")
      #expect(outcome.stdout.isEmpty)
      #expect(try folderEntries(book.home).sorted() == before)
    }
  }
}
