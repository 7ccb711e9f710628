import LibPQ
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Visibility rules")
struct KeptRulesTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
      }
      try await body(book)
    }
  }

  private static let insertion = """
    insert into staffbook.visibility_rules (id, sort_order, effect, fields, target, target_id, viewer)
      values (100, -10, 'hide', '{phone}', 'department', 'mir', 'everybody')
    """

  private func last(_ book: Book) throws -> String {
    try book.value("select number from staffbook.transactions order by at desc limit 1")
  }

  private func rules(_ book: Book) throws -> [[String]] {
    try book.query(
      "select id, effect, coalesce(target_id, '') from staffbook.visibility_rules order by sort_order"
    )
  }

  @Test func `alone make a snapshot, once`() async throws {
    try await withCompany { book in
      let snapshot = { try bytes(of: try snapshotPath(book)) }
      let before = try snapshot()
      try book.script(Self.insertion)
      let sync = try await book.run("sync", "--verbose")
      #expect(
        sync.stdout.reads(
          "synced from …: 3 people, 4 departments and 4 memberships, in …",
          "read only what changed: only the visibility rules differ"
        ),
        "\(sync)"
      )
      #expect(try snapshot() != before)
      let again = try await book.run("sync", "--verbose")
      #expect(
        again.stdout.reads(
          "synced from …: 3 people, 4 departments and 4 memberships, in …",
          "read only what changed: nothing differs"
        ),
        "\(again)"
      )
      let full = try await book.run("sync", "--full")
      #expect(
        full.stdout.reads(
          "synced from …: 3 people, 4 departments and 4 memberships, in …",
          "compared everything (as requested): nothing differs"
        ),
        "\(full)"
      )
    }
  }

  private func snapshotPath(_ book: Book) throws -> FilePath {
    let cache = book.home.appending("cache")
    let name = try #require(try folderEntries(cache).first)
    return cache.appending(name).appending("directory.snapshot")
  }

  @Test func `are in log and diff, and taken back`() async throws {
    try await withCompany { book in
      let start = try last(book)
      try book.script(
        """
        begin;
        \(Self.insertion);
        insert into staffbook.visibility_groups values ('council', 'u3');
        update staffbook.users set phone = '7' where id = 'u1';
        commit
        """
      )
      let change = try last(book)
      let told = [
        "+ rule 100: hide phone of department mir from everybody",
        "+ person u3 in the group council",
      ]
      let log = try await book.lines("log", "-p", "--limit", "1")
      #expect(log.suffix(2) == told.map { "  \($0)" }[...], "\(log)")
      #expect(
        try await book.lines("log", "--limit", "1").last
          == "  1 person changed; 2 visibility rules changed"
      )
      #expect(!(try await book.lines("log", "id:u1", "-p").contains { $0.contains("rule 100") }))
      let json = try await book.lines("log", "-p", "--limit", "1", "--json")
      #expect(
        json[at: 2]
          == #"{"action":"added","event":"change","id":"100","kind":"rule","#
          + #""name":"hide phone of department mir from everybody","transaction":\#(change)}"#
      )
      let diff = try await book.lines("diff", start)
      #expect(diff.suffix(3) == (["Visibility rules (2)"] + told.map { "  \($0)" })[...], "\(diff)")
      let csv = try await book.run("diff", start, "--csv")
      #expect(
        csv.stdout.reads(
          "category,kind,id,name,from,to,field,department,old,new",
          "changed,user,u1,Ada Lund,,,phone,,+1 555 0100,7",
          "visibility,rule,100,hide phone of department mir from everybody,,,,,,",
          "visibility,group,council,u3,,,,,,"
        ),
        "\(csv)"
      )
      #expect(
        !(try await book.lines("diff", start, "--in", "Mirrors").contains { $0.contains("rule") })
      )

      let dry = try await book.run("undo", change, "--dry-run")
      #expect(dry.status == 0, "\(dry)")
      #expect(try rules(book).count == 2)
      let undo = try await book.run("undo", change)
      #expect(
        undo.stdout.reads(
          "~ Ada Lund (u1); …",
          "- rule 100: hide phone of department mir from everybody",
          "- person u3 in the group council",
          ""
        ),
        "\(undo)"
      )
      #expect(
        undo.stderr.reads("staffbook: 1 person changed; 2 visibility rules changed"),
        "\(undo)"
      )
      #expect(try rules(book).map { $0[1] } == ["show"])
      // One transaction, which can be taken back itself, under the number that the rule had.
      try await book.lines("undo", try last(book))
      #expect(try rules(book).map { $0[0] } == ["100", "1"])
      #expect(try book.value("select count(*) from staffbook.visibility_groups") == "1")
    }
  }

  @Test func `that were changed again since are named and left alone`() async throws {
    try await withCompany { book in
      try book.script(Self.insertion)
      let added = try last(book)
      try book.script("update staffbook.visibility_rules set target_id = 'opt' where id = 100")
      let changed = try last(book)
      try book.script("update staffbook.visibility_rules set sort_order = -20 where id = 100")
      let undo = try await book.run("undo", added)
      #expect(
        undo.stderr.reads(
          "staffbook: skipped, since it was changed again: rule 100 (hide phone of department mir from everybody)",
          "staffbook: there is nothing to change"
        ),
        "\(undo)"
      )
      #expect(try rules(book).count == 2)
      // What was only moved since gets its sentence back.
      try await book.lines("undo", changed)
      #expect(try rules(book)[0] == ["100", "hide", "mir"])
      #expect(
        try book.value("select sort_order from staffbook.visibility_rules where id = 100") == "-20"
      )
      let moves = try await book.lines("log", "-p", "--limit", "2")
      #expect(
        moves.contains(
          "  ~ rule 100: \"hide phone of department opt from everybody\" is now "
            + "\"hide phone of department mir from everybody\""
        ),
        "\(moves)"
      )
      #expect(moves.contains("  > rule 100: hide phone of department opt from everybody"))
      try await book.lines("undo", added, "--force")
      #expect(try rules(book).count == 1)
      // A list without its base is refused, anyone who asks for it.
      try book.script("delete from staffbook.visibility_rules")
      try book.script(Self.insertion)
      let end = try last(book)
      try book.script(
        "insert into staffbook.visibility_rules (sort_order, effect, target, viewer) "
          + "values (0, 'show', 'everything', 'everybody')"
      )
      let refused = try await book.run("undo", try last(book))
      #expect(refused.status == 65)
      #expect(
        refused.stderr.reads(
          #"staffbook: cannot undo 9: the last rule must be "show everything to everybody", "show own departments to everybody" or "hide everything from everybody""#
        ),
        "\(refused)"
      )
      try await book.lines("undo", end)
    }
  }

  @Test func `come back with a backup`() async throws {
    try await withCompany { book in
      try book.script(
        Self.insertion + "; insert into staffbook.visibility_groups values ('g', 'u1');"
          + "insert into staffbook.fields (of, name, label, visible, for_oneself) "
          + "values ('user', 'pay', 'Pay', 'nobody', false)"
      )
      try await withTemporaryDirectory { folder in
        let file = folder.appending("company.backup").string
        try await book.lines("backup", file)
        let before = try rules(book)
        try book.script(
          "delete from staffbook.visibility_rules where id = 100; delete from staffbook.visibility_groups;"
            + "update staffbook.fields set visible = 'everybody'"
        )
        try await book.lines("restore-backup", file, "--yes")
        #expect(try rules(book) == before)
        #expect(try book.value("select count(*) from staffbook.visibility_groups") == "1")
        #expect(
          try await book.lines("field", "list") == ["people\tpay\ttext\tPay\tone\t0\tnobody\t-"]
        )
        #expect(try book.value("select staffbook.count_unrecorded()") == "0")
        try await book.lines("sync")
        try await book.lines("doctor")
      }
    }
  }

  @Test func `that do nothing, or are of an unknown kind, are named by the doctor`() async throws {
    try await withCompany { book in
      func doctor() async throws -> String {
        try await book.lines("sync")
        return try await book.run("doctor", "--snapshot").stdout
      }
      #expect(
        try await doctor().reads(
          "…",
          "  OK:            every record, field and group that visibility rules name exists",
          "…"
        )
      )
      try book.script(
        """
        \(Self.insertion);
        update staffbook.visibility_rules set target_id = 'gone', fields = '{phone,pay}' where id = 100;
        insert into staffbook.visibility_rules
          (sort_order, effect, target, target_field, target_value, viewer)
          values (-5, 'hide', 'people', 'id', 'max', 'everybody');
        insert into staffbook.visibility_groups values ('council', 'u1'), ('council', 'zoe')
        """
      )
      let dormant = try await doctor()
      #expect(
        dormant.reads(
          "…",
          "  Note:          visibility rules and groups refer to missing records or groups: rule 1 (department gone), rule 2 (person max), group council (person zoe)",
          "…"
        ),
        "\(dormant)"
      )
      #expect(
        dormant.reads(
          "…",
          "  Problem:       the rules show nothing to anyone, since rule 1 names the field pay, which is not declared",
          "                 have an administrator correct the rule, or declare the field",
          "…"
        ),
        "\(dormant)"
      )
      try book.script("update staffbook.visibility_rules set target = 'floor' where id = 100")
      let unknown = try await doctor()
      #expect(
        unknown.reads(
          "…",
          "  Problem:       the rules show nothing to anyone: they contain rules of a kind that this program does not know",
          "                 install the version of Staffbook that made them, or a later one",
          "…"
        ),
        "\(unknown)"
      )
      try book.script("delete from staffbook.visibility_rules where id = 100 or effect = 'show'")
      #expect(
        try await doctor().reads(
          "…",
          #"  Problem:       of the visibility rules, the last rule must be "show everything to everybody", "show own departments to everybody" or "hide everything from everybody""#,
          "                 have an administrator correct the rules",
          "…"
        )
      )
    }
  }

  @Test func `of a field are told when it is declared`() async throws {
    try await withBook { book in
      let told = try await book.run("field", "add", "mobile", "--no-sync")
      #expect(
        told.stderr
          == "staffbook: declared the field mobile of people (phone, Mobile), visible to everybody\n"
      )
      let hidden = try await book.run(
        "field",
        "add",
        "pay",
        "--visible",
        "nobody",
        "--not-for-oneself",
        "--no-sync"
      )
      #expect(
        hidden.stderr
          == "staffbook: declared the field pay of people (text, Pay), visible to nobody\n",
        "\(hidden)"
      )
      #expect(
        try await book.lines("field", "list") == [
          "people\tmobile\tphone\tMobile\tone\t0\teverybody\toneself",
          "people\tpay\ttext\tPay\tone\t0\tnobody\t-",
        ]
      )
    }
  }

  @Test func `of tables of one's own come from the configuration`() async throws {
    try await withTestDatabase { conninfo in
      try await withTemporaryDirectory { home in
        let book = Book(home: home, conninfo: conninfo)
        try makeFolder(home.appending("config"))
        func configure(_ visibility: String) throws {
          try write(
            """
            source:
              departments: select 'd' as id, null as parent_id, 'D' as name, '' as description, 0 as sort_order
              users: select 'u' as id, 'd' as department_id, 'Ada' as name, '' as email, '' as phone
              memberships: select 'u' as user_id, 'd' as department_id, '' as title, 0 as sort_order
            \(visibility)
            """,
            to: home.appending("config").appending("config.yaml")
          )
        }
        try configure("")
        try await book.lines("sync")
        try configure(
          """
          visibility:
            rules:
              - hide phone of department e from group council
              - show everything to everybody
            groups: {council: [u]}
          """
        )
        let sync = try await book.run("sync", "--verbose")
        #expect(
          sync.stdout.reads(
            "synced from …: 1 person, 1 department and 1 membership, in …",
            "compared everything (changes to these tables are not tracked): only the visibility rules differ"
          ),
          "\(sync)"
        )
        let doctor = try await book.run("doctor", "--snapshot")
        #expect(
          doctor.stdout.reads(
            "No problems found; see the notes",
            "  Read from:     …",
            "  Data changed:  …",
            "  Last checked:  …",
            "  OK:            all … bytes of …/directory.snapshot match their checksums",
            "  OK:            every department and person has a place in the tree",
            "  OK:            the search index matches its checksums",
            "  OK:            no problems found in 1 person and 1 department",
            "  Note:          visibility rules and groups refer to missing records or groups: rule 1 (department e)"
          ),
          "\(doctor)"
        )
        let expected = """
          not a rule: expected "everything", "department", "person", "own", "led", "colleagues" or \
          "people"
          """
        let last = """
          visibility: the last rule must be "show everything to everybody", "show own departments to \
          everybody" or "hide everything from everybody"
          """
        for (visibility, line, reason) in [
          ("visibility: {rules: [hide phone]}", 5, "\(expected) instead of \"phone\""),
          (
            "visibility:\n  rules:\n    - show everything to everybody\n    - hide", 8,
            "\(expected) at the end"
          ),
          (
            "visibility:\n  rules: show everything to everybody", 6,
            "visibility.rules is not a list of rules"
          ),
          ("visibility: {rules: [show everything to leads]}", 5, last),
          ("visibility: {groups: {}}", 5, last),
          ("visibility:\n  groups:\n    g: u", 7, "a group is a name with a list of ids"),
          (
            "visibility: {people: []}", 5,
            "visibility has no key people\nstaffbook: the keys are rules and groups"
          ),
        ] {
          try configure(visibility)
          let outcome = try await book.run("tree")
          #expect(outcome.status == 64, "\(visibility): \(outcome)")
          #expect(
            outcome.stderr
              == "staffbook: cannot use \(home)/config/config.yaml, line \(line): \(reason)\n",
            "\(visibility): \(outcome)"
          )
        }
        try write(
          "visibility: {rules: [show everything to everybody]}",
          to: home.appending("config").appending("config.yaml")
        )
        let outcome = try await book.run("tree")
        #expect(
          outcome.stderr.reads(
            "staffbook: cannot use …/config/config.yaml, line 1: visibility is only for queries on your own tables; a Staffbook database stores its own rules",
            "staffbook: remove the key visibility"
          ),
          "\(outcome)"
        )
      }
    }
  }
}
