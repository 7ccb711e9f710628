import SystemPackage
import TestSupport
import Testing

@Suite("Questions of an import")
struct ImportQuestionTests {
  private struct List {
    let book: Book
    let folder: FilePath

    /// Imports rows of `No,Name,Unit,Title,Mail`.
    func take(_ rows: [String], with options: String...) async throws -> ProgramOutcome {
      try await book.run(try command(rows) + options)
    }

    func command(_ rows: [String]) throws -> [String] {
      let list = folder.appending("staff.csv")
      try write((["No,Name,Unit,Title,Mail"] + rows).joined(separator: "\n") + "\n", to: list)
      let mapping = [
        "source=staff", "id={No}", "name={Name}", "department={Unit}", "title={Title}",
        "email={Mail}",
      ]
      return ["import", list.string, "--replace"] + mapping.flatMap { ["--map", $0] }
    }

    var answers: FilePath { folder.appending("answers.yaml") }

    func answer(_ line: String, _ word: String) throws {
      var lines = String(decoding: try bytes(of: answers), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let place = try #require(lines.firstIndex { $0.contains(line) }, "\(lines)")
      let answer = try #require(lines[place...].firstIndex { $0.hasPrefix("  answer:") })
      lines[answer] = "  answer: \(word)"
      try write(lines.joined(separator: "\n"), to: answers)
    }

    func people() throws -> [[String]] {
      try book.query("select id, name from staffbook.users order by id")
    }
  }

  private static let first = [
    "01,Ada Lund,Sales,Head,ada@lumen.example", "02,Bo Dahl,Sales,Agent,bo@lumen.example",
    "03,Cy Ek,Tools,Engineer,cy@lumen.example", "04,Di Moe,Tools,Engineer,di@lumen.example",
    "05,Ed Fox,Tools,Engineer,ed@lumen.example", "06,Fi Ask,Tools,Engineer,fi@lumen.example",
  ]

