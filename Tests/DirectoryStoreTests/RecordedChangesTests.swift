import DirectoryStore
import LibPQ
import TestSupport
import Testing

/// What history has, newest last: kind, keys, and the values before and after as JSON.
private let changes = """
  select c.kind, c.key1, c.key2, c.before::text, c.after::text from staffbook.changes c
    join staffbook.transactions t on t.number = c.transaction order by t.at, c.kind, c.key1, c.key2
  """

@Suite("A recorded change")
struct RecordedChangesTests {
  private func withCompany(
    _ body: (SQLSession, String) async throws -> Void
  ) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await body(sql, conninfo)
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
      #expect(try await sql.rows("select 1 from staffbook.transactions where at is null") == [])
    }
  }

  @Test func `has all columns but the key and the identity, however it came about`() async throws {
    try await withCompany { sql, _ in
      for (kind, table, keys) in [
        ("department", "departments", "{id,changed_in,identity}"),
        ("user", "users", "{id,changed_in,identity}"),
        ("membership", "memberships", "{user_id,department_id,changed_in}"),
      ] {
        let recorded = try await sql.value(
          "select after from staffbook.changes where kind = '\(kind)' order by place limit 1"
        )
        let row = try await sql.value(
          "select to_jsonb(t) - '\(keys)'::text[] from staffbook.\(table) t order by ctid limit 1"
        )
        #expect(recorded == row, "\(table)")
      }
    }
  }

  @Test func `names the role, the actor and the reason`() async throws {
    try await withCompany { sql, _ in
      try await sql.run(
        """
        begin;
        select set_config('staffbook.actor', 'Ada', true),
          set_config('staffbook.reason', 'she moved', true);
        update staffbook.users set phone = '1' where id = 'u1';
        commit;
        update staffbook.users set phone = '2' where id = 'u1';
        """
      )
      #expect(
        try await sql.rows(
          "select by_role = session_user, actor, reason, counts from staffbook.transactions "
            + "order by at offset 1"
        ) == [
          ["t", "Ada", "she moved", #"{"user": [0, 1, 0]}"#],
          ["t", "∅", "∅", #"{"user": [0, 1, 0]}"#],
        ]
      )
    }
  }

  @Test func `is one for each record, from the first state to the last`() async throws {
    try await withCompany { sql, _ in
      let before = try await sql.rows(changes).count
      try await sql.run(
        """
        begin;
        update staffbook.users set phone = '1' where id = 'u1';
        savepoint s;
        update staffbook.users set phone = '2' where id = 'u1';
        rollback to s;
        update staffbook.users set email = 'e' where id = 'u1';
        update staffbook.users set email = 'f' where id = 'u2';
        update staffbook.users set email = '' where id = 'u2';
        insert into staffbook.departments (id, name) values ('x', 'n');
        delete from staffbook.departments where id = 'x';
        update staffbook.memberships set title = title;
        commit;
        """
      )
      let recorded = try await sql.rows(changes)
      #expect(recorded.count == before + 1)
      #expect(recorded.last?[at: 4]?.contains(#""email": "e", "phone": "1""#) == true)
    }
  }

  @Test func `of nothing is none, and neither is its transaction`() async throws {
    try await withCompany { sql, _ in
      let transactions = "select number from staffbook.transactions order by 1"
      let before = try await sql.rows(transactions)
      try await sql.run(
        """
        update staffbook.users set phone = phone;
        update staffbook.users set phone = 'x' where id = 'nobody';
        commit;
        begin; update staffbook.users set phone = 'x'; rollback;
        begin; update staffbook.users set phone = 'x'; update staffbook.users set phone = ''; commit;
        begin; savepoint s; delete from staffbook.users; rollback to s; commit;
        """
      )
      #expect(try await sql.rows(transactions) == before)
    }
  }

  @Test func `is right where triggers write the same record again`() async throws {
    try await withCompany { sql, _ in
      try await sql.run(
        """
        insert into staffbook.fields (of, name, kind, label)
          values ('user', 'manager', 'person', 'Manager');
        update staffbook.users set fields = '{"manager": "u1"}' where id <> 'u1';
        update staffbook.users set id = 'xu1' where id = 'u1';
        update staffbook.departments set id = upper(id);
        create function public.meddle() returns trigger language plpgsql as
          $$ begin
            update staffbook.users set phone = phone || '+' where id = new.id and phone !~ '[+]';
            return null;
          end $$;
        create trigger meddle after update on staffbook.users
          for each row execute function public.meddle();
        update staffbook.users set phone = '7';
        delete from staffbook.users where id = 'xu1';
        """
      )
      #expect(
        try await sql.rows("select phone, fields from staffbook.users order by id") == [
          ["7+", "{}"], ["7+", "{}"],
        ]
      )
    }
  }

  @Test func `stands for each row of a TRUNCATE, and for each row of a replica's session`()
    async throws
  {
    try await withCompany { sql, _ in
      try await sql.run(
        """
        set session_replication_role = replica;
        update staffbook.users set phone = '1' where id = 'u1';
        update staffbook.memberships set department_id = 'b' where user_id = 'u3'
          and department_id = 'a';
        """
      )
      try await sql.run("delete from staffbook.memberships where user_id = 'u3'")
      try await sql.run("reset session_replication_role")
      let replicated = try await sql.rows(changes).suffix(5).map { $0[0] + $0[1] + $0[2] }
      #expect(
        replicated == [
          "membershipu3a", "membershipu3b", "useru1", "membershipu3b", "membershipu3c",
        ]
      )
      try await sql.run("truncate staffbook.memberships, staffbook.users")
      let gone = try await sql.rows(changes).suffix(5)
      #expect(gone.allSatisfy { $0[at: 3] != "∅" && $0[at: 4] == "∅" }, "\(gone)")
      #expect(gone.map { $0[0] }.filter { $0 == "user" }.count == 3)
      let refused = try await sql.refusal(of: "truncate staffbook.changes")
      #expect(refused?.sqlstate?.description == "55000")
    }
  }

  @Test func `covers the declarations of fields`() async throws {
    try await withCompany { sql, _ in
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label) values ('user', 'badge', 'Badge');
        update staffbook.users set fields = '{"badge": "7"}' where id = 'u1';
        """
      )
      try await sql.run("delete from staffbook.fields")
      #expect(
        try await sql.rows(changes).suffix(4).map { $0[0] + $0[1] + $0[2] }
          == ["fielduserbadge", "useru1", "fielduserbadge", "useru1"]
      )
    }
  }

  @Test func `that no trigger saw is found, told and caught up with`() async throws {
    try await withCompany { sql, conninfo in
      try await sql.run(
        """
        alter table staffbook.users disable trigger record_updated;
        update staffbook.users set phone = '9' where id = 'u2';
        alter table staffbook.users enable trigger record_updated;
        """
      )
      let seen = try await DirectoryRepository(conninfo: conninfo).inspectTracking()?.history
      #expect(seen?.unrecorded == 1)
      #expect(seen?.brokenTriggers == [])
      #expect(try await sql.value("select staffbook.catch_up_history()") == "1")
      #expect(
        try await sql.rows("select is_found from staffbook.transactions order by at desc limit 1")
          == [["t"]]
      )
      #expect(try await sql.value("select staffbook.catch_up_history()") == "0")
      let after = try await DirectoryRepository(conninfo: conninfo).inspectTracking()?.history
      #expect(after?.unrecorded == nil)
    }
  }

  @Test(arguments: ["repeatable read", "serializable"])
  func `of a TRUNCATE that does not see what goes is told and caught up with`(
    isolation: String
  ) async throws {
    try await withCompany { sql, conninfo in
      let truncating = try await SQLSession(conninfo)
      try await truncating.run("begin isolation level \(isolation)")
      _ = try await truncating.value("select count(*) from staffbook.users")
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('late', 'Late', 'a');
        insert into staffbook.memberships (user_id, department_id) values ('late', 'a');
        commit
        """
      )
      try await truncating.run("truncate staffbook.memberships, staffbook.users; commit")
      let seen = try await DirectoryRepository(conninfo: conninfo).inspectTracking()?.history
      #expect(seen?.unrecorded == 2)
      #expect(try await sql.value("select staffbook.catch_up_history()") == "2")
      let found = try await sql.rows(changes).suffix(2)
      #expect(
        found.map { Array($0.prefix(3)) } == [["membership", "late", "a"], ["user", "late", ""]]
      )
      #expect(found.allSatisfy { $0[at: 4] == "∅" }, "\(found)")
    }
  }

  @Test func `is forgotten on demand, and that it was stays`() async throws {
    try await withCompany { sql, _ in
      try await sql.run("delete from staffbook.users where id = 'u3'")
      #expect(try await sql.value("select staffbook.forget_user('u3')") == "6")
      #expect(
        try await sql.value(
          "select count(*) from staffbook.changes where key1 = 'u3' or concat(before, after) ~ '灯'"
        ) == "0"
      )
      #expect(
        try await sql.value("select count(*) from staffbook.changes where kind = 'forgotten'")
          == "1"
      )
      #expect(try await sql.value("select staffbook.forget_user('u3')") == "0")
    }
  }

  @Test func `is forgotten under the ids that were the person's, and only while they were`()
    async throws
  {
    try await withCompany { sql, _ in
      for change in [
        "id = 'x' where id = 'u1'", "id = 'u1' where id = 'u2'", "phone = 'second' where id = 'u1'",
        "id = 'y' where id = 'u1'", "phone = 'first', id = 'z' where id = 'x'",
      ] {
        try await sql.run("update staffbook.users set \(change)")
      }
      let ids =
        "select string_agg(key, ' ' order by ordinality) from staffbook.ids_of_person($1) with ordinality"
      for (id, all) in [
        ("z", "z x u1"), ("x", "z x u1"), ("y", "y u1 u2"), ("u1", "y u1 u2"), ("u3", "u3"),
      ] {
        #expect(try await sql.value(ids, [.text(id)]) == all, "\(id)")
      }
      let epoch = "select epoch from staffbook.epoch"
      let before = try await sql.value(epoch)
      try await sql.run("select staffbook.forget_person('x')")
      #expect(try await sql.value(epoch) != before)
      #expect(
        try await sql.value(
          "select count(*) from staffbook.changes where after ->> 'phone' = 'second'"
        )
          != "0"
      )
      for gone in ["key1 in ('x')", "key2 in ('x')", "after ->> 'phone' = 'first'"] {
        #expect(
          try await sql.value("select count(*) from staffbook.changes where \(gone)") == "0",
          "\(gone)"
        )
      }
      #expect(
        try await sql.rows("select key1 from staffbook.tombstones where kind = 'user' order by 1")
          == [["u2"]]
      )
      #expect(try await sql.value(ids, [.text("y")]) == "y u1 u2")
      #expect(try await sql.value(ids, [.text("z")]) == "z")
      #expect(try await sql.value("select staffbook.forget_user('z')") == "0")
    }
  }

  @Test func `older than what is kept goes, and nothing that is left suffers`() async throws {
    try await withCompany { sql, _ in
      try await sql.run(
        """
        update staffbook.transactions set at = at - interval '3 years';
        update staffbook.users set phone = '1' where id = 'u1';
        """
      )
      #expect(try await sql.value("select staffbook.prune_history()") == "0")
      try await sql.run("select staffbook.keep_history('2 years')")
      #expect(try await sql.value("select staffbook.prune_history()") == "1")
      #expect(try await sql.rows(changes).map { $0[1] } == ["u1"])
      #expect(try await sql.value("select count(*) from staffbook.transactions") == "1")
    }
  }
}

