import DirectoryModel
import DirectoryStore
import LibPQ
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// One edit as a front makes it: looks, makes changes of what it saw, applies and commits.
@discardableResult
private func edit(
  _ conninfo: String,
  by authorship: Authorship = Authorship(),
  departments: [String] = [],
  users: [String] = [],
  meanwhile: () async throws -> Void = {},
  _ change: (CurrentRecords) throws -> [Change?]
) async throws -> [ChangeConflict] {
  let editor = try await DirectoryEditor(
    conninfo: conninfo,
    authorship: authorship,
    doing: "edit"
  )
  let present = try await editor.present(
    departments: departments.map { DepartmentID($0) },
    users: users.map { UserID($0) }
  )
  let changes = try change(present).compactMap { $0 }
  try await meanwhile()
  let conflicts = try await editor.apply(changes)
  if conflicts.isEmpty { try await editor.commit() }
  return conflicts
}

extension Change.State {
  fileprivate func with(_ column: Int, _ value: String) -> Change.State {
    var state = self
    state.values[column] = value
    if column == 0 { state.name = value }
    return state
  }

  fileprivate func under(_ id: String?) -> Change.State {
    var state = self
    state.primary = id.map { Change.Place(id: DepartmentID($0), name: "") }
    return state
  }
}

private func membership(_ id: String, _ title: String = "", _ order: Int = 0, leads: Bool = false)
  -> Change.Membership
{
  Change.Membership(
    place: Change.Place(id: DepartmentID(id), name: ""),
    values: [title, "\(order)", "\(leads)"]
  )
}

private func person(_ name: String, in memberships: Change.Membership...) -> Change.State {
  Change.State(
    name: name,
    values: [name, "", ""],
    primary: memberships[0].place,
    memberships: memberships
  )
}

private func department(_ name: String, under parent: String? = nil) -> Change.State {
  Change.State(name: name, values: [name, "", "0"]).under(parent)
}

@Suite("Editing records")
struct EditorTests {
  private static let everything = """
    select string_agg(line, E'\\n' order by line) from (
      select concat_ws('|', 'd', id, parent_id, name, description, sort_order, fields) as line
        from staffbook.departments
      union all select concat_ws('|', 'u', id, primary_department_id, name, email, phone, fields)
        from staffbook.users
      union all select concat_ws('|', 'm', user_id, department_id, title, sort_order, leads)
        from staffbook.memberships) l
    """

