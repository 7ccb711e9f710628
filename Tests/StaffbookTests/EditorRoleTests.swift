import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

/// What the role staffbook_editor may do is all that editing and importing needs, and what an
/// administrator's policies forbid is not done by half.
@Suite("An editor's rights")
struct EditorRoleTests {
  private func withEditor(
    _ body: (_ editor: Book, _ owner: Book, _ role: String) async throws -> Void
  ) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      let role = "only_editor_\(getpid())_\(UInt32.random(in: 0 ... .max))"
      try book.script("create role \(role) in role staffbook_editor")
      var editor = book
      editor.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      do {
        try await body(editor, book, role)
      } catch {
        try book.script("drop owned by \(role); drop role \(role)")
        throw error
      }
      try book.script("drop owned by \(role); drop role \(role)")
    }
  }

  @Test func `suffice for each edit, for imports, for undo and for the history`() async throws {
    try await withEditor { editor, owner, _ in
      for arguments in [
        ["add", "department", "Towers", "--under", "lum", "--id", "tow"],
        ["add", "user", "Zoë Winter", "--in", "tow", "--id", "zoe"],
        ["set", "zoe", "phone=+49 1", "title@tow=Keeper", "lead@tow=yes"],
        ["rename", "zoe", "Zoë Sommer"], ["join", "zoe", "opt"], ["primary", "zoe", "opt"],
        ["leave", "zoe", "tow"], ["move", "u3", "--to", "tow"], ["move", "tow", "--top"],
        ["order", "lum", "vac", "opt"], ["remove", "zoe", "--yes"], ["restore", "zoe", "--yes"],
        ["remove", "tow", "-r", "--yes"], ["history", "catch-up"], ["sync"], ["doctor"],
        ["log"], ["blame", "u1"], ["diff", "1"], ["tree", "--as-of", "1"],
      ] {
        let outcome = try await editor.run(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
      }
      let number = try owner.value("select max(number) from staffbook.transactions")
      try await editor.lines("undo", number, "--yes")
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await editor.lines("import", folder.string, "--replace", "--accept-deletions")
      }
      #expect(try owner.query("select count(*) from staffbook.users") == [["3"]])
      for arguments in [
        ["forget", "u1", "--yes"], ["history", "keep", "1d"], ["field", "add", "mobile"],
        ["db", "migrate", "--repair"],
      ] {
        let outcome = try await editor.run(arguments)
        #expect(outcome.status == 77, "\(arguments): \(outcome)")
        #expect(
          outcome.stderr.reads(
            "staffbook: cannot …",
            "staffbook: nothing was changed; only the owner of the schema staffbook may do that"
          ),
          "\(arguments): \(outcome)"
        )
      }
    }
  }

  @Test func `that policies restrict let no import be done by half`() async throws {
    try await withEditor { editor, owner, role in
      try owner.script(
        """
        alter table staffbook.users enable row level security;
        create policy seen on staffbook.users for select using (true);
        create policy own on staffbook.users for update to \(role) using (id = 'u1');
        """
      )
      let before = try owner.contents()
      func tries(_ users: String, _ arguments: String...) async throws -> ProgramOutcome {
        try await withTemporaryDirectory { folder in
          try writeCompany(
            departments: "lum,,Lumen,Makers of light,0\n",
            users: users,
            to: folder
          )
          return try await editor.run(["import", folder.string] + arguments)
        }
      }
      for users in [
        "u1,lum,Ada Lund,Head,mine,,0\nu2,mir,Łukasz Żak,Polisher,not mine,,0\n",
        "u1,lum,Ada Lund,Head,mine,,0\nnew,lum,New Person,,,,0\n",
      ] {
        let outcome = try await tries(users)
        #expect(outcome.status == 77, "\(users): \(outcome)")
        #expect(try owner.contents() == before, "\(users)")
      }
      let replaced = try await tries(
        "u1,lum,Ada Lund,Head,ada@lumen.example,+1 555 0100,0\nu2,lum,Łukasz Żak,,,,0\n",
        "--replace",
        "--accept-deletions"
      )
      #expect(replaced.status == 77, "\(replaced)")
      #expect(try owner.contents() == before)
      let allowed = try await tries("u1,lum,Ada Lund,Head,mine,,0\n")
      #expect(allowed.status == 0, "\(allowed)")
      #expect(try owner.query("select email from staffbook.users where id = 'u1'") == [["mine"]])
      #expect(try await editor.run(["set", "id:u2", "phone=1"]).status == 77)
      #expect(try await editor.run(["remove", "id:u2", "--yes"]).status == 77)
    }
  }

  @Test func `that hide rows let nothing be overwritten that is not seen`() async throws {
    try await withEditor { editor, owner, role in
      try owner.script(
        """
        alter table staffbook.users enable row level security;
        create policy own on staffbook.users to \(role) using (id <> 'u2');
        """
      )
      let before = try owner.contents()
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        let outcome = try await editor.run(["import", folder.string])
        #expect([65, 77].contains(outcome.status), "\(outcome)")
        #expect(try owner.contents() == before)
      }
    }
  }
}