@Suite("The time of a transaction")
struct TransactionTimeTests {
  private let last = "select at from staffbook.transactions order by at desc limit 1"

  @Test func `is that of its end, not of its beginning`() async throws {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(smallCompany)
      try await one.run("begin; update staffbook.users set phone = 'first' where id = 'u1'")
      try await two.run("update staffbook.users set phone = 'second' where id = 'u2'")
      try await one.run("commit")
      #expect(
        try await one.rows(
          """
          select c.after ->> 'phone' from staffbook.changes c
            join staffbook.transactions t on t.number = c.transaction
            where c.before is not null order by t.at
          """
        ) == [["second"], ["first"]]
      )
    }
  }

  @Test func `is later for a transaction that waited for a lock`() async throws {
    try await withDirectory { conninfo in
      let (one, two) = (try await SQLSession(conninfo), try await SQLSession(conninfo))
      try await one.run(smallCompany)
      try await two.run("begin; insert into staffbook.departments (id, name) values ('z', 'n')")
      try await one.run("begin; update staffbook.users set phone = '1' where id = 'u1'")
      async let waiting: Void = two.run(
        "update staffbook.users set phone = '2' where id = 'u1'; commit"
      )
      try await waitForBlockedSession(one)
      try await one.run("commit")
      try await waiting
      #expect(
        try await one.rows(
          """
          select c.after ->> 'phone', t.number < lag(t.number) over (order by t.at)
            from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            where c.key1 = 'u1' and c.kind = 'user' order by t.at
          """
        ) == [["", "∅"], ["1", "f"], ["2", "t"]]
      )
    }
  }

  @Test func `is given again when constraints were made immediate in the middle`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      for beginning in ["", "set constraints all immediate;"] {
        try await sql.run(
          """
          begin; \(beginning)
          update staffbook.users set phone = random()::text where id = 'u1';
          set constraints all immediate;
          """
        )
        let early = try await sql.value(last)
        try await Task.sleep(for: .milliseconds(20))
        try await sql.run("update staffbook.users set email = random()::text where id = 'u1'")
        try await sql.run("commit")
        let late = try await sql.value(last)
        #expect(
          try await sql.value(
            "select $1::timestamptz - $2::timestamptz > interval '15 ms'",
            [.text(late), .text(early)]
          ) == "t"
        )
        #expect(
          try await sql.value(
            "select counts from staffbook.transactions order by at desc limit 1"
          ) == #"{"user": [0, 1, 0]}"#
        )
      }
    }
  }

  @Test func `of a prepared one is there with the whole of it, or not at all`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let count = "select count(*) from staffbook.changes"
      let before = try await sql.value(count)
      let name = uniqueName("p")
      for (end, expected) in [("rollback", "0"), ("commit", "3")] {
        try await sql.run(
          "begin; update staffbook.users set phone = '1'; prepare transaction '\(name)'"
        )
        #expect(try await sql.value(count) == before)
        try await sql.run("\(end) prepared '\(name)'")
        #expect(try await sql.value("\(count) where before is not null") == expected)
      }
      #expect(try await sql.rows("select 1 from staffbook.transactions where at is null") == [])
    }
  }

  @Test func `never goes back, even if the clock does`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("update staffbook.transactions set at = at + interval '1 day'")
      let before = try await sql.value(last)
      try await sql.run("update staffbook.users set phone = '1'")
      #expect(
        try await sql.value(
          "select $1::timestamptz < at from staffbook.transactions "
            + "order by number desc limit 1",
          [.text(before)]
        ) == "t"
      )
    }
  }
}

