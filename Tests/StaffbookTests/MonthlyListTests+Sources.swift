import SystemPackage
import TestSupport
import Testing

/// Several lists of the same people.
extension MonthlyListTests {
  private func titles(_ month: Month) throws -> [[String]] {
    try month.book.query(
      """
      select u.id, u.name, m.title, u.phone from staffbook.users u
          join staffbook.memberships m on m.user_id = u.id
        order by u.id
      """
    )
  }

  @Test func `a list under another name is told whose people these are`() async throws {
    try await withMonth { month in
      var other = month
      other.mapping[0] = "source=hr"
      let before = try titles(month)
      let rows = [Self.ada, Self.bo, Self.cy, Self.di, "05,Ed Fox,Tools,Chief,ed@lumen.example"]
      func take(_ options: String...) async throws -> ProgramOutcome {
        let list = other.folder.appending("staff.csv")
        try write((["No,Name,Unit,Title,Mail"] + rows).joined(separator: "\n") + "\n", to: list)
        return try await other.book.run(
          ["import", list.string] + other.mapping.flatMap { ["--map", $0] } + ["--replace"]
            + options
        )
      }
      let told = try await take("--verbose")
      #expect(told.status == 0, "\(told)")
      #expect(
        told.stderr.reads(
          "…",
          "staffbook: the list personnel already owns 5 recorded people, so this one neither removes them nor changes values that personnel names; if both are one list, see: staffbook source --help",
          "…"
        ),
        "\(told)"
      )
      #expect(!(told.stdout + told.stderr).contains("from now on"), "\(told)")
      #expect(
        told.stdout.reads(
          "…",
          "! Ed Fox (05): title belongs to the list personnel: \"Engineer\"; this list has "
            + "\"Chief\", which is not taken",
          "…"
        ),
        "\(told)"
      )
      #expect(try titles(month) == before)
      #expect(
        try await month.book.lines("source", "list").map { line in
          line.split(separator: "\t").prefix(3).joined(separator: " ")
        } == ["hr 0 5", "personnel 6 0"]
      )
      let taken = try await month.book.run("source", "rename", "personnel", "hr")
      #expect(taken.status == 65, "\(taken)")
      #expect(
        taken.stderr.reads(
          "staffbook: cannot rename the list personnel: there is a list hr already",
          "staffbook: if they are the same list, first run: staffbook source remove hr"
        ),
        "\(taken)"
      )
      try await month.book.lines("source", "remove", "hr")
      try await month.book.lines("source", "rename", "personnel", "hr")
      let again = try await take()
      #expect(again.status == 0, "\(again)")
      #expect(try titles(month).map { $0[0] + $0[2] }.suffix(2) == ["04Engineer", "05Chief"])
      let none = try await month.book.run("source", "remove", "personnel")
      #expect(none.status == 1, "\(none)")
    }
  }

  @Test func `a list without places neither owns nor names people`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let month = Month(book: book, folder: folder)
        try await book.lines("add", "department", "Sales", "--id", "Sales", "--yes")
        for (id, name) in [("1", "Ada Lund"), ("2", "Bo Dahl")] {
          try await book.lines(
            "add",
            "user",
            name,
            "--id",
            id,
            "--in",
            "Sales",
            "email=\(id)@lumen.example",
            "--yes"
          )
        }
        let phones = folder.appending("phones.csv")
        let header = "No,Name,Mail,Ext\n"
        let arguments = [
          "import", phones.string, "--map", "source=phones", "--map", "id={No}", "--map",
          "name={Name}", "--map", "email={Mail}", "--map", "phone={Ext}", "--into", "Sales",
          "--replace",
        ]
        try write(
          header + "1,Lund A.,1@lumen.example,+49 30 1\n2,Dahl B.,2@lumen.example,+49 30 2\n"
            + "9,Lobby,lobby@lumen.example,+49 30 9\n",
          to: phones
        )
        let first = try await book.run(arguments)
        #expect(first.status == 0, "\(first)")
        #expect(
          first.stderr.reads(
            "…",
            "staffbook: the list has no departments, so it neither renames nor removes 2 recorded people",
            "…"
          ),
          "\(first)"
        )
        #expect(!first.stderr.contains("! "), "\(first)")
        let full = [
          ["1", "Ada Lund", "", "+49 30 1"], ["2", "Bo Dahl", "", "+49 30 2"],
          ["9", "Lobby", "", "+49 30 9"],
        ]
        #expect(try titles(month) == full)
        // A list with departments corrects what it says, and takes over whom the other one added.
        let listed = try await month.take(
          "1,Ada Lund-Winter,Sales,Head,1@lumen.example",
          "2,Bo Dahl,Sales,Agent,2@lumen.example",
          "9,Lobby,Sales,Desk,lobby@lumen.example",
          with: "--replace"
        )
        #expect(listed.status == 0, "\(listed)")
        try write(header + "1,Lund A.,1@lumen.example,+49 30 7\n", to: phones)
        let second = try await book.run(arguments)
        #expect(second.status == 0, "\(second)")
        #expect(
          try titles(month) == [
            ["1", "Ada Lund-Winter", "Head", "+49 30 7"], ["2", "Bo Dahl", "Agent", "+49 30 2"],
            ["9", "Lobby", "Desk", "+49 30 9"],
          ]
        )
        let left = try await month.take(
          "1,Ada Lund-Winter,Sales,Head,1@lumen.example",
          "2,Bo Dahl,Sales,Agent,2@lumen.example",
          with: "--replace",
          "--accept-deletions"
        )
        #expect(left.status == 0, "\(left)")
        #expect(try titles(month).map { $0[0] } == ["1", "2"])
      }
    }
  }
}
