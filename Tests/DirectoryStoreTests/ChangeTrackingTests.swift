import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("A change mark")
struct ChangeMarkTests {
  @Test func `is the top-level transaction, savepoints and all`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        begin;
        insert into staffbook.departments (id, name) values ('a', 'n');
        savepoint one;
        insert into staffbook.departments (id, name) values ('b', 'n');
        savepoint two;
        insert into staffbook.departments (id, name) values ('c', 'n');
        release two;
        """
      )
      let own = try await sql.value("select pg_current_xact_id()")
      try await sql.run("commit")
      #expect(
        try await sql.rows("select distinct changed_in from staffbook.departments") == [[own]]
      )
      #expect(try await sql.rows("select changed_in from staffbook.ledger") == [[own]])
    }
  }

  @Test func `is set on every kind of write and cannot be forged`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        create function public.meddle() returns trigger language plpgsql as
          $$ begin new.changed_in := '1'; return new; end $$;
        create trigger yyy_meddle before update on staffbook.users
          for each row execute function public.meddle();
        """
      )
      for role in ["origin", "replica", "local"] {
        try await sql.run("set session_replication_role = \(role)")
        for table in ["departments", "users", "memberships"] {
          try await sql.run("begin; update staffbook.\(table) set changed_in = '7'")
          let own = try await sql.value("select pg_current_xact_id()")
          try await sql.run("commit")
          #expect(
            try await sql.rows("select distinct changed_in from staffbook.\(table)")
              == [[own]],
            "\(table) as \(role)"
          )
        }
      }
    }
  }

  @Test func `follows cascades`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run("begin; update staffbook.departments set id = 'A' where id = 'a'")
      let own = try await sql.value("select pg_current_xact_id()")
      try await sql.run("commit")
      #expect(
        try await sql.rows(
          "select id from staffbook.departments where changed_in = $1 order by 1",
          [.text(own)]
        )
          == [["A"], ["b"]]
      )
      #expect(
        try await sql.rows(
          "select user_id from staffbook.memberships where changed_in = $1 order by 1",
          [.text(own)]
        ) == [["u1"], ["u3"]]
      )
      #expect(
        try await sql.rows(
          "select id from staffbook.users where changed_in = $1",
          [.text(own)]
        ) == [["u1"]]
      )
    }
  }
}

@Suite("A tombstone")
struct TombstoneTests {
  private func tombstones(_ sql: SQLSession) async throws -> [[String]] {
    try await sql.rows(
      "select kind, key1, key2 from staffbook.tombstones order by kind, key1, key2"
    )
  }

  @Test func `stands for every key that went, by cascade too`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      #expect(try await tombstones(sql) == [])
      try await sql.run("delete from staffbook.users where id = 'u3'")
      try await sql.run("delete from staffbook.departments where id = 'c'")
      #expect(
        try await tombstones(sql) == [
          ["department", "c", ""], ["membership", "u3", "a"], ["membership", "u3", "c"],
          ["user", "u3", ""],
        ]
      )
    }
  }

  @Test func `stands for keys that were renamed, and for no other change`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        update staffbook.departments set name = 'x', parent_id = parent_id;
        update staffbook.users set email = 'x';
        update staffbook.memberships set title = 'x';
        """
      )
      #expect(try await tombstones(sql) == [])
      try await sql.run("update staffbook.users set id = 'U2' where id = 'u2'")
      #expect(
        try await tombstones(sql) == [["membership", "u2", "b"], ["user", "u2", ""]]
      )
    }
  }

  @Test func `stays beside a row that came back, marked by its own transaction`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run("insert into staffbook.departments (id, name) values ('a', 'n')")
      try await sql.run("begin; delete from staffbook.departments")
      let deletion = try await sql.value("select pg_current_xact_id()")
      try await sql.run("commit")
      try await sql.run("insert into staffbook.departments (id, name) values ('a', 'n')")
      #expect(
        try await sql.rows("select key1, changed_in from staffbook.tombstones")
          == [["a", deletion]]
      )
      #expect(
        try await sql.value(
          "select changed_in > $1::xid8 from staffbook.departments",
          [.text(deletion)]
        ) == "t"
      )
    }
  }

  @Test func `is left in a replica's session too`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        set session_replication_role = replica;
        delete from staffbook.memberships where user_id = 'u3';
        """
      )
      #expect(try await tombstones(sql).count == 2)
    }
  }
}

