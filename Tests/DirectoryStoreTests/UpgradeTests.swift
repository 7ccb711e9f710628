import DirectoryModel
import LibPQ
import SystemPackage
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("An upgrade from step 14")
struct UpgradeTests {
  /// A database of that step; `Tests/Archives/step14-rows.sql` shows what is in it.
  private func withFormerDirectory(
    _ body: (_ conninfo: String, _ sql: SQLSession) async throws -> Void
  ) async throws {
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      try await body(conninfo, SQLSession(conninfo))
    }
  }

  /// Lines of a dump of the schema as a dump of it restores it.
  ///
  /// PostgreSQL writes some conditions with other parentheses once they were read from a dump. The rights of
  /// several roles come in the order in which they were granted, and are sorted here.
  private func restoredSchema(of conninfo: String) async throws -> [String] {
    func dump(_ conninfo: String) async throws -> String {
      let outcome = try await runProgram(
        "pg_dump",
        ["--schema-only", "--schema=staffbook", "--no-owner", "--dbname=\(conninfo)"]
      )
      try #require(outcome.status == 0, "\(outcome)")
      return outcome.stdout
    }
    let script = try await dump(conninfo)
    return try await withTestDatabase { other in
      let outcome = try await runProgram(
        "psql",
        ["-qX", "-v", "ON_ERROR_STOP=1", "--dbname=\(other)"],
        stdin: Array(script.utf8)
      )
      try #require(outcome.status == 0, "\(outcome)")
      let lines = try await dump(other).split(separator: "\n").map(String.init)
      let grants = lines.filter { $0.hasPrefix("GRANT ") }.sorted()
      return lines.filter {
        !["GRANT ", "\\restrict ", "\\unrestrict "].contains(where: $0.hasPrefix)
      } + grants
    }
  }

  @Test(arguments: [14, 15, 16])
  func `makes the same schema as a new database has`(version: Int) async throws {
    try await withFormerDirectory { conninfo, sql in
      for version in 15..<max(15, version + 1) {
        let (name, checksum) = Schema.formerSteps[version - 1]
        try await runFormerStep(version, on: conninfo)
        try await sql.run(
          "insert into staffbook.migrations values (\(version), '\(name)', '\(checksum)')"
        )
      }
      let report = try await Migrator().migrate(conninfo: conninfo)
      #expect(report.applied == Schema.migrations.map { "step \($0.version) (\($0.name))" })
      #expect(report.notices == [])
      let led = try await restoredSchema(of: conninfo)
      try await withDirectory { fresh in
        // With the index by which people are found in this field.
        try await SQLSession(fresh).run(
          """
          insert into staffbook.fields (of, name, label, kind)
            values ('user', 'manager', 'Manager', 'person')
          """
        )
        let made = try await restoredSchema(of: fresh)
        #expect(led.difference(from: made).isEmpty, "\(led.difference(from: made))")
        let records = "select version, name, checksum, min_reader from staffbook.migrations"
        #expect(try await sql.rows(records) == SQLSession(fresh).rows(records))
      }
      let inspection = try await DirectoryRepository(conninfo: conninfo).inspectSchema()
      #expect(inspection?.repairable == [])
      #expect(inspection?.constraints == [])
      #expect(try await Migrator().migrate(conninfo: conninfo).applied == [])
    }
  }

  @Test func `gives each person and department one identity under all ids, and nobody another's`()
    async throws
  {
    try await withFormerDirectory { conninfo, sql in
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(
        try await sql.rows(
          """
          select c.kind, string_agg(distinct c.key1, ' ' order by c.key1),
              string_agg(distinct coalesce(c.after, c.before) ->> 'name', ', '),
              max(coalesce(u.id, d.id))
            from staffbook.changes c
              left join staffbook.users u on u.identity = c.identity
              left join staffbook.departments d on d.identity = c.identity
            where c.identity is not null group by c.kind, c.identity order by 1, 2, 3
          """
        ) == [
          ["department", "d", "Works", "d"], ["department", "e", "Lamps", "∅"],
          ["department", "f", "Lamps", "f"], ["department", "g", "Garden", "g"],
          ["department", "g", "Glass", "∅"],
          ["user", "ann anna", "Ann Other", "anna"],
          ["user", "ann anna anne", "Ann Ash, Anna Berg", "anne"],
          ["user", "bo bo2", "Bo Birk", "bo2"],
          ["user", "cy", "Cy Cohn", "cy"], ["user", "cy", "Cy Cole", "∅"],
          ["user", "dee", "Dee Dahl", "∅"], ["user", "fay", "Fay Fox", "fay"],
          ["user", "p q", "Pia Pihl", "q"], ["user", "p q", "Quin Quist", "p"],
          ["user", "x", "Xan Xu", "x"],
        ]
      )
      // Only the erased rows of somebody who was removed and forgotten are nobody's.
      #expect(
        try await sql.rows(
          """
          select distinct key1, is_forgotten from staffbook.changes
            where kind in ('user', 'department') and identity is null
          """
        ) == [["", "t"]]
      )
      #expect(
        try await sql.rows(
          "select kind from staffbook.changes where identity is not null and kind not in ('user', 'department')"
        ) == []
      )
      // Two who change ids are two who are removed and two who are added, also in the counts.
      #expect(
        try await sql.rows(
          """
          select c.key1, c.before ->> 'name', c.after ->> 'name', t.counts
            from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            where c.kind = 'user' and c.key1 in ('p', 'q') and t.number > 2 order by c.key1, c.place
          """
        ) == [
          ["p", "Pia Pihl", "∅", #"{"user": [2, 0, 2]}"#],
          ["p", "∅", "Quin Quist", #"{"user": [2, 0, 2]}"#],
          ["q", "Quin Quist", "∅", #"{"user": [2, 0, 2]}"#],
          ["q", "∅", "Pia Pihl", #"{"user": [2, 0, 2]}"#],
        ]
      )
      #expect(
        try await sql.rows("select 1 from staffbook.transactions where counts ? 'renamed'") == []
      )
      let ids =
        "select string_agg(key, ' ' order by ordinality) from staffbook.ids_of_person($1) with ordinality"
      for (id, all) in [("anne", "anne anna ann"), ("anna", "anna ann"), ("bo", "bo2 bo")] {
        #expect(try await sql.value(ids, [.text(id)]) == all, "\(id)")
      }
    }
  }

  @Test func `parts who was removed from whoever got the id in the same transaction`() async throws
  {
    try await withFormerDirectory { conninfo, sql in
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values
          ('k', 'Kim Kahn', 'd'), ('l', 'Lou Lund', 'd'), ('m', 'Mia Moe', 'd'),
          ('r', 'Rea Rask', 'd'), ('s', 'Sam Sand', 'd'), ('t', 'Tea Toft', 'd');
        insert into staffbook.memberships (user_id, department_id)
          select id, 'd' from staffbook.users where id in ('k', 'l', 'm', 'r', 's', 't');
        commit
        """
      )
      try await sql.run(
        """
        begin;
        delete from staffbook.users where id = 'm';
        update staffbook.users set id = 'm' where id = 'l';
        update staffbook.users set id = 'l' where id = 'k';
        commit
        """
      )
      // Of two who get an id one after the other, the first one is removed.
      try await sql.run(
        """
        begin;
        delete from staffbook.users where id = 't';
        update staffbook.users set id = 't' where id = 's';
        delete from staffbook.users where id = 't';
        update staffbook.users set id = 'w' where id = 'r';
        update staffbook.users set id = 't' where id = 'w';
        commit
        """
      )
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(
        try await sql.rows(
          """
          select c.key1, c.before ->> 'name', c.after ->> 'name', u.id, t.counts -> 'user'
            from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
              left join staffbook.users u on u.identity = c.identity
            where c.kind = 'user' and c.key1 in ('k', 'l', 'm', 'r', 's', 't')
              and t.counts -> 'user' ->> 2 <> '0'
            order by c.key1, c.place
          """
        ) == [
          ["k", "Kim Kahn", "∅", "l", "[2, 0, 3]"], ["l", "Lou Lund", "∅", "m", "[2, 0, 3]"],
          ["l", "∅", "Kim Kahn", "l", "[2, 0, 3]"], ["m", "Mia Moe", "∅", "∅", "[2, 0, 3]"],
          ["m", "∅", "Lou Lund", "m", "[2, 0, 3]"], ["r", "Rea Rask", "∅", "t", "[1, 0, 3]"],
          ["s", "Sam Sand", "∅", "∅", "[1, 0, 3]"], ["t", "Tea Toft", "∅", "∅", "[1, 0, 3]"],
          ["t", "∅", "Rea Rask", "t", "[1, 0, 3]"],
        ]
      )
      // Nobody has the past of another one, and nobody two identities.
      #expect(
        try await sql.value(
          """
          select count(distinct c.identity) from staffbook.changes c
            where c.kind = 'user' and c.key1 in ('k', 'l', 'm', 'r', 's', 't')
          """
        ) == "6"
      )
    }
  }

  @Test func `says of rules, groups, tokens and lists whom they mean`() async throws {
    try await withFormerDirectory { conninfo, sql in
      _ = try await Migrator().migrate(conninfo: conninfo)
      let name = """
        coalesce((select u.name from staffbook.users u where u.identity = t.identity),
          (select 'former ' || (c.before ->> 'name') from staffbook.changes c
            where c.identity = t.identity order by c.place desc limit 1))
        """
      #expect(
        try await sql.rows(
          """
          select t.id, \(name) from (
              select coalesce(target_id, target_value, viewer_id) as id, sort_order,
                  coalesce(target_identity, viewer_identity) as identity
                from staffbook.visibility_rules where sort_order < 0) t order by t.sort_order
          """
        ) == [
          ["anne", "Anna Berg"], ["dee", "former Dee Dahl"], ["zoe", "∅"], ["f", "∅"],
          ["cy", "Cy Cohn"], ["council", "∅"], ["bo2", "Bo Birk"], ["7", "∅"],
        ]
      )
      #expect(
        try await sql.value(
          """
          select d.identity = r.target_identity from staffbook.departments d
              join staffbook.visibility_rules r on r.target_id = d.id where r.target = 'department'
          """
        ) == "t"
      )
      #expect(
        try await sql.rows(
          "select t.user_id, \(name) from staffbook.visibility_groups t order by t.user_id"
        ) == [
          ["anne", "Anna Berg"], ["cy", "Cy Cohn"], ["dee", "former Dee Dahl"], ["zoe", "∅"],
        ]
      )
      #expect(
        try await sql.rows("select t.user_id, \(name) from staffbook.tokens t order by t.id")
          == [["anne", "Anna Berg"], ["∅", "∅"]]
      )
      #expect(
        try await sql.rows(
          "select t.id, \(name) from staffbook.source_records t where t.kind = 'user' order by t.id"
        ) == [["anne", "Anna Berg"], ["dee", "former Dee Dahl"]]
      )
    }
  }

  @Test func `keeps records, marks and the epoch`() async throws {
    try await withFormerDirectory { conninfo, sql in
      let records = """
        select (to_jsonb(d) - 'identity')::text from staffbook.departments d
        union all select (to_jsonb(u) - 'identity')::text from staffbook.users u
        union all select m::text from staffbook.memberships m
        union all select f::text from staffbook.fields f
        union all select l::text from staffbook.ledger l
        union all select t::text from staffbook.tombstones t
        union all select e::text from staffbook.epoch e
        union all select (to_jsonb(t) - 'counts')::text from staffbook.transactions t
          where t.counts - 'renamed' <> '{}' order by 1
        """
      let before = try await sql.rows(records)
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(try await sql.rows(records) == before)
    }
  }

  @Test func `leaves what no trigger saw to be found`() async throws {
    try await withFormerDirectory { conninfo, sql in
      try await sql.run("select staffbook.catch_up_history()")
      try await sql.run(
        """
        alter table staffbook.users disable trigger record_updated;
        update staffbook.users set phone = '9' where id = 'x';
        alter table staffbook.users enable trigger record_updated;
        """
      )
      _ = try await Migrator().migrate(conninfo: conninfo)
      let agrees = "select h.layout = staffbook.layout() from staffbook.history h"
      #expect(try await sql.value(agrees) == "f")
      #expect(
        try await sql.rows("select kind, key1 from staffbook.unrecorded_changes()")
          == [["user", "x"]]
      )
      #expect(try await sql.value("select staffbook.catch_up_history()") == "1")
      #expect(try await sql.value(agrees) == "t")
    }
  }

  @Test func `leaves a database whose history is complete with a complete one`() async throws {
    try await withFormerDirectory { conninfo, sql in
      try await sql.run("select staffbook.catch_up_history()")
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(
        try await sql.value("select h.layout = staffbook.layout() from staffbook.history h") == "t"
      )
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
    }
  }

  @Test func `takes what lists own from all but those who import`() async throws {
    try await withFormerDirectory { conninfo, sql in
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
      _ = try await Migrator().repair(conninfo: conninfo)
      #expect(try await sql.rows(readers) == after)
    }
  }

  @Test func `keeps the grants and policies of an administrator`() async throws {
    try await withFormerDirectory { conninfo, sql in
      let role = uniqueName("old_reader")
      try await sql.run(
        """
        create role \(role);
        grant usage on schema staffbook to \(role);
        grant select, update on staffbook.users to \(role);
        alter table staffbook.users enable row level security;
        create policy all_of_them on staffbook.users using (true);
        """
      )
      let rights = """
        select grantee, table_name, privilege_type from information_schema.role_table_grants
          where grantee in ('\(role)', 'staffbook_reader')
            and table_name in ('users', 'departments', 'memberships', 'ledger') order by 1, 2, 3
        """
      let granted = try await sql.rows(rights)
      _ = try await Migrator().migrate(conninfo: conninfo)
      #expect(try await sql.rows(rights) == granted)
      let old = try await SQLSession(conninfo, role: role)
      try await old.run("update staffbook.users set phone = '1' where id = 'x'")
      #expect(
        try await sql.value(
          "select after ->> 'phone' from staffbook.changes order by place desc limit 1"
        )
          == "1"
      )
      try await sql.run("drop owned by \(role); drop role \(role)")
    }
  }

  @Test func `reads fields that were declared before they could be hidden as shown`() async throws {
    try await withFormerDirectory { conninfo, sql in
      let time = try await sql.value(
        "select (extract(epoch from max(at)) * 1000000)::int8 from staffbook.transactions"
      )
      _ = try await Migrator().migrate(conninfo: conninfo)
      try await sql.run(
        "update staffbook.fields set visible = 'nobody', for_oneself = false where name = 'desk'"
      )
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
      let history = try await DirectoryHistory(conninfo: conninfo, doing: "test")
      let then = try await history.changes(backTo: try #require(Int64(time)))
      #expect(
        then.records.fields.first { $0.name == "desk" }
          == Field(name: "desk", of: .user, label: "Desk")
      )
    }
  }
}

@Suite("An upgrade is refused")
struct UpgradeRefusalTests {
  private func refusal(of conninfo: String, after statement: String) async throws -> DirectoryError
  {
    let sql = try await SQLSession(conninfo)
    try await sql.run(statement)
    let before = try await sql.rows("select * from staffbook.migrations")
    let error = await #expect(throws: DirectoryError.self) {
      try await Migrator().migrate(conninfo: conninfo)
    }
    #expect(try await sql.rows("select * from staffbook.migrations") == before)
    return try #require(error)
  }

  @Test func `from a step before 14`() async throws {
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      let error = try await refusal(
        of: conninfo,
        after: "delete from staffbook.migrations where version > 9"
      )
      #expect(error.kind == .badData)
      #expect(
        error.message == """
          cannot migrate the database: it is at version 9 of the schema, and this program upgrades \
          databases from version 14 on
          """
      )
      #expect(
        error.advice?.description
          == "migrate it with an earlier Staffbook that knows version 16, and then with this one"
      )
    }
  }

  @Test func `where a step was another build's`() async throws {
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      let error = try await refusal(
        of: conninfo,
        after: "update staffbook.migrations set checksum = 'x' where version = 10"
      )
      #expect(
        error.message
          == "cannot migrate the database: its migration 10 (rights) is not that of this program"
      )
    }
  }

  @Test func `where nothing says which step it is`() async throws {
    try await withTestDatabase { conninfo in
      try await restoreStep14(into: conninfo)
      let error = try await refusal(of: conninfo, after: "delete from staffbook.migrations")
      #expect(error.advice == "restore its rows from a backup")
    }
  }
}
