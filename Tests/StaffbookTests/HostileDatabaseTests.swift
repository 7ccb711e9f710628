import LibPQ
import SystemPackage
import TestSupport
import Testing

/// What a database may hold, and what may be set for it or for a role, without an answer being
/// another or a sync failing.
@Suite("A database full of traps")
struct HostileDatabaseTests {
  @Test func `may hold any count of accepted deletions`() async throws {
    try await withBook { book in
      try writeSmallCompany(to: book.home)
      try await book.lines("import", book.home.string)
      try await book.lines("sync")
      try book.script(
        """
        insert into staffbook.accepted_deletions (departments, users, memberships)
          values (9223372036854775807, 9223372036854775807, 9223372036854775807), (1, 1, 1)
        """
      )
      try await book.lines("sync", "--full")
      try book.script("delete from staffbook.users where id = 'u3'")
      try await book.lines("sync")
      try await book.lines("tree", "--fresh")
    }
  }

  // MARK: Triggers

  struct TriggerTrap: Sendable, CustomTestStringConvertible {
    var spring: String
    var name: String
    var mend: String
    var testDescription: String { name }
  }

  @Test(arguments: [
    TriggerTrap(
      spring: "alter table staffbook.users disable trigger zzz_mark_change",
      name: "users.zzz_mark_change",
      mend: "alter table staffbook.users enable always trigger zzz_mark_change"
    ),
    TriggerTrap(
      // What pg_restore --disable-triggers leaves behind.
      spring: """
        alter table staffbook.users disable trigger all;
        alter table staffbook.users enable trigger all
        """,
      name: "users.a_follow_renamed",
      mend: """
        begin;
        alter table staffbook.users enable always trigger zzz_mark_change,
          enable always trigger bury_deleted, enable always trigger bury_renamed,
          enable always trigger enter_in_ledger, enable always trigger renew_epoch,
          enable always trigger check_fields_after_insert,
          enable always trigger check_fields_after_update,
          enable always trigger a_forget_people, enable always trigger a_follow_renamed,
          enable always trigger zzz_keep_identity, enable always trigger bind_in_rules,
          enable always trigger bind_removed, enable always trigger follow_in_rules,
          enable always trigger follow_in_sources, enable always trigger follow_in_tokens,
          enable always trigger end_tokens, enable always trigger end_all_tokens,
          enable replica trigger enter_replicated_in_ledger,
          enable replica trigger record_replicated, enable always trigger record_truncated;
        commit;
        select staffbook.catch_up_history()
        """
    ),
    TriggerTrap(
      spring: "alter table staffbook.users enable always trigger enter_replicated_in_ledger",
      name: "users.enter_replicated_in_ledger",
      mend: "alter table staffbook.users enable replica trigger enter_replicated_in_ledger"
    ),
    TriggerTrap(
      spring: "drop trigger enter_in_ledger on staffbook.users",
      name: "users.enter_in_ledger",
      mend: """
        create trigger enter_in_ledger after insert or update or delete on staffbook.users
          for each statement execute function staffbook.enter_in_ledger();
        alter table staffbook.users enable always trigger enter_in_ledger
        """
    ),
  ])
  func `may have triggers that are missing or off: then everything is compared`(
    _ trap: TriggerTrap
  ) async throws {
    try await withBook { book in
      try writeSmallCompany(to: book.home)
      try await book.lines("import", book.home.string)
      try await book.lines("sync")
      try book.script(trap.spring)
      try await book.lines("sync")
      try book.script(
        """
        set session_replication_role = replica;
        update staffbook.users set name = 'Ada Holm' where id = 'u1'
        """
      )
      for change in ["1 person changed", "nothing differs"] {
        let sync = try await book.run("sync")
        #expect(
          sync.status == 0
            && sync.stdout.reads(
              "synced from …",
              "compared everything (…\(trap.name)…): \(change)"
            ),
          "\(sync)"
        )
      }
      let doctor = try await book.run("doctor")
      #expect(
        doctor.status == 65
          && doctor.stdout.reads("…", "  Problem:       …\(trap.name)…", "…"),
        "\(doctor)"
      )
      try book.script(trap.mend)
      #expect(
        try await book.lines("sync").contains {
          $0.reads(
            "compared everything (the tables were restored or altered, or their triggers were disabled): nothing differs"
          )
        }
      )
      #expect(
        try await book.lines("sync").contains {
          $0.reads("read only what changed: nothing differs")
        }
      )
      try await book.lines("doctor", "--verify")
    }
  }

  // MARK: Settings

  private static let settings = [
    ("bytea_output", "escape"), ("datestyle", "'German, DMY'"), ("intervalstyle", "sql_standard"),
    ("timezone", "'Pacific/Kiritimati'"), ("standard_conforming_strings", "off"),
    ("extra_float_digits", "'-15'"), ("search_path", "''"), ("client_encoding", "latin1"),
    ("default_transaction_isolation", "serializable"), ("default_transaction_read_only", "on"),
    ("default_transaction_deferrable", "on"), ("row_security", "off"),
    ("statement_timeout", "'100ms'"), ("lock_timeout", "'1ms'"),
    ("idle_in_transaction_session_timeout", "'1ms'"), ("session_replication_role", "replica"),
    ("client_min_messages", "error"), ("quote_all_identifiers", "on"), ("array_nulls", "off"),
    ("transform_null_equals", "on"), ("synchronous_commit", "off"), ("jit_above_cost", "0"),
    ("enable_indexscan", "off"), ("work_mem", "'64kB'"), ("transaction_timeout", "'100ms'"),
  ]

  @Test(arguments: [("database %", true), ("role current_user in database %", false)])
  func `may set what it wants, one thing after the other or all at once`(
    _ place: String,
    oneByOne: Bool
  ) async throws {
    for chosen in (oneByOne ? Self.settings.map { [$0] } : []) + [Self.settings] {
      try await withTestDatabase { conninfo in
        try await withTemporaryDirectory { home in
          let book = Book(home: home, conninfo: conninfo)
          let name = try PGConninfo(parsing: conninfo)["dbname"] ?? ""
          let place = place.split(separator: "%", omittingEmptySubsequences: false)
            .joined(separator: name)
          var server = try PGConnection(conninfo: TestDatabase.serverConninfo())
          for (setting, value) in chosen {
            // Since PostgreSQL 17.
            if setting == "transaction_timeout", server.serverVersion < 170_000 { continue }
            try server.executeScript("alter \(place) set \(setting) = \(value)")
          }
          try await work(book, "\(chosen.map(\.0))")
        }
      }
    }
  }

  /// All that talks to the database.
  private func work(_ book: Book, _ settings: String) async throws {
    func run(_ arguments: String..., expecting line: String = "…") async throws {
      let outcome = try await book.run(arguments)
      let comment: Comment = "\(settings): \(arguments): \(outcome)"
      #expect(outcome.status == 0 && outcome.stdout.reads("…", line, "…"), comment)
    }
    try await run("db", "migrate")
    try writeSmallCompany(to: book.home)
    try await run("import", book.home.string)
    try await run("sync", "--full")
    try writeCompany(departments: "", users: "u9,lum,Ida Å,,,,1\n", to: book.home)
    try await run("import", book.home.appending("users.csv").string)
    try await run("sync", expecting: "read only what changed: nothing differs")
    try await run("doctor", "--verify")
    try await run("tree", "--all", "--fresh", expecting: "└─ Ida Å")
    try await run("db", "migrate")
  }

  @Test func `may set what queries over its own tables give as text`() async throws {
    try await withTestDatabase { conninfo in
      try await withTemporaryDirectory { home in
        let book = Book(home: home, conninfo: conninfo)
        try book.script(
          """
          create table unit (no bytea, since date, rank float8);
          insert into unit values ('\\x61', '2020-02-01', 0.1);
          """
        )
        try makeFolder(home.appending("config"))
        try write(
          """
          source:
            departments: select no as id, null as parent_id, concat(since, ' ', rank) as name,
              '' as description, 0 as sort_order from unit, pg_sleep(0.3)
            users: select '' as id, '' as department_id, '' as name, '' as email, '' as phone
              where false
            memberships: select '' as user_id, '' as department_id, '' as title, 0 as sort_order
              where false

          """,
          to: home.appending("config").appending("config.yaml")
        )
        try await book.lines("sync")
        let name = try PGConninfo(parsing: conninfo)["dbname"] ?? ""
        var server = try PGConnection(conninfo: TestDatabase.serverConninfo())
        for (setting, value) in Self.settings where setting != "search_path" {
          // Since PostgreSQL 17.
          if setting == "transaction_timeout", server.serverVersion < 170_000 { continue }
          try server.executeScript("alter database \(name) set \(setting) = \(value)")
        }
        let sync = try await book.run("sync")
        #expect(
          sync.status == 0
            && sync.stdout.reads(
              "synced from … at …: 0 people, 1 department and 0 memberships, in …",
              "compared everything (changes to these tables are not tracked): nothing differs"
            ),
          "\(sync)"
        )
      }
    }
  }
}
