import SystemPackage
import TestSupport
import Testing

/// A source of three queries over tables that are not ours, with what such tables hold.
@Suite("A company's own tables")
struct OwnTablesTests {
  private static let tables = """
    create table unit (no int, above int, title text, rank int);
    insert into unit values (1, null, 'Lumen', null), (2, 1, 'Optics', 1), (3, 99, 'Lost', null),
      (4, 5, 'Ring A', null), (5, 4, 'Ring B', null);
    create table person (no int, unit int, full_name text, mail text);
    insert into person values (1, 1, 'Ada Lund', 'ada@lumen.example'), (2, 2, 'Bo Ek', null),
      (3, 77, 'Cy Strand', null);
    """

  private static func configuration(users: String = "full_name as name") -> String {
    """
    # our own tables
    source:
      departments: |
        select no as id, above as parent_id, title as name, null as description,
               rank as sort_order from unit;
      users: select no as id, unit as department_id, \(users), mail as email, null as phone from person
      memberships: |
        select no as user_id, unit as department_id, null as title, 0 as sort_order
          from person -- the primary ones are all there are

    """
  }

  private func withTables(
    _ configuration: String = configuration(),
    _ body: (Book) async throws -> Void
  ) async throws {
    try await withTestDatabase { conninfo in
      try await withTemporaryDirectory { home in
        let book = Book(home: home, conninfo: conninfo)
        try book.script(Self.tables)
        try makeFolder(home.appending("config"))
        try write(configuration, to: home.appending("config").appending("config.yaml"))
        try await body(book)
      }
    }
  }

