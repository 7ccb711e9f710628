import DirectoryModel
import LibPQ
import TestSupport
import Testing

@Suite("The database's limits")
struct ConstraintTests {
  @Test func `hold for every column, at the limit and one beyond`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      for limit in Self.limits {
        #expect(try await sql.refusal(of: limit.update(limit.most)) == nil, "\(limit.column)")
        let refusal = try await sql.refusal(of: limit.update(limit.most + 1))
        #expect(refusal?.sqlstate == .checkViolation, "\(limit.column)")
        #expect(refusal?.constraint == limit.constraint)
      }
    }
  }

  private struct Limit {
    var table: String
    var column: String
    var key: String
    var most: Int
    var constraint: String
    var filler = "日"

    func update(_ count: Int) -> String {
      "update staffbook.\(table) set \(column) = repeat('\(filler)', \(count)) where \(key)"
    }
  }

  private static let limits = [
    Limit(
      table: "departments",
      column: "id",
      key: "id like 'c%'",
      most: DirectoryLimits.idBytes,
      constraint: "departments_id_length",
      filler: "c"
    ),
    Limit(
      table: "departments",
      column: "name",
      key: "id = 'a'",
      most: DirectoryLimits.nameScalars,
      constraint: "departments_name_length"
    ),
    Limit(
      table: "departments",
      column: "description",
      key: "id = 'a'",
      most: DirectoryLimits.descriptionScalars,
      constraint: "departments_description_length"
    ),
    Limit(
      table: "users",
      column: "id",
      key: "id like 'u1%' or id like 'v%'",
      most: DirectoryLimits.idBytes,
      constraint: "users_id_length",
      filler: "v"
    ),
    Limit(
      table: "users",
      column: "name",
      key: "id = 'u2'",
      most: DirectoryLimits.nameScalars,
      constraint: "users_name_length"
    ),
    Limit(
      table: "users",
      column: "email",
      key: "id = 'u2'",
      most: DirectoryLimits.contactScalars,
      constraint: "users_email_length"
    ),
    Limit(
      table: "users",
      column: "phone",
      key: "id = 'u2'",
      most: DirectoryLimits.contactScalars,
      constraint: "users_phone_length"
    ),
    Limit(
      table: "memberships",
      column: "title",
      key: "user_id = 'u2'",
      most: DirectoryLimits.titleScalars,
      constraint: "memberships_title_length"
    ),
  ]

  @Test(arguments: [
    ("insert into staffbook.departments (id, name) values ('', 'Lamps')", "departments_id_length"),
    ("insert into staffbook.departments (id, name) values ('d', '')", "departments_name_length"),
    (
      "insert into staffbook.departments (id, name) values ('d', U&' \\3000\\200B\\FEFF')",
      "departments_name_visible"
    ),
    ("update staffbook.users set name = U&'\\2800' where id = 'u1'", "users_name_visible"),
    ("update staffbook.users set id = '' where id = 'u1'", "users_id_length"),
  ])
  func `refuse what is empty or invisible`(_ sql: String, _ constraint: String) async throws {
    try await withDirectory { conninfo in
      let session = try await SQLSession(conninfo)
      try await session.run(smallCompany)
      let refusal = try await session.refusal(of: sql)
      #expect(refusal?.sqlstate == .checkViolation)
      #expect(refusal?.constraint == constraint)
    }
  }

  @Test func `call the same characters visible as the program does`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let rows = try await sql.rows(
        """
        select i from generate_series(1, 1114111) i
          where not i between 55296 and 57343 and not staffbook.is_visible(chr(i)) order by i
        """
      )
      let invisible = (1...0x10FFFF).lazy
        .compactMap { Unicode.Scalar(UInt32($0)) }
        .filter { !DirectoryLimits.isVisible($0) }
      #expect(rows.map { $0[0] } == invisible.map { String($0.value) })
    }
  }

  @Test func `compare ids byte for byte`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.departments (id, name) values
          ('hr', 'n'), ('HR', 'n'), (U&'\\00E9', 'n'), (U&'e\\0301', 'n'), (' ', 'n'), ('0', 'n'),
          ('00', 'n')
        """
      )
      #expect(try await sql.value("select count(*) from staffbook.departments") == "7")
      let refusal = try await sql.refusal(
        of: "insert into staffbook.departments (id, name) values ('hr', 'again')"
      )
      #expect(refusal?.constraint == "departments_pkey")
    }
  }
}

@Suite("References")
struct ReferenceTests {
  /// Statements, and the constraint that refuses them when the transaction ends.
  @Test(arguments: [
    (
      "insert into staffbook.users (id, name, primary_department_id) values ('u9', 'n', 'a')",
      "users_primary_membership_fkey"
    ),
    (
      "update staffbook.users set primary_department_id = 'c' where id = 'u1'",
      "users_primary_membership_fkey"
    ),
    (
      "delete from staffbook.memberships where user_id = 'u1'", "users_primary_membership_fkey"
    ),
    (
      "insert into staffbook.memberships (user_id, department_id) values ('u9', 'a')",
      "memberships_user_fkey"
    ),
    (
      "insert into staffbook.memberships (user_id, department_id) values ('u1', 'z')",
      "memberships_department_fkey"
    ),
    (
      "insert into staffbook.memberships (user_id, department_id) values ('u3', 'a')",
      "memberships_pkey"
    ),
    (
      "insert into staffbook.departments (id, parent_id, name) values ('d', 'z', 'n')",
      "departments_parent_fkey"
    ),
    ("delete from staffbook.departments where id = 'a'", "departments_parent_fkey"),
    ("delete from staffbook.departments where id = 'c'", "memberships_department_fkey"),
  ])
  func `that would dangle are refused`(_ sql: String, _ constraint: String) async throws {
    try await withDirectory { conninfo in
      let session = try await SQLSession(conninfo)
      try await session.run(smallCompany)
      #expect(try await session.refusal(of: sql)?.constraint == constraint)
      #expect(try await session.value("select count(*) from staffbook.memberships") == "4")
    }
  }

  @Test func `let a user go with all memberships`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("delete from staffbook.users where id = 'u3'")
      let left = "select count(*) from staffbook.memberships where user_id = 'u3'"
      #expect(try await sql.value(left) == "0")
    }
  }

  @Test func `follow ids that change`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("update staffbook.departments set id = 'A' where id = 'a'")
      try await sql.run("update staffbook.users set id = 'U3' where id = 'u3'")
      #expect(
        try await sql.rows("select id, parent_id from staffbook.departments order by id")
          == [["A", "∅"], ["b", "A"], ["c", "b"]]
      )
      #expect(
        try await sql.rows(
          "select user_id, department_id from staffbook.memberships order by 1, 2"
        )
          == [["U3", "A"], ["U3", "c"], ["u1", "A"], ["u2", "b"]]
      )
      #expect(
        try await sql.rows("select id, primary_department_id from staffbook.users order by 1")
          == [["U3", "c"], ["u1", "A"], ["u2", "b"]]
      )
    }
  }

  @Test func `let the primary membership move within one transaction`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        begin;
        delete from staffbook.memberships where user_id = 'u1' and department_id = 'a';
        insert into staffbook.memberships (user_id, department_id) values ('u1', 'b');
        update staffbook.users set primary_department_id = 'b' where id = 'u1';
        commit;
        """
      )
      let primary = "select primary_department_id from staffbook.users where id = 'u1'"
      #expect(try await sql.value(primary) == "b")
    }
  }
}

