import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("Declared fields in the database")
struct FieldTests {
  private static let declarations = """
    insert into staffbook.fields (of, name, kind, label, is_multiple) values
      ('user', 'mobile', 'phone', 'Mobile', false), ('user', 'langs', 'text', 'Languages', true),
      ('user', 'born', 'date', 'Birthday', false), ('user', 'site', 'url', 'Site', false),
      ('user', 'mails', 'email', 'Emails', true), ('user', 'manager', 'person', 'Manager', false),
      ('user', 'deputies', 'person', 'Deputies', true),
      ('department', 'head', 'person', 'Head', false);
    """

  /// Runs `body` with the small company and a field of each kind.
  private func withFields(_ body: (SQLSession, String) async throws -> Void) async throws {
    try await withDirectory { (conninfo: String) async throws -> Void in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(Self.declarations)
      try await body(sql, conninfo)
    }
  }

  private func set(_ fields: String, of user: String = "u1") -> String {
    "update staffbook.users set fields = '\(fields)' where id = '\(user)'"
  }

  @Test func `take what is declared`() async throws {
    try await withFields { (sql: SQLSession, _) async throws -> Void in
      for fields in [
        "{}", #"{"mobile": "+49 172 555"}"#, #"{"mobile": "٠١٢"}"#, #"{"langs": ["de", "日本語"]}"#,
        #"{"born": "2024-02-29"}"#, #"{"born": "2000-02-29"}"#, #"{"born": "--02-29"}"#,
        #"{"site": "https://lumen.example/"}"#, #"{"mails": ["a@b", "c@d"]}"#,
        #"{"manager": "u2", "deputies": ["u2", "u3"]}"#, #"{"manager": "u1"}"#,
      ] {
        #expect(try await sql.refusal(of: set(fields)) == nil, "\(fields)")
      }
    }
  }