extension TransactionTimeTests {
  @Test func `differs between transactions that end together while the clock is behind`()
    async throws
  {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("update staffbook.transactions set at = at + interval '1 day'")
      let before = try await sql.value(last)
      let ids = ["u1", "u2", "u3"]
      let sessions = [
        try await SQLSession(conninfo), try await SQLSession(conninfo),
        try await SQLSession(conninfo),
      ]
      for (id, session) in zip(ids, sessions) {
        try await session.run("begin; update staffbook.users set phone = '1' where id = '\(id)'")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for session in sessions { group.addTask { try await session.run("commit") } }
        try await group.waitForAll()
      }
      #expect(
        try await sql.rows(
          "select count(distinct at), min(at) > $1::timestamptz from staffbook.transactions "
            + "where number > 1",
          [.text(before)]
        ) == [["3", "t"]]
      )
    }
  }
}

@Suite("A column that a later step adds")
struct LaterColumnTests {
  @Test(arguments: ["departments", "users", "memberships"])
  func `is on record, too`(_ table: String) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        "alter table staffbook.\(table) add column later text not null default 'new'"
      )
      try await sql.run(smallCompany)
      let kind = String(table.dropLast())
      #expect(
        try await sql.rows(
          "select distinct after ->> 'later' from staffbook.changes where kind = '\(kind)'"
        ) == [["new"]]
      )
      #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
    }
  }
}

