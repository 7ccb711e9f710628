import SystemPackage
import TestSupport
import Testing

@Suite("Who the people of a list are")
struct RecognitionTests {
  struct Lists {
    let book: Book
    let folder: FilePath

    /// Imports rows of `No,Name,Unit,Title,Mail,Born`.
    func take(
      _ rows: String...,
      from source: String = "one",
      with options: String...
    ) async throws -> ProgramOutcome {
      let list = folder.appending("staff.csv")
      try write((["No,Name,Unit,Title,Mail,Born"] + rows).joined(separator: "\n") + "\n", to: list)
      let mapping = [
        "source=\(source)", "id={No}", "name={Name}", "department={Unit}", "title={Title}",
        "email={Mail}", "birthday={Born}",
      ]
      return try await book.run(
        ["import", list.string, "--accept-deletions"] + mapping.flatMap { ["--map", $0] } + options
      )
    }

    func people() throws -> [[String]] {
      try book.query("select id, name from staffbook.users order by id")
    }
  }

  func withLists(_ body: (Lists) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("field", "add", "birthday")
        try await body(Lists(book: book, folder: folder))
      }
    }
  }

  /// What is asked without a terminal.
  func doubts(_ outcome: ProgramOutcome) -> [String] {
    #expect(outcome.status == 65, "\(outcome)")
    return outcome.stderr.split(separator: "\n").map(String.init)
      .filter { $0.hasPrefix("staffbook: = ") }
  }

  @Test func `a first name and a number of another list are a doubt`() async throws {
    try await withLists { lists in
      _ = try await lists.take("1,Ada Winter,Sales,Agent,ada.winter@lumen.example,")
      let other = try await lists.take(
        "00001,Ada Ahl,Works,Fitter,ada.ahl@lumen.example,",
        from: "two"
      )
      #expect(
        doubts(other) == [
          "staffbook: = Ada Winter (1) may be Ada Ahl (00001) in the list: "
            + "the same id but for leading zeros"
        ]
      )
      let added = try await lists.take(
        "00001,Ada Ahl,Works,Fitter,ada.ahl@lumen.example,",
        "0001,A. Winter,Sales,Agent,,",
        from: "two",
        with: "--map",
        "doubts=add"
      )
      #expect(added.status == 0, "\(added)")
      #expect(try lists.people() == [["00001", "Ada Ahl"], ["1", "Ada Winter"]])
    }
  }

  @Test func `another date of birth under a number that is known is a doubt`() async throws {
    try await withLists { lists in
      _ = try await lists.take("1,Anna Berg,Sales,Agent,anna.berg@lumen.example,1980-01-01")
      let other = try await lists.take(
        "1,Anna Quist,Works,Fitter,anna.quist@lumen.example,1999-09-09"
      )
      #expect(
        doubts(other) == [
          "staffbook: = 1 was Anna Berg and is Anna Quist in the list"
        ]
      )
      // A date of birth that was wrong may be put right.
      let corrected = try await lists.take(
        "1,Anna Berg,Sales,Agent,anna.berg@lumen.example,1980-01-11"
      )
      #expect(corrected.status == 0, "\(corrected)")
      let married = try await lists.take(
        "1,Anna Quist,Sales,Agent,anna.quist@lumen.example,1980-01-11"
      )
      #expect(married.status == 0, "\(married)")
      #expect(try lists.people() == [["1", "Anna Quist"]])
    }
  }

  @Test func `a person who left is considered only if no one who is there fits`() async throws {
    try await withLists { lists in
      _ = try await lists.take(
        "1,Ada Winter,Sales,Agent,ada.winter@lumen.example,",
        "20,Eve Moss,Sales,Agent,moss@lumen.example,"
      )
      _ = try await lists.take("20,Eve Moss,Sales,Agent,moss@lumen.example,", with: "--replace")
      try #require(try lists.people() == [["20", "Eve Moss"]])
      let row = "001,Ada Winter,Sales,Agent,moss@lumen.example,"
      #expect(
        doubts(try await lists.take(row, from: "two")) == [
          "staffbook: = Eve Moss (20) may be Ada Winter (001) in the list: the same email address"
        ]
      )
      let added = try await lists.take(row, from: "two", with: "--map", "doubts=add")
      #expect(added.status == 0, "\(added)")
      #expect(try lists.people() == [["1", "Ada Winter"], ["20", "Eve Moss"]])
      // A first name is too little for a person who left.
      _ = try await lists.take("20,Eve Moss,Sales,Agent,moss@lumen.example,", with: "--replace")
      try #require(try lists.people() == [["20", "Eve Moss"]])
      #expect(
        doubts(try await lists.take("1,Ada Ahl,Works,Fitter,ahl@lumen.example,")) == [
          "staffbook: = 1 was Ada Winter and is Ada Ahl in the list"
        ]
      )
    }
  }

  @Test func `a person who marries and gets another number is asked about`() async throws {
    try await withLists { lists in
      _ = try await lists.take(
        "1,Bo Moe,Sales,Agent,moe@lumen.example,1970-01-01",
        "2,Di Fox,Works,Fitter,fox@lumen.example,1975-01-01",
        "3,Cy Ek,Sales,Agent,ek@lumen.example,1982-01-01"
      )
      let known = "1,Bo Moe,Sales,Agent,moe@lumen.example,1970-01-01"
      let married = "303,Cy Wren,Sales,Chief,wren@lumen.example,1982-01-01"
      // The mailbox is the same at another company's domain.
      let changed = "\"Ahl, Di\",Works,Fitter,fox@other.example,"
      let asked = try await lists.take(known, married, "302,\(changed)", with: "--replace")
      #expect(
        doubts(asked) == [
          "staffbook: = Di Fox (2) may be Ahl, Di (302) in the list: "
            + "the same first name, department and title",
          "staffbook: = Cy Ek (3) may be Cy Wren (303) in the list: "
            + "the same first name and date of birth",
        ]
      )
      // None of them leave, so that all are new.
      let beside = try await lists.take(married, "302,\(changed)", with: "--dry-run")
      #expect(beside.status == 0, "\(beside)")
      let taken = try await lists.take(
        known,
        married,
        "302,\(changed)",
        with: "--replace",
        "--map",
        "doubts=match"
      )
      #expect(taken.status == 0, "\(taken)")
      #expect(try lists.people() == [["1", "Bo Moe"], ["302", "Ahl, Di"], ["303", "Cy Wren"]])
    }
  }
}