  @Test func `are read as they are, and what fits nowhere is shown with its reason`() async throws {
    try await withTables { (book: Book) async throws -> Void in
      let sync = try await book.run("sync")
      #expect(sync.status == 0, "\(sync)")
      #expect(
        sync.stderr.reads(
          "staffbook: warning: 3 records have no place in the tree; list them all with: staffbook doctor",
          "…"
        )
      )
      #expect(
        try await book.lines("tree", "--all") == [
          "▾ Lumen (2)", "├─ ▾ Optics (1)", "│  └─ Bo Ek", "└─ Ada Lund", "▾ Unplaced (1)",
          "├─ ▹ Lost (0) · its parent 99 is unknown",
          "├─ ▾ Ring A (0) · its parents form a cycle: 4 → 5 → 4", "│  └─ ▹ Ring B (0)",
          "└─ Cy Strand · (the department 77 is unknown)",
        ]
      )
      #expect(try await book.lines("staff", "Unplaced", "--plain").count == 1)
      #expect(
        try await book.lines("show", "Lost").contains {
          $0.reads("  About:   (its parent 99 is unknown)")
        }
      )
    }
  }

  @Test func `a person who is missing from the primary department is named by sync and doctor`()
    async throws
  {
    try await withTables { (book: Book) async throws -> Void in
      let rest =
        "select no as user_id, 2 as department_id, null as title, 0 as sort_order from person"
      let configuration = Self.configuration()
        .split(separator: "\n").filter { !$0.hasPrefix("    select no as user_id") }
        .map { $0.contains("from person --") ? "    \(rest)" : String($0) }
      try write(
        configuration.joined(separator: "\n"),
        to: book.home.appending("config").appending("config.yaml")
      )
      let sync = try await book.run("sync")
      #expect(
        sync.stderr.reads(
          "staffbook: warning: 4 records have no place in the tree; list them all with: staffbook doctor",
          "staffbook: department Lost (3): its parent 99 is unknown",
          "staffbook: department Ring A (4): its parents form a cycle: 4 → 5 → 4",
          "staffbook: person Ada Lund (1): has no membership in its primary department 1",
          "staffbook: person Cy Strand (3): has no membership in its primary department 77"
        ),
        "\(sync)"
      )
      #expect(try await book.lines("sync", "--full").count == 2)
      let doctor = try await book.run("doctor")
      #expect(doctor.status == 65)
      #expect(
        doctor.stdout.reads(
          "…",
          "  person:      Ada Lund (1): has no membership in its primary department 1",
          "…"
        ),
        "\(doctor)"
      )
      #expect(try await book.lines("staff", "Optics", "--plain").count == 3)
    }
  }

  @Test func `never stop a sync, whatever they hold, and doctor names it`() async throws {
    try await withTables { (book: Book) async throws -> Void in
      try book.script(
        """
        drop table unit, person;
        create table unit (no text, above text, title text, rank numeric);
        insert into unit values ('1', null, 'Lumen', null), ('2', '1', 'Optics', 'NaN'),
          ('2', '1', 'Again', 1e30), (null, '1', 'Nobody’s', 1.5), ('3', '1', null, 2),
          ('4', '1', E'\\u200B', 2), ('5', repeat('i', 256), repeat('n', 1001), -1e30),
          (repeat('i', 256), '1', 'Long', 0);
        create table person (no text, unit text, full_name text, mail text);
        insert into person values ('1', '1', 'Ada', repeat('m', 1001)), ('1', '1', 'Ada', null),
          ('2', '2', null, null), (null, '1', 'Noone', null), ('3', null, '', null),
          ('4', repeat('i', 256), E'tab\\t and \\\\ line\\n', '');
        """
      )
      let sync = try await book.run("sync")
      #expect(sync.status == 0, "\(sync)")
      #expect(
        Set(
          try await book.lines("tree", "--all", "--plain").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)[at: 3].map(String.init)
          }
        )
          == [
            "3", "4", "2", "Ada", "Again", "Long", "Lumen", "Noone", "Nobody’s", "Optics",
            "Unplaced", #"tab\t and \\ line\n"#, String(repeating: "n", count: 1_000),
          ]
      )
      let doctor = try await book.run("doctor")
      #expect(doctor.status == 65)
      for finding in [
        "source.departments: 1 row without an id: Nobody’s",
        "source.departments: 1 row whose id has more than 255 bytes, and is replaced by its digest: Long",
        "source.departments: 2 rows without a name, shown by their id: …",
        "source.departments: 1 row whose name is cut to 1000 characters: nnn…",
        "source.departments: 4 rows whose sort_order is not a 64-bit integer: …",
        "source.users: 1 row without an id: Noone",
        "source.users: 2 rows without a name, shown by their id: 2, 3",
        "source.users: 1 row whose email is cut to 1000 characters: Ada",
        "source.memberships: 2 rows without a user_id or department_id, which are left out: …",
        "source.memberships: 2 rows with the user_id and department_id of another one, each of which is shown: …",
      ] {
        #expect(
          doctor.stdout.reads(
            "…",
            "  Problem:       \(finding)",
            "                 correct them in the database",
            "…"
          ),
          "\(finding)\n\(doctor.stdout)"
        )
      }
      // What the tables hold can be changed in the tables alone.
      #expect(!doctor.stdout.contains("staffbook remove"), "\(doctor.stdout)")

      // Nothing changed: nothing is written but when it was found out.
      let cache = book.home.appending("cache")
      let folder = try #require(try folderEntries(cache).first { !$0.hasPrefix(".") })
      let snapshot = cache.appending(folder).appending("directory.snapshot")
      let before = try snapshot.stat().inode
      #expect(
        try await book.lines("sync").contains {
          $0.reads("compared everything (changes to these tables are not tracked): nothing differs")
        }
      )
      #expect(try snapshot.stat().inode == before)
    }
  }

  @Test func `have fields in the columns that the configuration names, and who leads`()
    async throws
  {
    let configuration = """
      source:
        departments: select no as id, above as parent_id, title as name, null as description,
          rank as sort_order, 'Pier ' || no as site, null as phone from unit where no < 3
        users: |
          select no as id, 1 as department_id, full_name as name, mail as email, null as phone,
            date '1985-04-12' as birthday, array['de', '', 'fr'] as languages, 1 as manager,
            case when no = 1 then 'x' else '' end as note, 'secret' as salary from person
        memberships: select no as user_id, 1 as department_id, null as title, 0 as sort_order,
          no = 2 as leads from person
        fields: site, birthday, languages, manager, note

      """
    try await withTables(configuration) { (book: Book) async throws -> Void in
      try await book.lines("sync")
      #expect(
        try await book.lines("show", "Bo Ek") == [
          "Bo Ek", "  Departments:  Lumen (leads it)", "  Birthday:     1985-04-12",
          "  Languages:    de", "                fr", "  Manager:      Ada Lund (1)",
          "  Id:           2",
        ]
      )
      let lumen = try await book.lines("show", "Lumen")
      #expect(lumen.contains("  Site:    Pier 1") && lumen.contains("  Led by:  Bo Ek (2)"))
      let all = try await book.run("export", "--all")
      #expect(
        all.stdout.reads(
          "…",
          "1,user,1,1,Ada Lund,,,ada@lumen.example,,0,true,,Lumen,,,1985-04-12,de;fr,1,x\u{D}",
          "…"
        ) && !all.stdout.contains("secret"),
        "\(all)"
      )
      try book.script("update person set full_name = full_name")
      #expect(
        try await book.lines("sync").contains {
          $0.reads("compared everything (changes to these tables are not tracked): nothing differs")
        }
      )
    }
    try await withTables(configuration.replacing("site, birthday", with: "site, pet")) { book in
      let outcome = try await book.run("sync")
      #expect(outcome.status == 65, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot load the directory: source.fields names pet, which is not a column of source.departments or source.users",
          "staffbook: return such a column from one of the queries, or remove the name"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `may tell identities, by which a person is told from another with the id`()
    async throws
  {
    let configuration = Self.configuration(users: "full_name as name, uid as identity")
    try await withTables(configuration) { (book: Book) async throws -> Void in
      try book.script("alter table person add uid int; update person set uid = 10 * no")
      try await book.lines("sync")
      try book.script("update person set full_name = 'Bo Ito' where no = 2")
      let changed = try await book.lines("sync", "--verbose")
      #expect(changed.contains { $0.contains("~ Bo Ito (2)") }, "\(changed)")

      try book.script("update person set full_name = 'Di Roe', uid = 99 where no = 2")
      let replaced = try await book.lines("sync", "--verbose", "--accept-deletions")
      let log = try await book.lines("log", "--limit", "1", "--patch")
      for lines in [replaced, log] {
        #expect(lines.contains { $0.contains("+ Di Roe (2) in Optics") }, "\(lines)")
        #expect(lines.contains { $0.contains("- Bo Ito (2) in Optics") }, "\(lines)")
        #expect(!lines.contains { $0.contains("uid") || $0.contains("identity") }, "\(lines)")
      }

      try book.script("update person set uid = null where no = 1")
      let forgotten = try await book.lines("sync")
      #expect(
        forgotten.contains { $0.contains("only the identities behind the ids differ") },
        "\(forgotten)"
      )
      try book.script("update person set uid = 7")
      let doctor = try await book.run("doctor")
      #expect(
        doctor.stdout.contains(
          "source.users: 3 rows with the identity of another one, by which they cannot be told "
            + "apart: "
        ),
        "\(doctor)"
      )
      #expect(!doctor.stdout.contains("source.departments: "), "\(doctor)")
      let export = try await book.run("export", "--all")
      #expect(!export.stdout.contains("identity"), "\(export)")
    }
  }

  @Test func `may call a field identity, which is then no more than that`() async throws {
    let configuration =
      Self.configuration(users: "full_name as name, 'P' || no as identity") + "  fields: identity\n"
    try await withTables(configuration) { (book: Book) async throws -> Void in
      try await book.lines("sync")
      try book.script("update person set no = 9 where no = 2")
      try await book.lines("sync", "--accept-deletions")
      let card = try await book.lines("show", "Bo Ek")
      #expect(card.contains { $0.contains("P9") }, "\(card)")
    }
  }

  @Test func `may name managers who left, which doctor tells`() async throws {
    let configuration = """
      source:
        departments: select no as id, null as parent_id, title as name, '' as description,
          0 as sort_order from unit where no = 1
        users: select no as id, 1 as department_id, full_name as name, mail as email, null as phone,
          case no when 1 then '99' end as manager from person
        memberships: select no as user_id, 1 as department_id, '' as title, 0 as sort_order
          from person
        fields: manager

      """
    try await withTables(configuration) { (book: Book) async throws -> Void in
      try await book.lines("sync")
      let doctor = try await book.run("doctor", "--snapshot", "--json")
      #expect(doctor.status == 65, "\(doctor)")
      let faults = doctor.stdout.split(separator: "\n").map(String.init)
        .filter { $0.contains(#""subject":"fault""#) }
      #expect(values(of: "fault", in: faults) == ["manager-is-missing"], "\(faults)")
      #expect(
        values(of: "text", in: faults) == [#"the manager "99" is not in the directory"#],
        "\(faults)"
      )
    }
  }

  @Test func `are only read`() async throws {
    try await withTables { (book: Book) async throws -> Void in
      #expect(try await book.run("import", ".").status == 77)
      #expect(try await book.run("db", "migrate").status == 77)
      let schemas = try book.query("select 1 from pg_namespace where nspname = 'staffbook'")
      #expect(schemas.isEmpty)
    }
  }

  @Test func `are not given up for empty while a record is unplaced`() async throws {
    try await withTables { (book: Book) async throws -> Void in
      try await book.lines("sync")
      try book.script("delete from unit; delete from person")
      let outcome = try await book.run("sync")
      #expect(outcome.status == 75, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot sync: the database is empty, and the snapshot contains 3 people in 5 departments",
          "…"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `may have orders and leads of any type, which doctor tells`() async throws {
    let configuration = Self.configuration()
      .replacing("0 as sort_order", with: "rank as sort_order, head as leads")
      .replacing("rank as sort_order from unit", with: "null as sort_order from unit")
    try await withTables(configuration) { (book: Book) async throws -> Void in
      try book.script(
        """
        alter table person add rank text, add head text;
        update person set rank = ' 2.5e1', head = 'maybe' where no = 1;
        update person set rank = 'first', head = 'yes' where no = 2;
        """
      )
      let sync = try await book.run("sync")
      #expect(sync.status == 0, "\(sync)")
      #expect(
        try await book.lines("show", "Bo Ek").contains {
          $0.reads("  Departments:  Lumen/Optics (leads it)")
        }
      )
      let doctor = try await book.run("doctor")
      #expect(
        doctor.stdout.reads(
          "…",
          "  Problem:       source.memberships: 1 row whose leads is neither true nor false, and is treated as false: 1 in 1",
          "…"
        ),
        "\(doctor)"
      )
      #expect(
        doctor.stdout.reads(
          "…",
          "  Problem:       source.memberships: 1 row whose sort_order is not a 64-bit integer: 2 in 2",
          "…"
        )
      )
      #expect(
        doctor.stdout.reads("…", "  department:  Lumen (1): it has no lead", "…")
          && !doctor.stdout.contains("Unplaced ()")
      )
    }
  }

  @Test func `a query that fails for a right or a value is named by sync and doctor`() async throws
  {
    let configuration = Self.configuration(users: "(1 / (no - 2))::text as name")
    try await withTables(configuration) { (book: Book) async throws -> Void in
      for command in ["sync", "doctor"] {
        let outcome = try await book.run(command)
        let said = outcome.stdout + outcome.stderr
        #expect(
          outcome.status == 65
            && said.reads(
              "…",
              "…: the query source.users fails: division by zero",
              "…correct the query, or the value at which it fails",
              "…"
            ),
          "\(outcome)"
        )
        #expect(!said.contains("queries of the source work"))
      }
    }
  }

  @Test func `a query without a column is told with its key`() async throws {
    try await withTables(Self.configuration(users: "full_name")) { book in
      let outcome = try await book.run("sync")
      #expect(outcome.status == 65, "\(outcome)")
      #expect(
        outcome.stderr.reads(
          "staffbook: cannot load the directory: the query source.users fails: column q.name does not exist",
          "staffbook: it must return the columns id, department_id, name, email, phone"
        )
      )
    }
  }
}
