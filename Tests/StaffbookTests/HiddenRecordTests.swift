import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Records that policies hide")
struct HiddenRecordTests {
  /// Commands that read what history has kept.
  static let commands = [
    ["log"], ["log", "--patch"], ["log", "id:u1", "--json"], ["log", "id:lum"], ["blame", "id:u1"],
    ["blame", "id:u2"], ["diff", "1"], ["diff", "1", "--json"], ["search", "--left", "zak"],
    ["search", "--left", "u2", "--json"], ["tree", "--as-of", "1"],
    ["show", "id:u2", "--as-of", "1"],
    ["staff", "id:mir", "--as-of", "1"], ["export", "--as-of", "1", "--format", "csv"],
    ["search", "zak", "--as-of", "1"], ["undo", "1", "--yes"], ["restore", "u3", "--yes"],
  ]

  @Test(arguments: ["staffbook_reader", "staffbook_editor"])
  func `are in no history but that of historians and the owner`(_ group: String) async throws {
    try await withBook { owner in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await owner.lines("import", folder.string)
      }
      try await owner.lines("set", "u2", "phone=+1 555 0199")
      try await owner.lines("remove", "u3", "--yes")
      let role = "ann_\(getpid())_\(UInt32.random(in: 0 ... .max))"
      try owner.script(
        """
        create role \(role) in role \(group);
        alter table staffbook.users enable row level security;
        create policy own on staffbook.users to \(group) using (id <> 'u2');
        alter table staffbook.memberships enable row level security;
        create policy own on staffbook.memberships to \(group) using (user_id <> 'u2');
        """
      )
      defer { try? owner.script("drop owned by \(role); drop role \(role)") }
      var ann = owner
      ann.environment["STAFFBOOK_DATABASE_URL"] = owner.conninfo + " options=-crole=\(role)"
      try await ann.lines("sync")
      for arguments in Self.commands {
        let outcome = try await ann.run(arguments)
        #expect([1, 77].contains(outcome.status), "\(arguments): \(outcome)")
        for hidden in ["Łukasz", "Żak", "Zak", "0199"] {
          #expect(!outcome.stdout.contains(hidden), "\(arguments): \(outcome)")
          #expect(!outcome.stderr.contains(hidden), "\(arguments): \(outcome)")
        }
      }
      let refusal = try await ann.run("log")
      #expect(refusal.status == 77)
      #expect(
        refusal.stderr.reads(
          "staffbook: cannot show the log: row-level security hides records of this database, history shows all of them, and ann_… is not a member of staffbook_historian",
          "…"
        ),
        "\(refusal)"
      )
      #expect(
        refusal.stderr.reads(
          "…",
          "staffbook: have an administrator run: grant staffbook_historian to \"ann_…\";"
        ),
        "\(refusal)"
      )

      try owner.script("grant staffbook_historian to \(role)")
      let log = try await ann.lines("log", "--patch")
      #expect(
        log.contains {
          $0.reads("  ~ Łukasz Żak (u2); phone \"+1 555 0101\" is now \"+1 555 0199\"")
        },
        "\(log)"
      )
    }
  }

  /// Sixty of them are more than a sync lets go without a question.
  @Test func `leave a reader's snapshot with the next sync, and come back with it`() async throws {
    try await withBook { owner in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await owner.lines("import", folder.string)
      }
      try await owner.lines("field", "add", "joined")
      try owner.script(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id, fields)
          select 'old' || n, 'Zq9 ' || n, 'vac', '{"joined": "1999-02-28"}'::jsonb
            from generate_series(1, 60) n;
        insert into staffbook.memberships (user_id, department_id, title)
          select 'old' || n, 'vac', 'Zq9' from generate_series(1, 60) n;
        commit
        """
      )
      func book(_ group: String) throws -> (book: Book, role: String) {
        let role = "ann_\(getpid())_\(UInt32.random(in: 0 ... .max))"
        try owner.script("create role \(role) in role \(group)")
        var book = owner
        book.environment["STAFFBOOK_DATABASE_URL"] = owner.conninfo + " options=-crole=\(role)"
        return (book, role)
      }
      let (reader, role) = try book("staffbook_reader")
      defer { try? owner.script("drop owned by \(role); drop role \(role)") }
      func seen(_ book: Book) async throws -> String {
        try await book.lines("sync")
        return try await book.lines("export", "--all", "--format", "jsonl").joined()
      }
      let before = try await seen(reader)
      #expect(before.contains("Zq9 60") && before.contains("Łukasz"))

      try owner.script(try documentedPolicies())
      let few = try await seen(reader)
      #expect(few.contains("Łukasz") && !few.contains("Zq9") && !few.contains("Unplaced"), "\(few)")
      // Whom a change of their own values hides is told by no tombstone.
      try owner.script(
        #"update staffbook.users set fields = '{"joined": "1998-01-01"}' where id = 'u2'"#
      )
      let fewer = try await seen(reader)
      #expect(fewer.contains("Ada Lund") && !fewer.contains("Łukasz"), "\(fewer)")
      let (admin, other) = try book("staffbook_admin")
      defer { try? owner.script("drop owned by \(other); drop role \(other)") }
      let all = try await seen(admin)
      #expect(all.contains("Zq9 60") && all.contains("Łukasz"))
      // Who may read more, or less, is another reader.
      let again = try await seen(reader)
      #expect(!again.contains("Zq9") && !again.contains("Łukasz"))
      try owner.script("alter table staffbook.users disable row level security")
      let open = try await seen(reader)
      #expect(open.contains("Zq9 60") && open.contains("Łukasz"))
    }
  }
}
