import SystemPackage
import TestSupport
import Testing

/// What lists remember of imports and of merges that were undone.
extension MonthlyListTests {
  /// The number of the newest transaction.
  private func newest(_ month: Month) throws -> String {
    try month.book.value("select number from staffbook.transactions order by at desc limit 1")
  }

  @Test func `after an import was undone, the corrected list is taken`() async throws {
    try await withMonth { month in
      try await month.book.lines("set", "03", "title=Chief", "--yes")
      let wrong = try await month.take(
        "01,Ada Lund-Winter,Tools,Chief,ada.winter@lumen.example",
        "02,Bo Dahl,Sales,Agent,bo@other.example",
        "03,Cy Ek,Sales,Engineer,cy@lumen.example",
        "07,New Guy,Lab,Agent,new@lumen.example",
        "08,Newer Guy,Sales,Agent,newer@lumen.example"
      )
      try #require(wrong.status == 0, "\(wrong)")
      let number = try newest(month)
      try await month.book.lines("set", "08", "title=Head", "--yes")
      let undone = try await month.book.run("undo", number, "--yes")
      try #require(undone.status == 0, "\(undone)")
      let next = try await month.take(
        "01,Ada Lund-Winter,Sales,Chief,ada.w@lumen.example",
        "02,Bo Dahl,Tools,Agent,bo@lumen.example",
        "03,Cy Ek,Lab,Engineer,cy@lumen.example"
      )
      #expect(next.status == 0, "\(next)")
      let edited = next.stderr.split(separator: "\n").map(String.init)
        .filter { $0.contains("edited here") }
      // Nothing else was.
      #expect(
        edited == [
          "staffbook: ! Cy Ek (03): title was edited here: \"Chief\"; the list has \"Engineer\", "
            + "which is not taken"
        ],
        "\(next)"
      )
      #expect(
        try month.book.query(
          """
          select u.id, u.name, u.email, u.primary_department_id, m.title
            from staffbook.users u join staffbook.memberships m
              on m.user_id = u.id and m.department_id = u.primary_department_id
            where u.id <= '03' order by u.id
          """
        ) == [
          ["01", "Ada Lund-Winter", "ada.w@lumen.example", "Sales", "Chief"],
          ["02", "Bo Dahl", "bo@lumen.example", "Tools", "Agent"],
          ["03", "Cy Ek", "cy@lumen.example", "Lab", "Chief"],
        ]
      )
    }
  }

  @Test func `an import that was undone owns no people and was never made`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let month = Month(book: book, folder: folder)
        try await book.lines("add", "department", "Sales", "--id", "Sales", "--yes")
        try await book.lines("add", "user", "Ada Lund", "--id", "01", "--in", "Sales", "--yes")
        let first = try await month.take(Self.ada, Self.bo, with: "--replace")
        try #require(first.status == 0, "\(first)")
        let undone = try await book.run("undo", try newest(month), "--yes")
        try #require(undone.status == 0, "\(undone)")
        #expect(try book.query("select id from staffbook.source_records").isEmpty)
        let again = try await month.take(Self.ada, Self.bo, with: "--dry-run")
        #expect(!again.stderr.contains("already imported"), "\(again)")
        let other = try await month.take(Self.cy, with: "--replace")
        #expect(other.status == 0, "\(other)")
        #expect(try month.people().map { $0[0] } == ["01", "03"])
      }
    }
  }

  @Test func `undo brings back further memberships and departments as the list's`() async throws {
    try await withMonth { month in
      let several = try await month.take(
        "01,Ada Lund,Sales;Lab,Head,ada@lumen.example",
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--map",
        "several=;"
      )
      try #require(several.status == 0, "\(several)")
      let fewer = try await month.take(
        Self.ada,
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--replace",
        "--accept-deletions"
      )
      try #require(fewer.status == 0, "\(fewer)")
      let lab = """
        select (select count(*) from staffbook.departments where id = 'Lab'),
          (select count(*) from staffbook.memberships where department_id = 'Lab')
        """
      #expect(try month.book.query(lab) == [["0", "0"]])
      let undone = try await month.book.run("undo", try newest(month), "--yes")
      try #require(undone.status == 0, "\(undone)")
      #expect(try month.book.query(lab) == [["1", "1"]])
      let again = try await month.take(
        Self.ada,
        Self.bo,
        Self.cy,
        Self.di,
        Self.ed,
        Self.fi,
        with: "--replace",
        "--accept-deletions"
      )
      #expect(again.status == 0, "\(again)")
      #expect(try month.book.query(lab) == [["0", "0"]])
    }
  }

  @Test func `a person whose leaving was undone is no former one`() async throws {
    try await withMonth { month in
      let rows = [Self.ada, Self.bo, Self.cy, Self.di, Self.ed]
      let left = try await month.take(
        rows[0],
        rows[1],
        rows[2],
        rows[3],
        rows[4],
        with: "--replace",
        "--map",
        "former=Former"
      )
      try #require(left.status == 0, "\(left)")
      let undone = try await month.book.run("undo", try newest(month), "--yes")
      try #require(undone.status == 0, "\(undone)")
      #expect(
        try month.book.query(
          """
          select u.primary_department_id, r.left_at from staffbook.source_records r
              join staffbook.users u on u.id = r.id
            where r.kind = 'user' and r.id = '06'
          """
        ) == [["Tools", ""]]
      )
    }
  }

  @Test func `renumbered people get their ids back, at any number`() async throws {
    try await withMonth { month in
      func take(from first: Int) async throws -> ProgramOutcome {
        let rows = (1...200).map {
          "\(first + $0),Person \($0),Sales,Agent,p\($0)@lumen.example\n"
        }
        let list = month.folder.appending("staff-\(first).csv")
        try write("No,Name,Unit,Title,Mail\n" + rows.joined(), to: list)
        return try await month.book.run(
          ["import", list.string] + month.mapping.flatMap { ["--map", $0] }
        )
      }
      let first = try await take(from: 1000)
      try #require(first.status == 0, "\(first)")
      let renumbered = try await take(from: 5000)
      try #require(renumbered.status == 0, "\(renumbered)")
      #expect(
        renumbered.stderr.reads(
          "…",
          "staffbook: = Person 1 (1001) is Person 1 (5001) in the list: the same email address; the id becomes 5001",
          "…"
        ),
        "\(renumbered)"
      )
      let undone = try await month.book.run("undo", try newest(month), "--yes")
      #expect(undone.status == 0, "\(undone)")
      #expect(!undone.stderr.contains("cannot sync"), "\(undone)")
      let synced = try await month.book.run("sync")
      #expect(synced.status == 0, "\(synced)")
      let known = try month.book.query(
        """
        select count(*), count(*) filter (where r.alias = r.id)
          from staffbook.users u join staffbook.source_records r on r.id = u.id
          where r.kind = 'user' and u.id between '1001' and '1200'
        """
      )
      #expect(known == [["200", "200"]], "\(undone)")
    }
  }
}

