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
