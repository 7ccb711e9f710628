import SystemPackage
import TestSupport
import Testing

@Suite("Departments of a list, and what was entered of them here")
struct ListDepartmentTests {
  private static let departments = """
    select id, coalesce(parent_id, ''), name, description, coalesce(fields ->> 'cost_centre', '')
      from staffbook.departments order by id
    """

  /// Imports files of people and departments.
  private func take(
    _ units: String...,
    book: Book,
    folder: FilePath,
    with options: String...
  ) async throws -> ProgramOutcome {
    let (people, departments) = (folder.appending("people.csv"), folder.appending("units.csv"))
    try write("No,Name,Dept\n1,Ada Lund,20\n2,Bo Dahl,21\n3,Cy Ek,30\n", to: people)
    try write((["Code,Unit,Parent,About"] + units).joined(separator: "\n") + "\n", to: departments)
    let mapping = [
      "source=personnel", "id={No}", "name={Name}", "department_id={Dept}",
      "departments.id={Code}", "departments.name={Unit}", "departments.parent_id={Parent}",
      "departments.description={About}",
    ]
    return try await book.run(
      ["import", people.string, departments.string, "--replace"]
        + mapping.flatMap { ["--map", $0] } + options
    )
  }

  @Test func `are kept as they were edited here, or overwritten where the mapping says so`()
    async throws
  {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = ["10,Lumen,,", "20,Sales,10,", "21,South,20,Sells", "30,Tools,10,"]
        func next(_ options: String...) async throws -> ProgramOutcome {
          try await take(list[0], list[1], list[2], list[3], book: book, folder: folder)
        }
        try await book.lines("field", "add", "--of", "departments", "cost_centre")
        let first = try await next()
        try #require(first.status == 0, "\(first)")
        try await book.lines("rename", "id:20", "Sales Europe", "--yes")
        try await book.lines("set", "id:20", "description=Here", "cost_centre=77", "--yes")
        try await book.lines("move", "id:21", "--to", "id:30", "--yes")
        let before = try book.query(Self.departments)
        for _ in 1...2 {
          let kept = try await next()
          #expect(kept.status == 0, "\(kept)")
          #expect(
            kept.stderr.reads(
              "…",
              #"staffbook: ! department Sales Europe (20): description was edited here: "Here"; the list has "", which is not taken"#,
              #"staffbook: ! department Sales Europe (20): name was edited here: "Sales Europe"; the list has "Sales", which is not taken"#,
              #"staffbook: ! department South (21): parent was edited here: "30"; the list has "20", which is not taken"#,
              "…"
            ),
            "\(kept)"
          )
          #expect(try book.query(Self.departments) == before)
        }
        // The list changes what was not edited here.
        let other = try await take(
          list[0],
          list[1],
          "21,South,20,Sells much",
          list[3],
          book: book,
          folder: folder
        )
        #expect(other.status == 0, "\(other)")
        #expect(
          try book.query(Self.departments)[at: 2] == ["21", "30", "South", "Sells much", ""]
        )
        // 30 goes below 21, which was put below 30 here: the list's word counts.
        let ring = try await take(
          list[0],
          list[1],
          "21,South,20,Sells much",
          "30,Tools,21,",
          book: book,
          folder: folder
        )
        #expect(ring.status == 0, "\(ring)")
        #expect(try book.query(Self.departments)[at: 2]?[1] == "20")
        let over = try await take(
          list[0],
          list[1],
          list[2],
          list[3],
          book: book,
          folder: folder,
          with: "--map",
          "edited=overwrite"
        )
        #expect(
          over.stderr.reads(
            "staffbook: …/people.csv: personnel list",
            "staffbook: …/units.csv: personnel list",
            "staffbook: departments: will change 2, move 1, 1 unchanged; people: 3 unchanged; memberships: 3 unchanged",
            #"staffbook: ! department Sales Europe (20): description was edited here: "Here"; the list has "", which is taken"#,
            #"staffbook: ! department Sales Europe (20): name was edited here: "Sales Europe"; the list has "Sales", which is taken"#,
            "staffbook: imported …/people.csv, …/units.csv: departments: changed 2, moved 1, 1 unchanged; people: 3 unchanged; memberships: 3 unchanged"
          ),
          "\(over)"
        )
        #expect(try book.query(Self.departments)[at: 1] == ["20", "10", "Sales", "", "77"])
      }
    }
  }

  @Test func `are known under another path by the people who go there`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        func next(_ rows: String...) async throws -> ProgramOutcome {
          let path = folder.appending("staff.csv")
          try write((["No,Name,Unit"] + rows).joined(separator: "\n") + "\n", to: path)
          return try await book.run(
            "import",
            path.string,
            "--replace",
            "--accept-deletions",
            "--verbose",
            "--map",
            "source=personnel",
            "--map",
            "id={No}",
            "--map",
            "name={Name}",
            "--map",
            "department={Unit}",
            "--map",
            "levels=/"
          )
        }
        let first = try await next(
          "1,Ada Lund,Sales/South",
          "2,Bo Dahl,Sales/South",
          "3,Cy Ek,Tools",
          "4,Di Moe,Tools"
        )
        try #require(first.status == 0, "\(first)")
        try await book.lines("set", "id:Sales", "description=Here", "--yes")
        try await book.lines("set", "1", "lead=yes", "--yes")
        let renamed = try await next(
          "1,Ada Lund,Trade/South",
          "2,Bo Dahl,Trade/South",
          "3,Cy Ek,Tools",
          "5,Ed Fox,Tools"
        )
        #expect(renamed.status == 0, "\(renamed)")
        #expect(
          renamed.stdout.reads(
            "departments: will change 1, 2 unchanged; people: will add 1, remove 1, 3 unchanged; memberships: will add 1, remove 1, 3 unchanged",
            #"~ department Trade (Sales); name "Sales" is now "Trade""#,
            "+ Ed Fox (5) in Tools",
            "- Di Moe (4) in Tools"
          ),
          "\(renamed)"
        )
        let departments = "select id, name, description from staffbook.departments order by id"
        let after = [
          ["Sales", "Trade", "Here"], ["Sales/South", "South", ""], ["Tools", "Tools", ""],
        ]
        #expect(try book.query(departments) == after)
        #expect(
          try book.query("select user_id, department_id from staffbook.memberships where leads")
            == [["1", "Sales/South"]]
        )
        // The month after, and where the former name comes back for another department.
        let same = try await next(
          "1,Ada Lund,Trade/South",
          "2,Bo Dahl,Trade/South",
          "3,Cy Ek,Tools",
          "5,Ed Fox,Tools"
        )
        #expect(
          same.stderr.reads(
            "staffbook: …/staff.csv: personnel list",
            "staffbook: these files were already imported: …/staff.csv on …",
            "staffbook: imported …/staff.csv: departments: 3 unchanged; people: 4 unchanged; memberships: 4 unchanged"
          ),
          "\(same)"
        )
        let other = try await next(
          "1,Ada Lund,Trade/South",
          "2,Bo Dahl,Trade/South",
          "3,Cy Ek,Tools",
          "5,Ed Fox,Sales"
        )
        #expect(other.status == 0, "\(other)")
        #expect(
          try book.query("select name from staffbook.departments order by name").map { $0[0] }
            == ["Sales", "South", "Tools", "Trade"]
        )
        let again = try await next(
          "1,Ada Lund,Trade/South",
          "2,Bo Dahl,Trade/South",
          "3,Cy Ek,Tools",
          "5,Ed Fox,Sales"
        )
        #expect(
          again.stderr.reads(
            "staffbook: …/staff.csv: personnel list",
            "staffbook: these files were already imported: …/staff.csv on …",
            "staffbook: imported …/staff.csv: departments: 4 unchanged; people: 4 unchanged; memberships: 4 unchanged"
          ),
          "\(again)"
        )
      }
    }
  }
}
