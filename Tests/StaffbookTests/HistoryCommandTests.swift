import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Commands about history")
struct HistoryCommandTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        var ada = book
        ada.environment["STAFFBOOK_ACTOR"] = "Ada"
        try await ada.lines("import", folder.string, "-m", "first import")
        try await body(ada)
      }
    }
  }

  private func last(_ book: Book) throws -> String {
    try book.value("select number from staffbook.transactions order by at desc limit 1")
  }

  @Test func `log tells who, when, why and what, newest first`() async throws {
    try await withCompany { book in
      try await book.lines("set", "id:u1", "phone=77", "-m", "new phone")
      let log = try await book.lines("log")
      #expect(log.filter { $0.hasPrefix("transaction ") }.count == 2)
      #expect(log[at: 1]?.hasPrefix("Author: Ada (as ") == true, "\(log)")
      #expect(log.contains("    new phone"))
      #expect(log.contains("    first import"))
      #expect(log.contains("  1 person changed"), "\(log)")
      let patch = try await book.lines("log", "id:u1", "-p", "--limit", "1")
      #expect(
        patch.contains { $0.contains("(u1); phone ") && $0.hasSuffix("is now \"77\"") },
        "\(patch)"
      )
      #expect(try await book.lines("log", "--by", "ADA").count == log.count)
      #expect(try await book.run("log", "--by", "nobody").status == 1)
      #expect(try await book.run("log", "--until", "2 weeks ago").status == 1)
      // Of the import, which brought everybody, a person's log has what it did to that person.
      let whole = try await book.lines("log", "id:u1", "-p")
      #expect(whole.filter { $0.hasPrefix("  + ") } == ["  + Ada Lund (u1) in Lumen"], "\(whole)")
      let json = try await book.lines("log", "--json", "-p", "--limit", "1")
      #expect(json.count == 2)
      #expect(
        json[at: 0]?.contains(#""actor":"Ada""#) == true
          && json[at: 0]?.contains(#""event":"transaction""#) == true
      )
      #expect(json[at: 1]?.contains(#""event":"change""#) == true, "\(json)")
      let refused = try await book.run("log", "--since", "soon")
      #expect(refused.status == 64)
    }
  }

  @Test func `log of a department has what was below it at the time`() async throws {
    try await withCompany { book in
      try book.script(
        """
        insert into staffbook.departments (id, name) values ('top', 'Elsewhere');
        update staffbook.users set phone = 'a' where id = 'u3';
        """
      )
      let before = try last(book)
      try book.script("update staffbook.departments set parent_id = 'top' where id = 'mir'")
      try book.script("update staffbook.users set phone = 'b' where id = 'u3'")
      let after = try last(book)
      func log(_ who: String) async throws -> [String] {
        try await book.lines("log", who).filter { $0.hasPrefix("transaction ") }
      }
      let (old, new) = (try await log("id:opt"), try await log("id:top"))
      #expect(old.contains("transaction \(before)"), "\(old)")
      #expect(!old.contains("transaction \(after)"), "\(old)")
      #expect(new.contains("transaction \(after)"), "\(new)")
      #expect(new.count == 3, "\(new)")
    }
  }

  @Test func `log of a large department has the same, found from the newest on`() async throws {
    try await withCompany { book in
      try book.script(
        """
        insert into staffbook.departments (id, name) values ('top', 'Elsewhere');
        begin;
        insert into staffbook.users (id, name, primary_department_id)
          select 'x' || n, 'X ' || n, 'mir' from generate_series(1, 2500) n;
        insert into staffbook.memberships (user_id, department_id)
          select id, primary_department_id from staffbook.users where id like 'x%';
        commit;
        """
      )
      for statement in [
        "update staffbook.users set phone = '1' where id = 'x1'",
        "update staffbook.users set phone = '1' where id = 'u1'",
        "update staffbook.departments set parent_id = 'top' where id = 'mir'",
        "update staffbook.users set phone = '2' where id = 'x1'",
        """
        begin; insert into staffbook.memberships (user_id, department_id) values ('x2', 'opt');
        update staffbook.users set primary_department_id = 'opt' where id = 'x2';
        delete from staffbook.memberships where user_id = 'x2' and department_id = 'mir'; commit
        """,
        "update staffbook.users set phone = '3' where id = 'x2'",
        "delete from staffbook.users where id = 'x3'",
        "update staffbook.departments set name = 'Glass' where id = 'mir'",
        "update staffbook.departments set parent_id = 'opt' where id = 'mir'",
        "update staffbook.users set phone = '4' where id = 'x1'",
      ] { try book.script(statement) }
      try await book.lines("sync")
      for who in ["id:lum", "id:opt", "id:mir", "id:top"] {
        func log(_ limit: Int) async throws -> [String] {
          try await book.lines("log", who, "--limit", "\(limit)")
            .filter { $0.hasPrefix("transaction ") }
        }
        let all = try await log(0)
        for limit in Set([1, 3, all.count - 1]) where limit < all.count {
          #expect(try await log(limit) == Array(all.prefix(limit)), "\(who), \(limit)")
        }
      }
      #expect(
        try await book.lines("log", "id:opt", "--limit", "0").filter { $0.hasPrefix("tr") }.count
          == 8
      )
    }
  }

  @Test func `blame names the last to set each value`() async throws {
    try await withCompany { book in
      var ben = book
      ben.environment["STAFFBOOK_ACTOR"] = "Ben"
      try await ben.lines("set", "id:u1", "phone=77")
      let blame = try await book.lines("blame", "id:u1")
      let phone = try #require(blame.firstIndex { $0.contains("phone:") })
      #expect(blame[phone].hasSuffix("77"))
      #expect(blame[phone + 1].contains("by Ben"), "\(blame)")
      let name = try #require(blame.firstIndex { $0.contains("name:") })
      #expect(blame[name + 1].contains("by Ada"), "\(blame)")
      try await book.lines("remove", "id:u1", "--yes")
      #expect(try await book.lines("blame", "u1")[at: 0]?.hasSuffix("who is gone") == true)
    }
  }

  @Test func `as-of shows every reading command the directory of then`() async throws {
    try await withCompany { book in
      let commands: [[String]] = [
        ["tree", "--all"], ["search", "ada", "--plain"], ["staff", "id:opt", "-r"],
        ["show", "id:u1"], ["export", "--all", "--format", "csv"],
      ]
      var then: [[String]] = []
      for command in commands { then.append(try await book.lines(command)) }
      let number = try last(book)
      try await book.lines("set", "id:u1", "phone=77", "name=Somebody Else")
      try book.script(
        """
        update staffbook.departments set id = 'x' || id, name = 'New ' || name;
        delete from staffbook.users where id = 'u2';
        """
      )
      for (command, before) in zip(commands, then) {
        let past = try await book.lines(command + ["--as-of", number])
        #expect(past == before, "\(command)")
        let now = try await book.run(command + ["--as-of", "now"])
        #expect(now.stdout.split(separator: "\n").map(String.init) != before, "\(command)")
      }
      let early = try await book.run("tree", "--as-of", "1 year ago")
      #expect(early.status == 1)
      #expect(early.stderr.contains("the history begins at"), "\(early)")
      #expect(try await book.run("tree", "--as-of", "999").status == 1)
    }
  }

  @Test func `diff tells who joined, left, moved and was promoted`() async throws {
    try await withCompany { book in
      let start = try last(book)
      try await book.lines("add", "user", "Zoë Łuk", "--in", "id:opt")
      try await book.lines("set", "id:u1", "phone=1")
      try await book.lines("set", "id:u1", "phone=2")
      try await book.lines("rename", "id:mir", "<b>Mirrors & more</b>")
      try await book.lines("remove", "id:u2", "--yes")
      let diff = try await book.lines("diff", start)
      #expect(diff.contains("Joined (1)") && diff.contains("Left (1)"), "\(diff)")
      #expect(diff.contains("Renamed (1)") && diff.contains("Changed (1)"), "\(diff)")
      #expect(diff.contains { $0.contains("phone") && $0.hasSuffix("is now \"2\"") }, "\(diff)")
      let json = try await book.lines("diff", start, "--json")
      #expect(json.count == 4)
      #expect(json[at: 0]?.contains(#""category":"joined""#) == true, "\(json)")
      let csv = try await book.lines("diff", start, "now", "--csv")
      #expect(
        csv[at: 0]?.hasPrefix("category,kind,id,name,from,to,field,department,old,new") == true
      )
      let html = try await book.run("diff", start, "--html")
      #expect(html.stdout.contains("&lt;b&gt;Mirrors &amp; more"), "\(html)")
      #expect(try await book.run("diff", "now", start).status == 64)
    }
  }

  @Test func `undo takes back what nobody changed again`() async throws {
    try await withCompany { book in
      let before = try book.contentsAlone()
      try await book.lines("remove", "id:u1", "--yes")
      try await book.lines("undo", try last(book), "--yes")
      #expect(try book.contentsAlone() == before)
      try await book.lines("set", "id:u1", "phone=1", "email=e@x.example")
      let first = try last(book)
      try await book.lines("set", "id:u1", "phone=2")
      let second = try last(book)
      let refused = try await book.run("undo", first)
      #expect(refused.stderr.contains("left alone"), "\(refused)")
      #expect(
        try book.value("select phone, email from staffbook.users where id = 'u1'") == "2"
      )
      try await book.lines("undo", first, second)
      #expect(try book.contentsAlone() == before)
      try await book.lines("undo", try last(book), "--dry-run")
      #expect(try book.contentsAlone() == before)
      #expect(try await book.run("undo", "999").status == 1)
    }
  }

  @Test func `restore brings back who was removed, and forget leaves nothing of them`()
    async throws
  {
    try await withCompany { book in
      let before = try book.contentsAlone()
      try await book.lines("remove", "id:u1", "--yes")
      try await book.lines("restore", "u1")
      #expect(try book.contentsAlone() == before)
      #expect(try await book.run("restore", "u1").status == 1)
      try await book.lines("remove", "id:u1", "--yes")
      let name = "select count(*) from staffbook.changes where concat(key1, before, after) ~ 'Ada'"
      #expect(try book.query(name)[at: 0]?[at: 0] != "0")
      let unasked = try await book.run("forget", "u1")
      #expect(unasked.status == 75)
      try await book.lines("forget", "u1", "--yes")
      #expect(try book.query(name)[at: 0]?[at: 0] == "0")
      #expect(try await book.run("restore", "u1").status == 1)
      #expect(try await book.lines("log").contains("  a person was forgotten"))
      try await book.lines("doctor")
      try await book.lines("remove", "id:u3", "--yes")
      let left = try await book.lines("search", "--left", "emile")
      #expect(
        left.count == 1
          && left[at: 0]?.hasPrefix("- Émile Noé (u3) in Mirrors; transaction ") == true
      )
      #expect(try await book.run("search", "--left", "ada").status == 1)
    }
  }

  @Test func `the id of somebody who is gone comes before names that contain it`() async throws {
    try await withCompany { book in
      try await book.lines("add", "user", "Ivo Vila", "--in", "Mirrors", "--id", "vil")
      try await book.lines("add", "user", "Rosa Devillars", "--in", "Mirrors", "--id", "u9")
      try await book.lines("remove", "vil", "--yes")
      #expect(try await book.lines("log", "vil", "-p").contains { $0.contains("Ivo Vila (vil)") })
      #expect(try await book.lines("blame", "vil").contains { $0.contains("Ivo Vila") })
      try await book.lines("restore", "vil", "--yes")
      #expect(try await book.lines("show", "id:vil")[at: 0] == "Ivo Vila")
    }
  }

  @Test func `history is kept as long as it is told, and caught up with`() async throws {
    try await withCompany { book in
      try book.script("update staffbook.transactions set at = at - interval '3 years'")
      try await book.lines("set", "id:u1", "phone=1")
      #expect(try await book.run("history", "keep", "2").status == 64)
      let kept = try await book.run("history", "keep", "2y")
      #expect(kept.stderr.contains("removed 1 transaction"), "\(kept)")
      #expect(try await book.lines("log").filter { $0.hasPrefix("transaction") }.count == 1)
      try book.script("alter table staffbook.users disable trigger record_updated")
      try book.script("update staffbook.users set phone = '9' where id = 'u1'")
      try book.script("alter table staffbook.users enable trigger record_updated")
      let doctor = try await book.run("doctor")
      #expect(doctor.status == 65)
      #expect(doctor.stdout.contains("staffbook history catch-up"), "\(doctor)")
      try await book.lines("history", "catch-up")
      try await book.lines("doctor")
    }
  }
}

extension Book {
  /// Everything that the tables hold, as one digest.
  fileprivate func contentsAlone() throws -> String {
    try value(
      """
      select md5(string_agg(line, E'\\n' order by line)) from (
        select (to_jsonb(d) - 'changed_in')::text as line from staffbook.departments d
        union all select (to_jsonb(u) - 'changed_in')::text from staffbook.users u
        union all select (to_jsonb(m) - 'changed_in')::text from staffbook.memberships m) everything
      """
    )
  }
}
