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
      let number = try last(book)
      let log = try await book.lines("log")
      #expect(
        log.joined(separator: "\n").reads(
          "transaction \(number)",
          "Author: Ada (as …)",
          "Date:   …",
          "    new phone",
          "  1 person changed",
          "transaction 1",
          "Author: Ada (as …)",
          "Date:   …",
          "    first import",
          "  4 departments added; 3 people added; 4 memberships added"
        ),
        "\(log)"
      )
      let patch = try await book.lines("log", "id:u1", "-p", "--limit", "1")
      #expect(
        patch.joined(separator: "\n").reads(
          "transaction \(number)",
          "Author: Ada (as …)",
          "Date:   …",
          "    new phone",
          "  ~ Ada Lund (u1); phone \"+1 555 0100\" is now \"77\""
        ),
        "\(patch)"
      )
      #expect(try await book.lines("log", "--by", "ADA").count == log.count)
      #expect(try await book.run("log", "--by", "nobody").status == 1)
      #expect(try await book.run("log", "--until", "2 weeks ago").status == 1)
      // Of the import, which brought everybody, a person's log has what it did to that person.
      let whole = try await book.lines("log", "id:u1", "-p")
      #expect(whole.filter { $0.hasPrefix("  + ") } == ["  + Ada Lund (u1) in Lumen"], "\(whole)")
      let json = try await book.lines("log", "--json", "-p", "--limit", "1")
      #expect(
        json.joined(separator: "\n").reads(
          #"{"actor":"Ada","at":"…Z","changes":{…},"event":"transaction","reason":"new phone","#
            + #""role":"…","transaction":\#(number)}"#,
          #"{"action":"changed","event":"change","id":"u1","kind":"user","name":"Ada Lund","#
            + #""transaction":\#(number),"#
            + #""values":[{"field":"phone","new":"77","old":"+1 555 0100"}]}"#
        ),
        "\(json)"
      )
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
      let phone = try #require(blame.firstIndex(of: "  phone:               77"))
      let indent = String(repeating: " ", count: 25)
      #expect(blame[phone + 1].reads("\(indent)transaction \(try last(ben)) by Ben, …"), "\(blame)")
      let name = try #require(blame.firstIndex(of: "  name:                Ada Lund"))
      #expect(
        blame[name + 1].reads("\(indent)transaction 1 by Ada, …: first import"),
        "\(blame)"
      )
      try await book.lines("remove", "id:u1", "--yes")
      #expect(try await book.lines("blame", "u1")[at: 0] == "Ada Lund (u1), removed")
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
      #expect(
        early.stderr.reads(
          "staffbook: cannot go back to 1 year ago: the history begins at …",
          "staffbook: name that time or a later one"
        ),
        "\(early)"
      )
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
      #expect(
        diff.joined(separator: "\n").reads(
          "Joined (1)",
          "  + Zoë Łuk (zoe.luk) in Optics",
          "Left (1)",
          "  - Łukasz Żak (u2) in …",
          "Renamed (1)",
          "  ~ department <b>Mirrors & more</b> (mir); name \"Mirrors\" is now \"<b>Mirrors & more</b>\"",
          "Changed (1)",
          "  ~ Ada Lund (u1); phone \"+1 555 0100\" is now \"2\""
        ),
        "\(diff)"
      )
      let json = try await book.lines("diff", start, "--json")
      #expect(json.count == 4)
      #expect(
        json[at: 0]
          == #"{"action":"added","category":"joined","event":"change","id":"zoe.luk","kind":"user","#
          + #""name":"Zoë Łuk","to":{"id":"opt","name":"Optics"}}"#,
        "\(json)"
      )
      let csv = try await book.run("diff", start, "now", "--csv")
      #expect(
        csv.stdout.reads(
          "category,kind,id,name,from,to,field,department,old,new",
          "joined,user,zoe.luk,Zoë Łuk,,Optics,,,,",
          "left,user,u2,Łukasz Żak,…,,,,,",
          "renamed,department,mir,<b>Mirrors & more</b>,,,name,,Mirrors,<b>Mirrors & more</b>",
          "changed,user,u1,Ada Lund,,,phone,,+1 555 0100,2"
        ),
        "\(csv)"
      )
      let html = try await book.run("diff", start, "--html")
      #expect(
        html.stdout.reads(
          "…",
          "<li><bdi>~ department &lt;b&gt;Mirrors &amp; more&lt;/b&gt; (mir); name &quot;Mirrors&quot; is now &quot;&lt;b&gt;Mirrors &amp; more&lt;/b&gt;&quot;</bdi></li>",
          "…"
        ),
        "\(html)"
      )
      #expect(try await book.run("diff", "now", start).status == 64)
    }
  }

  @Test func `undo takes back what was not changed again`() async throws {
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
      #expect(
        refused.stderr.reads(
          "staffbook: skipped, since it was changed again: Ada Lund (u1): phone is now \"2\", not \"1\"",
          "staffbook: there is nothing to change"
        ),
        "\(refused)"
      )
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
      let number = try last(book)
      let left = try await book.run("search", "--left", "emile")
      #expect(
        left.stdout.reads("- Émile Noé (u3) in Mirrors; transaction \(number) by Ada, …"),
        "\(left)"
      )
      #expect(try await book.run("search", "--left", "ada").status == 1)
    }
  }

  @Test func `the id of a removed person comes before names that contain it`() async throws {
    try await withCompany { book in
      try await book.lines("add", "user", "Ivo Vila", "--in", "Mirrors", "--id", "vil")
      try await book.lines("add", "user", "Rosa Devillars", "--in", "Mirrors", "--id", "u9")
      try await book.lines("remove", "vil", "--yes")
      #expect(
        try await book.lines("log", "vil", "-p").contains {
          $0.reads("  - Ivo Vila (vil) in Mirrors")
        }
      )
      #expect(try await book.lines("blame", "vil").contains { $0.reads("Ivo Vila (vil), removed") })
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
      #expect(kept.stderr.reads("staffbook: removed 1 transaction"), "\(kept)")
      #expect(try await book.lines("log").filter { $0.hasPrefix("transaction") }.count == 1)
      try book.script("alter table staffbook.users disable trigger record_updated")
      try book.script("update staffbook.users set phone = '9' where id = 'u1'")
      try book.script("alter table staffbook.users enable trigger record_updated")
      let doctor = try await book.run("doctor")
      #expect(doctor.status == 65)
      #expect(
        doctor.stdout.reads(
          "…",
          "                 record them, as found now, with: staffbook history catch-up",
          "…"
        ),
        "\(doctor)"
      )
      try await book.lines("history", "catch-up")
      try await book.lines("doctor")
    }
  }
}