@Suite("The ledger")
struct LedgerTests {
  @Test func `has one entry for each writing transaction and none for others`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let first = try await sql.rows("select changed_in, token from staffbook.ledger")
      #expect(first.count == 1)
      try await sql.run("begin; create table public.other (x int); commit")
      try await sql.run("begin; delete from staffbook.users where id = 'u2'; rollback")
      #expect(try await sql.rows("select changed_in, token from staffbook.ledger") == first)
      try await sql.run(
        """
        begin;
        update staffbook.users set phone = '1' where id = 'u1';
        savepoint s;
        delete from staffbook.users where id = 'u2';
        commit;
        """
      )
      let both = try await sql.rows(
        "select changed_in, token from staffbook.ledger order by changed_in"
      )
      #expect(both.count == 2)
      #expect(both[at: 0] == first[at: 0])
      #expect(Set(both.map { $0[1] }).count == 2)
    }
  }

  @Test func `does not take a restored entry for its own`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let foreign = "00000000-0000-4000-8000-000000000000"
      try await sql.run(
        """
        begin;
        insert into staffbook.ledger (changed_in, token, at)
          values (pg_current_xact_id(), '\(foreign)', '2001-01-01');
        insert into staffbook.departments (id, name) values ('a', 'n');
        """
      )
      let renewed = try await sql.value("select token from staffbook.ledger")
      #expect(renewed != foreign)
      try await sql.run("insert into staffbook.departments (id, name) values ('b', 'n'); commit")
      #expect(try await sql.rows("select token from staffbook.ledger") == [[renewed]])
    }
  }

  /// Applying a subscription fires row triggers only; a replica's session fires both kinds.
  @Test func `is written row by row for replicated rows`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        alter table staffbook.departments disable trigger enter_in_ledger;
        insert into staffbook.departments (id, name) values ('a', 'n');
        """
      )
      #expect(try await sql.rows("select 1 from staffbook.ledger") == [])
      try await sql.run(
        """
        set session_replication_role = replica;
        insert into staffbook.departments (id, name) values ('b', 'n'), ('c', 'n');
        """
      )
      #expect(
        try await sql.rows(
          """
          select d.id from staffbook.departments d join staffbook.ledger l using (changed_in)
            order by 1
          """
        ) == [["b"], ["c"]]
      )
    }
  }

  @Test func `is kept for writers who may not write to it`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      let role = uniqueName("writer")
      try await owner.run(
        """
        create role \(role);
        grant usage on schema staffbook to \(role);
        grant insert, update, delete, select on staffbook.departments to \(role);
        """
      )
      let writer = try await SQLSession(conninfo, role: role)
      try await writer.run(
        """
        insert into staffbook.departments (id, parent_id, name) values
          ('a', null, 'n'), ('b', 'a', 'n');
        update staffbook.departments set parent_id = null where id = 'b';
        delete from staffbook.departments where id = 'a';
        """
      )
      #expect(
        try await writer.refusal(of: "delete from staffbook.ledger")?.sqlstate
          == .insufficientPrivilege
      )
      #expect(try await owner.value("select count(*) from staffbook.ledger") == "1")
      #expect(try await owner.value("select key1 from staffbook.tombstones") == "a")
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }
}

@Suite("Epoch and layout")
struct EpochTests {
  private func epoch(_ sql: SQLSession) async throws -> String {
    try await sql.value("select epoch from staffbook.epoch")
  }

  @Test(arguments: ["users cascade", "memberships, users", "ledger", "tombstones"])
  func `change with TRUNCATE`(_ tables: String) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let before = try await epoch(sql)
      let layout = try await sql.value("select staffbook.layout()")
      try await sql.run("truncate staffbook." + tables.replacing(", ", with: ", staffbook."))
      #expect(try await epoch(sql) != before)
      #expect(try await sql.value("select staffbook.layout()") != layout)
    }
  }

  @Test func `stay the same with ordinary work`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let before = try await sql.rows("select staffbook.layout(), epoch from staffbook.epoch")
      try await sql.run(smallCompany)
      try await sql.run("delete from staffbook.users; select staffbook.prune(1)")
      for statement in [
        "vacuum freeze staffbook.users", "analyze staffbook.users",
        "reindex table staffbook.users", "comment on table staffbook.users is 'x'",
        "vacuum freeze pg_catalog.pg_trigger",
      ] {
        try await sql.run(statement)
      }
      #expect(
        try await sql.rows("select staffbook.layout(), epoch from staffbook.epoch") == before
      )
    }
  }

  @Test(arguments: [
    "alter table staffbook.users disable trigger bury_deleted",
    "alter table staffbook.users disable trigger bury_deleted; "
      + "alter table staffbook.users enable always trigger bury_deleted",
    "alter table staffbook.memberships disable trigger all",
    "alter table staffbook.users add column desk text",
    "alter table staffbook.memberships alter column sort_order type numeric",
    "create trigger mine after insert on staffbook.users execute function staffbook.renew_epoch()",
    "vacuum full staffbook.departments",
    "alter table staffbook.users drop column phone, add column phone text not null default ''",
  ])
  func `tell of what may have passed the triggers by`(_ sql: String) async throws {
    try await withDirectory { conninfo in
      let session = try await SQLSession(conninfo)
      let before = try await session.value("select staffbook.layout()")
      try await session.run(sql)
      #expect(try await session.value("select staffbook.layout()") != before)
    }
  }

  @Test func `differ between databases`() async throws {
    let query = "select staffbook.layout(), epoch from staffbook.epoch"
    // A copy has the epoch of its template, so both are migrated here.
    try await withTestDatabase { one in
      try await withTestDatabase { other in
        for conninfo in [one, other] { _ = try await Migrator().migrate(conninfo: conninfo) }
        let first = try await SQLSession(one).rows(query)
        let second = try await SQLSession(other).rows(query)
        #expect(first[at: 0]?[at: 0] != second[at: 0]?[at: 0])
        #expect(first[at: 0]?[at: 1] != second[at: 0]?[at: 1])
      }
    }
  }
}

@Suite("Pruning")
struct PruningTests {
  private func write(_ count: Int, _ sql: SQLSession) async throws {
    for number in 0..<count {
      try await sql.run("insert into staffbook.departments (id, name) values ('\(number)', 'n')")
      try await sql.run("delete from staffbook.departments")
    }
  }

  @Test func `keeps the newest entries and says how far it went`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await write(10, sql)
      let kept = try await sql.rows(
        "select changed_in from staffbook.ledger order by changed_in desc limit 5"
      )
      let horizon = try await sql.value("select staffbook.prune(5)")
      #expect(try await sql.value("select pruned_below from staffbook.epoch") == horizon)
      let left = try await sql.rows(
        "select changed_in from staffbook.ledger order by changed_in desc"
      )
      // Transactions of other tests may hold the horizon back, never push it on.
      #expect(Array(left.prefix(5)) == kept)
      #expect(
        try await sql.value(
          """
          select count(*) from (select changed_in from staffbook.ledger union all
            select changed_in from staffbook.tombstones) m where changed_in < $1::xid8
          """,
          [.text(horizon)]
        ) == "0"
      )
    }
  }

  @Test func `of little does nothing`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await write(3, sql)
      try await sql.run("select staffbook.prune()")
      #expect(try await sql.value("select count(*) from staffbook.ledger") == "6")
      #expect(try await sql.value("select count(*) from staffbook.tombstones") == "3")
    }
  }

  @Test func `clears away what another cluster numbered, but not its own work`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await write(1, sql)
      try await sql.run(
        """
        insert into staffbook.ledger (changed_in) values ('999999999999');
        insert into staffbook.tombstones (kind, key1, changed_in)
          values ('user', 'x', '999999999999');
        update staffbook.epoch set pruned_below = '999999999999';
        """
      )
      try await sql.run(
        """
        begin isolation level repeatable read;
        insert into staffbook.departments (id, name) values ('z', 'n');
        select staffbook.prune();
        """
      )
      let own = try await sql.value("select pg_current_xact_id()")
      try await sql.run("commit")
      #expect(
        try await sql.value("select changed_in from staffbook.ledger order by 1 desc limit 1")
          == own
      )
      #expect(try await sql.value("select count(*) from staffbook.ledger") == "3")
      #expect(try await sql.value("select count(*) from staffbook.tombstones") == "1")
      #expect(
        try await sql.value("select pruned_below < '999999999999' from staffbook.epoch") == "t"
      )
    }
  }
}
