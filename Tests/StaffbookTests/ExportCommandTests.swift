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
        let found = try await ExportReaders.python(script, whole)[0].split(separator: " ")
        #expect(found[0] == "\(all)" && found[1] == "\(all - roots)" && found[2] != "0")
        #expect(found[3...] == ["A2", "False"])
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

  @Test(arguments: [
    ["-o", "a.xls"], ["--excel", "-o", "a.json"], ["--excel", "-o", "out/"],
    ["--format", "json", "-o", "out/"], ["--people", "-o", "out/"],
    ["--people", "--departments"], ["--visible", "--all"], ["--vcard-version", "2.1"],
    ["--ldif-base", "cn=x", "--format", "ldif"], ["--format", "doc"], ["-o", ""],
    ["-o", "a.csv.gz"], ["-o", "/tmp"], ["--vcard-version", "3.0"],
    ["--ldif-base", "o=x", "-o", "a.vcf"],
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