  @Test func `refuse everything else, from every writer`() async throws {
    try await withFields { (sql: SQLSession, _) async throws -> Void in
      for (fields, constraint) in [
        ("[]", "users_fields_shape"), ("\"x\"", "users_fields_shape"),
        (#"{"mobile": ""}"#, "users_fields_shape"), (#"{"mobile": null}"#, "users_fields_shape"),
        (#"{"mobile": 1}"#, "users_fields_shape"), (#"{"langs": []}"#, "users_fields_shape"),
        (#"{"langs": [""]}"#, "users_fields_shape"), (#"{"langs": [["x"]]}"#, "users_fields_shape"),
        (#"{"langs": [{"x": "y"}]}"#, "users_fields_shape"),
        (#"{"mobile": {"x": "y"}}"#, "users_fields_shape"),
        (#"{"mobile": ["1"]}"#, "users_fields_declared"),
        (#"{"langs": "de"}"#, "users_fields_declared"),
        (#"{"pet": "cat"}"#, "users_fields_declared"),
        (#"{"head": "u1"}"#, "users_fields_declared"),
        (#"{"mobile": "none"}"#, "users_fields_declared"),
        (#"{"born": "2023-02-29"}"#, "users_fields_declared"),
        (#"{"born": "1900-02-29"}"#, "users_fields_declared"),
        (#"{"born": "2024-04-31"}"#, "users_fields_declared"),
        (#"{"born": "2024-13-01"}"#, "users_fields_declared"),
        (#"{"born": "29.2.2024"}"#, "users_fields_declared"),
        (#"{"site": "lumen.example"}"#, "users_fields_declared"),
        (#"{"mails": ["a@b", "c"]}"#, "users_fields_declared"),
        (#"{"manager": "nobody"}"#, "users_fields_person"),
        (#"{"deputies": ["u2", "nobody"]}"#, "users_fields_person"),
      ] {
        #expect(try await sql.refusal(of: set(fields))?.constraint == constraint, "\(fields)")
      }
      let long =
        "{\"mobile\": \"" + String(repeating: "1", count: DirectoryLimits.fieldBytes) + "\"}"
      #expect(try await sql.refusal(of: set(long))?.constraint == "users_fields_shape")
    }
  }

  @Test func `have names that nothing built in has`() async throws {
    try await withFields { (sql: SQLSession, _) async throws -> Void in
      for name in ["Mobile", "1st", "a-b", "", "é", String(repeating: "a", count: 64)] {
        let refusal = try await sql.refusal(
          of: "insert into staffbook.fields (of, name, label) values ('user', '\(name)', 'x')"
        )
        #expect(refusal?.constraint == "fields_name_form", "\(name)")
      }
      for kind in RecordKind.allCases {
        for column in kind.columns where column != .identity {
          let refusal = try await sql.refusal(
            of: "insert into staffbook.fields (of, name, label) "
              + "values ('user', '\(column.name)', 'x')"
          )
          #expect(refusal?.constraint == "fields_name_free", "\(column)")
        }
      }
    }
  }

  @Test func `name a person who gets another id or leaves`() async throws {
    try await withFields { (sql: SQLSession, _) async throws -> Void in
      try await sql.run(set(#"{"manager": "u2", "deputies": ["u3", "u2"], "mobile": "1"}"#))
      try await sql.run(
        #"update staffbook.departments set fields = '{"head": "u2"}' where id = 'b'"#
      )
      try await sql.run("update staffbook.users set id = 'u9' where id = 'u2'")
      let fields = "select fields from staffbook.users where id = 'u1'"
      #expect(
        try await sql.value(fields)
          == #"{"mobile": "1", "manager": "u9", "deputies": ["u3", "u9"]}"#
      )
      try await sql.run("delete from staffbook.users where id = 'u9'")
      #expect(try await sql.value(fields) == #"{"mobile": "1", "deputies": ["u3"]}"#)
      #expect(
        try await sql.value("select fields from staffbook.departments where id = 'b'") == "{}"
      )
      try await sql.run("delete from staffbook.users where id = 'u3'")
      #expect(try await sql.value(fields) == #"{"mobile": "1"}"#)
    }
  }

  @Test func `go with their declaration, which does not change below them`() async throws {
    try await withFields { (sql: SQLSession, _) async throws -> Void in
      try await sql.run(set(#"{"mobile": "1", "langs": ["de"]}"#))
      for change in ["kind = 'text'", "name = 'cell'", "is_multiple = true", "of = 'department'"] {
        let refusal = try await sql.refusal(
          of: "update staffbook.fields set \(change) where name = 'mobile'"
        )
        #expect(refusal?.sqlstate?.rawValue == "55000", "\(change)")
      }
      try await sql.run("update staffbook.fields set label = 'Handy' where name = 'mobile'")
      try await sql.run("update staffbook.fields set kind = 'text' where name = 'site'")
      #expect(try await sql.refusal(of: "truncate staffbook.fields")?.sqlstate?.rawValue == "55000")
      let stale = "begin isolation level repeatable read; delete from staffbook.fields; commit"
      #expect(try await sql.refusal(of: stale)?.sqlstate?.rawValue == "55000")
      try await sql.run("rollback")
      try await sql.run("delete from staffbook.fields where name = 'mobile'")
      #expect(
        try await sql.value("select fields from staffbook.users where id = 'u1'")
          == #"{"langs": ["de"]}"#
      )
    }
  }

  @Test func `are not written under a declaration that goes at the same moment`() async throws {
    try await withFields { (sql: SQLSession, conninfo: String) async throws -> Void in
      let writer = try await SQLSession(conninfo)
      try await sql.run("begin; delete from staffbook.fields where name = 'mobile'")
      async let refusal = writer.refusal(of: set(#"{"mobile": "1"}"#, of: "u2"))
      try await waitForBlockedSession(sql)
      try await sql.run("commit")
      let refused = try await refusal
      #expect(refused?.constraint == "users_fields_declared")
    }
  }

  @Test func `read as the server writes them`() async throws {
    try await withFields { (sql: SQLSession, conninfo: String) async throws -> Void in
      let hostile = "\"\\/\u{1}\u{8}\u{C}\n\r\t\u{1F}\u{7F} 灯台 😀 e\u{301} \u{202E}"
      let values = FieldValues([
        "mobile": .one("1" + hostile), "langs": .several([hostile, "de", hostile]),
      ])
      let stored = try await sql.value(
        "update staffbook.users set fields = $1::jsonb where id = 'u1' returning fields",
        [.text(values.text)]
      )
      #expect(stored.utf8.elementsEqual(values.text.utf8))
      try await sql.run("update staffbook.memberships set leads = true where user_id = 'u3'")
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await repository.update(&state)
      #expect(state.users[UserID("u1")]?.fields == values)
      #expect(state.users[UserID("u2")]?.fields == FieldValues.none)
      #expect(state.memberships.values.filter(\.leads).map(\.user.rawValue) == ["u3", "u3"])
      #expect(state.fields.map(\.name).sorted().first == "born")
      let own = state.digests
      let verification = try await repository.verify(since: state.watermark) { _, digests in
        digests.differences(from: own)
      }
      #expect(verification.digests == state.digests)
    }
  }

  @Test func `reach readers of changes alone, declarations with the rows`() async throws {
    try await withFields { (sql: SQLSession, conninfo: String) async throws -> Void in
      let repository = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await repository.update(&state)
      try await sql.run(
        "insert into staffbook.fields (of, name, label) values ('user', 'pet', 'Pet')"
      )
      #expect(try await repository.update(&state) == nil)
      #expect(state.fields.contains { $0.name == "pet" })
      try await sql.run(set(#"{"pet": "cat"}"#))
      #expect(try await repository.update(&state) == nil)
      #expect(state.users[UserID("u1")]?.fields == FieldValues(["pet": .one("cat")]))
      try await sql.run("delete from staffbook.fields where name = 'pet'")
      #expect(try await repository.update(&state) == nil)
      #expect(state.users[UserID("u1")]?.fields == FieldValues.none)
      #expect(!state.fields.contains { $0.name == "pet" })
    }
  }
}

@Suite("Writing values of fields")
struct FieldLockTests {
  @Test func `writes nothing to the declarations`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label) values ('user', 'desk', 'Desk'), ('user', 'pet', 'Pet');
        update staffbook.users set fields = '{"desk": "7"}'
        """
      )
      #expect(try await sql.rows("select distinct xmax from staffbook.fields") == [["0"]])
    }
  }

  @Test(arguments: ["read committed", "repeatable read"])
  func `waits for the removal of the declaration, or is waited for`(_ isolation: String)
    async throws
  {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(smallCompany)
      try await one.run(
        "insert into staffbook.fields (of, name, label) values ('user', 'desk', 'Desk')"
      )
      // The value is first.
      try await one.run("begin isolation level \(isolation)")
      try await one.run(#"update staffbook.users set fields = '{"desk": "7"}' where id = 'u1'"#)
      let removal = Task { try await two.run("delete from staffbook.fields") }
      try await waitForBlockedSession(one)
      try await one.run("commit")
      try await removal.value
      #expect(try await one.rows("select distinct fields from staffbook.users") == [["{}"]])
      // The removal is first.
      try await one.run(
        "insert into staffbook.fields (of, name, label) values ('user', 'desk', 'Desk')"
      )
      try await one.run("begin isolation level \(isolation)")
      _ = try await one.rows("select * from staffbook.fields")
      try await two.run("delete from staffbook.fields")
      let refusal = try await one.refusal(
        of: #"update staffbook.users set fields = '{"desk": "7"}' where id = 'u1'"#
      )
      #expect(refusal != nil)
      try await one.run("rollback")
    }
  }
}

@Suite("People in fields")
struct PersonIndexTests {
  @Test func `are found by an index, which comes and goes with the field`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label, kind, is_multiple) values
          ('user', 'manager', 'Manager', 'person', false), ('user', 'deputies', 'Deputies', 'person', true),
          ('department', 'sponsor', 'Sponsor', 'person', false), ('user', 'desk', 'Desk', 'text', false)
        """
      )
      let indexes = """
        select indexname from pg_indexes where schemaname = 'staffbook' and indexname ~ 'person|people' order by 1
        """
      #expect(
        try await sql.rows(indexes).joined()
          .elementsEqual([
            "departments_person_sponsor", "users_people_deputies", "users_person_manager",
          ])
      )
      try await sql.run(
        """
        update staffbook.users set fields = '{"manager": "u2", "deputies": ["u1", "u2"]}' where id = 'u3';
        update staffbook.departments set fields = '{"sponsor": "u2"}' where id = 'b';
        delete from staffbook.users where id = 'u2';
        """
      )
      #expect(
        try await sql.value("select fields from staffbook.users where id = 'u3'")
          == #"{"deputies": ["u1"]}"#
      )
      #expect(
        try await sql.value("select fields from staffbook.departments where id = 'b'") == "{}"
      )
      try await sql.run("delete from staffbook.fields where name <> 'manager'")
      #expect(try await sql.rows(indexes) == [["users_person_manager"]])
    }
  }

  @Test func `are found without one, where the transaction could not make it`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        begin;
        insert into staffbook.departments (id, name) values ('a', 'A');
        insert into staffbook.users (id, name, primary_department_id) values ('u1', 'One', 'a'), ('u2', 'Two', 'a');
        insert into staffbook.memberships (user_id, department_id) values ('u1', 'a'), ('u2', 'a');
        insert into staffbook.fields (of, name, label, kind) values ('user', 'manager', 'Manager', 'person');
        commit;
        update staffbook.users set fields = '{"manager": "u2"}' where id = 'u1';
        delete from staffbook.users where id = 'u2';
        """
      )
      #expect(try await sql.rows("select fields from staffbook.users") == [["{}"]])
    }
  }
}

@Suite("People in fields who get other ids, or go")
struct FollowedPeopleTests {
  private let company =
    smallCompany + """
      insert into staffbook.fields (of, name, label, kind, is_multiple) values
        ('user', 'boss', 'Boss', 'person', false), ('user', 'team', 'Team', 'person', true);
      """

  @Test(arguments: [
    "delete from staffbook.users where id = 'u1'",
    "update staffbook.users set id = 'x' where id = 'u1'",
  ])
  func `leave what others write meanwhile`(_ statement: String) async throws {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(company)
      try await one.run(
        #"update staffbook.users set fields = '{"boss": "u1", "team": ["u1"]}' where id = 'u2'"#
      )
      try await one.run(
        #"begin; update staffbook.users set fields = '{"boss": "u3", "team": ["u1", "u3"]}' where id = 'u2'"#
      )
      let other = Task { try await two.run(statement) }
      try await waitForBlockedSession(one)
      try await one.run("commit")
      try await other.value
      let team = statement.hasPrefix("delete") ? #"["u3"]"# : #"["x", "u3"]"#
      #expect(
        try await one.value("select fields from staffbook.users where id = 'u2'")
          == #"{"boss": "u3", "team": \#(team)}"#
      )
    }
  }

  @Test func `are not let go by a snapshot that is too old`() async throws {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(company)
      try await one.run(
        "begin isolation level repeatable read; select 1 from staffbook.users limit 1"
      )
      try await two.run(#"update staffbook.users set fields = '{"boss": "u1"}' where id = 'u2'"#)
      let refusal = try await one.refusal(of: "delete from staffbook.users where id = 'u1'")
      #expect(
        refusal?.message == """
          where fields name people, people are only removed or given other ids at the isolation \
          level READ COMMITTED
          """
      )
      try await one.run("rollback")
    }
  }

  @Test func `may name one another, and themselves`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(company)
      try await sql.run(
        """
        update staffbook.users set fields = '{"boss": "u2"}' where id = 'u1';
        update staffbook.users set fields = '{"boss": "u1", "team": ["u2", "u3"]}' where id = 'u2';
        update staffbook.users set id = id || '_n' where id in ('u1', 'u2');
        """
      )
      #expect(
        try await sql.rows("select id, fields from staffbook.users where id like '%_n' order by id")
          == [
            ["u1_n", #"{"boss": "u2_n"}"#], ["u2_n", #"{"boss": "u1_n", "team": ["u2_n", "u3"]}"#],
          ]
      )
    }
  }

  @Test func `are all found, whatever limits the caller sets`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(company)
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id, fields)
          select 'n' || n, 'N', 'a', '{"team": ["u1"]}' from generate_series(1, 3000) n;
        insert into staffbook.memberships (user_id, department_id) select id, 'a' from staffbook.users where id like 'n%';
        commit;
        set gin_fuzzy_search_limit = 10;
        set enable_seqscan = off;
        delete from staffbook.users where id = 'u1';
        """
      )
      #expect(
        try await sql.value("select count(*) from staffbook.users where fields <> '{}'") == "0"
      )
    }
  }

  @Test func `leave no index behind that keeps a list from being written`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(company)
      try await sql.run("update staffbook.fields set is_multiple = true where name = 'boss'")
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id)
          select 'a-rather-long-id-' || n, 'N', 'a' from generate_series(1, 400) n;
        insert into staffbook.memberships (user_id, department_id) select id, 'a' from staffbook.users where id like 'a-%';
        commit;
        update staffbook.users set fields =
            jsonb_build_object('boss', (select jsonb_agg(u.id) from staffbook.users u where u.id like 'a-%'))
          where id = 'u1';
        """
      )
      #expect(
        try await sql.value("select count(*) from staffbook.users where fields <> '{}'") == "1"
      )
    }
  }

  @Test func `are of a declared kind at every isolation level`() async throws {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(company)
      try await one.run(
        "begin isolation level repeatable read; select 1 from staffbook.fields limit 1"
      )
      try await two.run("update staffbook.fields set kind = 'date' where name = 'boss'")
      let refusal = try await one.refusal(
        of: #"update staffbook.users set fields = '{"boss": "u2"}' where id = 'u1'"#
      )
      #expect(refusal?.sqlstate?.rawValue == "40001")
      try await one.run("rollback")
    }
  }
}

@Suite("Declaring fields")
struct FieldEditorTests {
  @Test func `adds behind the others, lists with counts, and removes what was counted`()
    async throws
  {
    try await withDirectory { (conninfo: String) async throws -> Void in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let editor = DatabaseEditor(conninfo: conninfo)
      try await editor.addField(Field(name: "mobile", of: .user, kind: .phone, label: "Mobile"))
      try await editor.addField(Field(name: "badge", of: .user, label: "Badge"))
      let twice = await #expect(throws: DirectoryError.self) {
        try await editor.addField(Field(name: "badge", of: .user, label: "Again"))
      }
      #expect(twice?.kind == .badData)
      try await sql.run(#"update staffbook.users set fields = '{"badge": "7"}' where id <> 'u1'"#)
      let listed = try await editor.declaredFields()
      #expect(listed.map { $0.field.name } == ["mobile", "badge"])
      #expect(listed.map { $0.valueCount } == [0, 2])
      let other = await #expect(throws: DirectoryError.self) {
        try await editor.removeField("badge", of: .user, expecting: 1)
      }
      #expect(other?.kind == .refusedForNow)
      #expect(try await editor.declaredFields().first { $0.field.name == "badge" }?.valueCount == 2)
      try await editor.removeField("badge", of: .user, expecting: 2)
      #expect(try await !editor.declaredFields().contains { $0.field.name == "badge" })
      let gone = await #expect(throws: DirectoryError.self) {
        try await editor.removeField("badge", of: .user, expecting: 0)
      }
      #expect(gone?.kind == .notFound)
    }
  }
}
