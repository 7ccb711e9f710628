import SystemPackage
import TestSupport
import Testing

@Suite("Show as people ask for it")
struct ShowTests {
  private func withPeople(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeCompany(
          departments: """
            sea,,Seaworthy,,0
            fog,sea,Fog Signals,,0
            sail,sea,Sail Loft,,1

            """,
          users: """
            u1,fog,Łukasz Żak,Tuner,lukasz@sea.example,+49 30 23125 002,0
            u2,fog,Ada Lund,Tuner,ada.lund@sea.example,+49 30 23125 003,1
            u3,sail,Cy Berg,Rigger,cy@sea.example,,0
            u4,fog,Cy Berg,Welder,,,2
            u5,sail,Mada Lunde,Rigger,mada.lund@sea.example,,1

            """,
          memberships: "u2,sail,Adviser,0\n",
          to: folder
        )
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `bare words, an address, a part, a number or a slip is one card`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      for (words, id) in [
        ("lukasz", "u1"), ("Ada Lund", "u2"), ("zak lukasz", "u1"), ("ada.lund@sea.example", "u2"),
        ("23125 002", "u1"), ("+49 30 23125 003", "u2"), ("luaksz", "u1"), ("Fog Sginals", "fog"),
        ("signals", "fog"), ("rigger cy", "u3"), ("id:u4", "u4"), ("Seaworthy/Sail Loft", "sail"),
        ("lukasz zak", "u1"), ("name:Ada Lund", "u2"),
      ] {
        let arguments = words.split(separator: " ").map(String.init)
        for arguments in [arguments, [words]] {
          let lines = try await book.lines(["show", "--json"] + arguments)
          #expect(values(of: "id", in: lines) == [id], "\(arguments)")
        }
      }
      let card = try await book.lines("show", "lukasz")
      #expect(
        card == [
          "Łukasz Żak", "  Title:        Tuner", "  Departments:  Seaworthy/Fog Signals",
          "  Email:        lukasz@sea.example", "  Phone:        +49 30 23125 002",
          "  Id:           u1",
        ]
      )
    }
  }

  @Test func `a card has the same lines however the person was found`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      _ = try await book.lines("set", "id:u2", "lead@Fog Signals=yes")
      _ = try await book.lines("field", "add", "manager")
      _ = try await book.lines("set", "id:u2", "manager=u1")
      for (id, ways, line) in [
        (
          "u1", ["lukasz", "lukasz@sea.example", "23125 002", "luaksz"],
          "  Reports:      Ada Lund (u2)"
        ), ("u1", ["zak lukasz"], "  Led by:       Ada Lund (u2)"),
        ("u2", ["ada.lund@sea.example"], "  Manager:      Łukasz Żak (u1)"),
      ] {
        let card = try await book.lines("show", "id:\(id)")
        #expect(card.contains(line), "\(card)")
        for way in ways { #expect(try await book.lines("show", way) == card, "\(way)") }
      }
    }
  }

  @Test func `several are listed as a search lists them, and nothing was shown`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let namesakes = try await book.run("show", "cy", "berg")
      #expect(namesakes.status == 1)
      #expect(
        namesakes.stdout == """
          Cy Berg  Rigger  Seaworthy/Sail Loft    cy@sea.example
          Cy Berg  Welder  Seaworthy/Fog Signals

          """
      )
      #expect(
        namesakes.stderr.reads(
          "staffbook: 2 people or departments match cy berg",
          "staffbook: add words that only one of them has, or show one by its id, such as id:u3 (--plain lists the ids)"
        ),
        "\(namesakes)"
      )
      let json = try await book.run("show", "--json", "tuner")
      #expect(json.status == 1)
      #expect(
        values(of: "id", in: json.stdout.split(separator: "\n").map(String.init)).sorted()
          == ["u1", "u2"]
      )
    }
  }

  @Test func `nothing that matches offers the nearest, and forced forms stay exact`() async throws {
    try await withPeople { (book: Book) async throws -> Void in
      let slip = try await book.run("show", "Foggy", "Signals")
      #expect(slip.status == 1 && slip.stdout.isEmpty)
      #expect(
        slip.stderr.reads(
          "staffbook: no person or department matches Foggy Signals",
          "staffbook: did you mean fog signals?"
        )
      )
      #expect(
        slip.stderr.reads(
          "staffbook: no person or department matches Foggy Signals",
          "staffbook: did you mean fog signals?"
        ),
        "\(slip)"
      )
      for words in ["id:u9", "name:Ada", "path:Seaworthy/Fog", "qqqqqqq"] {
        let outcome = try await book.run("show", words)
        #expect(outcome.status == 1 && outcome.stdout.isEmpty, "\(outcome)")
      }
      #expect(try await book.run("show", " ").status == 64)
    }
  }
}
