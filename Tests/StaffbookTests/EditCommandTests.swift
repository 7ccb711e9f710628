import LibPQ
import Platform
import Seeds
import SystemPackage
import TestSupport
import Testing

@Suite("Commands that edit")
struct EditCommandTests {
  /// The small company with fields; `lum` is led by Ada.
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("field", "add", "mobile", "languages", "manager")
        try await book.lines("field", "add", "site", "--of", "departments")
        try await body(book)
      }
    }
  }

  @Test func `derive no id that was somebody's, and say whose a given one was`() async throws {
    try await withCompany { book in
      func add(_ arguments: String...) async throws -> (plan: String, said: String) {
        let outcome = try await book.run(["add"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return (outcome.stdout, outcome.stderr)
      }
      _ = try await add("user", "Lin Mei", "--in", "mir")
      _ = try await add("user", "Lin Mei", "--in", "mir")
      _ = try await add("department", "Lens Lab")
      // One was removed, one has another id now.
      try await book.lines("remove", "id:lin.mei", "--yes")
      try await book.lines("set", "id:lin.mei2", "id=mei")
      try await book.lines("remove", "id:lens-lab", "--yes")
      let person = try await add("user", "Lin Mei", "--in", "mir")
      #expect(person.plan.contains("(lin.mei3) in Mirrors") && !person.said.contains("another"))
      #expect(try await add("department", "Lens Lab").plan.contains("(lens-lab2)"))
      for (arguments, noun) in [
        (["user", "Lin Mei", "--in", "mir", "--id", "lin.mei"], "person"),
        (["department", "Lens Lab", "--id", "lens-lab"], "department"),
      ] {
        let outcome = try await book.run(["add"] + arguments)
        #expect(
          outcome.stderr.reads(
            "staffbook: the id \(arguments.last ?? "") was that of another \(noun) before",
            "staffbook: 1 \(noun) added"
          ),
          "\(outcome)"
        )
      }
    }
  }

  private struct Accepted: Sendable {
    var arguments: [String]
    /// Lines of standard output.
    var plan: [String]
    var said: String
    /// A query and what it answers afterwards.
    var query = ""
    var rows: [[String]] = []
  }

  private static let accepted: [Accepted] = [
    Accepted(
      arguments: [
        "add", "user", "Zoë Łuk", "--in", "Mirrors", "--title", "Head", "email=z@x.example",
        "languages=de;fr",
      ],
      plan: ["+ Zoë Łuk (zoe.luk) in Mirrors"],
      said: "1 person added",
      query: """
        select u.id, email, fields::text, title, sort_order from staffbook.users u
          join staffbook.memberships m on m.user_id = u.id where u.id = 'zoe.luk'
        """,
      rows: [["zoe.luk", "z@x.example", #"{"languages": ["de", "fr"]}"#, "Head", "0"]]
    ),
    Accepted(
      arguments: ["add", "user", "zoe luk", "--in", "opt"],
      plan: ["+ zoe luk (zoe.luk2) in Optics"],
      said: "1 person added"
    ),
    Accepted(
      arguments: ["add", "user", "王芳", "--in", "path:Lumen/Optics"],
      plan: ["+ 王芳 (wangfang) in Optics"],
      said: "1 person added"
    ),
    Accepted(
      arguments: ["add", "department", "Lens Lab", "--under", "Optics", "site=Kiel"],
      plan: ["+ department Lens Lab (lens-lab) under Optics"],
      said: "1 department added",
      query: "select parent_id, fields::text from staffbook.departments where id = 'lens-lab'",
      rows: [["opt", #"{"site": "Kiel"}"#]]
    ),
    Accepted(
      arguments: ["add", "department", "!", "--id", "odd", "description=x"],
      plan: ["+ department ! (odd) at the top level"],
      said: "1 department added"
    ),
    Accepted(
      arguments: [
        "set", "łukasz żak", "phone=", "mobile=+44 1", "languages=pl;de", "manager=Ada Lund",
        "title=Head", "title@Optics=Advisor", "lead@Mirrors=yes",
      ],
      plan: [
        "~ Łukasz Żak (u2); phone \"+1 555 0101\" is now \"\"; mobile \"\" is now \"+44 1\"; "
          + "manager \"\" is now \"u1\"; languages \"\" is now \"pl;de\"; title in Mirrors "
          + "\"Polisher\" is now \"Head\"; now leads Mirrors; title in Optics \"Adviser\" is now "
          + "\"Advisor\""
      ],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["set", "u2", "languages-=pl", "languages+=fr", "manager="],
      plan: [
        "~ Łukasz Żak (u2); manager \"u1\" is now \"\"; languages \"pl;de\" is now \"de;fr\""
      ],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["set", "Vacant", "description=Nobody", "order=-3", "site=Hull"],
      plan: [
        "~ department Vacant (vac); description \"\" is now \"Nobody\"; order \"2\" is now \"-3\"; "
          + "site \"\" is now \"Hull\""
      ],
      said: "1 department changed"
    ),
    Accepted(
      arguments: ["rename", "Émile Noé", "Émile Noë", "-m", "spelling"],
      plan: ["~ Émile Noë (u3); name \"Émile Noé\" is now \"Émile Noë\""],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["set", "u3", "id=emile"],
      plan: ["~ Émile Noë (u3); id \"u3\" is now \"emile\""],
      said: "1 person changed",
      query: "select user_id from staffbook.memberships where department_id = 'mir' order by 1",
      rows: [["emile"], ["u2"], ["zoe.luk"]]
    ),
    Accepted(
      arguments: ["move", "emile", "lens-lab", "--to", "Vacant"],
      plan: [
        "> department Lens Lab (lens-lab) from Optics to Vacant",
        "> Émile Noë (emile) from Mirrors to Vacant",
      ],
      said: "1 person moved; 1 department moved"
    ),
    Accepted(
      arguments: ["move", "Łukasz Żak", "--from", "Optics", "--to", "Vacant"],
      plan: ["~ Łukasz Żak (u2); also in Vacant; no longer in Optics"],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["move", "Vacant", "--top"],
      plan: ["> department Vacant (vac) from Lumen to the top level; order \"-3\" is now \"0\""],
      said: "1 department moved"
    ),
    Accepted(
      arguments: ["join", "emile", "Lumen", "--title", "Guest"],
      plan: ["~ Émile Noë (emile); also in Lumen"],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["primary", "emile", "Lumen"],
      plan: ["> Émile Noë (emile) from Vacant to Lumen"],
      said: "1 person moved",
      query: "select department_id from staffbook.memberships where user_id = 'emile' order by 1",
      rows: [["lum"], ["vac"]]
    ),
    Accepted(
      arguments: ["leave", "emile", "Lumen"],
      plan: ["> Émile Noë (emile) from Lumen to Vacant"],
      said: "1 person moved",
      query: "select department_id from staffbook.memberships where user_id = 'emile'",
      rows: [["vac"]]
    ),
    Accepted(
      arguments: ["order", "Mirrors", "Łukasz Żak", "zoe.luk"],
      plan: ["~ Łukasz Żak (u2); order in Mirrors \"0\" is now \"-10\""],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["set", "u2", "manager=emile"],
      plan: ["~ Łukasz Żak (u2); manager \"\" is now \"emile\""],
      said: "1 person changed"
    ),
    Accepted(
      arguments: ["remove", "emile", "--yes"],
      plan: [
        "~ Łukasz Żak (u2); manager \"emile\" is now \"\"", "- Émile Noë (emile) in Vacant",
      ],
      said: "1 person changed, 1 removed"
    ),
    Accepted(
      arguments: ["remove", "Vacant", "--people-to", "Lumen", "-y"],
      plan: [
        "- department Vacant (vac) at the top level",
        "- department Lens Lab (lens-lab) under Vacant",
        "~ Łukasz Żak (u2); also in Lumen; no longer in Vacant",
      ],
      said: "1 person changed; 2 departments removed"
    ),
    Accepted(
      arguments: ["remove", "Optics", "-r", "--yes"],
      plan: [
        "- department Optics (opt) under Lumen", "- department Mirrors (mir) under Optics",
        "> Łukasz Żak (u2) from Mirrors to Lumen", "- 王芳 (wangfang) in Optics",
        "- Zoë Łuk (zoe.luk) in Mirrors", "- zoe luk (zoe.luk2) in Optics",
      ],
      said: "1 person moved, 3 removed; 2 departments removed"
    ),
    Accepted(
      arguments: ["set", "u1", "phone=+1 555 0100"],
      plan: [],
      said: "there is nothing to change"
    ),
  ]

  @Test func `show their plan, do it, say so and sync`() async throws {
    try await withCompany { book in
      for step in Self.accepted {
        let before = try book.contents()
        let dry = try await book.run(step.arguments + ["--dry-run"])
        #expect(dry.status == 0, "\(step.arguments): \(dry)")
        #expect(try book.contents() == before, "a dry run of \(step.arguments)")
        let outcome = try await book.run(step.arguments)
        let lines = outcome.stdout.split(separator: "\n").map(String.init)
        #expect(outcome.status == 0, "\(step.arguments): \(outcome)")
        #expect(lines == step.plan, "\(step.arguments)")
        #expect(outcome.stderr == "staffbook: \(step.said)\n", "\(step.arguments)")
        #expect(dry.stdout == outcome.stdout, "\(step.arguments)")
        if !step.query.isEmpty {
          #expect(try book.query(step.query) == step.rows, "\(step.arguments)")
        }
        #expect(
          try await book.lines("sync", "-n").last?.reads("…: nothing differs") == true,
          "the snapshot is of now after \(step.arguments)"
        )
      }
      #expect(try book.query("select id from staffbook.users order by 1") == [["u1"], ["u2"]])
    }
  }

  private static let refused: [(arguments: [String], status: Int32, said: [String])] = [
    (
      ["add", "user", "X", "--in", "Nowhere"], 1,
      ["there is no department Nowhere", "list the departments with: staffbook tree --departments"]
    ),
    (
      ["add", "user", " ", "--in", "lum"], 65,
      ["cannot set name: a name must contain a visible character"]
    ),
    (
      ["add", "user", "X", "--in", "lum", "--id", "u1"], 65,
      ["cannot add X: there is a person with the id u1 already"]
    ),
    (
      ["add", "user", "X", "--in", "lum", "mobile=none"], 65,
      ["cannot add X: mobile: \"none\" is not a phone number: it has no digit"]
    ),
    (
      ["add", "user", "X", "--in", "lum", "manager=nobody"], 1,
      ["cannot add X: no person matches nobody"]
    ),
    (
      ["add", "user", "X"], 64,
      [
        "missing expected argument '--in <department>'",
        "usage: staffbook add user [<options>] --in <department> <name> [<field=value> ...]; see staffbook add user --help",
      ]
    ),
    (
      ["add", "department", "X", "--id", "lum"], 65,
      ["cannot add the department X: there is a department with the id lum already"]
    ),
    (
      ["set", "u1", "colour=red"], 64,
      [
        "cannot change u1: people have no field colour",
        "the fields are id, name, email, phone, title, lead, order, mobile, languages, manager",
      ]
    ),
    (
      ["set", "u1", "phone"], 64,
      [
        "cannot read \"phone\": it is not FIELD=VALUE",
        "write for example phone='+49 30 1234'; an empty value removes the old one",
      ]
    ),
    (
      ["set", "u1", "phone+=1"], 64,
      ["cannot add to phone or take from it: it has one value", "write phone=VALUE"]
    ),
    (["set", "u1", "languages-=de"], 1, ["cannot change u1: languages does not contain \"de\""]),
    (["set", "u1", "title@Mirrors=x"], 1, ["cannot change u1: Ada Lund is not in Mirrors"]),
    (
      ["set", "u1", "moblie=1"], 64,
      [
        "cannot change u1: people have no field moblie",
        """
        did you mean mobile? The fields are id, name, email, phone, title, lead, order, mobile, languages, manager
        """,
      ]
    ),
    (
      ["remove", "lum", "--recursive", "--people-to", "vac"], 64,
      [
        "--recursive removes the people, and --people-to moves them: use one",
        "usage: staffbook remove [<options>] <who> ...; see staffbook remove --help",
      ]
    ),
    (["set", "u1", "lead=perhaps"], 64, ["cannot set lead: \"perhaps\" is neither yes nor no"]),
    (["set", "lum", "order=first"], 64, ["cannot set order: \"first\" is not a whole number"]),
    (
      ["set", "lum", "email=x"], 64,
      [
        "cannot change lum: departments have no field email",
        "the fields are id, name, description, parent, order, site",
      ]
    ),
    (["set", "u1", "id=u2"], 65, ["cannot change u1: there is a person with the id u2 already"]),
    (
      ["set", "nobody at all", "phone=1"], 1,
      ["cannot change nobody at all: no person or department matches nobody at all"]
    ),
    (
      ["set", "mirrors lumen", "phone=1"], 1,
      [
        "cannot change mirrors lumen: 3 people or departments match mirrors lumen", "…",
        "name one by its id, such as id:…",
      ]
    ),
    (
      ["rename", "u1", "\u{200B}"], 65, ["cannot set name: a name must contain a visible character"]
    ),
    (["move", "lum", "--to", "Mirrors"], 65, ["cannot move lum: Mirrors is inside Lumen"]),
    (["move", "opt", "--to", "opt"], 65, ["cannot move opt: Optics cannot be in itself"]),
    (
      ["move", "u1", "--top"], 65,
      ["cannot move u1: u1 is a person, and people must be in a department"]
    ),
    (
      ["move", "u1", "--from", "Mirrors", "--to", "Optics"], 1,
      ["cannot move u1: Ada Lund is not in Mirrors"]
    ),
    (
      ["move", "opt", "--from", "lum", "--to", "vac"], 64,
      ["cannot move opt: opt is a department, and a department has only one parent"]
    ),
    (
      ["move", "u1"], 64,
      [
        "give either --to DEPARTMENT or --top",
        "usage: staffbook move [<options>] <who> ...; see staffbook move --help",
      ]
    ),
    (["join", "u1", "Lumen"], 65, ["cannot add u1 to Lumen: Ada Lund is in Lumen already"]),
    (["join", "opt", "Lumen"], 1, ["cannot add opt to Lumen: opt is not a person"]),
    (
      ["leave", "u1", "Lumen"], 65,
      [
        "cannot remove u1 from Lumen: Ada Lund is in no other department",
        "move the person to another department, or add the person to one first",
      ]
    ),
    (["leave", "u1", "Mirrors"], 1, ["cannot remove u1 from Mirrors: Ada Lund is not in Mirrors"]),
    (
      ["primary", "u1", "Mirrors"], 1,
      [
        "cannot change the primary department of u1: Ada Lund is not in Mirrors",
        "add the person to that department first",
      ]
    ),
    (
      ["order", "Mirrors", "Ada Lund"], 1,
      ["cannot order Mirrors: Ada Lund is not directly in Mirrors"]
    ),
    (
      ["order", "Mirrors", "u2", "Łukasz Żak"], 64,
      ["cannot order Mirrors: Łukasz Żak is listed twice"]
    ),
    (
      ["remove", "Optics", "--yes"], 75,
      [
        "cannot remove Optics: Optics contains 1 department and 2 people",
        "nothing was changed; to keep the people, add --people-to DEPARTMENT; to remove them too, add --recursive",
      ]
    ),
    (
      ["remove", "Optics", "--people-to", "Mirrors", "--yes"], 65,
      ["cannot remove Optics: Mirrors would be removed too"]
    ),
    (
      ["remove", "u1"], 75,
      [
        "confirmation required: 1 person would be removed",
        "nothing was changed; if this is intended, repeat the command with --yes",
      ]
    ),
  ]

  @Test func `warn of values that are likely mistakes`() async throws {
    try await withCompany { book in
      for (assignment, warning) in [
        ("email=notanaddress", #"the email "notanaddress" of Ada Lund is not an email address"#),
        ("phone=none", #"the phone "none" of Ada Lund is not a phone number"#),
      ] {
        let outcome = try await book.run("set", "id:u1", assignment)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.stderr.contains("staffbook: warning: \(warning)\n"), "\(outcome)")
      }
      let sound = try await book.run("set", "id:u1", "email=ada@lumen.example", "phone=+1 7")
      #expect(!sound.stderr.contains("warning"), "\(sound)")
    }
  }

  @Test func `are refused with what is wrong, and change nothing`() async throws {
    try await withCompany { book in
      let before = try book.contents()
      for (arguments, status, said) in Self.refused {
        let outcome = try await book.run(arguments)
        #expect(outcome.status == status, "\(arguments): \(outcome)")
        #expect(
          outcome.stderr.reads(said.map { $0 == "…" ? $0 : "staffbook: \($0)" }),
          "\(arguments): \(outcome)"
        )
        #expect(try book.contents() == before, "\(arguments)")
        // What asks is not refused for that by a dry run.
        guard arguments != ["remove", "u1"] else { continue }
        let dry = try await book.run(arguments + ["-n"])
        #expect(dry.status == status, "\(arguments): \(dry)")
      }
    }
  }

  /// What finds one record in a search or without accents, and is not its id, name, path or address.
  private static let guesses: [[String]] = [
    ["remove", "liz"], ["set", "liz", "title=Chief"], ["rename", "Emile", "Emil"],
    ["move", "Noé", "--to", "Vacant"], ["move", "u3", "--to", "Váçant"],
    ["move", "u2", "--from", "Óptics", "--to", "vac"], ["join", "+1 555 0100", "Vacant"],
    ["leave", "Zak", "Optics"], ["leave", "u2", "Optícs"], ["primary", "Lukas Zak", "Optics"],
    ["order", "Mirrors", "Emile Noe"], ["order", "path:Lumen/Öptics/Mirrors", "u3"],
    ["set", "u1", "manager=Emile"], ["set", "u2", "title@Optícs=x"],
    ["add", "user", "X", "--in", "Öptics"], ["add", "department", "X", "--under", "name:Vácant"],
    ["remove", "mir", "--people-to", "Vácant"], ["edit", "Emile"], ["edit", "--tree", "Vácant"],
    ["edit", "Mírrors", "--people"],
  ]

  @Test func `never take a guess for what they change`() async throws {
    try await withCompany { book in
      try await book.lines("add", "user", "ليلى الحداد", "--in", "vac", "--id", "u9")
      let before = try book.contents()
      for (index, guess) in Self.guesses.enumerated() {
        for form in index < 2 ? [["--yes"], [], ["--dry-run"]] : [["--yes"]] {
          let outcome = try await book.run(guess + form)
          #expect(outcome.status == 1, "\(guess + form): \(outcome)")
          #expect(
            outcome.stderr.reads(
              "…",
              "staffbook: did you mean …)? Name it by its id or its whole name",
              "…"
            ),
            "\(guess + form): \(outcome)"
          )
          #expect(try book.contents() == before, "\(guess + form)")
        }
      }
      let outcome = try await book.run("remove", "liz", "--yes")
      #expect(
        outcome.stderr == """
          staffbook: cannot remove liz: no person or department is called liz
          staffbook: did you mean ليلى الحداد (id:u9, Lumen/Vacant)? Name it by its id or its whole name

          """
      )
      #expect(values(of: "id", in: try await book.lines("show", "liz", "--json")) == ["u9"])
      let forgotten = try await book.run("forget", "liz", "--yes")
      #expect(forgotten.status == 1, "\(forgotten)")
      #expect(
        forgotten.stderr.reads(
          "staffbook: no person is called liz",
          "staffbook: did you mean ليلى الحداد (id:u9)? Give the person's id or full name"
        ),
        "\(forgotten)"
      )
      for (exact, id, name) in [
        ("ADA LUND", "u1", "Ada Lund"), ("Ada@Lumen.Example", "u1", "Ada Lund"),
        ("E\u{301}mile NOE\u{301}", "u3", "Émile Noé"), ("id:u3", "u3", "Émile Noé"),
        ("name:ليلى الحداد", "u9", "ليلى الحداد"), ("lumen/OPTICS/mirrors", "mir", "Mirrors"),
      ] {
        let lines = try await book.lines("rename", exact, "Renamed", "--dry-run")
        let noun = id == "mir" ? "department " : ""
        #expect(
          lines == ["~ \(noun)Renamed (\(id)); name \"\(name)\" is now \"Renamed\""],
          "\(exact): \(lines)"
        )
      }
    }
  }

  @Test func `ask at a terminal whether a guess is meant`() async throws {
    try await withTerminal { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
    } _: { terminal, book in
      try await terminal.start(
        "for how in no yes; do staffbook set emile title=Chief; echo $how: status $?; done; sleep 1000",
        columns: 100
      )
      try await terminal.wait(for: "did you mean Émile Noé (id:u3, Lumen/Optics/Mirrors)? [y/N]")
      try await terminal.type("n", "Enter")
      try await terminal.wait(for: "no: status 1")
      #expect(
        try book.query("select title from staffbook.memberships where user_id = 'u3'") == [
          ["Grinder"]
        ]
      )
      try await terminal.type("y", "Enter")
      try await terminal.wait(for: "yes: status 0")
      #expect(
        try book.query("select title from staffbook.memberships where user_id = 'u3'") == [
          ["Chief"]
        ]
      )
    }
  }

  @Test func `look at the database, whatever the snapshot has`() async throws {
    try await withCompany { book in
      // Behind the snapshot's back: a new user of the same name, a removed user, another value.
      try book.script(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('u9', 'Ada Lund', 'opt');
        insert into staffbook.memberships (user_id, department_id) values ('u9', 'opt');
        delete from staffbook.users where id = 'u3';
        update staffbook.users set phone = '+1 new' where id = 'u2';
        commit
        """
      )
      let several = try await book.run("set", "Ada Lund", "phone=1")
      #expect(
        several.status == 1
          && several.stderr.reads("…", "staffbook: id:u9 (Ada Lund, Lumen/Optics)", "…")
      )
      #expect(try await book.run("set", "id:u3", "phone=1").status == 1)
      try book.script(
        "update staffbook.users set phone = '+1 newer' where id = 'u2'"
      )
      let plan = try await book.lines("set", "u2", "phone=+2")
      #expect(plan == ["~ Łukasz Żak (u2); phone \"+1 newer\" is now \"+2\""])
    }
  }

  @Test func `are not for tables of one's own, nor for who may only read`() async throws {
    try await withCompany { book in
      let role = "edit_reader_\(getpid())"
      try book.script("create role \(role) in role staffbook_reader")
      var reader = book
      reader.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
      for form in [["--dry-run"], []] {
        let outcome = try await reader.run(["set", "u1", "phone=1"] + form)
        #expect(outcome.status == 77, "\(outcome)")
        #expect(
          outcome.stderr.reads(
            "…",
            "staffbook: nothing was changed; to read, the database user must be a member of staffbook_reader; to write, of staffbook_editor, and row-level security must let it"
          ),
          "\(outcome)"
        )
      }
      try book.script("drop role \(role)")
      try write(
        """
        source:
          departments: select id, parent_id, name, description, sort_order from staffbook.departments
          users: select id, primary_department_id, name, email, phone from staffbook.users
          memberships: select user_id, department_id, title, sort_order from staffbook.memberships
        """,
        to: try configuration(of: book)
      )
      let outcome = try await book.run("set", "u1", "phone=1")
      #expect(outcome.status == 77, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot change u1: the source is queries on other tables, which are only read",
          "staffbook: change the data in those tables, or remove source from the configuration"
        ),
        "\(outcome)"
      )
    }
  }

  private func configuration(of book: Book) throws -> FilePath {
    let folder = book.home.appending("config")
    _ = folder.withPlatformString { mkdir($0, 0o700) }
    return folder.appending("config.yaml")
  }

  @Test func `print JSON, sign what they do, and need no snapshot`() async throws {
    try await withCompany { book in
      try book.script(
        """
        create table public.signed (actor text, reason text);
        create function public.note() returns trigger language plpgsql as $$ begin
          insert into public.signed values (current_setting('staffbook.actor', true),
            current_setting('staffbook.reason', true)); return null; end $$;
        create trigger note after insert or update on staffbook.users
          for each statement execute function public.note()
        """
      )
      var named = book
      named.environment["STAFFBOOK_ACTOR"] = "Bo Ek"
      let lines = try await named.lines("set", "u1", "phone=7", "--json", "-m", "new phone")
      #expect(values(of: "event", in: lines) == ["plan", "change", "report"])
      #expect(values(of: "applied", in: lines) == ["false", "", "true"])
      #expect(try book.query("select * from public.signed") == [["Bo Ek", "new phone"]])
      try await withTemporaryDirectory { folder in
        try writeCompany(departments: "lum,,Lumen,,0\n", users: "u1,lum,Ada,,,,0\n", to: folder)
        try await named.lines("import", folder.string, "-m", "from HR")
      }
      #expect(
        try book.query("select distinct * from public.signed order by 2")
          == [["Bo Ek", "from HR"], ["Bo Ek", "new phone"]]
      )
    }
  }

  @Test func `removing much is accepted for every reader`() async throws {
    try await withBook { book in
      try await book.lines(
        "sample",
        "--load",
        "--no-fields",
        "--people",
        "300",
        "--departments",
        "10"
      )
      let root = try book.value("select id from staffbook.departments where parent_id is null")
      let outcome = try await book.run("remove", "id:\(root)", "-r", "--yes")
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try book.query("select count(*) from staffbook.users") == [["0"]])
      #expect(try await book.run("status").status == 0)
      #expect(try await book.run("tree").stdout.isEmpty)
    }
  }

  @Test func `killed at any moment they have done all or nothing`() async throws {
    try await withCompany { book in
      let program = try Book.program()
      let start = ContinuousClock.now
      try await book.lines("move", "u1", "u2", "u3", "--to", "opt")
      let length = ContinuousClock.now - start
      var done = 0
      let kills = rounds(10, thorough: 40)
      for round in 0..<kills {
        let target = round % 2 == 0 ? "vac" : "mir"
        try await withProgram(
          "/bin/sh",
          ["-c", "exec \"$0\" \"$@\" >/dev/null 2>&1", program, "move", "u1", "u2", "u3", "--to"]
            + [target],
          environment: book.variables
        ) { process in
          try await Task.sleep(for: length * round / (kills - kills / 10))
          kill(process, SIGKILL)
        }
        try await wait(until: "the server has noticed") {
          try book.query(
            """
            select count(*) from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()
            """
          ) == [["0"]]
        }
        let places = try book.query(
          "select distinct primary_department_id = '\(target)' from staffbook.users"
        )
        #expect(places.count == 1, "round \(round)")
        if places == [["t"]] {
          done += 1
        } else {
          try await book.lines("move", "u1", "u2", "u3", "--to", target)
        }
      }
      print("\(done) of \(kills) edits were killed after they had been made")
      #expect(try await book.lines("sync", "--json").isEmpty == false)
      #expect(try await book.run("doctor", "--verify").status == 0)
    }
  }
}
