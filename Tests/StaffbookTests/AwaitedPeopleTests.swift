import SystemPackage
import TestSupport
import Testing

/// The lists `a.csv` and `b.csv` of reported inputs: in the second one the manager of two people is missing.
struct ReportedLists {
  let book: Book
  let folder: FilePath

  /// Imports one of the lists, or another file by its path.
  func take(_ list: String, with options: String...) async throws -> ProgramOutcome {
    try await book.run(
      [
        "import", list.hasPrefix("/") ? list : folder.appending(list).string, "--mapping",
        folder.appending("map.yaml").string,
        "--replace",
      ] + options
    )
  }

  func managers() throws -> [String] {
    try book.query(
      """
      select id || ' ' || (fields ->> 'manager') from staffbook.users
        where fields ? 'manager' order by id
      """
    ).map { $0[0] }
  }

  static let all = ["1002 1001", "1003 1001", "1005 1004", "1006 1004", "1007 1004"]
  static let present = ["1005 1004", "1006 1004", "1007 1004"]
}

func withReportedLists(_ body: (ReportedLists) async throws -> Void) async throws {
  let folder = try TestData.directory(named: "reported").appending("lists")
  try await withBook { book in
    try await book.lines("field", "add", "manager", "mobile", "office", "assistant")
    try await body(ReportedLists(book: book, folder: folder))
  }
}

@Suite("People whom a list names and nobody knows")
struct AwaitedPeopleTests {
  private func isWarned(_ outcome: ProgramOutcome) -> Bool {
    outcome.stderr.contains(
      "b.csv:2: 1002: Bo Ek: the column Boss names 1001, who is neither in the list nor in Staffbook"
    )
  }

