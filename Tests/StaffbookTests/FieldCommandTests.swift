import SystemPackage
import TestSupport
import Testing

@Suite("Declared fields at the command line")
struct FieldCommandTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  @Test func `are declared, shown by label in their order, and removed with their values`()
    async throws
  {
    try await withCompany { (book: Book) async throws -> Void in
      try await book.lines("field", "add", "mobile")
      try await book.lines("field", "add", "manager")
      try await book.lines("field", "add", "tags", "--several", "--label", "Topics")
      try await book.lines("field", "add", "site", "--of", "departments")
      try book.script(
        #"""
        update staffbook.users set fields = '{"tags": ["glass", "light"], "manager": "u1",
          "mobile": "+1 555 0199"}' where id = 'u2';
        update staffbook.departments set fields = '{"site": "Pier 4"}' where id = 'mir';
        update staffbook.memberships set leads = true where user_id = 'u2' and department_id = 'mir';
        """#
      )
      let sync = try await book.lines("sync", "--verbose")
      #expect(
        sync.dropFirst() == [
          "read only what changed: 1 person changed; 1 department changed",
          #"~ department Mirrors (mir); site "" is now "Pier 4""#,
          #"~ Łukasz Żak (u2); tags "" is now "glass;light"; mobile "" is now "+1 555 0199"; "#
            + #"manager "" is now "u1"; now leads Mirrors"#,
        ],
        "\(sync)"
      )
      #expect(
        try await book.lines("show", "u2") == [
          "Łukasz Żak", "  Title:        Polisher",
          "  Departments:  Lumen/Optics/Mirrors (Polisher; leads it)",
          "                Lumen/Optics (Adviser)", "  Email:        lukasz@lumen.example",
          "  Phone:        +1 555 0101", "  Mobile:       +1 555 0199",
          "  Manager:      Ada Lund (u1)", "  Topics:       glass", "                light",
          "  Id:           u2",
        ]
      )
      #expect(
        try await book.lines("show", "u3") == [
          "Émile Noé", "  Title:        Grinder", "  Departments:  Lumen/Optics/Mirrors",
          "  Led by:       Łukasz Żak (u2)", "  Id:           u3",
        ]
      )
      #expect(
        try await book.lines("show", "u1") == [
          "Ada Lund", "  Title:        Head", "  Departments:  Lumen",
          "  Email:        ada@lumen.example", "  Phone:        +1 555 0100",
          "  Reports:      Łukasz Żak (u2)", "  Id:           u1",
        ]
      )
      #expect(
        try await book.lines("show", "u1", "--json") == [
          #"{"kind":"user","id":"u1","name":"Ada Lund","title":"Head","email":"ada@lumen.example","#
            + #""phone":"+1 555 0100","path":["Lumen"],"departments":[{"id":"lum","name":"Lumen","#
            + #""path":[],"title":"Head"}],"reports":[{"id":"u2","name":"Łukasz Żak"}]}"#
        ]
      )
      #expect(
        try await book.lines("show", "mir") == [
          "Mirrors", "  Path:    Lumen/Optics", "  Led by:  Łukasz Żak (u2)", "  People:  2",
          "  Site:    Pier 4", "  Id:      mir",
        ]
      )
      #expect(
        try await book.lines("field", "list")
          == [
            "departments\tsite\ttext\tSite\tone\t1", "people\tmobile\tphone\tMobile\tone\t1",
            "people\tmanager\tperson\tManager\tone\t1", "people\ttags\ttext\tTopics\tseveral\t1",
          ].map { $0 + "\teverybody\toneself" }
      )
      let refused = try await book.run("field", "remove", "mobile")
      #expect(refused.status == 75, "\(refused)")
      #expect(
        refused.stderr.reads(
          "staffbook: cannot remove the field mobile: 1 person has values of mobile, which are removed too",
          "staffbook: to remove it all the same, repeat the command with --yes"
        ),
        "\(refused)"
      )
      try await book.lines("field", "remove", "mobile", "--yes")
      #expect(!(try await book.lines("show", "u2").contains { $0.contains("Mobile") }))
      #expect(try await book.run("field", "remove", "mobile", "--yes").status == 1)
    }
  }

  @Test func `stand in the JSON of every list`() async throws {
    try await withCompany { (book: Book) async throws -> Void in
      try await book.lines("field", "add", "mobile")
      try await book.lines("field", "add", "tags", "--several")
      try book.script(
        #"""
        update staffbook.users set fields = '{"tags": ["\u0007\u202e"], "mobile": "1"}'
          where id = 'u3';
        update staffbook.memberships set leads = true where user_id = 'u3';
        """#
      )
      try await book.lines("sync")
      let fields = #""fields":{"mobile":"1","tags":["\u0007\u202e"]},"leads":true"#
      for command in [
        ["show", "u3", "--json"], ["search", "emile", "--json"], ["staff", "mir", "--json"],
        ["tree", "--all", "--json"], ["export", "--all", "--format", "json"],
      ] {
        let outcome = try await book.run(command)
        #expect(outcome.stdout.contains(fields), "\(command): \(outcome)")
      }
      let card = try await book.lines("show", "mir", "--json")
      #expect(
        card[at: 0]?.contains(#""leaders":[{"id":"u3","name":"Émile Noé"}]"#) == true,
        "\(card)"
      )
    }
  }

  @Test func `are refused under a name that is reserved or malformed`() async throws {
    try await withBook { book in
      let reserved = "the name is that of a built-in field, or a word of the query language"
      let malformed =
        "a field's name is a lower-case ASCII letter followed by such letters, digits and "
        + "underscores, 63 characters at most"
      let (name, label) = (
        "give it another name; its label can be any text", "give it another label with --label"
      )
      let long = String(repeating: "x", count: 101)
      for (arguments, reason, advice): ([String], String, String) in [
        (["email"], reserved, name), (["has"], reserved, name), (["Mobile"], malformed, name),
        (["two words"], malformed, name),
        (["badge", "--label", long], "its label must have 1 to 100 characters", label),
        (["badge", "--label", " "], "its label has no visible character", label),
      ] {
        let outcome = try await book.run(["field", "add"] + arguments)
        #expect(outcome.status == 65, "\(arguments): \(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: cannot declare the field \(arguments[0]): \(reason)",
            "staffbook: \(advice)"
          ),
          "\(outcome)"
        )
      }
    }
  }
}
