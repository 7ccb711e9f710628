import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Merging two records of one person")
struct MergeCommandTests {
  private func withDoubles(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("field", "add", "mobile", "languages", "manager")
        try await book.lines("field", "add", "contact", "--kind", "person", "--of", "departments")
        try await book.lines("set", "u1", "languages=de", "email=")
        try await book.lines(
          "add",
          "user",
          "Ada Lund-Ek",
          "--in",
          "Optics",
          "--id",
          "u9",
          "--title",
          "Chief",
          "email=lund@lumen.example",
          "phone=+1 9",
          "mobile=+44 9",
          "languages=fr;de",
          "manager=u1"
        )
        try await book.lines("join", "u9", "Lumen", "--title", "Owner")
        try await book.lines("set", "u9", "lead@Lumen=yes", "lead@Optics=yes")
        try await book.lines("set", "u1", "title=")
        try await book.lines("set", "u2", "manager=u9")
        try await book.lines("set", "u3", "manager=u1")
        try await book.lines("set", "Mirrors", "contact=u9")
        try await body(book)
      }
    }
  }

  private static let state = """
    select concat_ws('|', id, name, email, phone, primary_department_id, fields::text,
        (select string_agg(concat_ws(' ', department_id, title, leads), ',' order by department_id)
          from staffbook.memberships where user_id = id))
      from staffbook.users
    union all select concat_ws('|', id, name, '', '', parent_id, fields::text, '')
      from staffbook.departments
    order by 1
    """

  @Test func `keeps what either of them has, and can be undone`() async throws {
    try await withDoubles { book in
      let before = try book.query(Self.state)
      let dry = try await book.run("merge", "u1", "id:u9", "--dry-run")
      #expect(dry.status == 0, "\(dry)")
      #expect(
        dry.stdout.reads(
          "Both cards",
          "  Name:…Ada Lund…|…Ada Lund-Ek",
          "  Id:…u1…|…u9",
          "…",
          "- Ada Lund-Ek (u9)…"
        ),
        "\(dry)"
      )
      #expect(try book.query(Self.state) == before)
      let refused = try await book.run("merge", "u1", "u9")
      #expect(refused.status == 75, "removing needs a yes: \(refused)")
      try await book.lines("merge", "u1", "u9", "--yes", "-m", "recorded twice")
      let after = try book.query(Self.state).map { $0[0] }
      #expect(
        after.contains(
          "u1|Ada Lund|lund@lumen.example|+1 555 0100|lum|"
            + #"{"mobile": "+44 9", "languages": ["de", "fr"]}|lum Owner t,opt Chief t"#
        ),
        "\(after)"
      )
      for row in [
        "u2|Łukasz Żak|lukasz@lumen.example|+1 555 0101|mir|"
          + #"{"manager": "u1"}|mir Polisher f,opt Adviser f"#,
        #"u3|Émile Noé|||mir|{"manager": "u1"}|mir Grinder f"#,
        #"mir|Mirrors|||opt|{"contact": "u1"}|"#,
      ] { #expect(after.contains(row), "\(row): \(after)") }
      #expect(!after.contains { $0.hasPrefix("u9|") })
      let last = try book.query("select max(number) from staffbook.transactions")[0][0]
      try await book.lines("undo", last, "--yes")
      #expect(try book.query(Self.state) == before)
    }
  }

  private func list(_ book: Book) async throws -> [String] {
    try await book.lines("visibility").map { $0.replacing(/^[0-9]+  |  # .*$/, with: "") }
  }

  @Test func `lets rules that hide go on for the one who stays, and asks about the others`()
    async throws
  {
    try await withDoubles { book in
      try await book.lines("visibility", "add", "--yes", "hide phone of person u9 from everybody")
      try await book.lines("visibility", "add", "--yes", "hide department vac from person u9")
      let base = "show everything to everybody"
      let dry = try await book.run("merge", "u1", "u9", "--yes", "--dry-run")
      #expect(
        dry.status == 0
          && dry.stdout.contains("+ rule: hide phone of person u1 from everybody\n")
          && dry.stdout.contains(" is now \"hide department vac from person u1\"\n"),
        "\(dry)"
      )
      try await book.lines("merge", "u1", "u9", "--yes")
      #expect(
        try await list(book) == [
          "hide department vac from person u1", "hide phone of person u9 from everybody",
          "hide phone of person u1 from everybody", base,
        ]
      )
      let own = "select identity from staffbook.users where id = 'u1'"
      #expect(
        try book.value(
          "select count(*) from staffbook.visibility_rules where target_identity = (\(own)) "
            + "or viewer_identity = (\(own))"
        ) == "2"
      )
      let last = try book.value("select max(number) from staffbook.transactions")
      try await book.lines("undo", last, "--yes")
      #expect(
        try await list(book) == [
          "hide department vac from person u9", "hide phone of person u9 from everybody", base,
        ]
      )
    }
  }

  @Test(arguments: ["follow", "drop"])
  func `does with what shows what is said`(choice: String) async throws {
    try await withDoubles { book in
      try await withTemporaryDirectory { folder in
        let file = folder.appending("rules.txt")
        try write(
          """
          group council = u9, u2
          show department vac to group council
          show phone of people with manager=u9 to person u9
          hide department vac from everybody
          show everything to everybody

          """,
          to: file
        )
        try await book.lines("visibility", "edit", "--yes", "--from", file.string)
        let before = try await list(book)
        let refused = try await book.run("merge", "u1", "u9", "--yes")
        #expect(
          refused.status == 75
            && refused.stderr.reads(
              "staffbook: cannot merge u9 into u1: say what becomes of the visibility rules and groups that are about the second",
              "staffbook: rule 2: show phone of people with manager=u9 to person u9",
              "staffbook: group council",
              "staffbook: nothing was changed; repeat the command with --rules follow or --rules drop"
            ),
          "\(refused)"
        )
        #expect(try await list(book) == before)
        #expect(try book.value("select count(*) from staffbook.users where id = 'u9'") == "1")
        try await book.lines("merge", "u1", "u9", "--yes", "--rules", choice)
        var wanted = [
          choice == "drop" ? "group council = u2" : "group council = u1, u2",
          "show department vac to group council",
          "show phone of people with manager=u1 to person u1",
          "hide department vac from everybody", "show everything to everybody",
        ]
        if choice == "drop" { wanted.remove(at: 2) }
        #expect(try await list(book) == wanted)
        let last = try book.value("select max(number) from staffbook.transactions")
        try await book.lines("undo", last, "--yes")
        #expect(try await list(book) == before)
      }
    }
  }

  @Test func `is for those who may change rules where some are about the second`() async throws {
    try await withDoubles { book in
      try await book.lines("visibility", "add", "--yes", "hide phone of person u9 from everybody")
      let role = "only_editor_\(getpid())_\(UInt32.random(in: 0 ... .max))"
      try book.script("create role \(role) in role staffbook_editor")
      defer { try? book.script("drop owned by \(role); drop role \(role)") }
      var editor = book
      editor.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      let refused = try await editor.run("merge", "u1", "u9", "--yes")
      #expect(
        refused.status == 77
          && refused.stderr.reads(
            "staffbook: cannot merge u9 into u1: visibility rules or groups are about u9, and only members of staffbook_admin may change them",
            "staffbook: rule 1: hide phone of person u9 from everybody",
            "staffbook: nothing was changed; have a member of staffbook_admin merge them"
          ),
        "\(refused)"
      )
      #expect(try book.value("select count(*) from staffbook.users where id = 'u9'") == "1")
      try await book.lines("visibility", "remove", "--yes", "1")
      try await editor.lines("merge", "u1", "u9", "--yes")
    }
  }

  @Test func `needs two people`() async throws {
    try await withDoubles { book in
      for (arguments, status, said): ([String], Int32, String) in [
        (["u1", "u1"], 64, "cannot merge u1 into u1: both are Ada Lund (id:u1)"),
        (["u1", "Optics"], 1, "cannot merge Optics into u1: Optics is not a person"),
        (
          ["u1", "nobody at all"], 1,
          "cannot merge nobody at all into u1: no person matches nobody at all"
        ),
      ] {
        let outcome = try await book.run(["merge", "--yes"] + arguments)
        #expect(
          outcome.status == status && outcome.stderr.reads("staffbook: \(said)"),
          "\(outcome)"
        )
      }
    }
  }
}