  private func withCompany(_ body: (String, SQLSession) async throws -> Void) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      try await body(conninfo, sql)
    }
  }

  @Test func `reads them whole`() async throws {
    try await withCompany { conninfo, sql in
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label, is_multiple) values
          ('user', 'langs', 'L', true), ('department', 'site', 'S', false);
        update staffbook.users set fields = '{"langs": ["de", "a;b"]}', email = 'e' where id = 'u3';
        update staffbook.departments set fields = '{"site": "Kiel"}', sort_order = 7 where id = 'b';
        update staffbook.memberships set leads = true, sort_order = -3
          where user_id = 'u3' and department_id = 'a';
        """
      )
      let editor = try await DirectoryEditor(
        conninfo: conninfo,
        authorship: Authorship(),
        doing: "look"
      )
      #expect(editor.fields.map(\.name) == ["site", "langs"])
      let found = try await editor.present(
        departments: [DepartmentID("b"), DepartmentID("zz")],
        users: [UserID("u3"), UserID("zz")]
      )
      #expect(found.departments.count == 1 && found.users.count == 1)
      let state = try #require(found.users[UserID("u3")])
      #expect(state.name == "灯 美" && state.values == ["灯 美", "e", ""])
      #expect(state.fields.text == #"{"langs": ["de", "a;b"]}"#)
      #expect(state.primary == Change.Place(id: DepartmentID("c"), name: "Grinding"))
      #expect(state.memberships.map(\.place.name) == ["Grinding", "Lamps"])
      #expect(state.memberships[at: 1]?.values == ["Guest", "-3", "true"])
      let lenses = try #require(found.departments[DepartmentID("b")])
      #expect(lenses.values == ["Lenses", "", "7"] && lenses.primary?.name == "Lamps")
      let below = try await editor.subtrees(of: [DepartmentID("b")])
      #expect(below.departments.map(\.rawValue) == ["b", "c"])
      #expect(Set(below.records.users.keys.map(\.rawValue)) == ["u2", "u3"])
    }
  }

  @Test func `adds, changes, moves and removes in one transaction`() async throws {
    try await withCompany { conninfo, sql in
      try await sql.run(
        """
        insert into staffbook.fields (of, name, label, kind) values
          ('user', 'boss', 'B', 'person'), ('department', 'head', 'H', 'person')
        """
      )
      try await edit(conninfo, departments: ["a", "b", "c"], users: ["u1", "u2", "u3"]) { found in
        let (a, b, c) = (
          found.departments[DepartmentID("a")], found.departments[DepartmentID("b")],
          found.departments[DepartmentID("c")]
        )
        let u1 = try #require(found.users[UserID("u1")])
        let u3 = try #require(found.users[UserID("u3")])
        // The tree upside down, the middle removed, a new root, a new user who is named by others.
        var new = person("Neu", in: membership("n", "Chef", 5, leads: true))
        new.fields = FieldValues(["boss": .one("u1")])
        var root = department("New")
        root.fields = FieldValues(["head": .one("u9")])
        var boss = u1.with(1, "u1@x.example")
        boss.fields = FieldValues(["boss": .one("u9")])
        var guest = u3
        guest.memberships = [membership("a", "Host", 1)]
        guest.primary = guest.memberships[0].place
        return [
          Change(.department, "b", from: b, to: nil),
          Change(.department, "a", from: a, to: a?.under("c").with(0, "Lampen")),
          Change(.department, "c", from: c, to: c?.under("n")),
          Change(.department, "n", from: nil, to: root),
          Change(.user, "u9", from: nil, to: new),
          Change(.user, "u1", from: u1, to: boss),
          Change(.user, "u2", from: found.users[UserID("u2")], to: nil),
          Change(.user, "u3", from: u3, to: guest),
        ]
      }
      #expect(
        try await sql.value(Self.everything) == """
          d|a|c|Lampen||0|{}
          d|c|n|Grinding||0|{}
          d|n|New||0|{"head": "u9"}
          m|u1|a|Keeper|0|f
          m|u3|a|Host|1|f
          m|u9|n|Chef|5|t
          u|u1|a|Ngaire Holm|u1@x.example||{"boss": "u9"}
          u|u3|a|灯 美|||{}
          u|u9|n|Neu|||{"boss": "u1"}
          """
      )
      #expect(try await sql.value("select count(*) from staffbook.ledger") == "3")
    }
  }

  @Test func `gives other ids, which everything follows`() async throws {
    try await withCompany { conninfo, sql in
      try await edit(conninfo, departments: ["b"], users: ["u2", "u3"]) { found in
        let b = found.departments[DepartmentID("b")]
        let u2 = try #require(found.users[UserID("u2")])
        var moved = try #require(found.users[UserID("u3")])
        moved.memberships = [membership("lens", "", 2)]
        moved.primary = moved.memberships[0].place
        var renamed = u2.with(0, "Tom Brandt")
        renamed.memberships = [membership("lens", "Grinder")]
        renamed.primary = renamed.memberships[0].place
        return [
          Change(.department, "b", newID: "lens", from: b, to: b?.with(1, "Glass")),
          Change(.user, "u2", newID: "tom", from: u2, to: renamed),
          Change(.user, "u3", from: found.users[UserID("u3")], to: moved),
        ]
      }
      #expect(
        try await sql.value(Self.everything) == """
          d|a|Lamps||0|{}
          d|c|lens|Grinding||0|{}
          d|lens|a|Lenses|Glass|0|{}
          m|tom|lens|Grinder|0|f
          m|u1|a|Keeper|0|f
          m|u3|lens||2|f
          u|tom|lens|Tom Brandt|||{}
          u|u1|a|Ngaire Holm|||{}
          u|u3|lens|灯 美|||{}
          """
      )
    }
  }

  @Test func `leaves alone what others changed meanwhile, unless it is the same`() async throws {
    try await withCompany { conninfo, sql in
      let conflicts = try await edit(
        conninfo,
        users: ["u3"],
        meanwhile: {
          try await sql.run(
            """
            update staffbook.users set email = 'other@x.example' where id = 'u3';
            update staffbook.memberships set title = 'Elsewhere'
              where user_id = 'u3' and department_id = 'a';
            insert into staffbook.memberships (user_id, department_id) values ('u3', 'b')
            """
          )
        }
      ) { found in
        [
          Change(
            .user,
            "u3",
            from: found.users[UserID("u3")],
            to: found.users[UserID("u3")]?.with(2, "+49 1")
          )
        ]
      }
      #expect(conflicts.isEmpty)
      #expect(
        try await sql.rows("select email, phone from staffbook.users where id = 'u3'")
          == [["other@x.example", "+49 1"]]
      )
      #expect(
        try await sql.rows(
          "select department_id, title from staffbook.memberships where user_id = 'u3' order by 1"
        ) == [["a", "Elsewhere"], ["b", ""], ["c", ""]]
      )
    }
  }

  @Test func `tells what others changed meanwhile with both values, and changes nothing`()
    async throws
  {
    try await withCompany { conninfo, sql in
      let before = try await sql.value("select xmin from staffbook.departments where id = 'c'")
      let conflicts = try await edit(
        conninfo,
        departments: ["c"],
        users: ["u2", "u3"],
        meanwhile: {
          try await sql.run(
            """
            update staffbook.users set phone = '+1 theirs', email = 'same' where id = 'u3';
            update staffbook.users set name = 'Other' where id = 'u2';
            """
          )
        }
      ) { found in
        let u3 = try #require(found.users[UserID("u3")])
        let c = found.departments[DepartmentID("c")]
        return [
          Change(.user, "u3", from: u3, to: u3.with(2, "+1 mine").with(1, "same")),
          Change(.user, "u2", from: found.users[UserID("u2")], to: nil),
          Change(.department, "c", from: c, to: c?.with(1, "x")),
          Change(.user, "u1", from: nil, to: person("Twice", in: membership("a"))),
          Change(.user, "gone", from: u3, to: u3.with(1, "x")),
        ]
      }
      #expect(
        conflicts.map(\.cause) == [
          .differs(.value(.contact(.phone)), expected: "", found: "+1 theirs", wanted: "+1 mine"),
          .differs(.value(.name), expected: "Tomasz Brandt", found: "Other", wanted: nil),
          .isThere, .isRemoved,
        ]
      )
      #expect(conflicts.map(\.id) == ["u3", "u2", "u1", "gone"])
      // Of what was never there no one removed anything.
      #expect(conflicts.map { $0.trace != nil } == [true, true, true, false])
      #expect(
        try await sql.value("select xmin from staffbook.departments where id = 'c'") == before
      )
    }
  }

  @Test func `signs the transaction`() async throws {
    try await withCompany { conninfo, sql in
      try await sql.run(
        """
        create table public.signed (actor text, reason text);
        create function public.note() returns trigger language plpgsql as $$ begin
          insert into public.signed values (current_setting('staffbook.actor', true),
            current_setting('staffbook.reason', true)); return null; end $$;
        create trigger note after update on staffbook.users
          for each row execute function public.note()
        """
      )
      let authorship = Authorship(actor: "  ada\u{0}\n", reason: "moved; 'quoted'\n")
      try await edit(conninfo, by: authorship, users: ["u1"]) { found in
        [
          Change(
            .user,
            "u1",
            from: found.users[UserID("u1")],
            to: found.users[UserID("u1")]?.with(1, "e")
          )
        ]
      }
      #expect(
        try await sql.rows("select actor, reason from public.signed") == [
          ["ada", "moved; 'quoted'"]
        ]
      )
    }
  }

  @Test func `is refused as a whole where the database forbids a part`() async throws {
    try await withCompany { conninfo, sql in
      let role = uniqueName("editor")
      try await sql.run(
        """
        create role \(role) in role staffbook_reader;
        grant insert, update, delete on staffbook.users, staffbook.memberships,
          staffbook.departments to \(role);
        alter table staffbook.users enable row level security;
        create policy seen on staffbook.users for select using (true);
        create policy own on staffbook.users for update to \(role) using (id = 'u1');
        """
      )
      let before = try await sql.value(Self.everything)
      let limited = conninfo + " options=-crole=\(role)"
      for hidden in ["u2", "new"] {
        let error = await #expect(throws: DirectoryError.self) {
          try await edit(limited, users: ["u1", "u2"]) { found in
            let (u1, u2) = (found.users[UserID("u1")], found.users[UserID("u2")])
            return [
              Change(.user, "u1", from: u1, to: u1?.with(1, "mine")),
              hidden == "u2"
                ? Change(.user, "u2", from: u2, to: u2?.with(1, "not mine"))
                : Change(.user, "new", from: nil, to: person("New", in: membership("a"))),
            ]
          }
        }
        #expect(error?.kind == .notPermitted, "\(hidden): \(error?.message ?? "")")
      }
      let reader = uniqueName("reader")
      try await sql.run("create role \(reader) in role staffbook_reader")
      let error = await #expect(throws: DirectoryError.self) {
        try await edit(conninfo + " options=-crole=\(reader)", users: ["u1"]) { found in
          [Change(.user, "u1", from: found.users[UserID("u1")], to: nil)]
        }
      }
      #expect(error?.kind == .notPermitted)
      #expect(
        error?.advice == """
          nothing was changed; to read, the database user must be a member of staffbook_reader; \
          to write, of staffbook_editor, and row-level security must let it
          """
      )
      #expect(try await sql.value(Self.everything) == before)
      try await edit(limited, users: ["u1"]) { found in
        [
          Change(
            .user,
            "u1",
            from: found.users[UserID("u1")],
            to: found.users[UserID("u1")]?.with(1, "mine")
          )
        ]
      }
      #expect(try await sql.value("select email from staffbook.users where id = 'u1'") == "mine")
      try await sql.run("drop owned by \(role); drop role \(role), \(reader)")
    }
  }

  @Test func `puts no department below itself, also when two move at once`() async throws {
    try await withCompany { conninfo, sql in
      let error = await #expect(throws: DirectoryError.self) {
        try await edit(conninfo, departments: ["a"]) { found in
          let a = found.departments[DepartmentID("a")]
          return [Change(.department, "a", from: a, to: a?.under("c"))]
        }
      }
      #expect(error?.kind == .badData)
      try await sql.run(
        "update staffbook.departments set parent_id = 'a' where id = 'c'"
      )
      for _ in 0..<10 {
        async let first = Self.outcome {
          try await edit(conninfo, departments: ["b"]) { found in
            let b = found.departments[DepartmentID("b")]
            return [Change(.department, "b", from: b, to: b?.under("c"))]
          }
        }
        async let second = Self.outcome {
          try await edit(conninfo, departments: ["c"]) { found in
            let c = found.departments[DepartmentID("c")]
            return [Change(.department, "c", from: c, to: c?.under("b"))]
          }
        }
        #expect(await [first, second].sorted() == ["badData", "done"])
        try await sql.run("update staffbook.departments set parent_id = 'a' where id in ('b', 'c')")
      }
    }
  }

  private static func outcome(_ body: () async throws -> [ChangeConflict]) async -> String {
    do {
      let conflicts = try await body()
      return conflicts.isEmpty ? "done" : "conflict"
    } catch {
      return (error as? DirectoryError).map { "\($0.kind)" } ?? "\(error)"
    }
  }

  @Test func `many at once lose nothing`() async throws {
    try await withCompany { conninfo, sql in
      try await sql.run("update staffbook.memberships set title = ''")
      let done = try await withThrowingTaskGroup(of: Int.self) { group in
        for writer in ["a", "b", "c", "d", "e", "f", "g", "h"] {
          group.addTask {
            var done = 0
            for round in 0..<12 {
              let conflicts = try await edit(conninfo, users: ["u1", "u2", "u3"]) { found in
                var changes: [Change?] = []
                for id in round % 2 == 0 ? ["u3", "u1"] : ["u1", "u3"] {
                  guard let state = found.users[UserID(id)] else { continue }
                  var next = state
                  // What two write is never the same, which would be no conflict.
                  next.memberships[0].values[0]? += writer
                  changes.append(Change(.user, id, from: state, to: next))
                }
                return changes
              }
              if conflicts.isEmpty { done += 1 }
            }
            return done
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(done > 8)
      let titles = try await sql.rows(
        """
        select m.title from staffbook.memberships m
          join staffbook.users u on u.id = m.user_id and u.primary_department_id = m.department_id
          where u.id in ('u1', 'u3')
        """
      )
      #expect(
        titles.count == 2 && titles[at: 0] == titles[at: 1] && titles[at: 0]?[at: 0]?.count == done
      )
    }
  }

  @Test func `waits for an import and not for other records`() async throws {
    try await withCompany { conninfo, sql in
      let other = try await SQLSession(conninfo)
      try await other.run(
        "begin; update staffbook.users set email = 'x' where id = 'u2'"
      )
      let change: @Sendable (CurrentRecords) -> [Change?] = { found in
        [
          Change(
            .user,
            "u1",
            from: found.users[UserID("u1")],
            to: found.users[UserID("u1")]?.with(1, "e")
          )
        ]
      }
      try await edit(conninfo, users: ["u1"], change)
      try await other.run("rollback; begin")
      try await other.run(
        "lock table staffbook.departments, staffbook.users, staffbook.memberships in share row exclusive mode"
      )
      async let edited = edit(conninfo, users: ["u1"]) { found in
        [
          Change(
            .user,
            "u1",
            from: found.users[UserID("u1")],
            to: found.users[UserID("u1")]?.with(1, "f")
          )
        ]
      }
      try await wait(until: "the edit waits") {
        try await sql.value(
          """
          select count(*) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'
          """
        ) == "1"
      }
      try await other.run("update staffbook.users set phone = 'p' where id = 'u1'; commit")
      #expect(try await edited.isEmpty)
      #expect(
        try await sql.rows("select email, phone from staffbook.users where id = 'u1'")
          == [["f", "p"]]
      )
    }
  }

  @Test(arguments: [LineCutter.Moment.beforeCommit, .beforeAnswer])
  func `tells the truth about a commit whose connection broke`(moment: LineCutter.Moment)
    async throws
  {
    try await withCompany { conninfo, sql in
      try await withTemporaryDirectory { folder in
        let cutter = try LineCutter(conninfo: conninfo, folder: folder, at: moment)
        defer { cutter.stop() }
        let editor = try await DirectoryEditor(
          conninfo: cutter.conninfo,
          authorship: Authorship(),
          doing: "rename Ngaire Holm"
        )
        let state = try await editor.present(users: [UserID("u1")]).users[UserID("u1")]
        let change = try #require(Change(.user, "u1", from: state, to: state?.with(0, "New")))
        _ = try await editor.apply([change])
        if moment == .beforeAnswer {
          #expect(try await editor.commit() == .foundOut)
        } else {
          let error = await #expect(throws: DirectoryError.self) { try await editor.commit() }
          #expect(
            error?.message == """
              cannot rename Ngaire Holm: the connection was lost during COMMIT, and the server \
              reports that nothing was applied
              """
          )
        }
        let name = try await sql.value("select name from staffbook.users where id = 'u1'")
        #expect(name == (moment == .beforeAnswer ? "New" : "Ngaire Holm"))
      }
    }
  }

  @Test func `leaves all or nothing behind, wherever the connection is cut`() async throws {
    try await withCompany { conninfo, sql in
      var (cuts, done) = (0, 0)
      for message in 1... {
        try await sql.run(
          """
          update staffbook.users set name = 'Old'; delete from staffbook.users where id = 'n';
          update staffbook.departments set parent_id = 'a' where id = 'c'
          """
        )
        let before = try await sql.value(Self.everything)
        let counter = MessageCounter(cutAt: message)
        let hasEnded = try await withTemporaryDirectory { folder in
          let relay = try SocketRelay(in: folder, to: conninfo) { speaker, _, _ in
            speaker == .client && counter.cutsNext() ? .cut : .pass
          }
          defer { relay.stop() }
          do {
            try await edit(relay.conninfo.pairs, departments: ["c"], users: ["u1", "u2"]) { found in
              let (u1, u2) = (found.users[UserID("u1")], found.users[UserID("u2")])
              let c = found.departments[DepartmentID("c")]
              return [
                Change(.user, "u1", from: u1, to: u1?.with(0, "New")),
                Change(.user, "u2", from: u2, to: u2?.with(0, "New")),
                Change(.user, "n", from: nil, to: person("New", in: membership("c"))),
                Change(.department, "c", from: c, to: c?.under(nil)),
              ]
            }
          } catch let error as DirectoryError {
            #expect(error.kind == .unavailable, "\(error)")
            cuts += 1
            #expect(try await sql.value(Self.everything) == before, "cut at message \(message)")
            return false
          }
          done += 1
          #expect(
            try await sql.rows("select count(*) from staffbook.users where name = 'New'") == [["3"]]
          )
          return !counter.hasCut
        }
        if hasEnded { break }
      }
      #expect(cuts > 15 && done > 0)
    }
  }
}

/// Counts what a client sends, and cuts once.
private final class MessageCounter: Sendable {
  private let left: Mutex<Int>

  init(cutAt message: Int) { left = Mutex(message) }

  var hasCut: Bool { left.withLock { $0 <= 0 } }

  func cutsNext() -> Bool {
    left.withLock { left in
      left -= 1
      return left == 0
    }
  }
}
