import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("Visibility rules in the database")
struct VisibilityStoreTests {
  private static let mobile = VisibilityRule(
    .hide,
    fields: ["mobile", "email"],
    .department(DepartmentID("c")),
    .everybody
  )
  /// One of each kind.
  private static let every: [VisibilityRule] =
    ([
      .everything, .department(DepartmentID("a")), .person(UserID("u1")), .ownDepartments,
      .ledDepartments, .colleagues, .people(field: "status", value: "a, b"),
    ] as [VisibilityRule.Targets]).map { VisibilityRule(.hide, $0, .leads) }
    + ([
      .everybody, .department(DepartmentID("b")), .person(UserID("u 2")), .group("g"),
      .people(field: "status", value: "\"x\""), .device("lobby"),
    ] as [VisibilityRule.Viewers]).map { VisibilityRule(.show, fields: ["title"], .everything, $0) }
    + [VisibilityRule(.unlist, .colleagues, .everybody), mobile, .base]

  private func withRules(
    _ body: (DatabaseEditor, SQLSession, String) async throws -> Void
  ) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let editor = DatabaseEditor(
        conninfo: conninfo,
        authorship: Authorship(actor: "Ada", reason: "as agreed")
      )
      try await body(editor, sql, conninfo)
    }
  }

  /// Writes a list in the place of whatever is there.
  @discardableResult
  private func write(
    _ rules: [VisibilityRule],
    groups: [String: Set<UserID>] = [:],
    _ editor: DatabaseEditor
  ) async throws -> VisibilityRules {
    let former = try await editor.visibilityRules()
    try await editor.write(VisibilityRules(rules, groups: groups), replacing: former)
    return try await editor.visibilityRules()
  }

  @Test func `begin with the base, which is no change on record`() async throws {
    try await withRules { editor, sql, _ in
      let rules = try await editor.visibilityRules()
      #expect(rules.rules.map(\.description) == ["show everything to everybody"])
      #expect(rules.fault == nil && rules.groups.isEmpty)
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "0")
    }
  }

  @Test func `are read as they were written, of every kind`() async throws {
    try await withRules { editor, sql, conninfo in
      let groups = ["g": [UserID("u1"), UserID("gone")], "g h": [UserID("u1")]] as [String: Set]
      let rules = try await write(Self.every, groups: groups, editor)
      #expect(rules.rules.map(\.description) == Self.every.map(\.description))
      #expect(rules.groups == groups)
      #expect(rules.rules.allSatisfy { $0.id != 0 })
      let loaded = try await DirectoryRepository(conninfo: conninfo).load()
      #expect(loaded.records.visibility == rules)
      #expect(loaded.source.isAdministrator)
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "0")
      let change = try #require(
        try await DirectoryHistory(conninfo: conninfo, doing: "test")
          .transactions(HistoryFilter()).first
      )
      #expect((change.actor, change.reason, change.rules) == ("Ada", "as agreed", 20))
      #expect(change.rowCount == 0)
    }
  }

  @Test func `change one row where one is moved`() async throws {
    try await withRules { editor, sql, conninfo in
      var rules = try await write(Self.every, editor).rules
      for (from, to) in [(0, 5), (9, 1), (14, 0), (3, 3)] {
        let places = try await sql.rows("select id, sort_order from staffbook.visibility_rules")
        rules.insert(rules.remove(at: from), at: to)
        let written = try await write(rules, editor)
        #expect(written.rules == rules)
        let now = try await sql.rows("select id, sort_order from staffbook.visibility_rules")
        #expect(Set(now).subtracting(places).count == (from == to ? 0 : 1))
      }
      // Two at one place are refused, anyone who writes.
      let refusal = try await sql.refusal(
        of: "insert into staffbook.visibility_rules (sort_order, effect, target, viewer) "
          + "select min(sort_order), 'hide', 'everything', 'leads' from staffbook.visibility_rules"
      )
      #expect(refusal?.constraint == "visibility_rules_sort_order")
      let changes = try await DirectoryHistory(conninfo: conninfo, doing: "test")
        .visibilityChanges(from: 0, to: .max / 4)
      // The first base went, too.
      #expect(changes.count == Self.every.count + 1)
    }
  }

  @Test func `are not overwritten by those who saw another list`() async throws {
    try await withRules { editor, sql, _ in
      let seen = try await editor.visibilityRules()
      let now = try await write([Self.mobile, .base], groups: ["g": [UserID("u1")]], editor)
      for list in [VisibilityRules(), VisibilityRules([Self.mobile, .base])] {
        let error = await #expect(throws: DirectoryError.self) {
          try await editor.write(list, replacing: seen)
        }
        #expect(error?.kind == .refusedForNow)
      }
      var other = now
      other.groups["g"] = nil
      await #expect(throws: DirectoryError.self) {
        try await editor.write(VisibilityRules(), replacing: other)
      }
      #expect(try await editor.visibilityRules() == now)
      let error = await #expect(throws: DirectoryError.self) {
        try await editor.write(VisibilityRules([Self.mobile]), replacing: now)
      }
      #expect(error?.kind == .badData)
      #expect(
        error?.message == """
          cannot change the visibility rules: the last rule must be "show everything to \
          everybody", "show own departments to everybody" or "hide everything from everybody"
          """
      )
    }
  }

  @Test func `are for members of staffbook_admin to write, for readers to read`() async throws {
    try await withRules { editor, sql, conninfo in
      let now = try await editor.visibilityRules()
      let user = try await sql.value("select session_user")
      for (group, mayWrite) in [("reader", false), ("editor", false), ("admin", true)] {
        let role = uniqueName("ann")
        try await sql.run("create role \(role) in role staffbook_\(group)")
        let login = conninfo + " options=-crole=\(role)"
        let ann = DatabaseEditor(conninfo: login)
        #expect(try await ann.visibilityRules() == now)
        let loaded = try await DirectoryRepository(conninfo: login).load()
        #expect(loaded.source.isAdministrator == mayWrite, "\(group)")
        if mayWrite {
          try await ann.write(VisibilityRules([Self.mobile] + now.rules), replacing: now)
          #expect(try await ann.visibilityRules().rules.count == 2)
        } else {
          let error = await #expect(throws: DirectoryError.self) {
            try await ann.write(VisibilityRules([Self.mobile] + now.rules), replacing: now)
          }
          #expect(error?.kind == .notPermitted)
          #expect(
            error?.message
              == "cannot change the visibility rules: \(user) is not a member of staffbook_admin"
          )
        }
        try await sql.run("drop owned by \(role); drop role \(role)")
      }
    }
  }

  @Test func `of an unknown kind are not understood, not overwritten and on record`() async throws {
    try await withRules { editor, sql, conninfo in
      for (columns, values) in [
        ("effect, target, viewer", "'blur', 'everything', 'everybody'"),
        ("effect, target, viewer", "'hide', 'floor', 'everybody'"),
        ("effect, target, viewer", "'hide', 'everything', 'moon'"),
        ("effect, target, target_id, viewer", "'hide', 'everything', 'x', 'everybody'"),
        ("effect, target, viewer", "'hide', 'person', 'everybody'"),
        ("effect, target, viewer", "'unlist', 'everything', 'everybody'"),
      ] {
        try await sql.run(
          "insert into staffbook.visibility_rules (sort_order, \(columns)) values (-1, \(values))"
        )
        let rules = try await editor.visibilityRules()
        #expect(!rules.isUnderstood && rules.rules.count == 1, "\(values)")
        await #expect(throws: DirectoryError.self) {
          try await editor.write(VisibilityRules(), replacing: rules)
        }
        try await sql.run("delete from staffbook.visibility_rules where sort_order = -1")
      }
      #expect(try await editor.visibilityRules().isUnderstood)
      let history = try await DirectoryHistory(conninfo: conninfo, doing: "test")
      let steps = try await history.transactions(HistoryFilter())
      #expect(steps.filter { $0.rules == 1 }.count == 12)
      let newest = try #require(steps.first)
      let change = try #require(
        try await history.visibilityChanges(from: newest.at - 1, to: newest.at).first
      )
      #expect(change.action == .removed)
      #expect(change.name == "a rule of an unknown kind")
      // Their shape is checked all the same.
      for values in [
        "'Hide', 'everything', 'leads'", "'hide', '', 'leads'", "'hide', 'a b', 'leads'",
      ] {
        let refusal = try await sql.refusal(
          of:
            "insert into staffbook.visibility_rules (sort_order, effect, target, viewer) values (-1, \(values))"
        )
        #expect(refusal?.constraint == "visibility_rules_kinds")
      }
      for fields in ["{Mobile}", "{NULL}", "{\"\"}", "{{a},{b}}", "{a,\"\"}", "{\"a,b\"}"] {
        let refusal = try await sql.refusal(
          of: "insert into staffbook.visibility_rules (sort_order, effect, fields, target, viewer) "
            + "values (-1, 'hide', '\(fields)', 'everything', 'leads')"
        )
        // The server itself looks for nothing in an array of several dimensions.
        #expect(
          refusal?.constraint == "visibility_rules_fields"
            || fields == "{{a},{b}}" && refusal != nil,
          "\(fields)"
        )
      }
    }
  }

  @Test func `follow ids and names to others, and survive what they name`() async throws {
    try await withRules { editor, sql, _ in
      try await write(
        [
          VisibilityRule(.hide, .person(UserID("u1")), .person(UserID("u2"))),
          VisibilityRule(.hide, .department(DepartmentID("b")), .department(DepartmentID("b"))),
          VisibilityRule(.show, .person(UserID("b")), .device("u1")),
          VisibilityRule(
            .hide,
            fields: ["title", "grade"],
            .people(field: "grade", value: "grade"),
            .people(field: "grade", value: "1")
          ),
          .base,
        ],
        groups: ["g": [UserID("u1"), UserID("u2")], "h": [UserID("u1"), UserID("v1")]],
        editor
      )
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label) values ('user', 'grade', 'Grade'),
          ('department', 'grade', 'Grade');
        update staffbook.users set id = 'v1' where id = 'u1';
        update staffbook.departments set id = 'bb' where id = 'b';
        update staffbook.fields set name = 'rank' where of = 'user'
        """
      )
      // Departments have a field of that name still.
      #expect(try await editor.visibilityRules().rules[3].fields == ["title", "grade"])
      try await sql.run("update staffbook.fields set name = 'rank' where name = 'grade'")
      let expected = [
        "hide person v1 from person u2", "hide department bb from department bb",
        "show person b to device u1",
        "hide title, rank of people with rank=grade from people with rank=1",
        "show everything to everybody",
      ]
      let rules = try await editor.visibilityRules()
      #expect(rules.rules.map(\.description) == expected)
      #expect(
        rules.groups == ["g": [UserID("v1"), UserID("u2")], "h": [UserID("v1")]]
      )
      try await sql.run(
        """
        delete from staffbook.memberships where user_id = 'v1' or department_id = 'bb';
        """
        .replacing("delete", with: "begin; delete")
          + """
          delete from staffbook.users where id in ('v1', 'u2');
          update staffbook.departments set parent_id = null where id = 'c';
          delete from staffbook.departments where id = 'bb';
          delete from staffbook.fields;
          commit
          """
      )
      #expect(try await editor.visibilityRules() == rules)
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "0")
    }
  }

  @Test func `mean whoever had the id when they were made, until they are confirmed`() async throws
  {
    try await withRules { editor, sql, _ in
      func identity(_ table: String, _ id: String) async throws -> RecordIdentity {
        RecordIdentity(
          try await sql.value("select identity::text from staffbook.\(table) where id = '\(id)'")
        )
      }
      let (u1, nobody) = (UserID("u1"), UserID("nobody"))
      let rules = try await write(
        [
          VisibilityRule(.show, .person(u1), .department(DepartmentID("b"))),
          VisibilityRule(.hide, .everything, .person(nobody)), .base,
        ],
        groups: ["g": [u1, nobody]],
        editor
      )
      let (first, b) = try await (identity("users", "u1"), identity("departments", "b"))
      #expect(rules.rules.map(\.targetIdentity) == [first, nil, nil])
      #expect(rules.rules.map(\.viewerIdentity) == [b, nil, nil])
      #expect(rules.memberIdentities == ["g": [u1: first]])
      // A list without identities means the same ones as before.
      var untold = rules
      for index in untold.rules.indices {
        (untold.rules[index].targetIdentity, untold.rules[index].viewerIdentity) = (nil, nil)
      }
      untold.memberIdentities = [:]
      untold.groups["h"] = [u1]
      try await editor.write(untold, replacing: rules)
      var same = rules
      same.groups["h"] = [u1]
      same.memberIdentities["h"] = [u1: first]
      #expect(try await editor.visibilityRules() == same)

      try await sql.run(
        """
        begin;
        delete from staffbook.memberships where user_id = 'u1';
        delete from staffbook.users where id = 'u1';
        commit
        """
      )
      #expect(try await editor.visibilityRules() == same)
      try await sql.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('u1', 'Other', 'b');
        insert into staffbook.memberships (user_id, department_id) values ('u1', 'b');
        commit
        """
      )
      let second = try await identity("users", "u1")
      #expect(second != first)
      #expect(try await editor.visibilityRules() == same)

      var confirmed = same
      confirmed.rules[0].targetIdentity = second
      confirmed.memberIdentities["g"] = [u1: second]
      try await editor.write(confirmed, replacing: same)
      #expect(try await editor.visibilityRules() == confirmed)
      // As it is taken back.
      try await editor.write(same, replacing: confirmed)
      #expect(try await editor.visibilityRules() == same)
      try await sql.run(
        """
        update staffbook.visibility_rules set target_identity = null where target_id = 'u1';
        update staffbook.visibility_groups set identity = null where name = 'g' and user_id = 'u1'
        """
      )
      #expect(try await editor.visibilityRules() == confirmed)
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "0")
    }
  }

  @Test func `are written where triggers have made some of the change already`() async throws {
    try await withRules { editor, sql, _ in
      let former = try await write(
        [VisibilityRule(.hide, .person(UserID("u1")), .everybody), .base],
        groups: ["g": [UserID("u1")]],
        editor
      )
      var wanted = former
      wanted.rules[0].targets = .person(UserID("v1"))
      wanted.groups = ["g": [UserID("v1")]]
      wanted.memberIdentities = ["g": [UserID("v1"): try #require(former.rules[0].targetIdentity)]]
      wanted.rules.insert(VisibilityRule(.hide, .department(DepartmentID("c")), .leads), at: 1)
      try await sql.run("update staffbook.users set id = 'v1' where id = 'u1'")
      try await editor.write(wanted, replacing: former)
      let rules = try await editor.visibilityRules()
      #expect(
        rules.rules.map(\.description) == [
          "hide person v1 from everybody", "hide department c from leads",
          "show everything to everybody",
        ]
      )
      #expect(rules.rules[0].targetIdentity == former.rules[0].targetIdentity)
      #expect(rules.groups == wanted.groups && rules.memberIdentities == wanted.memberIdentities)
      await #expect(throws: DirectoryError.self) {
        try await editor.write(VisibilityRules(), replacing: former)
      }
    }
  }

  @Test func `by a value that is a person's id follow the person, as the value does`() async throws
  {
    try await withRules { editor, sql, _ in
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label, kind) values
          ('user', 'manager', 'Manager', 'person'), ('user', 'desk', 'Desk', 'text'),
          ('department', 'desk', 'Desk', 'person');
        update staffbook.users set fields = '{"manager": "u1", "desk": "u1"}' where id = 'u2'
        """
      )
      func people(_ field: String, _ value: String) -> VisibilityRule.Targets {
        .people(field: field, value: value)
      }
      try await write(
        [
          VisibilityRule(.hide, people("manager", "u1"), .people(field: "id", value: "u1")),
          VisibilityRule(.hide, people("id", "u1"), .people(field: "manager", value: "u1")),
          VisibilityRule(.hide, people("desk", "u1"), .people(field: "desk", value: "u1")),
          VisibilityRule(.hide, people("manager", "u2"), .everybody), .base,
        ],
        groups: [:],
        editor
      )
      try await sql.run("update staffbook.users set id = 'v1' where id = 'u1'")
      #expect(
        try await sql.value("select fields::text from staffbook.users where id = 'u2'")
          == #"{"desk": "u1", "manager": "v1"}"#
      )
      let rules = try await editor.visibilityRules().rules
      #expect(
        rules.map(\.description) == [
          "hide people with manager=v1 from people with id=v1",
          "hide people with id=v1 from people with manager=v1",
          "hide people with desk=u1 from people with desk=u1",
          "hide people with manager=u2 from everybody", "show everything to everybody",
        ]
      )
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "0")
    }
  }

  @Test func `are recorded for every writer, and each change once`() async throws {
    try await withRules { editor, sql, conninfo in
      let history = try await DirectoryHistory(conninfo: conninfo, doing: "test")
      try await sql.run(
        """
        begin;
        insert into staffbook.visibility_rules (sort_order, effect, target, viewer)
          values (-10, 'hide', 'colleagues', 'leads');
        update staffbook.visibility_rules set effect = 'show' where sort_order = -10;
        update staffbook.visibility_rules set effect = 'show' where sort_order = 0;
        insert into staffbook.visibility_groups values ('g', 'u1'), ('g', 'u2');
        delete from staffbook.visibility_groups where user_id = 'u2';
        commit
        """
      )
      let newest = try #require(try await history.transactions(HistoryFilter()).first)
      let changes = try await history.visibilityChanges(from: newest.at - 1, to: newest.at)
      #expect(
        changes.map { "\($0.action) \($0.name)" } == ["added show colleagues to leads", "added u1"]
      )
      // Without triggers, as far as history is concerned it was done when it is found.
      try await sql.run(
        """
        alter table staffbook.visibility_rules disable trigger record_rule;
        delete from staffbook.visibility_rules where sort_order = -10;
        alter table staffbook.visibility_rules enable always trigger record_rule
        """
      )
      #expect(try await sql.value("select staffbook.count_unrecorded()") == "1")
      #expect(try await sql.value("select staffbook.catch_up_history()") == "1")
      let found = try #require(try await history.transactions(HistoryFilter()).first)
      #expect(found.isFound && found.rules == 1)
      #expect(
        try await sql.refusal(of: "truncate staffbook.visibility_rules")?.hint
          == "use: delete from staffbook.visibility_rules"
      )
    }
  }

  @Test func `alone are a change that a reader learns of`() async throws {
    try await withRules { editor, sql, conninfo in
      let repository = DirectoryRepository(conninfo: conninfo)
      let watermark = try await repository.load().source.watermark
      let rules = try await write([Self.mobile, .base], editor)
      guard case .changes(let changes, let source, _) = try await repository.read(since: watermark)
      else {
        Issue.record("everything was read")
        return
      }
      #expect(changes.isEmpty)
      #expect(changes.records.visibility == rules)
      #expect(source.watermark != watermark)
    }
  }
}
