import SystemPackage
import TestSupport
import Testing

@Suite("Importing personnel lists")
struct PersonnelTests {
  private static let march =
    "Personalnummer;Vorname;Nachname;Bereich;Team;Stelle;E-Mail;Handy;Eintrittsdatum;Vorgesetzter\r\n"
    + "0017;Jürgen;Müller;Vertrieb;;Leiter;jm@lumen.example;=\"+49171555\";01.04.2019;\r\n"
    + "0018;Änne;Groß;Vertrieb;Süd;Beraterin;ag@lumen.example;;15.11.2020;Müller, Jürgen\r\n"
    + "0019;Bo;Dahl;Technik;Kern;Ingenieur;bd@lumen.example;;03.02.2021;Jürgen Müller\r\n"

  private static func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8($0.value) }
  }

  @Test func `a mapping is suggested, and serves every month`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = folder.appending("march.csv")
        let map = folder.appending("mapping.yaml")
        try write(bytes: Self.latin(Self.march), to: list)
        let refused = try await book.run("import", list.string)
        #expect(refused.status == 65)
        #expect(
          refused.stderr.reads(
            #"staffbook: cannot import …/march.csv: its format is not recognised; it begins with "Personalnummer;Vorname;Nachname;Bereich;…""#,
            "staffbook: the first line of CSV must name the columns, such as id, parent_id, name or id, department_id, name; JSON, LDIF and vCards are recognised by how they begin; mail programs and phones can export their contacts as vCards; a list of people from another program needs a mapping; create one with: staffbook import --suggest …/march.csv > mapping.yaml"
          ),
          "\(refused)"
        )
        let suggested = try await book.run("import", "--suggest", list.string)
        #expect(suggested.status == 0)
        #expect(suggested.stderr.reads("staffbook: …: windows-1252, separated by semicolons"))
        #expect(
          suggested.stdout.reads(
            "…",
            "# Declare these fields first, unless they are declared already: staffbook field add mobile manager joined",
            "…"
          ),
          "\(suggested)"
        )
        try write(suggested.stdout, to: map)

        let undeclared = try await book.run("import", list.string, "--mapping", map.string)
        #expect(undeclared.status == 64)
        #expect(
          undeclared.stderr.reads(
            "staffbook: …/march.csv: personnel list, windows-1252, separated by semicolons",
            "staffbook: cannot import: the mapping names the fields joined, manager, mobile, which are not declared",
            "staffbook: run: staffbook field add joined manager mobile"
          ),
          "\(undeclared)"
        )
        try await book.lines("field", "add", "mobile", "manager", "joined")
        let arguments = ["--mapping", map.string, "--replace", "--verbose"]
        let first = try await book.run(["import", list.string] + arguments)
        #expect(first.status == 0)
        #expect(
          first.stderr.reads(
            "staffbook: …: personnel list, windows-1252, separated by semicolons",
            "staffbook: imported …: departments: added 4; people: added 3; memberships: added 3"
          )
        )
        #expect(
          try book.query(
            """
            select id, primary_department_id, name, fields->>'manager', fields->>'joined',
                fields->>'mobile'
              from staffbook.users order by id
            """
          ) == [
            ["0017", "Vertrieb", "Jürgen Müller", "", "2019-04-01", "+49171555"],
            ["0018", "Vertrieb/Süd", "Änne Groß", "0017", "2020-11-15", ""],
            ["0019", "Technik/Kern", "Bo Dahl", "0017", "2021-02-03", ""],
          ]
        )
        let before = try book.contents()
        let same = try await book.run(["import", list.string] + arguments)
        #expect(
          same.stdout.reads(
            "departments: 4 unchanged; people: 3 unchanged; memberships: 3 unchanged"
          ),
          "\(same)"
        )
        #expect(try book.contents() == before)

        // The user moved, the user left, the user came.
        let april = Self.march.replacing(
          "0018;Änne;Groß;Vertrieb;Süd",
          with: "0018;Änne;Groß;Technik;Kern"
        )
        .replacing("0019;Bo;Dahl;Technik;Kern", with: "0020;Di;Ek;Technik;Rand")
        .replacing("bd@lumen.example", with: "de@lumen.example")
        try write(bytes: Self.latin(april), to: list)
        let next = try await book.run(["import", list.string] + arguments)
        #expect(
          next.stdout.split(separator: "\n").dropFirst().map(String.init) == [
            "+ department Rand (Technik/Rand) under Technik",
            "- department Süd (Vertrieb/Süd) under Vertrieb", "+ Di Ek (0020) in Rand",
            "> Änne Groß (0018) from Süd to Kern", "- Bo Dahl (0019) in Kern",
          ],
          "\(next)"
        )
      }
    }
  }

  @Test func `without replacing, who moved has moved and none leave`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = folder.appending("staff.csv")
        let map = ["--map", "id={No}", "--map", "name={Name}", "--map", "department={Unit}"]
        try write("No,Name,Unit\n1,Ada,A\n2,Bo,A\n", to: list)
        _ = try await book.lines(["import", list.string] + map)
        try write("No,Name,Unit\n1,Ada,B\n1,Ada,C\n", to: list)
        _ = try await book.lines(["import", list.string] + map)
        #expect(
          try book.query(
            """
            select user_id, department_id, department_id = primary_department_id
              from staffbook.memberships join staffbook.users on id = user_id order by 1, 2
            """
          ) == [["1", "B", "t"], ["1", "C", "f"], ["2", "A", "t"]]
        )
      }
    }
  }

  @Test func `what is wrong names file, line and id, and changes nothing`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = folder.appending("staff.csv")
        try write("No,Name,Unit\n1,Ada,A\n1,Eve,A\n,Bo,A\n4.93E+11,Cy,A\n", to: list)
        let map = ["--map", "id={No}", "--map", "name={Name}", "--map", "department={Unit}"]
        let outcome = try await book.run(["import", list.string] + map)
        #expect(outcome.status == 65)
        #expect(
          outcome.stderr.reads(
            "…",
            "staffbook: \(list):4: has no id",
            "staffbook: \(list):5: 4.93E+11: id \"4.93E+11\" is a number that a spreadsheet has shortened; export the list again with the column as text",
            "…"
          ),
          "\(outcome)"
        )
        #expect(try book.query("select count(*) from staffbook.users") == [["0"]])
        let hostile = "name={\u{1B}[31m\u{202E}"
        let usage = try await book.run("import", list.string, "--map", hostile, "--map", "id={No}")
        #expect(usage.status == 64)
        #expect(!usage.stderr.contains("\u{1B}") && !usage.stderr.contains("\u{202E}"))
        let missing = try await book.run(
          "import",
          list.string,
          "--mapping",
          folder.appending("none.yaml").string
        )
        #expect(missing.status == 66, "\(missing)")
        let yaml = folder.appending("map.yaml")
        try write("id: \"{No}\"\nname: [a]\n", to: yaml)
        let wrong = try await book.run("import", list.string, "--mapping", yaml.string)
        #expect(
          wrong.status == 64
            && wrong.stderr.reads(
              "staffbook: cannot use …, line 2: name is not text",
              "staffbook: put a value that begins with a brace in quotes, as in name: \"{Heading}\""
            ),
          "\(wrong)"
        )
      }
    }
  }

  @Test func `a workbook is imported as it is`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let path = folder.appending("staff.xlsx").string
        let script = """
          import sys, datetime, openpyxl
          book = openpyxl.Workbook()
          sheet = book.active
          sheet.title = 'Staff'
          sheet.append(['Staff of today'])
          sheet.append(['Personnel No.', 'First Name', 'Last Name', 'Department', 'Phone', 'Hire Date'])
          sheet.append([17, 'Ada', 'Lund', 'Optics', 493012345678, datetime.date(2019, 4, 1)])
          sheet.append([18, 'Bo', 'Dahl', '', None, None])
          for row in (3, 4): sheet.cell(row, 1).number_format = '0000'
          if len(sys.argv) > 2: book.create_sheet(sys.argv[2])
          book.save(sys.argv[1])
          """
        func make(_ arguments: String...) async throws {
          let made = try await runProgram("/usr/bin/python3", ["-c", script, path] + arguments)
          try #require(made.status == 0, "\(made)")
        }
        try await make()
        let suggested = try await book.run("import", "--suggest", path)
        #expect(suggested.status == 0, "\(suggested)")
        let map = folder.appending("mapping.yaml")
        try write(suggested.stdout, to: map)
        try await book.lines("field", "add", "joined")
        let refused = try await book.run("import", path, "--mapping", map.string)
        #expect(refused.status == 65)
        #expect(
          refused.stderr.reads("…", "staffbook: \(path):4: 0018: has no department", "…"),
          "\(refused)"
        )
        let arguments = [
          "import", path, "--mapping", map.string, "--map", "department=Lumen/{Department}",
        ]
        let outcome = try await book.run(arguments)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: \(path): personnel list, sheet \"Staff\"",
            "staffbook: departments: will add 2; people: will add 2; memberships: will add 2",
            "staffbook: imported …: departments: added 2; people: added 2; memberships: added 2"
          )
        )
        #expect(
          try book.query(
            "select id, name, phone, fields->>'joined' from staffbook.users order by id"
          ) == [["0017", "Ada Lund", "493012345678", "2019-04-01"], ["0018", "Bo Dahl", "", ""]]
        )
        try await make("\u{202E}Other")
        let several = try await book.run(arguments)
        #expect(several.status == 64)
        #expect(
          several.stderr.reads(
            #"staffbook: cannot read …/staff.xlsx: it has 2 sheets: "Staff", "\u{202E}Other""#,
            "staffbook: name the sheet with --sheet"
          ),
          "\(several)"
        )
        #expect(
          several.stderr.reads(
            "staffbook: cannot read …: it has 2 sheets: \"Staff\", \"\\u{202E}Other\"",
            "staffbook: name the sheet with --sheet"
          )
        )
        let named = try await book.run(arguments + ["--sheet", "staff", "-n"])
        #expect(
          named.status == 0
            && named.stdout.reads(
              "departments: 2 unchanged; people: 2 unchanged; memberships: 2 unchanged"
            ),
          "\(named)"
        )
      }
    }
  }
}