  private func withList(_ body: (List) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let list = List(book: book, folder: folder)
        let first = try await list.take(Self.first)
        try #require(first.status == 0, "\(first)")
        try await body(list)
      }
    }
  }

  @Test func `are written to a file, and answered in it`() async throws {
    try await withList { list in
      var rows = Self.first
      rows[1] = "77,Bo Dahl,Sales,Agent,bd@other.example"
      rows[2] = "78,Cy Ek,Tools,Engineer,ce@other.example"
      let file = list.answers.string
      let asked = try await list.take(rows, with: "--decide", file)
      #expect(asked.status == 65, "\(asked)")
      #expect(
        asked.stderr.reads(
          "…",
          "staffbook: nothing was changed; the questions are in …/answers.yaml: write yes or no behind each, and repeat the command"
        ),
        "\(asked)"
      )
      let text = String(decoding: try bytes(of: list.answers), as: UTF8.self)
      #expect(text.contains("  list: \"77\"\n  recorded: \"02\"\n  answer: \n"), "\(text)")
      // What is answered stays, and the rest is asked again.
      try list.answer("list: \"77\"", "yes")
      let rest = try await list.take(rows, with: "--decide", file)
      #expect(rest.status == 65 && rest.stderr.contains("1 person of the list"), "\(rest)")
      try list.answer("list: \"78\"", "maybe")
      let wrong = try await list.take(rows, with: "--decide", file)
      #expect(wrong.status == 64, "\(wrong)")
      #expect(
        wrong.stderr.reads(
          "…",
          "staffbook: cannot use …/answers.yaml, line …: \"maybe\" is not an answer",
          "staffbook: write yes or no"
        ),
        "\(wrong)"
      )
      try list.answer("list: \"78\"", "no")
      let done = try await list.take(rows, with: "--decide", file, "--accept-deletions")
      #expect(done.status == 0, "\(done)")
      #expect(
        try list.people() == [
          ["01", "Ada Lund"], ["04", "Di Moe"], ["05", "Ed Fox"], ["06", "Fi Ask"],
          ["77", "Bo Dahl"], ["78", "Cy Ek"],
        ]
      )
      // The month after, no one is asked, with the file or without it.
      let next = try await list.take(rows)
      #expect(next.status == 0, "\(next)")
    }
  }

  @Test func `about people who were removed here are asked once`() async throws {
    try await withList { list in
      try await list.book.lines("remove", "03", "04", "--yes")
      let asked = try await list.take(Self.first)
      #expect(asked.status == 65, "\(asked)")
      #expect(
        asked.stderr.reads(
          "…",
          "staffbook: cannot import: 2 people of the list were removed here",
          "staffbook: = Cy Ek (03) was removed here and is still in the list",
          "staffbook: = Di Moe (04) was removed here and is still in the list",
          "staffbook: nothing was changed; run it on a terminal and answer, or have the questions written to a file with --decide FILE"
        ),
        "\(asked)"
      )
      let file = list.answers.string
      _ = try await list.take(Self.first, with: "--decide", file)
      try list.answer("list: \"03\"", "no")
      try list.answer("list: \"04\"", "yes")
      let done = try await list.take(Self.first, with: "--decide", file)
      #expect(done.status == 0, "\(done)")
      #expect(done.stderr.contains("left out 1 person who was removed here: Cy Ek (03)"), "\(done)")
      let there = ["01", "02", "04", "05", "06"]
      #expect(try list.people().map { $0[0] } == there)
      for _ in 1...2 {
        let next = try await list.take(Self.first)
        #expect(next.status == 0, "\(next)")
        #expect(try list.people().map { $0[0] } == there)
      }
      // Whoever is restored is the list's again.
      try await list.book.lines("restore", "03", "--yes")
      let restored = try await list.take(Self.first)
      #expect(restored.status == 0, "\(restored)")
      #expect(try list.people().count == 6)
    }
  }

  @Test func `are asked again where a word is no answer`() async throws {
    try await withTerminal { _ in
    } _: { terminal, book in
      try await withTemporaryDirectory { folder in
        let list = List(book: book, folder: folder)
        _ = try await list.take(Self.first)
        var rows = Self.first
        rows[1] = "77,Bo Dahl,Sales,Agent,bd@other.example"
        let command = try list.command(rows).map { "'\($0)'" }.joined(separator: " ")
        try await terminal.start(
          "staffbook \(command); echo \"status $?\"; sleep 600",
          columns: 120
        )
        try await terminal.wait(for: "Is this the same person?")
        try await terminal.enter("maybe")
        try await terminal.type("Enter")
        try await terminal.wait(for: "\"maybe\" is not an answer; type y, n, a, t or q")
        try await terminal.enter("y")
        try await terminal.type("Enter")
        try await terminal.wait(for: "status 0")
        #expect(try list.people().contains(["77", "Bo Dahl"]))
      }
    }
  }

  @Test func `ids without their zeros are told, with what helps`() async throws {
    try await withList { list in
      let bare = Self.first.map { String($0.dropFirst()) }
      let told = "map them as a field, too, such as employee_number: \"{No}\""
      let next = try await list.take(bare)
      #expect(next.status == 0 && next.stderr.contains(told), "\(next)")
      let again = try await list.take(bare)
      #expect(again.status == 0 && !again.stderr.contains(told), "\(again)")
    }
  }

  @Test func `what is unknown in a mapping is taken for a slip`() async throws {
    try await withList { list in
      let slip = try await list.take(Self.first, with: "--map", "departmnt={Unit}")
      #expect(slip.status == 64, "\(slip)")
      #expect(
        slip.stderr.contains(#"unknown key "departmnt"; did you mean "department"?"#),
        "\(slip)"
      )
      let days = try await list.take(Self.first, with: "--map", "former_days=0")
      #expect(days.stderr.contains("former_days: must be at least 1"), "\(days)")
      let nowhere = try await list.take(Self.first, with: "--into", "nope")
      #expect(nowhere.status == 65, "\(nowhere)")
      #expect(nowhere.stderr.contains("there is no department with the id \"nope\""), "\(nowhere)")
    }
  }

  @Test func `warnings and rows that are left out are all in the report`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        let rows = (1...30).map {
          "\($0),P\($0) Moe,A,x\($0)@@lumen.example,\($0 > 25 ? "gone" : "")"
        }
        let list = folder.appending("staff.csv")
        try write(
          (["No,Name,Unit,Mail,Left"] + rows + ["Total,30,,,"]).joined(separator: "\n") + "\n",
          to: list
        )
        let command =
          ["import", list.string]
          + ["id={No}", "name={Name}", "department={Unit}", "email={Mail}", "left={Left} = gone"]
          .flatMap { ["--map", $0] }
        let folded = try await book.run(command + ["--dry-run"])
        let warnings = { (text: String) in
          text.split(separator: "\n").filter { $0.hasPrefix("staffbook: warning: ") }
        }
        #expect(
          warnings(folded.stderr).joined(separator: "\n").reads(
            "staffbook: warning: …/staff.csv:2: 1: 25 invalid email addresses, the first email \"x1@@lumen.example\"; they are imported unchanged",
            "staffbook: warning: …/staff.csv:27: 26: left out 5 people who have left, the first \"P26 Moe\"",
            "staffbook: warning: …/staff.csv:32: left out \"Total\", a row of totals"
          ),
          "\(folded)"
        )
        let all = try await book.run(command + ["--verbose"])
        #expect(all.status == 0, "\(all)")
        #expect(warnings(all.stderr).count == 31, "\(all)")
        #expect(
          all.stderr.contains("/staff.csv:31: 30: left out \"P30 Moe\", who has left\n"),
          "\(all)"
        )
        let json = try await book.lines(command + ["--json"])
        #expect(json.count { $0.hasPrefix(#"{"event":"warning","#) } == 31, "\(json)")
      }
    }
  }

  @Test func `a name that is another one's id is not guessed`() async throws {
    try await withBook { book in
      try await book.lines("add", "department", "Lumen", "--id", "lum", "--yes")
      try await book.lines(
        "add",
        "department",
        "Bureau",
        "--id",
        "Office",
        "--under",
        "lum",
        "--yes"
      )
      try await book.lines(
        "add",
        "department",
        "Office",
        "--id",
        "off",
        "--under",
        "lum",
        "--yes"
      )
      for command in [
        ["set", "Office", "description=x", "--yes"], ["move", "Office", "--top", "--yes"],
        ["add", "user", "Ada Lund", "--in", "Office", "--yes"],
      ] {
        let refused = try await book.run(command)
        #expect(refused.status == 1, "\(command): \(refused)")
        #expect(
          refused.stderr.contains("2 people or departments match Office"),
          "\(command): \(refused)"
        )
      }
      try await book.lines("set", "id:Office", "description=x", "--yes")
      try await book.lines("set", "name:Office", "description=y", "--yes")
      #expect(
        try book.query("select id, description from staffbook.departments order by id")
          == [["Office", "x"], ["lum", ""], ["off", "y"]]
      )
    }
  }

  @Test func `departments of one name are told apart where people move`() async throws {
    try await withList { list in
      var rows = Self.first
      rows[0] = "01,Ada Lund,Tools/Sales,Head,ada@lumen.example"
      let mapping = ["--map", "department={Unit}", "--map", "levels=/"]
      let plan = try await list.book.run(try list.command(rows) + mapping + ["--dry-run"])
      #expect(
        plan.stdout.contains("> Ada Lund (01) from Sales (Sales) to Sales (Tools/Sales)"),
        "\(plan)"
      )
    }
  }

  @Test func `two rows of one number are told with both names`() async throws {
    try await withList { list in
      let refused = try await list.take(
        Self.first + ["03,Gus Rask,Sales,Agent,gus@lumen.example"]
      )
      #expect(refused.status == 65, "\(refused)")
      #expect(
        refused.stderr.contains(
          "lines 4 (Cy Ek) and 8 (Gus Rask) have the same number, 03"
        ),
        "\(refused)"
      )
    }
  }
}
