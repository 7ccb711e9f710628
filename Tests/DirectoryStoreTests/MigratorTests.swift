import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

@Suite("Migrating")
struct MigratorTests {
  private static let all = Schema.migrations.map { "step \($0.version) (\($0.name))" }

  @Test func `applies everything once, and then nothing`() async throws {
    try await withTestDatabase { conninfo in
      let first = try await Migrator().migrate(conninfo: conninfo)
      #expect(first.applied == Self.all)
      #expect(first.version == Schema.newestVersion)
      let sql = try await SQLSession(conninfo)
      let record = "select *, xmin from staffbook.migrations order by version"
      let recorded = try await sql.rows(record)
      let second = try await Migrator().migrate(conninfo: conninfo)
      #expect(second.applied == [])
      #expect(second.version == Schema.newestVersion)
      #expect(try await sql.rows(record) == recorded)
    }
  }

  @Test func `eight times at once applies each step once`() async throws {
    for _ in 0..<3 {
      try await withTestDatabase { conninfo in
        let reports = try await withThrowingTaskGroup(of: MigrationReport.self) { group in
          for _ in 0..<8 { group.addTask { try await Migrator().migrate(conninfo: conninfo) } }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(reports.flatMap(\.applied).sorted() == Self.all)
        #expect(reports.allSatisfy { $0.version == Schema.newestVersion })
      }
    }
  }

  @Test func `continues where an older program stopped`() async throws {
    try await withDirectory { conninfo in
      let report = try await Migrator(migrations: Schema.migrations + [laterStep()])
        .migrate(conninfo: conninfo)
      #expect(report.applied == ["step \(Schema.newestVersion + 1) (later)"])
      #expect(report.version == Schema.newestVersion + 1)
    }
  }

  @Test(arguments: ["version = \(Schema.baseline)", "true"])
  func `says how to put back a row of its record that is missing`(_ missing: String) async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      let before = try await sql.rows(
        "select version, name, checksum from staffbook.migrations order by version"
      )
      try await sql.run("delete from staffbook.migrations where \(missing)")
      // One after the other, each as the advice says.
      for _ in 0..<Self.all.count {
        var refusal: DirectoryError?
        do throws(DirectoryError) {
          _ = try await Migrator().migrate(conninfo: conninfo)
        } catch {
          refusal = error
        }
        guard let refusal else { break }
        #expect(refusal.kind == .badData, "\(refusal)")
        let advice = try #require(refusal.advice?.description)
        let start = try #require(advice.firstRange(of: "insert into"))
        try await sql.run(String(advice[start.lowerBound...]))
      }
      #expect(try await Migrator().migrate(conninfo: conninfo).applied == [])
      #expect(
        try await sql.rows(
          "select version, name, checksum from staffbook.migrations order by version"
        ) == before
      )
    }
  }

  @Test func `leaves nothing of a step that fails`() async throws {
    try await withDirectory { conninfo in
      let migrator = Migrator(
        migrations: Schema.migrations + [
          laterStep("create table staffbook.half (x int); select 1 / 0;")
        ]
      )
      await #expect(throws: DirectoryError.self) {
        try await migrator.migrate(conninfo: conninfo)
      }
      let sql = try await SQLSession(conninfo)
      #expect(try await sql.value("select to_regclass('staffbook.half')") == "∅")
      #expect(
        try await sql.value("select max(version) from staffbook.migrations")
          == "\(Schema.newestVersion)"
      )
    }
  }

  @Test func `does not depend on the settings of user and database`() async throws {
    try await withTestDatabase { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        create schema evil;
        create function evil.octet_length(text) returns int language sql immutable as 'select 0';
        create domain evil.text as int;
        """
      )
      let settings = [
        "search_path=evil,pg_catalog", "standard_conforming_strings=off",
        "default_transaction_isolation=serializable", "default_transaction_read_only=on",
        "check_function_bodies=off", "client_min_messages=error",
      ]
      let options = settings.map { "-c" + $0 }.joined(separator: " ")
      let report = try await Migrator().migrate(conninfo: conninfo + " options='\(options)'")
      #expect(report.applied == Self.all)
      try await sql.run(smallCompany)
      let unset = try await SQLSession(conninfo + " options=-cstandard_conforming_strings=off")
      let refusal = try await unset.refusal(
        of: "insert into staffbook.departments (id, name) values ('x', ' ')"
      )
      #expect(refusal?.constraint == "departments_name_visible")
    }
  }

  @Test func `touches nothing of others in the same database`() async throws {
    try await withTestDatabase { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        create table public.departments (id int primary key);
        create table public.users (id int primary key, note text);
        insert into public.users values (1, 'mine');
        create schema payroll;
        create table payroll.migrations (version int);
        """
      )
      let others = """
        select c.oid, c.relname, c.relfilenode, c.xmin, c.relacl from pg_class c
          where c.relnamespace in ('public'::regnamespace, 'payroll'::regnamespace) order by c.oid
        """
      let before = try await sql.rows(others)
      _ = try await Migrator().migrate(conninfo: conninfo)
      try await sql.run(smallCompany)
      #expect(try await sql.rows(others) == before)
      #expect(try await sql.rows("select * from public.users") == [["1", "mine"]])
    }
  }
}

