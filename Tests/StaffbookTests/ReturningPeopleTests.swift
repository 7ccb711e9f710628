import SystemPackage
import TestSupport
import Testing

@Suite("Who comes back with a list")
struct ReturningPeopleTests {
  /// What was entered of Ada here, a further department in which she leads among it.
  private func edit(_ lists: ReportedLists) async throws {
    try await lists.book.lines("set", "id:1001", "office=Berlin", "mobile=+49 171 1", "--yes")
    try await lists.book.lines("join", "id:1001", "Works", "--title", "Advisor", "--yes")
    try await lists.book.lines("set", "id:1001", "lead@Sales=yes", "--yes")
  }

  private func ada(_ lists: ReportedLists) throws -> [String] {
    try lists.book.query(
      """
      select u.fields::text, string_agg(m.department_id || ' ' || m.title
            || case when m.leads then ' leads' else '' end, ', ' order by m.department_id)
        from staffbook.users u join staffbook.memberships m on m.user_id = u.id
        where u.id = '1001' group by u.id
      """
    )[at: 0] ?? []
  }

  private static let whole = [
    #"{"mobile": "+49 171 1", "office": "Berlin"}"#, "Sales Head leads, Works Advisor",
  ]

  @Test func `gets back what was entered here, and the plan says so`() async throws {
    try await withReportedLists { lists in
      _ = try await lists.take("a.csv")
      try await edit(lists)
      let identity = "select identity from staffbook.users where id = '1001'"
      let before = try lists.book.value(identity)
      _ = try await lists.take("b.csv")
      let back = try await lists.take("a.csv", with: "--verbose")
      #expect(back.status == 0, "\(back)")
      #expect(
        back.stdout.contains(
          #"= Ada Lund (1001) is Ada Lund (1001) in the list: the same id; comes back with mobile "+49 171 1", "#
            + #"office "Berlin", the department Works (Works), the lead of the department Sales"#
        ),
        "\(back)"
      )
      #expect(try ada(lists) == Self.whole)
      #expect(try lists.book.value(identity) == before)
      // The department was entered here: it does not leave with the list.
      let again = try await lists.take("a.csv")
      #expect(again.status == 0, "\(again)")
      #expect(try ada(lists) == Self.whole)
    }
  }

  @Test func `of what has no place any more is told`() async throws {
    try await withReportedLists { lists in
      _ = try await lists.take("a.csv")
      try await lists.book.lines("add", "department", "Lab", "--id", "lab", "--yes")
      try await lists.book.lines("add", "user", "Gil Own", "--id", "gil", "--in", "lab", "--yes")
      try await lists.book.lines(
        "set",
        "id:1001",
        "office=Berlin",
        "mobile=+49 171 1",
        "assistant=gil",
        "--yes"
      )
      try await lists.book.lines("join", "id:1001", "lab", "--yes")
      _ = try await lists.take("b.csv")
      try await lists.book.lines("remove", "id:gil", "--yes")
      try await lists.book.lines("remove", "id:lab", "--yes")
      try await lists.book.lines("field", "remove", "office", "--yes")
      let back = try await lists.take("a.csv", with: "--verbose")
      #expect(back.status == 0, "\(back)")
      #expect(
        back.stdout.contains(
          #"; comes back with mobile "+49 171 1"; without assistant gil, who is not here any more; "#
            + #"office "Berlin", a field that is not declared so; the department Lab (lab), which was removed"#
        ),
        "\(back)"
      )
      #expect(try ada(lists) == [#"{"mobile": "+49 171 1"}"#, "Sales Head"])
    }
  }

  @Test func `gets back nothing once forgotten, and not on a likely match`() async throws {
    try await withReportedLists { lists in
      _ = try await lists.take("a.csv")
      try await edit(lists)
      _ = try await lists.take("b.csv")
      try await withTemporaryDirectory { folder in
        let other = folder.appending("other.csv")
        let list = try await runProgram("cat", [lists.folder.appending("a.csv").string]).stdout
        let rows = list.split(separator: "\n").map {
          $0.hasPrefix("1001,") ? "1001,Ada Moss,Works,Smith,moss@x.example,," : String($0)
        }
        try write(rows.joined(separator: "\n") + "\n", to: other)
        let likely = try await lists.book.run(
          "import",
          other.string,
          "--mapping",
          lists.folder.appending("map.yaml").string,
          "--replace",
          "--dry-run",
          "--map",
          "doubts=match"
        )
        #expect(likely.status == 0, "\(likely)")
        #expect(likely.stdout.contains("comes back\n"), "\(likely)")
      }
      try await lists.book.lines("forget", "1001", "--yes")
      let back = try await lists.take("a.csv")
      #expect(back.status == 0, "\(back)")
      #expect(try ada(lists) == ["{}", "Sales Head"])
    }
  }

  @Test func `a former person gets back the further departments, also after the time is over`()
    async throws
  {
    try await withReportedLists { lists in
      func take(_ list: String) async throws -> ProgramOutcome {
        try await lists.take(list, with: "--map", "former=Former", "--verbose")
      }
      _ = try await take("a.csv")
      try await edit(lists)
      let left = try await take("b.csv")
      #expect(left.status == 0, "\(left)")
      #expect(try ada(lists)[1] == "Former Head")
      let back = try await take("a.csv")
      #expect(back.status == 0, "\(back)")
      #expect(back.stdout.contains("comes back with the department Works (Works)"), "\(back)")
      #expect(try ada(lists) == Self.whole)
      _ = try await take("b.csv")
      try lists.book.script(
        "update staffbook.source_records set left_at = left_at - interval '100 days' where id = '1001'"
      )
      _ = try await take("b.csv")
      #expect(try ada(lists) == [])
      let again = try await take("a.csv")
      #expect(again.status == 0, "\(again)")
      #expect(try ada(lists) == Self.whole)
    }
  }

  @Test func `undo of two months at once loses nothing of what was entered here`() async throws {
    try await withReportedLists { lists in
      try await withTemporaryDirectory { folder in
        let list = try await runProgram("cat", [lists.folder.appending("b.csv").string]).stdout
        let fewer = folder.appending("c.csv")
        try write(
          list.split(separator: "\n").filter { !$0.hasPrefix("1006,") }.joined(separator: "\n")
            + "\n",
          to: fewer
        )
        let newest = "select max(number) from staffbook.transactions"
        _ = try await lists.take("a.csv")
        try await edit(lists)
        for months in [["b.csv", "a.csv"], ["b.csv", fewer.string]] {
          var numbers: [String] = []
          for month in months {
            let done = try await lists.take(month)
            try #require(done.status == 0, "\(done)")
            numbers.append(try lists.book.value(newest))
          }
          let undone = try await lists.book.run(["undo"] + numbers + ["--yes"])
          #expect(undone.status == 0 || undone.stderr.contains("nothing to change"), "\(undone)")
          #expect(try ada(lists) == Self.whole, "\(months)")
          #expect(try lists.managers() == ReportedLists.all, "\(months)")
          let next = try await lists.take("a.csv")
          #expect(next.status == 0, "\(next)")
          #expect(!next.stderr.contains("edited here"), "\(next)")
          #expect(try ada(lists) == Self.whole, "\(months)")
        }
      }
    }
  }
}