@Suite("The editors' role")
struct EditorRoleTests {
  @Test func `may edit and import, and no more`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("editor")
      try await owner.run("create role \(role) in role staffbook_editor")
      let editor = try await SQLSession(conninfo, role: role)
      try await editor.run(
        """
        update staffbook.users set phone = '1';
        insert into staffbook.departments (id, name) values ('x', 'n');
        delete from staffbook.departments where id = 'x';
        delete from staffbook.users where id = 'u3';
        """
      )
      #expect(try await owner.rows("select * from staffbook.unrecorded_changes()") == [])
      #expect(
        try await owner.value(
          "select count(distinct by_role) from staffbook.transactions"
        ) == "1"
      )
      for statement in [
        "insert into staffbook.changes (transaction, kind, key1) values (1, 'user', 'u1')",
        "update staffbook.changes set after = null", "delete from staffbook.changes",
        "update staffbook.transactions set actor = 'x'", "delete from staffbook.transactions",
        "update staffbook.history set keep = '1 day'", "select staffbook.forget_user('u1')",
        "select staffbook.forget_person('u1')", "select staffbook.ids_of_person('u1')",
        "select staffbook.identities_of_person('u1')", "select staffbook.identity_of('user', 'u1')",
        "select staffbook.in_words('u1')",
        "select staffbook.keep_history('1 day')", "select staffbook.transaction_number()",
        "select staffbook.enlist_transaction(1)", "select staffbook.merge_changes(1)",
        "truncate staffbook.users cascade", "update staffbook.ledger set at = now()",
        "insert into staffbook.fields (of, name, label) values ('user', 'x', 'X')",
        "alter table staffbook.users disable trigger record_updated",
      ] {
        let refusal = try await editor.refusal(of: statement)
        #expect(refusal?.sqlstate == .insufficientPrivilege, "\(statement)")
      }
      let importer = try await DirectoryImporter(
        conninfo: conninfo + " options=-crole=\(role)",
        files: [],
        replace: false
      )
      await importer.rollback()
      try await owner.run("drop role \(role)")
    }
  }
}