@Suite("What was forgotten")
struct ForgottenTests {
  /// A company whose people have managers, and where Ada's phone was changed before she was forgotten.
  private func withForgotten(_ body: (Book, _ set: String) async throws -> Void) async throws {
    try await withManagers { book in
      try await book.lines("set", "id:u1", "phone=77")
      let set = try last(book)
      let forgotten = try await book.run(["forget", "u1", "--yes"])
      #expect(forgotten.stderr.reads("staffbook: erased 4 changes"), "\(forgotten)")
      try await body(book, set)
    }
  }

  @Test func `is refused by undo, by name, and no person is removed`() async throws {
    try await withForgotten { book, set in
      let before = try book.contentsAlone()
      for arguments in [["undo", set, "--yes"], ["undo", set, "--force", "--yes"]] {
        let refused = try await book.run(arguments)
        #expect(refused.status == 1 && refused.stdout.isEmpty, "\(refused)")
        #expect(
          refused.stderr.reads(
            "staffbook: cannot undo \(set): it changed 1 person whose values have been forgotten",
            "staffbook: transaction \(set): Ada Lund (u1)",
            "staffbook: nothing was changed; erased values cannot be restored"
          ),
          "\(refused)"
        )
      }
      #expect(try book.contentsAlone() == before)
    }
  }

  @Test func `is called forgotten by log, diff, blame and as-of`() async throws {
    try await withForgotten { book, set in
      let log = try await book.lines("log", "id:u1", "-p")
      #expect(
        log.filter { $0.hasSuffix("(u1): forgotten") || $0.hasSuffix(" u1: forgotten") }.count == 3,
        "\(log)"
      )
      #expect(!log.contains { $0.contains("in Lumen") }, "\(log)")
      let json = try await book.lines("log", "id:u1", "-p", "--json")
      #expect(json.filter { $0.contains(#""forgotten":true,"id":"u1""#) }.count == 3, "\(json)")
      let first = try book.query("select min(number) from staffbook.transactions")[0][0]
      let diff = try await book.lines("diff", first)
      #expect(diff == ["Forgotten (1)", "  ~ Ada Lund (u1): forgotten"], "\(diff)")
      let csv = try await book.run("diff", first, "--csv")
      #expect(
        csv.stdout.reads(
          "category,kind,id,name,from,to,field,department,old,new",
          "forgotten,user,u1,Ada Lund,…"
        ),
        "\(csv)"
      )
      let blame = try await book.lines("blame", "id:u1")
      let phone = try #require(blame.firstIndex(of: "  phone:               77"))
      #expect(blame[phone + 1] == String(repeating: " ", count: 25) + "forgotten", "\(blame)")
      let past = try await book.run(["tree", "--all", "--as-of", first])
      #expect(
        past.stdout.reads(
          "▾ Lumen (3)",
          "├─ ▾ Optics (2)",
          "│  ├─ ▾ Mirrors (2)",
          "│  │  ├─ Émile Noé · Grinder",
          "│  │  └─ Łukasz Żak · Polisher",
          "│  └─ Łukasz Żak · Adviser",
          "├─ ▹ Vacant (0)",
          "└─ (forgotten) · Head"
        ),
        "\(past)"
      )
      #expect(
        past.stderr.reads(
          "staffbook: values of 1 person of that time were forgotten and are not shown"
        ),
        "\(past)"
      )
      #expect(try await book.lines("show", "id:u1", "--as-of", first)[0] == "(forgotten)")
      #expect(try await book.lines("doctor").contains { !$0.isEmpty })
    }
  }

  @Test func `of people who were removed is left out, and told`() async throws {
    try await withForgotten { book, set in
      let first = try book.query("select min(number) from staffbook.transactions")[0][0]
      try await book.lines("remove", "id:u1", "id:u2", "--yes")
      let removal = try last(book)
      // Of what was forgotten before, the id goes only now.
      try await book.lines("forget", "u1", "--yes")
      let left = "select count(*) from staffbook.changes where 'u1' in (key1, key2)"
      #expect(try book.query(left)[0][0] == "0")
      let refused = try await book.run(["undo", set])
      #expect(
        refused.status == 1
          && refused.stderr.reads(
            "staffbook: cannot undo \(set): it changed 1 person whose values have been forgotten",
            "staffbook: nothing was changed; erased values cannot be restored"
          ),
        "\(refused)"
      )
      let undone = try await book.run(["undo", removal])
      #expect(
        undone.status == 0
          && undone.stderr.reads(
            "staffbook: left out: people whom transaction \(removal) changed have been forgotten",
            "staffbook: 1 person added"
          ),
        "\(undone)"
      )
      #expect(undone.stdout.reads("+ Łukasz Żak (u2) in Mirrors; also in Optics"), "\(undone)")
      #expect(try await book.lines("log", "-p").contains("  ~ a person who was forgotten"))
      let past = try await book.run(["tree", "--all", "--as-of", first])
      #expect(
        past.stderr.reads(
          "staffbook: values of 1 person of that time were forgotten and are not shown"
        ),
        "\(past)"
      )
      #expect(!past.stdout.contains("Ada"), "\(past)")
      let now = try await book.run(["tree", "--all", "--as-of", "now"])
      #expect(!now.stderr.contains("forgotten"), "\(now)")
    }
  }

  @Test func `is everything, under every id, in reasons and among deleted keys`() async throws {
    try await withManagers { book in
      try await book.lines("set", "id:u1", "phone=77", "-m", "desk of Ada")
      try await book.lines("set", "id:u2", "phone=78", "-m", "Takes over from ADA LUND")
      try await book.lines("set", "id:u2", "phone=79", "-m", "Adam and Canada")
      try book.script(
        """
        begin; update staffbook.users set id = 'ada.lund' where id = 'u1';
        update staffbook.users set name = 'Ada Berg', email = 'ada@berg.example' where id = 'ada.lund';
        commit;
        update staffbook.users set id = 'ada.berg' where id = 'ada.lund';
        """
      )
      try await book.lines("sync")
      // Anyone who has an id afterwards that was hers is another user.
      try await book.lines("add", "user", "Ugo Uno", "--in", "id:opt", "--id", "u1")
      // A reader that learns of the removal only later.
      let folder = book.home.appending("reader")
      let reader = Book(home: folder, conninfo: book.conninfo)
      try makeFolder(folder)
      #expect(try await reader.lines("show", "id:ada.berg").count > 1)
      try await book.lines("remove", "ada.berg", "--yes", "-m", "left; ada.lund is free")
      let asked = try await book.run(["forget", "ada.berg"])
      #expect(
        asked.stderr.reads(
          "staffbook: cannot forget Ada Berg (ada.berg, formerly ada.lund, u1): erased values cannot be restored",
          "staffbook: if this is intended, repeat the command with --yes"
        ),
        "\(asked)"
      )
      let forgotten = try await book.run(["forget", "Ada Berg", "--yes"])
      #expect(
        forgotten.stderr.reads(
          "staffbook: erased 14 changes, and the reason of 3 transactions",
          "staffbook: erased 4 keys of removed records, too: every reader compares everything at its next sync"
        ),
        "\(forgotten)"
      )
      let left = try book.query(
        """
        select 'changes', c::text from staffbook.changes c where c::text ~* 'ada[. ](lund|berg)'
        union all select 'tombstones', t::text from staffbook.tombstones t where t::text ~* 'ada'
        union all select 'reasons', t.reason from staffbook.transactions t where t.reason ~* '\\mada\\M'
        """
      )
      #expect(left.isEmpty, "\(left)")
      #expect(
        try book.query(
          "select count(*) from staffbook.transactions where reason = 'Adam and Canada'"
        )[0][0] == "1"
      )
      #expect(try await book.lines("log", "u1", "-p").contains("  + Ugo Uno (u1) in Optics"))
      try await book.lines("doctor")
      let synced = try await reader.run(["sync", "--verbose"])
      #expect(
        synced.status == 0
          && synced.stdout.reads(
            "synced from …: 3 people, 4 departments and 4 memberships, in …",
            "compared everything (a table was truncated, the database restored or a person forgotten): 1 person removed",
            "- Ada Berg (ada.berg) in Lumen"
          ),
        "\(synced)"
      )
      #expect(try await reader.run(["show", "id:ada.berg"]).status == 1)
    }
  }

  @Test func `takes back no person where a list gave all of them other ids`() async throws {
    try await withManagers { book in
      try book.script(
        """
        begin; delete from staffbook.users where id = 'u2';
        insert into staffbook.users (id, name, email, phone, primary_department_id)
          values ('4711', 'Łukasz Żak', 'lukasz@lumen.example', '5', 'opt'),
            ('4712', 'Mo Ek', '', '', 'opt');
        insert into staffbook.memberships (user_id, department_id) values ('4711', 'opt'), ('4712', 'opt');
        commit;
        """
      )
      let asked = try await book.run(["forget", "4711"])
      #expect(
        asked.stderr.reads(
          "staffbook: cannot forget Łukasz Żak (4711, formerly u2): erased values cannot be restored",
          "staffbook: if this is intended, repeat the command with --yes"
        ),
        "\(asked)"
      )
      try await book.lines("forget", "4711", "--yes")
      let left = try book.query(
        "select count(*) from staffbook.changes where key1 = 'u2' or concat(before, after) ~ 'Żak'"
      )
      #expect(left[0][0] == "0")
      #expect(try await book.lines("log", "4712", "-p").contains("  + Mo Ek (4712) in Optics"))
    }
  }

  @Test func `is in no group and in no rule, now and in history`() async throws {
    try await withManagers { book in
      try book.script(
        """
        insert into staffbook.visibility_groups (name, user_id)
          values ('council', 'u1'), ('council', 'u2');
        insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer, viewer_id)
          values (-3, 'hide', 'person', 'u1', 'leads', null),
            (-2, 'show', 'department', 'opt', 'person', 'u1'),
            (-1, 'show', 'department', 'opt', 'group', 'council');
        update staffbook.visibility_rules set viewer_id = 'u2' where sort_order = -2;
        """
      )
      // Of the user who is there rules and groups go on.
      try await book.lines("forget", "u1", "--yes")
      #expect(try await book.lines("visibility").count == 5)
      try await book.lines("remove", "u1", "--yes")
      try await book.lines("forget", "u1", "--yes")
      let rules = try await book.lines("visibility")
      #expect(
        rules.map { String($0.prefix { $0 != "#" }) } == [
          "group council = u2", "1  show department opt to person u2  ",
          "2  show department opt to group council  ", "3  show everything to everybody",
        ],
        "\(rules)"
      )
      let left = try book.query(
        "select count(*) from staffbook.changes c where c::text ~ '\\mu1\\M' and c.kind in ('rule', 'group')"
      )
      #expect(left[0][0] == "0")
      let log = try await book.lines("log", "-p")
      #expect(log.contains("  - rule 2: hide person \"(forgotten)\" from leads"), "\(log)")
      try await book.lines("doctor")
      try await book.lines("sync")
    }
  }

  @Test func `is never guessed from a similar name`() async throws {
    try await withManagers { book in
      let guessed = try await book.run(["forget", "lund", "--yes"])
      #expect(
        guessed.status == 1
          && guessed.stderr.reads(
            "staffbook: no person is called lund",
            "staffbook: did you mean Ada Lund (id:u1)? Give the person's id or full name"
          ),
        "\(guessed)"
      )
      try await book.lines("remove", "id:u1", "--yes")
      let forgotten = try await book.run(["forget", "Ada Lund", "--yes"])
      #expect(forgotten.status == 0, "\(forgotten)")
    }
  }
}

