import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("An upgrade to the schema with history")
struct UpgradeTests {
  @Test func `takes what was recorded of fields before they could be hidden for shown`()
    async throws
  {
    try await withTestDatabase { conninfo in
      _ = try await Migrator(migrations: Array(Schema.migrations.prefix(11)))
        .migrate(conninfo: conninfo)
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        "insert into staffbook.fields (of, name, label) values ('user', 'pay', 'Pay')"
      )
      let time = try await sql.value("select (extract(epoch from now()) * 1000000)::int8")
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
      try await sql.run("update staffbook.fields set visible = 'nobody', for_oneself = false")
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
      let history = try await DirectoryHistory(conninfo: conninfo, doing: "test")
      let then = try await history.changes(backTo: try #require(Int64(time)))
      #expect(then.records.fields == [Field(name: "pay", of: .user, label: "Pay")])
      let now = try await DirectoryRepository(conninfo: conninfo).load()
      #expect(now.records.fields.map { [$0.isVisible, $0.isForOneself] } == [[false, false]])
    }
  }

  @Test func `takes what lists own from all but those who import`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await Migrator(migrations: Array(Schema.migrations.prefix(14)))
        .migrate(conninfo: conninfo)
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        insert into staffbook.sources (name, fields) values ('list', '{}');
        insert into staffbook.source_records (source, kind, id, alias, is_owner)
          values ('list', 'user', 'u1', '1', true);
        """
      )
      let readers = """
        select t.name, string_agg(r.name, ' ' order by r.name) filter (
            where has_table_privilege('staffbook_' || r.name, 'staffbook.' || t.name, 'select'))
          from (values ('source_files'), ('source_records'), ('sources')) t(name),
            (values ('reader'), ('editor'), ('historian'), ('admin'), ('server')) r(name)
          group by 1 order by 1
        """
      #expect(
        try await sql.rows(readers).allSatisfy { $0[1] == "admin editor historian reader server" }
      )
      _ = try await Migrator().migrate(conninfo: conninfo)
      let after = ["source_files", "source_records", "sources"].map { [$0, "editor"] }
      #expect(try await sql.rows(readers) == after)
      #expect(try await sql.value("select id from staffbook.source_records") == "u1")
      // A repair runs earlier steps again, which grant readers every table.
      _ = try await Migrator().repair(conninfo: conninfo)
      #expect(try await sql.rows(readers) == after)
      let inspection = try await DirectoryRepository(conninfo: conninfo).inspectSchema()
      #expect(inspection?.missingRights == [])
    }
  }

  @Test func `keeps data, marks and grants, and history begins`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await Migrator(migrations: Array(Schema.migrations.prefix(6)))
        .migrate(conninfo: conninfo)
      let sql = try await SQLSession(conninfo)
      let role = uniqueName("old_reader")
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label) values ('user', 'desk', 'Desk');
        insert into staffbook.departments (id, parent_id, name)
          select 'd' || n, case when n > 0 then 'd' || (n - 1) / 5 end, 'D ' || n
            from generate_series(0, 499) n;
        begin;
        insert into staffbook.users (id, name, primary_department_id, fields)
          select 'u' || n, 'U ' || n, 'd' || n % 500, jsonb_build_object('desk', n::text)
            from generate_series(0, 19999) n;
        insert into staffbook.memberships (user_id, department_id)
          select id, primary_department_id from staffbook.users;
        commit;
        create role \(role);
        grant usage on schema staffbook to \(role);
        grant select, update on staffbook.users to \(role);
        alter table staffbook.users enable row level security;
        create policy all_of_them on staffbook.users using (true);
        """
      )
      let everything = """
        select md5(string_agg(line, E'\\n' order by line)) from (
          select d::text || d.xmin as line from staffbook.departments d
          union all select u::text || u.xmin from staffbook.users u
          union all select m::text || m.xmin from staffbook.memberships m
          union all select (to_jsonb(f) - '{visible,for_oneself}'::text[])::text
            from staffbook.fields f) everything
        """
      let rights = """
        select grantee, table_name, privilege_type from information_schema.role_table_grants
          where grantee in ('\(role)', 'staffbook_reader')
            and table_name in ('users', 'departments', 'memberships', 'ledger') order by 1, 2, 3
        """
      let (before, granted) = (try await sql.value(everything), try await sql.rows(rights))
      let epoch = try await sql.value("select epoch from staffbook.epoch")
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(try await sql.value(everything) == before)
      #expect(try await sql.rows(rights) == granted)
      #expect(try await sql.value("select epoch from staffbook.epoch") == epoch)
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])

      let old = try await SQLSession(conninfo, role: role)
      try await old.run("update staffbook.users set phone = '1' where id = 'u7'")
      try await sql.run("delete from staffbook.users where id = 'u8'")
      let recorded =
        "select kind, key1, before ->> 'name', after ->> 'phone' from staffbook.changes"
      #expect(
        try await sql.rows(recorded + " order by key1, kind") == [
          ["user", "u7", "U 7", "1"], ["membership", "u8", "∅", "∅"], ["user", "u8", "U 8", "∅"],
        ]
      )
      try await sql.run("drop owned by \(role); drop role \(role)")
    }
  }
}
