import SystemPackage
import TestSupport
import Testing

@Suite("Broken and odd files")
struct BadInputTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var verdict: String
    var testDescription: String { "\(name) (\(verdict))" }
  }

  /// The cases of INDEX.tsv.
  static let cases: [Case] = {
    guard let folder = try? TestData.directory(named: "badinput"),
      let text = try? text(of: folder.appending("INDEX.tsv"))
    else { return [] }
    return text.split(separator: "\n").dropFirst().map { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      return Case(name: String(columns[0]), verdict: String(columns[1]))
    }
  }()

  static func text(of path: FilePath) throws -> String {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      var bytes: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = try piece.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += piece[..<count]
      }
    }
  }

  @Test func `the index of cases is there`() throws {
    #expect(Self.cases.count >= 40)
    #expect(Set(Self.cases.map(\.verdict)) == ["accept", "either", "reject"])
  }

  @Test(arguments: cases)
  func `is met as the index says`(_ badInput: Case) async throws {
    try await withBook { book in
      try await book.lines("import", "--no-sync", try Book.badInput("00-sound").string)
      let before = try book.contents()
      let folder = try Book.badInput(badInput.name).string
      let outcome = try await book.run("import", folder)
      expectHarmless(outcome)
      switch badInput.verdict {
      case "accept": #expect(outcome.status == 0, "\(outcome)")
      case "reject": #expect([65, 66].contains(outcome.status), "\(outcome)")
      default: #expect([0, 65].contains(outcome.status), "\(outcome)")
      }
      if outcome.status == 0 {
        try await expectWholeTree(book)
      } else {
        #expect(try book.contents() == before)
        #expect(outcome.stderr.reads("…", "staffbook: ….csv…", "…"), "names no file: \(outcome)")
        #expect(outcome.stderr.split(separator: "\n").count <= 24, "pages: \(outcome)")
      }
    }
  }

  @Test func `a repeated import of the same files writes nothing`() async throws {
    try await withBook { book in
      let sound = try Book.badInput("00-sound").string
      try await book.lines("import", sound)
      let before = try book.contents()
      try await book.lines("import", "--replace", sound)
      #expect(try book.contents() == before)
    }
  }

  @Test func `every ring, orphan and repeated id is told with file, line and id`() async throws {
    try await withBook { book in
      func expectProblems(_ name: String, _ file: String, _ problems: String...) async throws {
        let input = try Book.badInput(name)
        let outcome = try await book.run("import", input.string)
        let count = problems.count == 1 ? "is a problem" : "are \(problems.count) problems"
        let lines =
          ["cannot import: there \(count) with the files"]
          + problems.map { "\(input)/\(file).csv:\($0)" }
          + ["nothing was changed; correct the files and try again"]
        #expect(outcome.status == 65)
        #expect(outcome.stderr == lines.map { "staffbook: \($0)\n" }.joined())
      }
      try await expectProblems(
        "01-cycle-1",
        "departments",
        #"8: LOOP: the department "LOOP" is its own parent"#
      )
      try await expectProblems(
        "03-cycle-3",
        "departments",
        #"8: A: 3 departments form a cycle: "A" → "C" → "B" → "A""#
      )
      try await expectProblems(
        "07-duplicate-user-id",
        "users",
        #"8: u2: the user id "u2" is used twice, on lines 3 and 8; list additional departments in "#
          + "memberships.csv"
      )
      try await expectProblems(
        "73-memberships",
        "memberships",
        #"4: u99: the user "u99" is neither in the files nor in the database"#,
        #"5: u1: the department "NOPE" is neither in the files nor in the database"#,
        #"6: u1: the user "u1" is in the department "FIN" twice, on lines 2 and 6"#
      )
      try await expectProblems("75-user-without-department", "users", "8: u7: has no department")
      let outcome = try await book.run("import", try Book.badInput("79-real-orphans").string)
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot import: there are 103 problems with the files",
          #"staffbook: …/users.csv:2: 110105400001: the department "110105400" is neither in the files nor in the database"#,
          "…",
          "staffbook: and 83 more problems",
          "staffbook: nothing was changed; correct the files and try again"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `a search takes percent, underscore and backslash for themselves`() async throws {
    try await withBook { book in
      try await book.lines("import", try Book.badInput("69-like-wildcards").string)
      for (query, ids) in [
        ("%", ["w1", "w4"]), ("_", ["w2", "w4"]), ("\\", ["w3", "w4"]), ("100%", ["w1"]),
      ] {
        let found = try await book.lines("search", "--json", query)
        #expect(values(of: "id", in: found).sorted() == ids, "\(query)")
      }
    }
  }

  @Test func `look-alikes and both normal forms are found`() async throws {
    try await withBook { book in
      try await book.lines("import", try Book.badInput("61-look-alikes").string)
      let anna = values(of: "id", in: try await book.lines("search", "--json", "anna"))
      #expect(Set(["y1", "y2", "y3"]).isSubset(of: anna))
      let names = try Book.badInput("63-nfc-nfd-names").string
      try await book.lines("import", "--replace", "--accept-deletions", names)
      let composed = try await book.lines("search", "--json", "\u{C5}ngstr\u{F6}m")
      let decomposed = try await book.lines("search", "--json", "A\u{30A}ngstro\u{308}m")
      let folded = try await book.lines("search", "--json", "angstrom")
      #expect(composed.count >= 2)
      #expect(composed == decomposed)
      #expect(composed == folded)
    }
  }

  @Test func `the deepest of 100 000 levels opens`() async throws {
    try await withBook { book in
      try await book.lines("import", try Book.badInput("17-chain-of-100000").string)
      let deepest = try book.value("select primary_department_id from staffbook.users")
      let staff = try await book.lines("staff", "id:\(deepest)", "--plain")
      #expect(staff.count == 1)
      let tree = try await book.lines("tree", "id:\(deepest)")
      #expect(tree.count == 2)
      let all = try await book.lines("tree", "--all")
      #expect(all.count == 100_001)
      #expect(all.allSatisfy { $0.utf8.count < 2_000 })
    }
  }

  // MARK: Helpers

  /// Every stored record is a row, and every row one line without a raw control character.
  private func expectWholeTree(_ book: Book) async throws {
    let rows = try book.query(
      """
      select (select count(*) from staffbook.departments)
        + (select count(*) from staffbook.memberships)
      """
    )
    for form in [["tree", "--all"], ["tree", "--all", "--plain"], ["tree", "--all", "--json"]] {
      let outcome = try await book.run(form)
      #expect(outcome.status == 0)
      let count = outcome.stdoutBytes.count { $0 == UInt8(ascii: "\n") }
      #expect(String(count) == rows[at: 0]?[at: 0], "\(form)")
      if form.count == 2 { expectHarmless(outcome) }
    }
  }

  /// No byte that a terminal would act upon, C1 controls and bidi overrides included.
  private func expectHarmless(
    _ outcome: ProgramOutcome,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let text = outcome.stdout + outcome.stderr
    let isHarmful = text.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x0A: false
      case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x202A...0x202E: true
      default: false
      }
    }
    #expect(!isHarmful, sourceLocation: sourceLocation)
  }
}
