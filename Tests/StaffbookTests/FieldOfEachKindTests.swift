import SystemPackage
import TestSupport
import Testing

/// Adds a field of each kind under a name that nothing in the program knows, and finds it everywhere.
@Suite("A field of each kind")
struct FieldOfEachKindTests {
  /// Kind, and a value that nothing else has.
  private static let samples = [
    ("text", "quartz seven"), ("phone", "0172 5550137"), ("email", "quartz@lumen.example"),
    ("url", "https://quartz.example/"), ("date", "1977-08-20"), ("person", "u1"),
  ]

  private func withFields(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        for (kind, _) in Self.samples {
          try await book.lines("field", "add", "zz_\(kind)", "--kind", kind, "--no-sync")
        }
        let names = Self.samples.map { "zz_\($0.0)" }.joined(separator: ",")
        let texts = Self.samples.map(\.1).joined(separator: ",")
        let file = folder.appending("more.csv")
        try write("id,department_id,name,\(names)\nu3,mir,Émile Noé,\(texts)\n", to: file)
        let plan = try await book.lines("import", file.string, "--dry-run", "--verbose")
        for (kind, value) in Self.samples {
          #expect(
            plan.contains { $0.reads("~ Émile Noé (u3); …zz_\(kind) \"\" is now \"\(value)\"…") },
            "\(plan)"
          )
        }
        try await book.lines("import", "--no-sync", file.string)
      }
      let sync = try await book.lines("sync", "--verbose")
      for (kind, _) in Self.samples {
        #expect(
          sync.contains { $0.reads("~ Émile Noé (u3); …zz_\(kind)… \"\" is now \"u1\"") },
          "\(sync)"
        )
      }
      try await body(book)
    }
  }

  /// The formats that cannot go to a terminal: a workbook, as another program reads it, and a folder.
  private func checkFiles(_ book: Book) async throws {
    let (sheet, folder) = (book.home.appending("all.xlsx"), book.home.appending("all"))
    try await book.lines("export", "--all", "-o", sheet.string)
    try await book.lines("export", "--all", "--format", "csv", "-o", folder.string + "/")
    let cells = try await ExportReaders.python(
      """
      import openpyxl, sys
      for row in openpyxl.load_workbook(sys.argv[1]).worksheets[0].values:
          print('\t'.join('' if cell is None else str(cell) for cell in row))
      """,
      sheet.string
    ).map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    let users = try await ExportReaders.lines(
      "/bin/sed",
      ["s/\\r$//", folder.appending("users.csv").string]
    )
    let person = try #require(cells.first { $0.first == "Émile Noé" })
    for (kind, value) in Self.samples {
      let column = try #require(cells.first?.firstIndex(of: "Zz \(kind)"), "\(cells)")
      #expect(person[column] == value, "\(person)")
      #expect(users.first?.contains("zz_\(kind)") == true, "\(users)")
      #expect(users.contains { $0.hasPrefix("u3,") && $0.contains(value) }, "\(users)")
    }
  }

  @Test func `is found in every list, card, format and search`() async throws {
    try await withFields { (book: Book) async throws -> Void in
      let names = Self.samples.map { "zz_\($0.0)" }.joined(separator: ",")
      var outputs = [
        try await book.run("show", "u3"), try await book.run("show", "u3", "--json"),
        try await book.run("search", "emile", "--json"),
        try await book.run("staff", "mir", "--json"),
        try await book.run("tree", "--all", "--json"),
        try await book.run("show", "u3", "--columns", names),
        try await book.run("search", "emile", "--columns", names),
        try await book.run("staff", "mir", "--columns", "name,\(names)"),
        try await book.run("tree", "--all", "--columns", names),
      ]
      for format in ["csv", "tsv", "json", "jsonl", "vcard", "ldif"] {
        let exact = format == "vcard" ? ["--exact"] : []
        outputs.append(try await book.run(["export", "--all", "--format", format] + exact))
      }
      let bare: (String) -> String = { text in text.filter { $0 != "\\" } }
      // What is made to be read names people instead of giving their ids.
      for format in ["markdown", "html"] {
        let text = bare(try await book.run("export", "--all", "--format", format).stdout)
        #expect(text.contains("Zz person") && !text.contains("u1"), "\(text)")
        for (kind, value) in Self.samples where kind != "person" {
          #expect(text.contains(value), "\(value): \(text)")
        }
      }
      for output in outputs {
        #expect(output.status == 0, "\(output)")
        for (_, value) in Self.samples {
          #expect(bare(output.stdout).contains(value), "\(value): \(output)")
        }
      }
      try await checkFiles(book)
      for format in ["text", "plain", "dot", "mermaid"] {
        let output = try await book.run("export", "--all", "--format", format)
        for (kind, _) in Self.samples {
          #expect(
            output.stderr.reads("staffbook: the format …zz_\(kind)… were left out"),
            "\(output)"
          )
        }
      }
      for query in [
        "zz_text:seven", "zz_phone:01725550137", "zz_email:quartz", "zz_url:quartz.example",
        "zz_date:1977", "zz_person:lund", "has:zz_text", "emile -has:mobile has:zz_date",
      ] {
        let output = try await book.run("search", query, "--json")
        #expect(values(of: "id", in: [output.stdout]) == ["u3"], "\(query): \(output)")
        let tree = try await book.lines("tree", "--filter", query, "--json")
        #expect(values(of: "id", in: tree).last == "u3", "\(query): \(tree)")
      }
      let explained = try await book.lines("search", "quartz", "--explain")
      #expect(
        explained.contains { $0.reads("    quartz: whole word, zz_text: quartz seven") },
        "\(explained)"
      )
      let declared = try await book.lines("field", "list")
      for (kind, _) in Self.samples {
        #expect(
          declared.contains { $0.reads("people\tzz_\(kind)…\tone\t1\teverybody\toneself") },
          "\(declared)"
        )
      }
      let unknown = try await book.run("tree", "--columns", "name,zz_nothing")
      #expect(
        unknown.status == 64
          && unknown.stderr.reads(
            "…",
            "staffbook: the columns are level, kind, id, name, parent_id, description, title, email, phone, people, leads, path, zz_text, zz_phone, zz_email, zz_url, zz_date, zz_person"
          ),
        "\(unknown)"
      )
    }
  }
}
