import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("What the doctor finds in the schema and on the disk")
struct DoctorSchemaTests {
  private func withCompany(_ body: (Book) async throws -> Void) async throws {
    try await withBook { book in
      try await withTemporaryDirectory { folder in
        try writeSmallCompany(to: folder)
        try await book.lines("import", folder.string)
        try await book.lines("field", "add", "manager")
        try await body(book)
      }
    }
  }

  /// Runs `body` as a login of its own, which may do what the statements grant to `%`.
  private func asRole(
    _ statements: String,
    _ book: Book,
    _ body: (Book) async throws -> Void
  ) async throws {
    let role = "doctor_\(UInt32.random(in: 0 ... .max))"
    let grants = statements.split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: role)
    try book.script("create role \(role); \(grants)")
    var other = book
    other.environment["STAFFBOOK_DATABASE_URL"] = book.conninfo + " options=-crole=\(role)"
    do {
      try await body(other)
    } catch {
      try book.script("drop owned by \(role); drop role \(role)")
      throw error
    }
    try book.script("drop owned by \(role); drop role \(role)")
  }

  private static func good(_ subject: String, _ text: String) -> String {
    #"{"state":"good","subject":"\#(subject)","text":"\#(text)"}"#
  }

  private static let isSound = good(
    "schema",
    "functions, indexes, constraints, owners and rights match the migrations"
  )
  private static let leads = good(
    "records",
    "all references between records in the database are valid"
  )

  @Test func `is nothing where nothing was changed, also for a reader`() async throws {
    try await withCompany { book in
      for grants in ["grant staffbook_reader to %", "grant staffbook_editor to %"] {
        try await asRole(grants, book) { reader in
          let doctor = try await reader.run("doctor", "--json")
          #expect(doctor.status == 0, "\(doctor)")
          let index = Self.good("index", "the search index matches its checksums")
          for line in [Self.isSound, Self.leads, index] {
            #expect(doctor.stdout.reads("…", line, "…"), "\(line): \(doctor)")
          }
          #expect(
            doctor.stdout.reads(
              "…",
              "{\"advice\":\"transfer it to a role that is not a superuser\",\"state\":\"note\",\"subject\":\"owners\",\"text\":\"the schema belongs to postgres, a superuser, with whose rights its triggers run\"}",
              "…"
            ),
            "\(doctor)"
          )
        }
      }
    }
  }

  struct Damage: Sendable, CustomTestStringConvertible {
    var sql: String
    var subject = "schema"
    var found: String
    /// What `db migrate --repair` says that it repaired; `nil` where it cannot.
    var repaired: String?
    var advice = "have the owner of the schema run: staffbook db migrate --repair"
    var testDescription: String { found }
  }

  @Test func `is where row-level security and history meet, and who reads it all the same`()
    async throws
  {
    try await withCompany { book in
      try book.script(try documentedPolicies())
      try await asRole("grant staffbook_historian to %", book) { historian in
        let doctor = try await historian.run("doctor")
        #expect(doctor.status == 0, "\(doctor)")
        #expect(
          doctor.stdout.reads(
            "…",
            "  Note:          row-level security is enabled on memberships, users, so that only the owner and members of staffbook_historian read history, which shows every record; it has the members doctor_…",
            "…"
          ),
          "\(doctor)"
        )
      }
    }
  }

  @Test func `is a table that names records which policies hide elsewhere`() async throws {
    try await withCompany { book in
      try book.script(
        """
        alter table staffbook.users enable row level security;
        create policy few on staffbook.users to staffbook_reader using (id <> 'u2')
        """
      )
      let doctor = try await book.run("doctor", "--json")
      #expect(doctor.status == 65, "\(doctor)")
      #expect(
        doctor.stdout.reads(
          "…",
          "{\"advice\":\"have the owner of the tables add policies there, as docs/first-steps.md shows\",\"state\":\"problem\",\"subject\":\"rights\",\"text\":\"row-level security is enabled on users, but not on memberships, source_records, tokens, tombstones, visibility_groups, visibility_rules, which name hidden records\"}",
          "…"
        ),
        "\(doctor)"
      )
      try book.script("drop policy few on staffbook.users")
      try book.script(try documentedPolicies())
      let after = try await book.run("doctor", "--json")
      #expect(after.status == 0 && after.stdout.reads("…", Self.isSound, "…"), "\(after)")
    }
  }

  @Test(arguments: [
    Damage(
      sql: """
        alter table staffbook.users enable row level security, force row level security
        """,
      subject: "rights",
      found:
        "row-level security binds the owner of users, too, so that triggers miss the records that it hides",
      advice:
        "have the owner of the tables run: alter table staffbook.users no force row level security;"
    ),
    Damage(
      sql: "drop index staffbook.users_changed_in, staffbook.changes_key1",
      found: "indexes are missing or invalid: changes_key1, users_changed_in",
      repaired: "index changes_key1"
    ),
    Damage(
      sql: "drop trigger bury_deleted on staffbook.users",
      subject: "changes",
      found:
        "the change tracking is incomplete, since triggers are missing or not enabled as required; until this is corrected, every sync compares everything: users.bury_deleted",
      repaired: "trigger users.bury_deleted"
    ),
    Damage(
      sql: "drop trigger settle_transaction on staffbook.transactions",
      subject: "history",
      found:
        "changes are not recorded in history, since triggers are missing or not enabled as required: transactions.settle_transaction",
      repaired: "trigger transactions.settle_transaction"
    ),
    Damage(
      sql: "drop trigger check_acceptance on staffbook.accepted_deletions",
      found: "triggers are missing or not enabled as required: accepted_deletions.check_acceptance",
      repaired: "trigger accepted_deletions.check_acceptance"
    ),
    Damage(
      sql: """
        create or replace function staffbook.mark_change() returns trigger language plpgsql
          set search_path = pg_catalog, pg_temp as 'begin return new; end'
        """,
      found: "functions are missing or differ from the migrations: mark_change",
      repaired: "function mark_change"
    ),
    Damage(
      sql: "alter function staffbook.bury() reset search_path",
      found: "functions are missing or differ from the migrations: bury",
      repaired: "function bury"
    ),
    Damage(
      sql: "alter function staffbook.bury() security invoker",
      found: "functions are missing or differ from the migrations: bury",
      repaired: "function bury"
    ),
    Damage(
      sql: "drop function staffbook.prune_history()",
      found: "functions are missing or differ from the migrations: prune_history",
      repaired: "function prune_history"
    ),
    Damage(
      sql: "revoke select on staffbook.users from staffbook_reader",
      subject: "rights",
      found: "the roles lack rights: staffbook_reader: SELECT on users",
      repaired: "right of staffbook_reader: SELECT on users"
    ),
    Damage(
      sql: "revoke delete on staffbook.memberships from staffbook_editor",
      subject: "rights",
      found: "the roles lack rights: staffbook_editor: DELETE on memberships",
      repaired: "right of staffbook_editor: DELETE on memberships"
    ),
    Damage(
      sql: "revoke execute on function staffbook.prune_tracking() from staffbook_editor",
      subject: "rights",
      found: "the roles lack rights: staffbook_editor: EXECUTE on prune_tracking()",
      repaired: "right of staffbook_editor: EXECUTE on prune_tracking()"
    ),
    Damage(
      sql: "grant execute on function staffbook.forget_user(text) to public",
      subject: "rights",
      found: "PUBLIC may execute: staffbook.forget_user(text)",
      repaired: "no right of PUBLIC: EXECUTE on staffbook.forget_user(text)"
    ),
    Damage(
      sql: "alter table staffbook.users drop constraint users_name_length",
      found: "constraints are missing or not validated: users_name_length",
      advice: "have the owner of the tables add or validate them, as in a new database"
    ),
    Damage(
      sql: "alter table staffbook.memberships disable trigger all",
      found:
        "foreign keys are not enforced, since their triggers are disabled, on: staffbook.memberships",
      advice:
        "have a superuser run: alter table staffbook.memberships enable trigger all; and then: staffbook db migrate --repair"
    ),
    Damage(
      sql: "delete from staffbook.ledger",
      found: "tables lack the rows that the schema requires: ledger",
      advice: "the next change adds one; until then every sync compares everything"
    ),
    Damage(
      sql: "delete from staffbook.tree_lock",
      found: "tables lack the rows that the schema requires: tree_lock",
      advice:
        "have the owner of the tables run: insert into staffbook.tree_lock (by_xact) values ('0');"
    ),
    Damage(
      sql: "alter table staffbook.users owner to pg_monitor",
      subject: "owners",
      found: "tables or functions do not belong to postgres, who owns the schema: staffbook.users",
      advice: "have a superuser run: alter table staffbook.users owner to postgres;"
    ),
    Damage(
      sql: "alter function staffbook.bury() owner to pg_monitor",
      subject: "owners",
      found: "tables or functions do not belong to postgres, who owns the schema: staffbook.bury()",
      advice: "have a superuser run: alter function staffbook.bury() owner to postgres;"
    ),
  ])
  func `is named with a cure, and what can be repaired is`(_ damage: Damage) async throws {
    try await withCompany { book in
      let records = try book.contents()
      try book.script(damage.sql)
      let found = try await book.run("doctor", "--json")
      #expect(found.status == 65, "\(found)")
      #expect(
        found.stdout.reads(
          "…",
          #"{"advice":"\#(damage.advice)","state":"problem","subject":"\#(damage.subject)","#
            + #""text":"\#(damage.found)"}"#,
          "…"
        ),
        "\(found)"
      )
      if damage.repaired?.hasPrefix("trigger") != true {
        #expect(!found.stdout.contains(Self.isSound), "\(found)")
      }
      let repair = try await book.run("db", "migrate", "--repair")
      #expect(repair.status == 0, "\(repair)")
      #expect(try book.contents() == records)
      guard let repaired = damage.repaired else { return }
      #expect(repair.stdout.reads("…", "repaired: \(repaired)", "…"), "\(repair)")
      let after = try await book.run("doctor", "--json")
      #expect(after.status == 0 && after.stdout.reads("…", Self.isSound, "…"), "\(after)")
      let again = try await book.lines("db", "migrate", "--repair")
      #expect(again.contains("there was nothing to repair"), "\(again)")
    }
  }

  @Test func `is repaired by its owner alone`() async throws {
    try await withCompany { book in
      try book.script("drop trigger bury_deleted on staffbook.users")
      try await asRole("grant staffbook_editor to %", book) { editor in
        let refused = try await editor.run("db", "migrate", "--repair")
        #expect(refused.status == 77, "\(refused)")
      }
    }
  }

  @Test func `are records of the database that lead nowhere, whatever the snapshot has`()
    async throws
  {
    try await withCompany { book in
      try book.script(
        """
        alter table staffbook.departments disable trigger check_tree_after_update;
        alter table staffbook.users disable trigger check_fields_after_update;
        set session_replication_role = replica;
        delete from staffbook.users where id = 'u3';
        delete from staffbook.departments where id = 'opt';
        update staffbook.departments set parent_id = 'vac' where id = 'vac';
        update staffbook.users set fields = '{"manager": "u3"}' where id = 'u1';
        update staffbook.users set primary_department_id = 'vac' where id = 'u2'
        """
      )
      let doctor = try await book.run("doctor", "--json")
      #expect(doctor.status == 65, "\(doctor)")
      for text in [
        "departments below one that does not exist: mir",
        "departments that are below themselves: vac",
        "people who are not in their primary department: u2",
        "memberships of people who do not exist: u3",
        "memberships in departments that do not exist: u2",
        "people whose fields name people who do not exist: u1",
      ] {
        #expect(
          doctor.stdout.reads(
            "…",
            "{\"advice\":\"correct them in the database\",\"state\":\"problem\",\"subject\":\"records\",\"text\":\"in the database there are \(text)\"}",
            "…"
          ),
          "\(text): \(doctor)"
        )
      }
    }
  }

  @Test func `is not what it could not examine, which it names`() async throws {
    try await withCompany { book in
      let reading =
        "grant usage on schema staffbook to %; "
        + "grant select on all tables in schema staffbook to %"
      try await asRole(reading, book) { reader in
        let doctor = try await reader.run("doctor", "--json")
        #expect(
          doctor.stdout.reads(
            "…",
            #"{"state":"note","subject":"history","text":"all triggers of history are enabled; whether it has every change was not examined, since … may not execute the functions for it, as members of staffbook_reader may"}"#,
            "…"
          ),
          "\(doctor)"
        )
        #expect(
          !doctor.stdout.contains(
            "it has recorded \(try book.query("select count(*) from staffbook.transactions")[0][0]) transaction"
          )
        )
      }
      try book.script(
        """
        alter table staffbook.users enable row level security;
        create policy own on staffbook.users for select using (id = 'u1')
        """
      )
      try await asRole("grant staffbook_reader to %", book) { reader in
        let doctor = try await reader.run("doctor", "--json")
        #expect(
          doctor.stdout.reads(
            "…",
            #"{"state":"note","subject":"history","text":"all triggers of history are enabled; what it has recorded was not examined, since row-level security hides records of this database and … is not a member of staffbook_historian"}"#,
            "…"
          ),
          "\(doctor)"
        )
        #expect(
          doctor.stdout.reads(
            "…",
            #"{"advice":"have the owner of the tables check them","state":"note","subject":"records","text":"references between records in the database were not checked, since row-level security may hide some of them from doctor_…"}"#,
            "…"
          ),
          "\(doctor)"
        )
        #expect(!doctor.stdout.contains(Self.leads), "\(doctor)")
      }
    }
  }

  @Test func `is what was changed while triggers were off, for a reader too`() async throws {
    try await withCompany { book in
      try book.script("alter table staffbook.users disable trigger record_updated")
      try book.script("update staffbook.users set phone = '9' where id = 'u1'")
      try await asRole("grant staffbook_reader to %", book) { reader in
        let off = try await reader.run("doctor")
        #expect(off.status == 65, "\(off)")
        #expect(
          off.stdout.reads(
            "…",
            "                 have the owner of the tables run: alter table staffbook.users enable trigger record_updated;",
            "…"
          ),
          "\(off)"
        )
        #expect(!off.stdout.contains("all triggers of history are enabled"), "\(off)")
        try book.script("alter table staffbook.users enable trigger record_updated")
        let on = try await reader.run("doctor")
        #expect(on.status == 65, "\(on)")
        #expect(
          on.stdout.reads(
            "…",
            "  Problem:       1 record was changed while the triggers of history were off",
            "…"
          ),
          "\(on)"
        )
      }
    }
  }

  @Test func `is a search index whose bytes are not what was written`() async throws {
    try await withCompany { book in
      try await book.lines("sync")
      let cache = book.home.appending("cache")
      let path = cache.appending(try #require(try folderEntries(cache).first))
        .appending("search.index")
      var image = try bytes(of: path)
      let middle = image.count / 2
      for at in middle..<(middle + 64) { image[at] ^= 0x20 }
      try write(bytes: image, to: path)
      let doctor = try await book.run("doctor", "--snapshot")
      #expect(doctor.status == 65, "\(doctor)")
      #expect(
        doctor.stdout.reads(
          "…",
          "  Problem:       the snapshot \(path) is damaged (…)",
          "                 searches scan all records until it is rebuilt: remove it, and run: staffbook sync",
          "…"
        ),
        "\(doctor)"
      )
      #expect(unlink(path.string) == 0)
      try await book.lines("sync")
      #expect(try await book.run("doctor", "--snapshot").status == 0)
    }
  }

  @Test func `is a disk without room for the next snapshot`() async throws {
    try #require(geteuid() == 0, "needs root: it mounts a disk")
    try await withCompany { book in
      let cache = book.home.appending("cache")
      _ = try await runProgram("rm", ["-rf", cache.string])
      #expect(mkdir(cache.string, 0o700) == 0)
      let mount = try await runProgram(
        "mount",
        ["-t", "tmpfs", "-o", "size=10m,mode=700", "tmpfs", cache.string]
      )
      try #require(mount.status == 0, "\(mount)")
      let outcome: Result<Void, any Error>
      do {
        outcome = .success(try await fill(cache, book))
      } catch {
        outcome = .failure(error)
      }
      let unmount = try await runProgram("umount", [cache.string])
      #expect(unmount.status == 0, "\(unmount)")
      try outcome.get()
    }
  }

  private func fill(_ cache: FilePath, _ book: Book) async throws {
    func remount(_ option: String) async throws {
      let outcome = try await runProgram("mount", ["-o", "remount,\(option)", cache.string])
      try #require(outcome.status == 0, "\(outcome)")
    }
    try await book.lines("sync")
    #expect(try await book.run("doctor").status == 0)
    let before = try await runProgram("find", [cache.string]).stdout
    _ = try await runProgram(
      "dd",
      ["if=/dev/zero", "of=\(cache.appending("ballast"))", "bs=4096", "count=10000"]
    )
    let full = try await book.run("doctor")
    #expect(full.status == 65, "\(full)")
    #expect(
      full.stdout.reads(
        "…",
        "  Problem:       the next snapshot cannot be written to …: No space left on device",
        "…"
      ),
      "\(full)"
    )
    #expect(
      full.stdout.reads(
        "…",
        "                 free some space on that disk, or set STAFFBOOK_HOME to another folder",
        "…"
      ),
      "\(full)"
    )
    #expect(unlink(cache.appending("ballast").string) == 0)
    #expect(try await book.run("doctor").status == 0)
    #expect(try await runProgram("find", [cache.string]).stdout == before)
    try await remount("ro")
    let readOnly = try await book.run("doctor")
    #expect(readOnly.status == 65, "\(readOnly)")
    #expect(
      readOnly.stdout.reads(
        "…",
        "  Problem:       the next snapshot cannot be written to …: Read-only file system",
        "                 that file system is read-only: set STAFFBOOK_HOME to another folder",
        "…"
      ),
      "\(readOnly)"
    )
    try await remount("rw")
  }
}