/// The next step, as a later program has it.
private func laterStep(
  _ script: String = "create table staffbook.later (x int)",
  reader: Int = Schema.newestVersion,
  writer: Int = Schema.newestVersion
) -> Migration {
  Migration(
    version: Schema.newestVersion + 1,
    name: "later",
    script: Array(script.utf8),
    service: Migration.Service(minReader: reader, minWriter: writer, reason: "a test")
  )
}

@Suite("A database that a later program migrated")
struct LaterSchemaTests {
  private func later(reader: Int, writer: Int) -> Migrator {
    Migrator(
      migrations: Schema.migrations + [
        laterStep(reader: reader, writer: writer)
      ]
    )
  }

  private static let known = Schema.newestVersion

  @Test func `says whom it serves, and why`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await later(reader: Self.known, writer: Self.known + 1).migrate(conninfo: conninfo)
      let rows = try await SQLSession(conninfo).rows(
        "select min_reader, min_writer, reason from staffbook.migrations where min_reader is not null order by version"
      )
      #expect(rows.last == ["\(Self.known)", "\(Self.known + 1)", "a test"])
      #expect(rows.count == Schema.migrations.count + 1)
      #expect(rows.allSatisfy { !$0[2].isEmpty })
    }
  }

  @Test func `is read and written where it serves both`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await later(reader: Self.known, writer: Self.known).migrate(conninfo: conninfo)
      try await SQLSession(conninfo).run(smallCompany)
      #expect(try await DirectoryRepository(conninfo: conninfo).load().records.users.count == 3)
      #expect(
        try await DirectoryHistory(conninfo: conninfo, doing: "show the log")
          .transactions(HistoryFilter()).count == 1
      )
      try await DatabaseEditor(conninfo: conninfo).addField(
        Field(name: "desk", of: .user, label: "Desk")
      )
      let report = try await Migrator().migrate(conninfo: conninfo)
      #expect(report.applied == [])
      #expect(report.version == Self.known + 1)
    }
  }

  @Test func `is read and not written where it serves readers alone`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await later(reader: Self.known, writer: Self.known + 1).migrate(conninfo: conninfo)
      try await SQLSession(conninfo).run(smallCompany)
      let reader = DirectoryRepository(conninfo: conninfo)
      var state = DirectoryState()
      try await reader.update(&state)
      try await SQLSession(conninfo).run("delete from staffbook.users where id = 'u1'")
      #expect(try await reader.update(&state) == nil)
      #expect(state.users.count == 2)
      let error = await #expect(throws: DirectoryError.self) {
        try await DatabaseEditor(conninfo: conninfo).addField(
          Field(name: "desk", of: .user, label: "Desk")
        )
      }
      let next = Self.known + 1
      #expect(
        error?.message == """
          cannot declare the field desk: the database is at version \(next), whose writers must \
          know version \(next); this program knows versions up to \(Self.known)
          """
      )
    }
  }

  @Test func `is refused where it serves neither`() async throws {
    try await withTestDatabase { conninfo in
      _ = try await later(reader: Self.known + 1, writer: Self.known + 1).migrate(
        conninfo: conninfo
      )
      let error = await #expect(throws: DirectoryError.self) {
        try await DirectoryRepository(conninfo: conninfo).load()
      }
      #expect(error?.kind == .badData)
      let next = Self.known + 1
      #expect(
        error?.message == """
          cannot load the directory: the database is at version \(next), whose readers must know \
          version \(next); this program knows versions up to \(Self.known)
          """
      )
    }
  }
}