/// What lists have of people who were merged.
extension MonthlyListTests {
  @Test func `a person who was merged stays one when the list comes again`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        var month = Month(book: book, folder: folder)
        month.mapping.removeLast()
        let rows = ["2,Bo Dahl,Sales,Agent,", "3,Cy Ek,Sales,Agent,"]
        let first = try await month.take(rows[0], rows[1], with: "--replace")
        try #require(first.status == 0, "\(first)")
        try await book.lines("add", "department", "Guests", "--id", "guests", "--yes")
        try await book.lines("add", "user", "Bo Dahl", "--id", "h1", "--in", "guests", "--yes")
        let merged = try await book.run("merge", "h1", "2", "--yes")
        try #require(merged.status == 0, "\(merged)")
        let merge = try newest(month)
        let next = try await month.take(rows[0], rows[1], with: "--replace")
        #expect(next.status == 0, "\(next)")
        #expect(try month.people().map { $0[0] } == ["3", "h1"])
        let undone = try await book.run("undo", merge, "--yes")
        try #require(undone.status == 0, "\(undone)")
        let again = try await month.take(rows[0], rows[1], with: "--replace")
        #expect(again.status == 0, "\(again)")
        #expect(!again.stderr.contains("h1"), "\(again)")
        #expect(try month.people().map { $0[0] } == ["2", "3", "h1"])
        // It leaves with the list, as before.
        let left = try await month.take(
          rows[1],
          with: "--replace",
          "--accept-deletions"
        )
        #expect(left.status == 0, "\(left)")
        #expect(try month.people().map { $0[0] } == ["3", "h1"])
      }
    }
  }
}
