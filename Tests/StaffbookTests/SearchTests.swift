import SystemPackage
import TestSupport
import Testing

@Suite("Search as people type it")
struct SearchTests {
  /// A few people whose names are in several scripts, with an index.
  private func withPeople(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCompany(
          departments: """
            sea,,Seaworthy,,0
            dock,sea,Dry Dock,,0
            sail,sea,Sail Loft,,1

            """,
          users: """
            u1,sail,张伟,Rigger,zw@sea.example,+49 30 555 0123,0
            u2,dock,Łukasz Żak,Welder,lukasz@sea.example,030 555 0124,0
            u3,dock,Jürgen Müller,"Welder, first shift",jm@sea.example,,1
            u4,sail,Noor <b>,Rigger,,,1

            """,
          memberships: "u1,dock,Adviser,0\n",
          to: folder
        )
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `a name is found in Latin letters, by initials, and with a slip`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for (query, id) in [
        ("zw", "u1"), ("zhangwei", "u1"), ("zhangw", "u1"), ("伟", "u1"), ("張偉", "u1"),
        ("lukasz", "u2"), ("lukaz", "u2"), ("mueller", "u3"), ("muller", "u3"), ("0124", "u2"),
        ("welder jurgen", "u3"), ("title:rigger -name:noor", "u1"),
        ("rigger in:\"Dry Dock\"", "u1"),
      ] {
        let found = values(of: "id", in: try await book.lines("search", "--json", query))
        #expect(found == [id], "\(query)")
      }
    }
  }

  @Test func `mutt gets a message, then addresses with names`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let two = try await book.run("search", "--mutt", "rigger")
      #expect(two.stdout == "1 match\nzw@sea.example\t张伟\tRigger, Sail Loft\n")
      let none = try await book.run("search", "--mutt", "nobody")
      #expect(none.status == 1)
      #expect(none.stdout == "0 matches\n")
    }
  }

  @Test func `a person in several departments is one hit that names them all`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      #expect(
        try await book.lines("search", "张伟") == [
          "张伟  Rigger  Seaworthy/Sail Loft; Dry Dock  zw@sea.example  +49 30 555 0123"
        ]
      )
      #expect(
        try await book.lines("search", "张伟", "--in", "Dry Dock") == [
          "张伟  Adviser  Seaworthy/Dry Dock; Sail Loft  zw@sea.example  +49 30 555 0123"
        ]
      )
    }
  }

  @Test func `how a query was read is said once on the screen, and with each row in JSON`()
    async throws
  {
    try await withPeople { book in
      let lines = try await book.lines("search", "(welder)?")
      #expect(lines.count { $0 == "    read as: welder" } == 1, "\(lines)")
      #expect(
        lines.contains {
          $0.reads(
            "Łukasz Żak     Welder               Seaworthy/Dry Dock  lukasz@sea.example  030 555 0124"
          )
        }
          && lines.contains {
            $0.reads("Jürgen Müller  Welder, first shift  Seaworthy/Dry Dock  jm@sea.example")
          }
      )
      let rows = try await book.lines("search", "(welder)?", "--json")
      #expect(values(of: "note", in: rows) == ["read as: welder", "read as: welder"], "\(rows)")
      #expect(try await book.lines("search", "welder").allSatisfy { !$0.contains("read as") })
    }
  }

  @Test func `a name that is found by a part of its reading says so`() async throws {
    try await withPeople { book in
      let part = try await book.lines("search", "zhangw")
      #expect(part.last == "    \"zhangw\" matches part of a reading of the name", "\(part)")
      let rows = try await book.lines("search", "zhangw", "--json")
      #expect(
        values(of: "note", in: rows).allSatisfy {
          $0 == "\"zhangw\" matches part of a reading of the name"
        }
      )
      #expect(try await book.lines("search", "zhangwei").count == 1)
    }
  }

  @Test func `a title that is the query comes before one that has more`() async throws {
    try await withPeople { book in
      try await book.lines("set", "u3", "title=Welder", "-y")
      try await book.lines("set", "u2", "title=Head welder", "-y")
      let found = values(of: "id", in: try await book.lines("search", "--json", "welder"))
      #expect(found == ["u3", "u2"], "\(found)")
    }
  }

  @Test func `a word that does not occur is left out, however many others there are`() async throws
  {
    try await withPeople { book in
      for query in ["jurgen berlin", "berlin muller", "jurgen muller berlin"] {
        let rows = try await book.lines("search", query, "--json")
        #expect(values(of: "id", in: rows) == ["u3"], "\(query): \(rows)")
        #expect(values(of: "note", in: rows) == ["without \"berlin\""], "\(query): \(rows)")
      }
    }
  }

  @Test func `a reason is given for each word`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let lines = try await book.lines("search", "--explain", "zhangwei dock")
      #expect(lines.count == 3, "\(lines)")
      #expect(lines[at: 1] == "    zhangwei: read in Latin letters, name: 张伟")
      #expect(lines[at: 2]?.hasPrefix("    dock: whole word, dept: ") == true, "\(lines)")
    }
  }

  @Test func `what was found is set off in the name as it is written`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let pinyin = try await book.lines("search", "--color", "always", "wei")
      #expect(
        pinyin.contains {
          $0.reads(
            "\u{1B}[1m张\u{1B}[0m\u{1B}[1;4m伟\u{1B}[0m  Rigger  Seaworthy/Sail Loft; Dry Dock  zw@sea.example  +49 30 555 0123"
          )
        },
        "\(pinyin)"
      )
      let folded = try await book.lines("search", "--color", "always", "lukasz")
      #expect(
        folded.contains {
          $0.reads(
            "\u{1B}[1;4mŁukasz\u{1B}[0m\u{1B}[1m Żak\u{1B}[0m  Welder  Seaworthy/Dry Dock  lukasz@sea.example  030 555 0124"
          )
        },
        "\(folded)"
      )
    }
  }

  @Test func `a slip that finds nothing gets the nearest spelling`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for options in [[], ["--tree"]] {
        let outcome = try await book.run(["search"] + options + ["wleddr"])
        #expect(outcome.status == 1)
        #expect(outcome.stdout.isEmpty)
        #expect(
          outcome.stderr.reads("staffbook: nothing found; did you mean: welder"),
          "\(outcome)"
        )
      }
    }
  }

  @Test func `with an index or without, the answer is the same`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let queries = ["zw", "rigger", "e", "welder -first", "sea", "0123", "\"first shift\""]
      var indexed: [ProgramOutcome] = []
      for query in queries { indexed.append(try await book.run("search", "--json", query)) }
      let removed = try await runProgram(
        "/bin/sh",
        ["-c", "rm \"$STAFFBOOK_HOME\"/cache/*/search.index"],
        environment: book.variables
      )
      try #require(removed.status == 0)
      for (query, outcome) in zip(queries, indexed) {
        #expect(!outcome.stdout.isEmpty, "\(query)")
        #expect(try await book.run("search", "--json", query).stdout == outcome.stdout, "\(query)")
      }
    }
  }
}