@Suite("A step that may be run again")
struct RepeatedStepTests {
  @Test func `changes nothing the second time`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let state = """
        select (select string_agg(t::text, ',' order by t.oid) from pg_trigger t join pg_class c on c.oid = t.tgrelid
              where c.relnamespace = 'staffbook'::regnamespace),
          (select string_agg(oid::text || proacl::text || md5(prosrc), ',' order by oid) from pg_proc
              where pronamespace = 'staffbook'::regnamespace),
          (select string_agg(oid::text || relacl::text || relfilenode, ',' order by oid) from pg_class
              where relnamespace = 'staffbook'::regnamespace and relkind = 'r'),
          (select string_agg(oid::text || relfilenode, ',' order by oid) from pg_class
              where relnamespace = 'staffbook'::regnamespace and relkind = 'i'),
          staffbook.layout(), (select h.layout from staffbook.history h)
        """
      let before = try await sql.rows(state)
      for migration in Schema.migrations {
        try await sql.run(
          "begin; " + String(decoding: migration.script, as: UTF8.self) + "; commit"
        )
      }
      #expect(try await sql.rows(state) == before)
    }
  }

  @Test func `makes again what is missing`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let state = """
        select (select string_agg(t.tgrelid::regclass || t.tgname || t.tgenabled::text || pg_get_triggerdef(t.oid), ','
              order by t.tgrelid::regclass::text, t.tgname) from pg_trigger t join pg_class c on c.oid = t.tgrelid
              where c.relnamespace = 'staffbook'::regnamespace and not tgisinternal),
          (select string_agg(indexdef, ',' order by indexdef) from pg_indexes where schemaname = 'staffbook')
        """
      let before = try await sql.rows(state)
      // Every trigger and every index that is not a constraint's.
      try await sql.run(
        """
        do $$ declare one record; begin
          for one in select t.tgname, t.tgrelid::regclass as relation from pg_trigger t join pg_class c on c.oid = t.tgrelid
              where c.relnamespace = 'staffbook'::regnamespace and not t.tgisinternal loop
            execute format('drop trigger %I on %s', one.tgname, one.relation);
          end loop;
          for one in select i.indexrelid::regclass as name from pg_index i join pg_class c on c.oid = i.indexrelid
              where c.relnamespace = 'staffbook'::regnamespace
                and not exists (select from pg_constraint k where k.conindid = i.indexrelid) loop
            execute format('drop index %s', one.name);
          end loop;
        end $$
        """
      )
      for migration in Schema.migrations {
        try await sql.run(
          "begin; " + String(decoding: migration.script, as: UTF8.self) + "; commit"
        )
      }
      #expect(try await sql.rows(state) == before)
    }
  }
}

@Suite("Migrating is refused")
struct MigrationRefusalTests {
  private func failure(_ conninfo: String) async -> DirectoryError? {
    await #expect(throws: DirectoryError.self) {
      try await Migrator().migrate(conninfo: conninfo)
    }
  }

  @Test func `where the schema belongs to another role`() async throws {
    try await withTestDatabase { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run("create schema staffbook; create table staffbook.mine (x int)")
      let error = await failure(conninfo)
      #expect(error?.kind == .badData)
      #expect(
        error?.message == """
          cannot migrate the database: it has a schema named staffbook that contains something else
          """
      )
      #expect(
        try await sql.rows(
          "select relname from pg_class where relnamespace = 'staffbook'::regnamespace"
        )
          == [["mine"]]
      )
    }
  }

  @Test func `for a newer database, and so is loading it`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        "insert into staffbook.migrations (version, name, checksum) values (\(Schema.newestVersion + 1), 'later', 'x')"
      )
      let error = await failure(conninfo)
      #expect(error?.kind == .badData)
      let known = Schema.newestVersion
      let reason = """
        the database is at version \(known + 1), whose readers must know version \(known + 1); \
        this program knows versions up to \(known)
        """
      #expect(error?.message == "cannot migrate the database: \(reason)")
      #expect(
        error?.advice == "install the version of Staffbook that migrated it, or a later one"
      )
      let load = await #expect(throws: DirectoryError.self) {
        try await DirectoryRepository(conninfo: conninfo).load()
      }
      #expect(load?.message == "cannot load the directory: \(reason)")
    }
  }

  @Test func `when a step was not this program's`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run("update staffbook.migrations set checksum = 'x' where version = 17")
      let error = await failure(conninfo)
      #expect(error?.kind == .badData)
      #expect(
        error?.message
          == "cannot migrate the database: its migration 17 (baseline) is not that of this program"
      )
    }
  }

  @Test func `in a database that is not UTF-8`() async throws {
    let server = try await SQLSession(TestDatabase.serverConninfo())
    let name = uniqueName("test_latin1")
    try await server.run(
      """
      create database \(name) template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'
      """
    )
    let error = await failure(try TestDatabase.conninfo(database: name))
    try await server.run("drop database \(name) with (force)")
    #expect(error?.kind == .badData)
    #expect(
      error?.message == """
        cannot migrate the database: the encoding of the database \(name) is LATIN1, which cannot \
        represent every name
        """
    )
    #expect(
      error?.advice
        == "create it again with: create database … template template0 encoding 'UTF8'"
    )
  }

  @Test func `to a user who may not create the schema`() async throws {
    try await withTestDatabase { conninfo in
      let sql = try await SQLSession(conninfo)
      let role = uniqueName("nobody")
      try await sql.run("create role \(role)")
      let error = await failure(conninfo + " options=-crole=\(role)")
      try await sql.run("drop role \(role)")
      #expect(error?.kind == .notPermitted)
      let user = try await sql.value("select session_user")
      #expect(
        error?.advice?.description
          == "have its owner run: create schema staffbook authorization \"\(user)\";"
      )
    }
  }

  @Test func `without a server`() async throws {
    try await withTemporaryDirectory { folder in
      let error = await failure("host=\(folder) password=sesame")
      #expect(error?.kind == .unavailable)
      #expect(error?.message.contains("sesame") == false)
      #expect(error?.message.contains("\n") == false)
    }
  }
}