@Suite("The first list over a directory made by hand")
struct HandMadeDirectoryTests {
  @Test func `finds departments by their names below the same parent`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        for (name, id, parent) in [
          ("Works", "w7", nil), ("South", "w8", "w7"), ("sales", "s1", nil), ("Care", "c1", nil),
          ("Care", "c2", nil), ("North", "n1", "s1"),
        ] as [(String, String, String?)] {
          _ = try await book.lines(
            ["add", "department", name, "--id", id, "--yes"]
              + (parent.map { ["--under", "id:\($0)"] } ?? [])
          )
        }
        try await book.lines("add", "user", "Bo Ives", "--id", "bo", "--in", "w7", "--yes")
        try await book.lines("add", "user", "Ann Olm", "--id", "ann", "--in", "w8", "--yes")
        try await book.lines("set", "id:w8", "description=Lenses", "--yes")
        let list = folder.appending("staff.csv")
        try write(
          """
          No,Name,Unit,Title,Mail
          1,Bo Ives,Works,Smith,bo@lumen.example
          2,Ann Olm,Works/South,Smith,ann@lumen.example
          3,Cy Ek,Sales,Agent,cy@lumen.example
          4,Di Moe,Works/North,Agent,di@lumen.example
          5,Ed Fox,Care,Agent,ed@lumen.example

          """,
          to: list
        )
        let mapping = [
          "source=personnel", "id={No}", "name={Name}", "department={Unit}", "levels=/",
          "title={Title}", "email={Mail}",
        ]
        for round in 1...2 {
          let done = try await book.run(
            ["import", list.string, "--replace"] + mapping.flatMap { ["--map", $0] }
          )
          #expect(done.status == 0, "\(round): \(done)")
          // Of two of one name none is guessed, and North is another one below Sales.
          #expect(
            try book.query(
              """
              select id, name, coalesce(parent_id, ''), description from staffbook.departments
                order by id
              """
            ) == [
              ["Care", "Care", "", ""], ["Works/North", "North", "w7", ""], ["c1", "Care", "", ""],
              ["c2", "Care", "", ""], ["n1", "North", "s1", ""], ["s1", "Sales", "", ""],
              ["w7", "Works", "", ""], ["w8", "South", "w7", "Lenses"],
            ],
            "\(round)"
          )
          #expect(
            try book.query(
              "select id, name, primary_department_id from staffbook.users order by id"
            ) == [
              ["3", "Cy Ek", "s1"], ["4", "Di Moe", "Works/North"], ["5", "Ed Fox", "Care"],
              ["ann", "Ann Olm", "w8"], ["bo", "Bo Ives", "w7"],
            ],
            "\(round)"
          )
        }
      }
    }
  }

  @Test func `asks about namesakes with another address`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("add", "department", "Works", "--id", "w7", "--yes")
        try await book.lines("add", "user", "Bo Ives", "--id", "bo", "--in", "w7", "--yes")
        try await book.lines("set", "id:bo", "email=b.ives@lumen.example", "--yes")
        let list = folder.appending("staff.csv")
        try write("No,Name,Unit,Mail\n1,Bo Ives,Works,bo@lumen.example\n", to: list)
        let done = try await book.run(
          "import",
          list.string,
          "--map",
          "source=personnel",
          "--map",
          "id={No}",
          "--map",
          "name={Name}",
          "--map",
          "department={Unit}",
          "--map",
          "email={Mail}"
        )
        #expect(done.status == 65, "\(done)")
        #expect(done.stderr.contains("Bo Ives (bo) may be Bo Ives (1)"), "\(done)")
      }
    }
  }
}