  @Test func `what a list cleared comes back with the list`() async throws {
    try await withReportedLists { lists in
      let first = try await lists.take("a.csv")
      try #require(first.status == 0, "\(first)")
      let cleared = try await lists.take("b.csv", with: "--verbose")
      #expect(cleared.status == 0, "\(cleared)")
      #expect(
        cleared.stdout.reads(
          "departments: 2 unchanged; people: will change 2, remove 1, 4 unchanged; memberships: will remove 1, 6 unchanged",
          #"~ Bo Ek (1002); manager "1001" is now """#,
          #"~ Cy Strand (1003); manager "1001" is now """#,
          "- Ada Lund (1001) in Sales"
        ),
        "\(cleared)"
      )
      #expect(
        cleared.stderr.contains("Bo Ek: the column Boss names 1001, who is no longer in the list"),
        "\(cleared)"
      )
      let back = try await lists.take("a.csv", with: "--verbose")
      #expect(back.status == 0, "\(back)")
      #expect(!back.stdout.contains("! ") && !back.stderr.contains("! "), "\(back)")
      #expect(try lists.managers() == ReportedLists.all)
    }
  }

  @Test func `a manager who is nowhere stops no list`() async throws {
    try await withReportedLists { lists in
      for list in ["a.csv", "b.csv"] {
        let done = try await lists.take(list)
        #expect(done.status == 0, "\(done)")
      }
      let again = try await lists.take("b.csv")
      #expect(again.status == 0 && isWarned(again), "\(again)")
      #expect(try lists.managers() == ReportedLists.present)
      let doctor = try await lists.book.run("doctor")
      #expect(
        (doctor.stdout + doctor.stderr).contains(
          "manager of Bo Ek (1002) is 1001 in the list personnel"
        ),
        "\(doctor)"
      )
    }
  }

  @Test func `a manager outside is taken up once the person is there`() async throws {
    try await withReportedLists { lists in
      let first = try await lists.take("b.csv")
      #expect(first.status == 0 && isWarned(first), "\(first)")
      #expect(try lists.managers() == ReportedLists.present)
      // By hand, or by the list.
      try await lists.book.lines(
        "add",
        "user",
        "Ada Lund",
        "--id",
        "1001",
        "--in",
        "Works",
        "--yes"
      )
      let next = try await lists.take("b.csv")
      #expect(next.status == 0 && !isWarned(next), "\(next)")
      #expect(try lists.managers() == ReportedLists.all)
      let doctor = try await lists.book.run("doctor")
      #expect(!(doctor.stdout + doctor.stderr).contains("in the list personnel"), "\(doctor)")
    }
  }

  @Test func `who was removed here clears nothing for good, and an edit is an edit`() async throws {
    try await withReportedLists { lists in
      _ = try await lists.take("a.csv")
      try await lists.book.lines("set", "id:1007", "manager=", "--yes")
      try await lists.book.lines("remove", "id:1001", "--yes")
      #expect(try lists.managers() == ["1005 1004", "1006 1004"])
      let back = try await lists.take("a.csv", with: "--map", "doubts=match")
      #expect(back.status == 0, "\(back)")
      #expect(
        back.stderr.split(separator: "\n").filter { $0.contains("edited here") } == [
          #"staffbook: ! Gus Holm (1007): manager was edited here: ""; the list has "1004", which is not taken"#
        ],
        "\(back)"
      )
      #expect(try lists.managers() == ReportedLists.all.filter { $0 != "1007 1004" })
    }
  }

  @Test func `references of others to who leaves are in the plan, and come back, too`() async throws
  {
    try await withReportedLists { lists in
      _ = try await lists.take("a.csv")
      try await lists.book.lines("add", "department", "Guests", "--id", "guests", "--yes")
      try await lists.book.lines("add", "user", "Gil Own", "--id", "gil", "--in", "guests", "--yes")
      try await lists.book.lines("set", "gil", "manager=1001", "assistant=1001", "--yes")
      try await lists.book.lines("set", "id:1004", "assistant=1001", "--yes")
      let cleared = try await lists.take("b.csv", with: "--verbose")
      for line in [
        #"~ Gil Own (gil); manager "1001" is now ""; assistant "1001" is now """#,
        #"~ Di Roe (1004); assistant "1001" is now """#,
      ] {
        #expect(cleared.stdout.contains(line), "\(cleared)")
      }
      // Gil is nobody of the list.
      #expect(try lists.book.query("select from staffbook.source_records where id = 'gil'").isEmpty)
      try await lists.book.lines("set", "gil", "manager=1004", "--yes")
      let back = try await lists.take("a.csv")
      #expect(back.status == 0, "\(back)")
      #expect(
        try lists.book.query(
          "select id, fields::text from staffbook.users where id in ('gil', '1004') order by id"
        ) == [
          ["1004", #"{"assistant": "1001"}"#],
          ["gil", #"{"manager": "1004", "assistant": "1001"}"#],
        ]
      )
    }
  }

  @Test func `managers by name are also those whom the list does not have`() async throws {
    try await withReportedLists { lists in
      let book = lists.book
      try await book.lines("add", "department", "Guests", "--id", "guests", "--yes")
      for (id, name) in [("gil", "Gil Own"), ("t1", "Two Same"), ("t2", "Two Same")] {
        try await book.lines("add", "user", name, "--id", id, "--in", "guests", "--yes")
      }
      try await withTemporaryDirectory { folder in
        let list = folder.appending("staff.csv")
        try write(
          """
          No,Name,Unit,Boss
          1,Ada Lund,Sales,"Own, Gil"
          2,Bo Ek,Sales,Two Same
          3,Cy Moe,Sales,Eva Not

          """,
          to: list
        )
        let mapping = [
          "source=staff", "id={No}", "name={Name}", "department={Unit}", "manager={Boss}",
          "people=name",
        ]
        func take() async throws -> ProgramOutcome {
          try await book.run(["import", list.string] + mapping.flatMap { ["--map", $0] })
        }
        let first = try await take()
        #expect(first.status == 0, "\(first)")
        for text in [
          "staff.csv:3: 2: Bo Ek: the column Boss names Two Same, as whom Staffbook has several people",
          "staff.csv:4: 3: Cy Moe: the column Boss names Eva Not, who is neither in the list nor in Staffbook",
        ] {
          #expect(first.stderr.contains(text), "\(first)")
        }
        #expect(try lists.managers() == ["1 gil"])
        try await book.lines("add", "user", "Eva Not", "--id", "eva", "--in", "guests", "--yes")
        let next = try await take()
        #expect(next.status == 0, "\(next)")
        #expect(try lists.managers() == ["1 gil", "3 eva"])
      }
    }
  }

  @Test func `files that are no list leave them out, too, and refuse a department`() async throws {
    try await withReportedLists { lists in
      try await withTemporaryDirectory { folder in
        try write("id,parent_id,name\nd,,Top\n", to: folder.appending("departments.csv"))
        let users = folder.appending("users.csv")
        try write("id,department_id,name,manager\nu1,d,Ada,nobody\n", to: users)
        let done = try await lists.book.run("import", folder.string)
        #expect(done.status == 0, "\(done)")
        #expect(
          done.stderr.contains(
            "users.csv:2: u1: Ada: the field manager names nobody, who is neither in the files nor in Staffbook"
          ),
          "\(done)"
        )
        #expect(try lists.managers() == [])
        try write("id,department_id,name,manager\nu1,nowhere,Ada,nobody\n", to: users)
        let refused = try await lists.book.run("import", folder.string)
        #expect(refused.status == 65, "\(refused)")
      }
    }
  }

  @Test func `who is forgotten is awaited no more`() async throws {
    try await withReportedLists { lists in
      for list in ["a.csv", "b.csv", "b.csv"] { _ = try await lists.take(list) }
      let awaited = "select count(*) from staffbook.source_records where hashes ? '?'"
      #expect(try lists.book.value(awaited) == "2")
      try await lists.book.lines("forget", "1001", "--yes")
      #expect(try lists.book.value(awaited) == "0")
    }
  }
}