@Suite("Bringing back")
struct BringingBackTests {
  @Test func `leaves out people whom fields name and who were removed, and tells`() async throws {
    try await withManagers { book in
      try await book.lines("remove", "id:u1", "--yes")
      let removal = try last(book)
      try await book.lines("remove", "id:u2", "--yes")
      let restored = try await book.run(["restore", "u1"])
      #expect(restored.status == 0, "\(restored)")
      #expect(
        restored.stderr.reads(
          "staffbook: left out: manager of Ada Lund (u1): u2 has been removed",
          "staffbook: 1 person added"
        ),
        "\(restored)"
      )
      #expect(try book.query("select fields from staffbook.users where id = 'u1'")[0][0] == "{}")
      try await book.lines("remove", "id:u1", "--yes")
      let undone = try await book.run(["undo", removal])
      #expect(
        undone.status == 0
          && undone.stderr.reads(
            "staffbook: left out: manager of Ada Lund (u1): u2 has been removed",
            "staffbook: 1 person added"
          ),
        "\(undone)"
      )
    }
  }

  @Test func `finds a removed person by the name, and beside a department of the same id`()
    async throws
  {
    try await withManagers { book in
      try await book.lines("add", "user", "Opal Tick", "--in", "id:lum", "--id", "opt")
      try await book.lines("remove", "Opal Tick", "--yes")
      try await book.lines("restore", "opt")
      try await book.lines("remove", "Opal Tick", "--yes")
      try await book.lines("restore", "Opal Tick")
      let twice = try await book.run(["restore", "Opal Tick"])
      #expect(
        twice.status == 1
          && twice.stderr.reads(
            "staffbook: cannot restore Opal Tick: Opal Tick has not been removed"
          ),
        "\(twice)"
      )
      for id in ["o1", "o2"] {
        try await book.lines("add", "user", "Olga Roe", "--in", "id:lum", "--id", id)
        try await book.lines("remove", "id:\(id)", "--yes")
      }
      let several = try await book.run(["restore", "Olga Roe"])
      #expect(
        several.status == 1
          && several.stderr.reads(
            "staffbook: several removed records are called Olga Roe",
            "staffbook: id:o2 Olga Roe, removed in transaction 12",
            "staffbook: id:o1 Olga Roe, removed in transaction 10",
            "staffbook: name one by its id"
          ),
        "\(several)"
      )
      let nobody = try await book.run(["restore", "Olaf"])
      #expect(
        nobody.status == 1
          && nobody.stderr.reads(
            "staffbook: no removed record is called Olaf",
            "staffbook: find people who were removed with: staffbook search --left NAME"
          ),
        "\(nobody)"
      )
      // Who only has another id was not removed.
      try book.script("update staffbook.users set id = 'u9' where id = 'u3'")
      #expect(try await book.run(["restore", "Émile Noé"]).status == 1)
    }
  }

  @Test func `names what is in the way before the plan`() async throws {
    try await withManagers { book in
      try await book.lines("remove", "id:u3", "--yes")
      let removal = try last(book)
      try await book.lines("remove", "id:mir", "--people-to", "id:opt", "--yes")
      let refused = try await book.run(["undo", removal])
      #expect(refused.status == 75 && refused.stdout.isEmpty, "\(refused)")
      #expect(
        refused.stderr.reads(
          "staffbook: cannot undo \(removal): it conflicts with other records",
          "staffbook: Émile Noé (u3): the department Mirrors (mir) has been removed",
          "staffbook: nothing was changed; restore what has been removed, or change the other records, and try again"
        ),
        "\(refused)"
      )
      try await book.lines("set", "id:u1", "manager=")
      let cleared = try last(book)
      try await book.lines("remove", "id:u2", "--yes")
      let named = try await book.run(["undo", cleared])
      #expect(named.status == 75, "\(named)")
      #expect(
        named.stderr.reads(
          "staffbook: cannot undo \(cleared): it conflicts with other records",
          "staffbook: Ada Lund (u1): manager names u2, who has been removed",
          "staffbook: nothing was changed; restore what has been removed, or change the other records, and try again"
        ),
        "\(named)"
      )
      try await book.lines("join", "id:u1", "id:opt")
      let joined = try last(book)
      try await book.lines("primary", "id:u1", "id:opt")
      let primary = try await book.run(["undo", joined])
      #expect(primary.status == 75 && primary.stdout.isEmpty, "\(primary)")
      #expect(
        primary.stderr.reads(
          "staffbook: cannot undo \(joined): it conflicts with other records",
          "staffbook: Ada Lund (u1): Optics (opt) is the primary department now",
          "staffbook: nothing was changed; restore what has been removed, or change the other records, and try again"
        ),
        "\(primary)"
      )
      try await book.lines("add", "department", "Lenses", "--under", "id:lum", "--id", "len")
      let added = try last(book)
      try await book.lines("add", "user", "Zoë Winter", "--in", "id:len", "--id", "zoe")
      try await book.lines("add", "department", "Prisms", "--under", "id:len", "--id", "pri")
      let full = try await book.run(["undo", added, "--force", "--yes"])
      #expect(full.status == 75 && full.stdout.isEmpty, "\(full)")
      #expect(
        full.stderr.reads(
          "staffbook: cannot undo \(added): it conflicts with other records",
          "staffbook: the department Prisms (pri) is in Lenses (len)",
          "staffbook: Zoë Winter (zoe) is in Lenses (len)",
          "staffbook: nothing was changed; restore what has been removed, or change the other records, and try again"
        ),
        "\(full)"
      )
    }
  }
}

private func last(_ book: Book) throws -> String {
  try book.query("select number from staffbook.transactions order by at desc limit 1")[0][0]
}

/// A small company, where Ada's manager is Łukasz.
private func withManagers(_ body: (Book) async throws -> Void) async throws {
  try await withBook { book in
    try await withTemporaryDirectory { folder in
      try writeSmallCompany(to: folder)
      try await book.lines("import", folder.string, "-m", "first import")
      try await book.lines("field", "add", "manager")
      try await book.lines("set", "id:u1", "manager=u2")
      try await body(book)
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