@Suite("The schema's description")
struct CommentTests {
  @Test func `has a word on every table, column and function`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let silent = try await sql.rows(
        """
        select c.relname, a.attname from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'r'
            and (col_description(c.oid, a.attnum) is null
              or obj_description(c.oid, 'pg_class') is null)
        union all
        select p.proname, '' from pg_proc p
          where p.pronamespace = 'staffbook'::regnamespace
            and obj_description(p.oid, 'pg_proc') is null
        """
      )
      #expect(silent == [])
    }
  }

  @Test func `fires its triggers always, those of history once for every row`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let others = try await sql.rows(
        """
        select t.tgrelid::regclass::text, t.tgname, t.tgenabled from pg_trigger t
          join pg_class c on c.oid = t.tgrelid
          where c.relnamespace = 'staffbook'::regnamespace and not t.tgisinternal
            and t.tgenabled <> 'A' order by 1, 2
        """
      )
      // Where both kinds fired, a replica's session would record each row twice.
      #expect(
        Set(others.map { $0[1] + $0[2] }) == [
          "enter_replicated_in_ledgerR", "record_insertedO", "record_updatedO",
          "record_deletedO", "record_replicatedR", "a_await_valuesO", "z_index_peopleO",
        ]
      )
      #expect(others.count == 22)
    }
  }

  @Test func `pins the search path of every function that reads tables`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let open = try await sql.rows(
        """
        select proname from pg_proc where pronamespace = 'staffbook'::regnamespace
          and not coalesce('search_path=pg_catalog, pg_temp' = any(proconfig), false)
          order by 1
        """
      )
      // What they are called by pins it; these are inlined, or touch nothing.
      #expect(
        open.joined().elementsEqual(
          ["as_changes", "field_values", "is_of_kind", "is_visible", "mark_change"]
        )
      )
    }
  }
}
