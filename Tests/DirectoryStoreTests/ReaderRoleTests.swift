import DirectoryModel
import DirectoryStore
import LibPQ
import TestSupport
import Testing

@Suite("The readers' role")
struct ReaderRoleTests {
  /// The migrations with another name for the role, which belongs to the whole cluster.
  private func migrator(role: String) -> Migrator {
    Migrator(
      migrations: Schema.migrations.map { migration in
        let script = String(decoding: migration.script, as: UTF8.self)
          .replacing("staffbook_reader", with: role)
          .replacing("staffbook_editor", with: role + "_editor")
          .replacing("staffbook_historian", with: role + "_historian")
          .replacing("staffbook_admin", with: role + "_admin")
          .replacing("staffbook_server", with: role + "_server")
        return Migration(
          version: migration.version,
          name: migration.name,
          script: Array(script.utf8),
          service: migration.service
        )
      }
    )
  }

  @Test func `is all that a load needs, and permits no writing`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("reader")
      try await owner.run("create role \(role) in role staffbook_reader")
      let loaded = try await DirectoryRepository(
        conninfo: conninfo + " options=-crole=\(role)"
      ).load()
      #expect(loaded.records.users.count == 3)
      let reader = try await SQLSession(conninfo, role: role)
      for statement in [
        "delete from staffbook.users", "insert into staffbook.ledger (changed_in) values ('1')",
        "update staffbook.epoch set epoch = gen_random_uuid()", "select staffbook.prune()",
        "truncate staffbook.tombstones", "select staffbook.ring_above('a')",
      ] {
        let refusal = try await reader.refusal(of: statement)
        #expect(refusal?.sqlstate == .insufficientPrivilege, "\(statement)")
      }
      let error = await #expect(throws: DirectoryError.self) {
        try await DirectoryImporter(
          conninfo: conninfo + " options=-crole=\(role)",
          files: [],
          replace: false
        )
      }
      #expect(error?.kind == .notPermitted)
      try await owner.run("drop role \(role)")
    }
  }

  @Test func `may run every query of the sync protocol`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("reader")
      try await owner.run("create role \(role) in role staffbook_reader")
      let reader = try await SQLSession(conninfo, role: role)
      try await reader.run(
        """
        begin isolation level repeatable read read only;
        lock table staffbook.epoch, staffbook.ledger, staffbook.tombstones,
          staffbook.departments, staffbook.users, staffbook.memberships in access share mode;
        select pg_snapshot_xmin(s), pg_snapshot_xmax(s), pg_is_in_recovery(),
            (select system_identifier from pg_control_system()), staffbook.layout(), e.epoch,
            e.pruned_below
          from pg_current_snapshot() s, staffbook.epoch e;
        select changed_in, token from staffbook.ledger
          where changed_in >= '0' and changed_in < '9'
          union select changed_in, token from staffbook.ledger
            where changed_in = any('{1,2}'::xid8[]);
        select * from staffbook.users where changed_in = any('{1,2}'::xid8[]);
        select kind, key1, key2 from staffbook.tombstones t where changed_in = any('{1}'::xid8[]);
        commit;
        """
      )
      // PostgreSQL 14 brought what a verification by content wants.
      let isNew = "select current_setting('server_version_num')::int >= 140000"
      if try await reader.value(isNew) == "t" {
        try await reader.run(
          "select sum(hash_record_extended(row(id, name), 0)) from staffbook.users"
        )
      }
      try await owner.run("drop role \(role)")
    }
  }

  @Test func `comes about once when two databases migrate at the same moment`() async throws {
    for _ in 0..<4 {
      let role = uniqueName("reader")
      try await withTestDatabase { one in
        try await withTestDatabase { other in
          let migrator = migrator(role: role)
          let reports = try await withThrowingTaskGroup(of: MigrationReport.self) { group in
            for conninfo in [one, other] {
              group.addTask { try await migrator.migrate(conninfo: conninfo) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
          #expect(reports.flatMap(\.notices) == [])
          for conninfo in [one, other] {
            let sql = try await SQLSession(conninfo)
            #expect(
              try await sql.value(
                "select has_table_privilege('\(role)', 'staffbook.ledger', 'select')"
              ) == "t"
            )
            try await sql.run("drop owned by \(role), \(role)_editor, \(role)_historian")
          }
        }
      }
      try await SQLSession(TestDatabase.serverConninfo())
        .run("drop role \(role); drop role \(role)_editor; drop role \(role)_historian")
    }
  }

  @Test func `can come later when the migrating user may not create it`() async throws {
    try await withTestDatabase { conninfo in
      let admin = try await SQLSession(conninfo)
      let (owner, role) = (uniqueName("owner"), uniqueName("reader"))
      try await admin.run("create role \(owner); create schema staffbook authorization \(owner)")
      let asOwner = conninfo + " options=-crole=\(owner)"
      let report = try await migrator(role: role).migrate(conninfo: asOwner)
      let missing = [
        ("", "reader", "let others read"), ("_editor", "editor", "let others edit and import"),
        (
          "_historian", "historian",
          "let others read history where row-level security hides records"
        ),
        ("_admin", "admin", "let others decide who may see whom"),
        ("_server", "server", "let a server that answers for others read tokens"),
      ]
      #expect(
        report.notices
          == missing.map { suffix, name, purpose in
            """
            the role \(role)\(suffix) is missing, and this user may not create it; to \(purpose), \
            run "create role \(role)\(suffix)" as an administrator, then "select \
            staffbook.grant_\(name)()" as the owner of the schema staffbook
            """
          }
      )

      try await admin.run(
        "create role \(role); create role \(role)_editor; create role \(role)_historian"
      )
      try await SQLSession(asOwner)
        .run(
          "select staffbook.grant_reader(), staffbook.grant_editor(), staffbook.grant_historian()"
        )
      let editor = try await SQLSession(conninfo, role: "\(role)_editor")
      try await editor.run(smallCompany)
      let reader = try await SQLSession(conninfo, role: role)
      #expect(try await reader.value("select count(*) from staffbook.users") == "3")
      try await admin.run(
        """
        drop owned by \(owner), \(role), \(role)_editor, \(role)_historian cascade;
        drop role \(role); drop role \(role)_editor; drop role \(role)_historian; drop role \(owner)
        """
      )
    }
  }
}
