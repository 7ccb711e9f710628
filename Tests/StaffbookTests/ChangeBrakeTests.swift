import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("A list that changes much at once")
struct ChangeBrakeTests {
  private static func reported(_ name: String) throws -> String {
    try TestData.directory(named: "reported").appending("lists").appending(name).string
  }

  /// Imports one of the lists of forty people.
  private func take(
    _ name: String,
    _ book: Book,
    with options: String...
  ) async throws -> ProgramOutcome {
    try await take(name, book, with: options)
  }

  private func take(
    _ name: String,
    _ book: Book,
    with options: [String]
  ) async throws -> ProgramOutcome {
    let mapping = try Self.reported("forty.yaml")
    return try await book.run(
      ["import", try Self.reported(name), "--mapping", mapping, "--replace"] + options
    )
  }

  /// Locks on tables of the directory that keep others from writing.
  private static func locks(_ book: Book) throws -> String {
    try book.value(
      """
      select count(*) from pg_locks where mode = 'ShareRowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())
      """
    )
  }

  private func withForty(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      let first = try await take("forty.csv", book)
      try #require(first.status == 0, "\(first)")
      try await body(book)
    }
  }

  @Test func `is refused where two columns are swapped, with both of them`() async throws {
    try await withForty { book in
      let before = try book.contents()
      for options in [[], ["--dry-run"], ["--verbose"], ["--json"]] {
        let refused = try await take("forty-mail-and-phone-swapped.csv", book, with: options)
        #expect(refused.status == 75, "\(options): \(refused)")
        #expect(
          refused.stderr.reads(
            "…",
            "staffbook: cannot import: email would change for 40 of 40 people, phone would change for 40 of 40 people",
            #"staffbook: ~ Anke Ahrens (00201): email "anke.ahrens0@firma.example" becomes "+49 30 5550100", phone "+49 30 5550100" becomes "anke.ahrens0@firma.example""#,
            "staffbook: ~ Bernd Brandt (00202): …",
            "staffbook: ~ Carla Clausen (00203): …",
            "staffbook: the columns E-Mail and Telefon look swapped: each has values as the other one had them",
            "staffbook: nothing was changed; correct the list, or, if this is intended, repeat the command with --accept-changes email --accept-changes phone"
          ),
          "\(options): \(refused)"
        )
        #expect(try book.contents() == before)
      }
    }
  }

  @Test func `is refused where given and family names are swapped`() async throws {
    try await withForty { book in
      let before = try book.contents()
      let refused = try await take("forty-names-swapped.csv", book)
      #expect(refused.status == 75, "\(refused)")
      #expect(
        refused.stderr.reads(
          "…",
          "staffbook: cannot import: name would change for 40 of 40 people",
          #"staffbook: ~ Anke Ahrens (00201): name "Anke Ahrens" becomes "Ahrens Anke""#,
          "…",
          "staffbook: the columns Vorname and Nachname look swapped: names have the same words in another order",
          "…--accept-changes name"
        ),
        "\(refused)"
      )
      #expect(try book.contents() == before)
    }
  }

  @Test func `is imported once where that is accepted, or always by the mapping`() async throws {
    try await withForty { book in
      let list = "forty-mail-and-phone-swapped.csv"
      let one = try await take(list, book, with: "--accept-changes", "email")
      #expect(one.status == 75 && one.stderr.contains("phone would change for 40 of 40"), "\(one)")
      let unknown = try await take(list, book, with: "--accept-changes", "emial")
      #expect(unknown.status == 64, "\(unknown)")
      #expect(unknown.stderr.contains(#"did you mean "email"?"#), "\(unknown)")
      let both = try await take(
        list,
        book,
        with: "--accept-changes",
        "email",
        "--accept-changes",
        "phone"
      )
      #expect(both.status == 0, "\(both)")
      let back = try await take("forty.csv", book)
      #expect(back.status == 75, "\(back)")
      let always = try await take("forty.csv", book, with: "--map", "changes=email, phone")
      #expect(always.status == 0, "\(always)")
      let wrong = try await take("forty.csv", book, with: "--map", "changes=titel")
      #expect(wrong.status == 64 && wrong.stderr.contains(#"did you mean "title"?"#), "\(wrong)")
    }
  }

  /// Lists of `No,Name,Unit,Title,Mail,Boss`, with people from 1 on.
  private func withList(
    of count: Int,
    _ body: (
      _ take: (_ change: (Int, inout [String]) -> Void, _ options: String...) async throws
        -> ProgramOutcome
    ) async throws -> Void
  ) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try await book.lines("field", "add", "manager")
        let list = folder.appending("staff.csv")
        func take(
          _ change: (Int, inout [String]) -> Void,
          _ options: String...
        ) async throws -> ProgramOutcome {
          let rows = (1...count).map { number in
            var cells = [
              "\(100 + number)", "Given\(number) Family\(number)", "U\(number % 4)",
              "Title \(number)", "p\(number)@lumen.example",
              number > 2 ? "10\(1 + number % 2)" : "",
            ]
            change(number, &cells)
            return cells.joined(separator: ",")
          }
          try write(
            (["No,Name,Unit,Title,Mail,Boss"] + rows).joined(separator: "\n") + "\n",
            to: list
          )
          let mapping = [
            "source=staff", "id={No}", "name={Name}", "department={Unit}", "title={Title}",
            "email={Mail}", "manager={Boss}",
          ]
          return try await book.run(
            ["import", list.string, "--replace"] + mapping.flatMap { ["--map", $0] } + options
          )
        }
        let first = try await take({ _, _ in })
        try #require(first.status == 0, "\(first)")
        try await body(take)
      }
    }
  }

  @Test func `a fifth of the people may change, and not more`() async throws {
    try await withList(of: 20) { take in
      let some = try await take { number, cells in if number <= 4 { cells[3] += "!" } }
      #expect(some.status == 0, "\(some)")
      let more = try await take { number, cells in if number <= 5 { cells[3] += "?" } }
      #expect(more.status == 75, "\(more)")
      #expect(more.stderr.contains("title would change for 5 of 20 people"), "\(more)")
    }
  }

  @Test func `of names a twentieth may change`() async throws {
    try await withList(of: 40) { take in
      let some = try await take { number, cells in if number <= 2 { cells[1] += "-Moe" } }
      #expect(some.status == 0, "\(some)")
      let more = try await take { number, cells in if number <= 5 { cells[1] += "-Fox" } }
      #expect(more.status == 75, "\(more)")
      #expect(more.stderr.contains("name would change for 5 of 40 people"), "\(more)")
    }
  }

  @Test func `fewer than ten people may change as they like`() async throws {
    try await withList(of: 9) { take in
      let all = try await take { _, cells in cells[3] += "!" }
      #expect(all.status == 0, "\(all)")
    }
  }

  @Test func `values that were not there before do not count`() async throws {
    try await withList(of: 20) { take in
      let cleared = try await take(
        { _, cells in cells[3] = "" },
        "--accept-changes",
        "title"
      )
      #expect(cleared.status == 0, "\(cleared)")
      let again = try await take { _, _ in }
      #expect(again.status == 0, "\(again)")
    }
  }

  @Test func `that a manager is replaced is one change, and that columns are shifted are many`()
    async throws
  {
    try await withList(of: 20) { take in
      let replaced = try await take { _, cells in if cells[5] == "101" { cells[5] = "103" } }
      #expect(replaced.status == 0, "\(replaced)")
    }
    try await withList(of: 20) { take in
      // One column was sorted without the others.
      let sorted = try await take { number, cells in
        cells[4] = "p\(1 + number % 20)@lumen.example"
      }
      #expect(sorted.status == 75, "\(sorted)")
      #expect(
        sorted.stderr.contains(
          "the values of Mail stand beside other people than before: the column may have been sorted"
        ),
        "\(sorted)"
      )
      let shifted = try await take { _, cells in (cells[3], cells[4]) = (cells[4], "") }
      #expect(shifted.status == 75, "\(shifted)")
      #expect(
        shifted.stderr.contains("the columns look shifted: Title has values as Mail had them"),
        "\(shifted)"
      )
    }
  }

  @Test func `another company is not let in by doubts that are taken for matches`() async throws {
    try await withList(of: 40) { take in
      let doubtful: (Int, inout [String]) -> Void = { number, cells in
        // The numbers of this company are those of other people there.
        cells[1] = "Other\(number) Name\(number)"
        cells[4] = ""
      }
      let refused = try await take(doubtful, "--map", "doubts=match")
      #expect(refused.status == 75, "\(refused)")
      #expect(
        refused.stderr.contains("40 people would be taken for recorded ones on doubtful grounds"),
        "\(refused)"
      )
      #expect(refused.stderr.contains("--accept-changes matches"), "\(refused)")
      let few = try await take(
        { number, cells in if [3, 4].contains(number) { doubtful(number, &cells) } },
        "--map",
        "doubts=match"
      )
      #expect(few.status == 0, "\(few)")
    }
  }

  @Test func `is asked about on a terminal, and imported if the answer is yes`() async throws {
    let mapping = try Self.reported("forty.yaml")
    let swapped = try Self.reported("forty-mail-and-phone-swapped.csv")
    let first = try Self.reported("forty.csv")
    try await withTerminal { book in
      try await book.lines("import", first, "--mapping", mapping, "--replace")
    } _: { terminal, book in
      let before = try book.contents()
      for (answer, status) in [("n", 75), ("y", 0)] {
        try await terminal.start(
          "staffbook import '\(swapped)' --mapping '\(mapping)' --replace; echo \"status $?\"; "
            + "sleep 600",
          columns: 120
        )
        try await terminal.wait(for: "import it all the same? [y/N]")
        // No one waits meanwhile.
        #expect(
          try Self.locks(book) == "0"
        )
        try await terminal.enter(answer)
        try await terminal.type("Enter")
        try await terminal.wait(for: "status \(status)")
        #expect(try (book.contents() == before) == (answer == "n"))
        if answer == "n" { await terminal.end() }
      }
    }
  }

  // MARK: Plans that are read

  /// A pager that waits until a file is there, which it names first.
  private static func pager(_ folder: FilePath) throws -> String {
    let script = folder.appending("pager.sh")
    try write(
      """
      echo run >> '\(folder)/runs'
      cat > '\(folder)/shown'
      touch '\(folder)/waits'
      while [ ! -e '\(folder)/go' ]; do sleep 0.1; done

      """,
      to: script
    )
    return "sh \(script)"
  }

  private static func isThere(_ path: FilePath) -> Bool {
    var status = stat()
    return stat(path.string, &status) == 0
  }

  @Test(arguments: [false, true])
  func `whoever reads a plan keeps nobody waiting, and what was read is what is done`(
    _ changesMeanwhile: Bool
  ) async throws {
    let mapping = try Self.reported("forty.yaml")
    let first = try Self.reported("forty.csv")
    try await withTerminal { _ in
    } _: { terminal, book in
      try await withTemporaryDirectory { folder in
        let pager = try Self.pager(folder)
        try await book.lines("add", "department", "Guests", "--id", "guests", "--yes")
        try await terminal.start(
          "STAFFBOOK_PAGER='\(pager)' staffbook import '\(first)' --mapping '\(mapping)' --verbose; "
            + "echo \"status $?\"; sleep 600",
          columns: 120
        )
        try await wait(until: "the pager waits") { Self.isThere(folder.appending("waits")) }
        #expect(
          try Self.locks(book) == "0"
        )
        #expect(
          try book.value(
            """
            select count(*) from pg_stat_activity
              where datname = current_database() and state like 'idle in transaction%'
            """
          ) == "0"
        )
        if changesMeanwhile {
          try await book.lines("add", "user", "Anke Ahrens", "--id", "00201", "--in", "guests")
        } else {
          try await book.lines("set", "id:guests", "description=Those who visit", "--yes")
        }
        try write("", to: folder.appending("go"))
        try await terminal.wait(for: "status \(changesMeanwhile ? 75 : 0)")
        let runs = try await runProgram("cat", [folder.appending("runs").string])
        #expect(runs.stdout == "run\n", "one pager for all")
        let count = try book.value("select count(*) from staffbook.users")
        #expect(count == (changesMeanwhile ? "1" : "40"))
      }
    }
  }
}