@Suite("Search told what was meant")
struct SearchMistakeTests {
  @Test(
    arguments: [
      (
        ["-n", "5", "ada"],
        "'-n'; did you mean '--limit'? To exclude the word 'n', write -- before the query"
      ),
      (
        ["ada", "-n5"],
        "'-n'; did you mean '--limit'? To exclude the word 'n', write -- before the query"
      ),
      (["-r", "ada"], "'-r'; to exclude the word 'r', write -- before the query"),
      (
        ["--limt", "5", "ada"],
        "'--limt'; did you mean '--limit'? To search for the text, put it in double quotes within single quotes: '\"--limt\"'"
      ),
      (
        ["ada", "--jsno=x"],
        "'--jsno'; did you mean '--json'? To search for the text, put it in double quotes within single quotes: '\"--jsno\"'"
      ),
      (
        ["ada", "--unlike-any"],
        "'--unlike-any'; to search for the text, put it in double quotes within single quotes: '\"--unlike-any\"'"
      ),
    ]
  )
  func `a word that was meant as an option is not searched for`(
    arguments: [String],
    message: String
  ) async throws {
    try await withTemporaryDirectory { home in
      let outcome = try await Book(home: home, conninfo: "").run(["search"] + arguments)
      #expect(outcome.status == 64)
      #expect(outcome.stdout.isEmpty)
      #expect(
        outcome.stderr.reads(
          "staffbook: unknown option \(message)",
          "staffbook: usage: staffbook search [<options>] <query> ...; see staffbook search --help"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `the options that are guessed are those of the help`() async throws {
    try await withTemporaryDirectory { home in
      let help = try await Book(home: home, conninfo: "").lines("search", "--help")
      let listed = help.compactMap { line in
        line.split(whereSeparator: { " ,/<".contains($0) }).first { $0.hasPrefix("--") }
      }.filter { line in line.utf8.count > 2 }
      let guessed = try await Book(home: home, conninfo: "").run("search", "--zzzzzzzzzz")
      #expect(guessed.status == 64)
      for option in Set(listed) {
        let outcome = try await Book(home: home, conninfo: "").run("search", "\(option)q")
        #expect(
          outcome.stderr.reads(
            "staffbook: unknown option '\(option)q'; did you mean '\(option)'? To search for the text, put it in double quotes within single quotes: '\"\(option)q\"'",
            "staffbook: usage: staffbook search [<options>] <query> ...; see staffbook search --help"
          ),
          "\(option): \(outcome)"
        )
      }
    }
  }

  @Test func `fields, exclusions and what stands after two hyphens`() async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      func found(_ arguments: String...) async throws -> [String] {
        let lines = try await book.lines(["search", "--json"] + arguments)
        return values(of: "id", in: lines).sorted()
      }
      #expect(try await found("lumen.example", "-lund") == ["u2"])
      #expect(try await found("--", "lumen.example", "-z") == ["u1"])
      #expect(try await found("lumen.example -z") == ["u1"])
      for (query, field, meant) in [
        ("mail:ada", "mail:", "email:"), ("tel:0100", "tel:", "phone:"),
        ("nmae:ada", "nmae:", "name:"),
      ] {
        for command in [["search"], ["show"], ["tree", "--filter"], ["export", "--filter"]] {
          let outcome = try await book.run(command + [query])
          #expect(outcome.status == 64, "\(command) \(query)")
          #expect(outcome.stdout.isEmpty)
          #expect(
            outcome.stderr.reads(
              "staffbook: cannot search: there is no field \(field)",
              "staffbook: did you mean \(meant)? The fields are name:, title:, dept:, email:, phone:, id: and in:; to search for the text itself, put it in double quotes within single quotes: '\"\(field)…\"'"
            ),
            "\(outcome)"
          )
        }
      }
      for query in ["12:30", "https://x.example", "urn:x", "\"mail:ada\""] {
        let outcome = try await book.run("search", query)
        #expect(outcome.status == 1, "\(query)")
        #expect(outcome.stderr.reads("staffbook: nothing found"), "\(outcome)")
      }
    }
  }
}
