import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

/// Runs `body` with a small company, after which nothing may be unrecorded.
private func withCompany(_ body: (SQLSession) async throws -> Void) async throws {
  try await withDirectory { conninfo in
    let sql = try await SQLSession(conninfo)
    try await sql.run(smallCompany)
    try await body(sql)
    #expect(try await sql.rows("select * from staffbook.unrecorded_changes()") == [])
  }
}

/// Adds somebody to department `a`, as a former one if an identity is given.
private func adding(_ id: String, _ name: String, identity: String? = nil) -> String {
  """
  begin;
  insert into staffbook.users (id, name, primary_department_id\(identity == nil ? "" : ", identity"))
    values ('\(id)', '\(name)', 'a'\(identity.map { ", '\($0)'" } ?? ""));
  insert into staffbook.memberships (user_id, department_id) values ('\(id)', 'a');
  commit;
  """
}

private func identityOf(_ id: String, _ sql: SQLSession) async throws -> String {
  try await sql.value("select identity from staffbook.users where id = $1", [.text(id)])
}

@Suite("An identity")
struct IdentityTests {
  @Test func `is a new one for each record, and stays`() async throws {
    try await withCompany { sql in
      #expect(
        try await sql.value(
          """
          select count(distinct identity) from (select identity from staffbook.users
            union all select identity from staffbook.departments) r
          """
        ) == "6"
      )
      for table in ["users", "departments"] {
        let refusal = try await sql.refusal(
          of: "update staffbook.\(table) set identity = gen_random_uuid()"
        )
        #expect(refusal?.sqlstate?.rawValue == "55000")
        #expect(refusal?.column == "identity")
        try await sql.run("update staffbook.\(table) set identity = identity, id = id || 'x'")
      }
    }
  }

  @Test func `is that of nobody else`() async throws {
    try await withCompany { sql in
      let identity = try await identityOf("u1", sql)
      let refusal = try await sql.refusal(of: adding("u9", "Nine", identity: identity))
      #expect(refusal?.constraint == "users_identity")
      try await sql.run("rollback")
      // Whoever brings somebody back gives the identity.
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(adding("u9", "Nine", identity: identity))
      #expect(
        try await sql.rows(
          """
          select key1, before is null, after is null from staffbook.changes
            where identity = $1::uuid order by place
          """,
          [.text(identity)]
        ) == [["u1", "t", "f"], ["u1", "f", "t"], ["u9", "t", "f"]]
      )
    }
  }

  @Test func `of a renamed record is that of its removal and of its addition`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        update staffbook.users set id = 'v1' where id = 'u1';
        update staffbook.departments set id = 'd' where id = 'c';
        """
      )
      #expect(
        try await sql.rows(
          """
          select c.kind, string_agg(c.key1, ' ' order by c.place), count(distinct c.identity)
            from staffbook.changes c
            where c.kind in ('user', 'department') and c.before is null <> (c.after is null)
              and c.key1 in ('u1', 'v1', 'c', 'd')
            group by 1 order by 1
          """
        ) == [["department", "c c d", "1"], ["user", "u1 u1 v1", "1"]]
      )
      #expect(
        try await sql.value("select count(*) from staffbook.changes where kind = 'renamed'") == "0"
      )
    }
  }

  @Test func `tells a namesake in the same transaction apart`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        begin;
        update staffbook.users set phone = '1' where id = 'u1';
        delete from staffbook.users where id = 'u1';
        insert into staffbook.users (id, name, primary_department_id) values ('u1', 'New', 'a');
        insert into staffbook.memberships (user_id, department_id) values ('u1', 'a');
        update staffbook.users set phone = '2' where id = 'u1';
        commit
        """
      )
      #expect(
        try await sql.rows(
          """
          select before ->> 'name', after ->> 'phone', identity is not distinct from (
              select u.identity from staffbook.users u where u.id = 'u1')
            from staffbook.changes where kind = 'user' and key1 = 'u1' order by place
          """
        ) == [["∅", "", "f"], ["Ngaire Holm", "∅", "f"], ["∅", "2", "t"]]
      )
    }
  }

  @Test func `tells two apart who change ids`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        begin;
        update staffbook.users set id = 't' where id = 'u1';
        update staffbook.users set id = 'u1' where id = 'u2';
        update staffbook.users set id = 'u2' where id = 't';
        commit
        """
      )
      #expect(
        try await sql.rows(
          """
          select key1, coalesce(after, before) ->> 'name', after is null from staffbook.changes
            where kind = 'user' and transaction = (select max(number) from staffbook.transactions)
            order by key1, place
          """
        ) == [
          ["u1", "Ngaire Holm", "t"], ["u1", "Tomasz Brandt", "f"],
          ["u2", "Tomasz Brandt", "t"], ["u2", "Ngaire Holm", "f"],
        ]
      )
      let ids =
        "select string_agg(key, ' ' order by ordinality) from staffbook.ids_of_person($1) with ordinality"
      #expect(try await sql.value(ids, [.text("u1")]) == "u1 u2")
      #expect(try await sql.value(ids, [.text("u2")]) == "u2 u1")
    }
  }

  @Test func `that changed unseen is a removal and an addition`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        alter table staffbook.users disable trigger user;
        alter table staffbook.memberships disable trigger user;
        """
      )
      try await sql.run(
        """
        begin;
        delete from staffbook.users where id = 'u2';
        insert into staffbook.users (id, name, primary_department_id, changed_in)
          values ('u2', 'Unseen', 'b', pg_current_xact_id());
        insert into staffbook.memberships (user_id, department_id, title, changed_in)
          values ('u2', 'b', 'Grinder', pg_current_xact_id());
        commit
        """
      )
      let found =
        "select kind, key1, before ->> 'name', after ->> 'name' from staffbook.unrecorded_changes() order by 4"
      #expect(
        try await sql.rows(found)
          == [["user", "u2", "∅", "Unseen"], ["user", "u2", "Tomasz Brandt", "∅"]]
      )
      #expect(try await sql.value("select staffbook.catch_up_history()") == "2")
    }
  }

  @Test func `was used for as long as history knows`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        update staffbook.users set id = 'v1' where id = 'u1';
        delete from staffbook.users where id = 'u2';
        update staffbook.departments set id = 'd' where id = 'c';
        """
      )
      for (kind, id, expected) in [
        ("user", "v1", "t"), ("user", "u1", "t"), ("user", "u2", "t"), ("user", "u9", "f"),
        ("user", "a", "f"), ("department", "c", "t"), ("department", "u1", "f"),
        ("field", "c", "f"),
      ] {
        #expect(
          try await sql.value("select staffbook.was_used($1, $2)", [.text(kind), .text(id)])
            == expected,
          "\(kind) \(id)"
        )
      }
    }
  }
}

@Suite("A rule means whom it names")
struct BoundRuleTests {
  /// Rules and members of groups by id, and the names of whom they mean.
  private func bound(_ sql: SQLSession) async throws -> [String] {
    try await sql.rows(
      """
      select concat_ws(' ', t.effect, t.id || ':', coalesce(
          (select u.name from staffbook.users u where u.identity = t.identity),
          (select d.name from staffbook.departments d where d.identity = t.identity),
          (select 'former ' || (coalesce(c.after, c.before) ->> 'name') from staffbook.changes c
            where c.identity = t.identity order by c.place desc limit 1)))
        from (
          select sort_order, effect, coalesce(target_id, target_value) as id, target_identity as identity
            from staffbook.visibility_rules where (effect, target) <> ('show', 'everything')
          union all
          select sort_order, 'to', coalesce(viewer_id, viewer_value), viewer_identity
            from staffbook.visibility_rules where viewer <> 'everybody'
          union all
          select 1000, name, user_id, identity from staffbook.visibility_groups) t
        order by t.sort_order, t.effect collate "C", t.id collate "C"
      """
    ).map { $0[0] }
  }

  private func places(_ sql: SQLSession) async throws -> String {
    try await sql.value(
      "select string_agg(sort_order::text, ' ' order by sort_order) from staffbook.visibility_rules"
    )
  }

  private static let rules = """
    insert into staffbook.fields (of, name, label, kind) values ('user', 'boss', 'Boss', 'person');
    insert into staffbook.visibility_rules
        (sort_order, effect, target, target_id, viewer, viewer_id) values
      (-5, 'show', 'person', 'u1', 'everybody', null), (-4, 'hide', 'person', 'u1', 'person', 'u2'),
      (-3, 'hide', 'department', 'c', 'group', 'few');
    insert into staffbook.visibility_rules
        (sort_order, effect, target, target_field, target_value, viewer) values
      (-2, 'hide', 'people', 'boss', 'u1', 'everybody'), (-1, 'hide', 'people', 'desk', 'u1', 'everybody');
    insert into staffbook.visibility_groups (name, user_id) values ('few', 'u1'), ('few', 'u9');
    """

  private func withRules(_ body: (SQLSession) async throws -> Void) async throws {
    try await withCompany { sql in
      try await sql.run(Self.rules)
      try await body(sql)
    }
  }

  @Test func `from the beginning, or once the record appears`() async throws {
    try await withRules { sql in
      #expect(
        try await bound(sql) == [
          "show u1: Ngaire Holm", "hide u1: Ngaire Holm", "to u2: Tomasz Brandt",
          "hide c: Grinding", "to few:", "hide u1: Ngaire Holm", "hide u1:",
          "few u1: Ngaire Holm", "few u9:",
        ]
      )
      try await sql.run(adding("u9", "Nine"))
      #expect(try await bound(sql).last == "few u9: Nine")
    }
  }

  @Test func `under another id`() async throws {
    try await withRules { sql in
      try await sql.run(
        """
        update staffbook.users set id = 'v1' where id = 'u1';
        update staffbook.departments set id = 'd' where id = 'c';
        """
      )
      try await sql.run(adding("u1", "Other"))
      #expect(
        try await bound(sql) == [
          "show v1: Ngaire Holm", "hide v1: Ngaire Holm", "to u2: Tomasz Brandt",
          "hide d: Grinding", "to few:", "hide v1: Ngaire Holm", "hide u1:",
          "few u9:", "few v1: Ngaire Holm",
        ]
      )
    }
  }

  /// A namesake who is hidden by precaution does not appear under another id either.
  @Test func `and covers a namesake only where it hides`() async throws {
    try await withRules { sql in
      let former = try await identityOf("u1", sql)
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(adding("u1", "Namesake"))
      let asleep = [
        "show u1: former Ngaire Holm", "hide u1: former Ngaire Holm", "to u2: Tomasz Brandt",
        "hide c: Grinding", "to few:", "hide u1: former Ngaire Holm", "hide u1:",
        "few u1: former Ngaire Holm", "few u9:",
      ]
      #expect(try await bound(sql) == asleep)
      try await sql.run("update staffbook.users set id = 'n1' where id = 'u1'")
      #expect(
        try await bound(sql)
          == asleep.map {
            $0.hasPrefix("hide u1: former") ? "hide n1: former Ngaire Holm" : $0
          }
      )
      // Whoever returns has all of them again, and the namesake does not appear.
      try await sql.run(adding("r1", "Ngaire Holm", identity: former))
      #expect(
        try await bound(sql) == [
          "show r1: Ngaire Holm", "hide r1: Ngaire Holm", "to u2: Tomasz Brandt",
          "hide n1: Namesake", "to u2: Tomasz Brandt", "hide c: Grinding", "to few:",
          "hide r1: Ngaire Holm", "hide n1: Namesake", "hide u1:",
          "few r1: Ngaire Holm", "few u9:",
        ]
      )
      #expect(try await places(sql) == "-5 -4 -3 -2 -1 0 1 2")
    }
  }

  @Test func `anew where an administrator confirms it or names another one`() async throws {
    try await withRules { sql in
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(
        """
        update staffbook.visibility_rules set target_identity = null where sort_order = -5;
        update staffbook.visibility_rules set target_id = 'u3', viewer_id = 'u1' where sort_order = -4;
        update staffbook.visibility_rules set target = 'everything', target_id = null where sort_order = -3;
        update staffbook.visibility_groups set identity = null where user_id = 'u1';
        """
      )
      #expect(
        try await bound(sql) == [
          "show u1: Namesake", "hide u3: 灯 美", "to u1: Namesake", "hide", "to few:",
          "hide u1: former Ngaire Holm", "hide u1:", "few u1: Namesake", "few u9:",
        ]
      )
      // Who has no longer the id that is named is named by the present one.
      try await sql.run("update staffbook.users set id = 'n1' where id = 'u1'")
      try await sql.run(
        "update staffbook.visibility_rules set target_id = 'u1' where sort_order = -4"
      )
      #expect(try await bound(sql)[1] == "hide n1: Namesake")
    }
  }

  @Test func `by a value only while values of the field are ids`() async throws {
    try await withRules { sql in
      let rule =
        "select coalesce(target_identity::text, '') <> '' from staffbook.visibility_rules where sort_order = -1"
      #expect(try await sql.value(rule) == "f")
      try await sql.run(
        "insert into staffbook.fields (of, name, label, kind) values ('user', 'desk', 'Desk', 'person')"
      )
      #expect(try await sql.value(rule) == "t")
      try await sql.run("update staffbook.fields set kind = 'text' where name = 'desk'")
      #expect(try await sql.value(rule) == "f")
    }
  }

  @Test func `and so do members who change ids with each other`() async throws {
    try await withRules { sql in
      try await sql.run(
        "insert into staffbook.visibility_groups (name, user_id) values ('few', 'u2')"
      )
      try await sql.run(
        """
        begin;
        update staffbook.users set id = 't' where id = 'u1';
        update staffbook.users set id = 'u1' where id = 'u2';
        update staffbook.users set id = 'u2' where id = 't';
        commit
        """
      )
      #expect(
        try await bound(sql).suffix(3)
          == ["few u1: Tomasz Brandt", "few u2: Ngaire Holm", "few u9:"]
      )
    }
  }
}

extension BoundRuleTests {
  /// What is hidden from a person who left, or is a department that was removed, is so for the namesakes, too.
  @Test func `and covers the namesake of a viewer or department that returns`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        insert into staffbook.departments (id, parent_id, name) values ('x', 'a', 'Polish');
        insert into staffbook.visibility_rules
            (sort_order, effect, target, target_id, viewer, viewer_id) values
          (-30, 'hide', 'department', 'b', 'person', 'u1'),
          (-20, 'hide', 'department', 'x', 'everybody', null),
          (-10, 'show', 'department', 'x', 'person', 'u1');
        """
      )
      let person = try await identityOf("u1", sql)
      let department = try await sql.value(
        "select identity from staffbook.departments where id = 'x'"
      )
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run("delete from staffbook.departments where id = 'x'")
      try await sql.run(
        "insert into staffbook.departments (id, parent_id, name) values ('x', 'a', 'Varnish')"
      )
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(adding("r1", "Ngaire Holm", identity: person))
      try await sql.run(
        """
        insert into staffbook.departments (id, parent_id, name, identity)
          values ('y', 'a', 'Polish', '\(department)')
        """
      )
      #expect(
        try await bound(sql) == [
          "hide b: Lenses", "to r1: Ngaire Holm", "hide b: Lenses", "to u1: Namesake",
          "hide y: Polish", "hide x: Varnish", "show y: Polish", "to r1: Ngaire Holm",
        ]
      )
      #expect(try await places(sql) == "-30 -29 -20 -19 -10 0")
    }
  }

  /// What was written while a person was being added waits for that person, and for nobody later.
  @Test func `and who was being added when it was written, once removed`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id)
          values ('w', 'Waited for', 'a');
        insert into staffbook.memberships (user_id, department_id) values ('w', 'a');
        """
      )
      let admin = try await SQLSession(conninfo)
      try await admin.run(
        """
        insert into staffbook.visibility_rules
            (sort_order, effect, target, target_id, viewer, viewer_id) values
          (-2, 'show', 'person', 'w', 'everybody', null),
          (-1, 'show', 'person', 'u1', 'person', 'w');
        insert into staffbook.visibility_groups (name, user_id) values ('few', 'w'), ('few', 'u9');
        """
      )
      try await sql.run("commit")
      #expect(
        try await bound(sql) == ["show w:", "show u1: Ngaire Holm", "to w:", "few u9:", "few w:"]
      )
      try await sql.run("delete from staffbook.users where id = 'w'")
      try await sql.run(adding("w", "Namesake"))
      #expect(
        try await bound(sql) == [
          "show w: former Waited for", "show u1: Ngaire Holm", "to w: former Waited for",
          "few u9:", "few w: former Waited for",
        ]
      )
    }
  }

  /// What one row moves does not move with the next one: an id is left before another one gets it.
  @Test func `and goes along once where one statement passes ids on`() async throws {
    try await withRules { sql in
      for statement in [
        """
        insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer)
          values (-6, 'hide', 'department', 'x', 'everybody')
        """,
        "insert into staffbook.departments (id, parent_id, name) values ('x', 'a', 'Polish')",
        "delete from staffbook.departments where id = 'x'",
        "insert into staffbook.departments (id, parent_id, name) values ('x', 'a', 'Varnish')",
        "delete from staffbook.users where id = 'u1'",
      ] {
        try await sql.run(statement)
      }
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(
        """
        update staffbook.users set id = case id when 'u1' then 'u2' else 'v2' end
          where id in ('u1', 'u2');
        update staffbook.departments set id = case id when 'x' then 'c' else 'd' end
          where id in ('c', 'x');
        """
      )
      #expect(
        try await bound(sql) == [
          "hide c: former Polish", "show u1: former Ngaire Holm", "hide u2: former Ngaire Holm",
          "to v2: Tomasz Brandt", "hide d: Grinding", "to few:", "hide u2: former Ngaire Holm",
          "hide u1:", "few u1: former Ngaire Holm", "few u9:",
        ]
      )
    }
  }

  /// Forgets the person of an identity, as ``DirectoryHistory`` does; returns how many changes still name it.
  private func forget(_ id: String, _ identity: String, _ sql: SQLSession) async throws -> String {
    _ = try await sql.value(
      """
      select staffbook.forget_in_rules(f.ids, f.identities)
        from staffbook.forget_person($1, $2::uuid) f
      """,
      [.text(id), .text(identity)]
    )
    return try await sql.value(
      "select count(*) from staffbook.changes c where strpos(c::text, $1) > 0",
      [.text(identity)]
    )
  }

  @Test func `and not somebody who left, once another one who had the id is forgotten`()
    async throws
  {
    try await withRules { sql in
      let former = try await identityOf("u1", sql)
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(
        """
        insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer)
          values (-6, 'hide', 'person', 'u1', 'everybody');
        insert into staffbook.visibility_groups (name, user_id) values ('many', 'u1');
        delete from staffbook.users where id = 'u1';
        """
      )
      #expect(try await forget("u1", former, sql) == "0")
      #expect(
        try await bound(sql) == [
          "hide u1: former Namesake", "hide c: Grinding", "to few:", "hide u1:", "few u9:",
          "many u1: former Namesake",
        ]
      )
    }
  }

  @Test func `and hides a namesake who is there when the one whom it meant is forgotten`()
    async throws
  {
    try await withRules { sql in
      let former = try await identityOf("u1", sql)
      try await sql.run("delete from staffbook.users where id = 'u1'")
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(
        "insert into staffbook.visibility_groups (name, user_id) values ('many', 'u1')"
      )
      #expect(try await forget("u1", former, sql) == "0")
      let covered = [
        "hide u1: Namesake", "to u2: Tomasz Brandt", "hide c: Grinding", "to few:",
        "hide u1: Namesake", "hide u1:", "few u9:", "many u1: Namesake",
      ]
      #expect(try await bound(sql) == covered)
      // Who is there keeps what means them.
      _ = try await forget("u1", try await identityOf("u1", sql), sql)
      #expect(try await bound(sql) == covered)
    }
  }
}

@Suite("Tokens and lists")
struct BoundHolderTests {
  @Test func `name the identity of the person, who stays the same under another id`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        insert into staffbook.devices (name) values ('door');
        insert into staffbook.tokens (user_id, purpose, hash, identity) values
          ('u1', 'phone', sha256('1'), gen_random_uuid()), ('u2', 'phone', sha256('2'), null);
        insert into staffbook.tokens (device, purpose, hash) values ('door', 'door', sha256('3'));
        insert into staffbook.sources (name, fields) values ('list', '{}');
        insert into staffbook.source_records (source, kind, id, alias, is_owner) values
          ('list', 'user', 'u1', '1', true), ('list', 'user', 'u2', '2', true),
          ('list', 'department', 'a', 'a', true);
        """
      )
      let refusal = try await sql.refusal(
        of: "update staffbook.tokens set identity = gen_random_uuid() where device = 'door'"
      )
      #expect(refusal?.constraint == "tokens_identity")
      try await sql.run(
        """
        update staffbook.users set id = 'v1' where id = 'u1';
        delete from staffbook.users where id = 'u2';
        """
      )
      try await sql.run(adding("u2", "Namesake"))
      try await sql.run("update staffbook.users set id = 'n2' where id = 'u2'")
      #expect(
        try await sql.rows(
          """
          select t.user_id, t.identity = u.identity from staffbook.tokens t
              left join staffbook.users u on u.id = t.user_id order by t.id
          """
        ) == [["v1", "t"], ["∅", "∅"]]
      )
      // What the list had of somebody who left is not a namesake's.
      #expect(
        try await sql.rows(
          """
          select r.id, coalesce(u.name, d.name, 'former') from staffbook.source_records r
              left join staffbook.users u on u.identity = r.identity
              left join staffbook.departments d on d.identity = r.identity order by 1
          """
        ) == [["a", "Lamps"], ["v1", "Ngaire Holm"]]
      )
    }
  }

  @Test func `of somebody who is forgotten are erased, and a namesake's are not`() async throws {
    try await withCompany { sql in
      try await sql.run(
        """
        insert into staffbook.sources (name, fields) values ('list', '{}'), ('other', '{}');
        insert into staffbook.source_records (source, kind, id, alias, is_owner)
          values ('list', 'user', 'u1', '1', true);
        update staffbook.users set id = 'v1' where id = 'u1';
        """
      )
      try await sql.run(adding("u1", "Namesake"))
      try await sql.run(
        """
        insert into staffbook.source_records (source, kind, id, alias, is_owner)
          values ('other', 'user', 'u1', '1', true);
        delete from staffbook.users where id = 'v1';
        """
      )
      try await sql.run("select staffbook.forget_person('v1')")
      #expect(
        try await sql.rows("select source, id from staffbook.source_records") == [["other", "u1"]]
      )
      #expect(
        try await sql.rows(
          """
          select key1, before ->> 'name', after ->> 'name', identity is null
            from staffbook.changes where kind = 'user' and (key1 in ('u1', 'v1') or is_forgotten)
            order by place
          """
        ) == [
          ["", "∅", "∅", "t"], ["", "∅", "∅", "t"], ["", "∅", "∅", "t"],
          ["u1", "∅", "Namesake", "f"], ["", "∅", "∅", "t"],
        ]
      )
    }
  }
}
