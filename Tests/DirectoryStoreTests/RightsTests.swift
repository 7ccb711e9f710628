import DirectoryModel
import LibPQ
import TestSupport
import Testing

@testable import DirectoryStore

/// A function of the schema, whose rights it runs with, and who may execute it.
private struct KnownFunction {
  /// Those who may read the directory, each with a role of their own.
  static let readers = "admin editor historian reader server"

  let signature: String
  /// Whether it runs with its owner's rights.
  let isDefiner: Bool
  /// The roles besides the owner, without `staffbook_`.
  let callers: String
  /// What the least trusted caller gains.
  let gain: String

  init(_ signature: String, definer: Bool = false, _ callers: String = "", _ gain: String = "") {
    self.signature = signature
    isDefiner = definer
    self.callers = callers
    self.gain = gain
  }

  /// A new function is added here with what it gives to whom; the test fails for one that is not.
  static let all = [
    // Triggers: PUBLIC cannot hang them on a table, and they serve no table but their own.
    KnownFunction("bind_in_rules()", definer: true),
    KnownFunction("bind_rule()", definer: true),
    KnownFunction("bury()", definer: true),
    KnownFunction("check_acceptance()", definer: true),
    KnownFunction("check_fields()", definer: true),
    KnownFunction("check_tree()", definer: true),
    KnownFunction("enter_in_ledger()", definer: true),
    KnownFunction("follow_declarations()", definer: true),
    KnownFunction("follow_in_rules()", definer: true),
    KnownFunction("follow_in_sources()", definer: true),
    KnownFunction("follow_in_tokens()", definer: true),
    KnownFunction("follow_people()", definer: true),
    KnownFunction("give_notice()"),
    KnownFunction("guard_field()", definer: true),
    KnownFunction("keep_changes()"),
    KnownFunction("keep_identity()"),
    KnownFunction("lock_tree()", definer: true),
    KnownFunction("mark_change()"),
    KnownFunction("record_changes()", definer: true),
    KnownFunction("record_replicated()", definer: true),
    KnownFunction("record_rule()", definer: true),
    KnownFunction("record_truncation()", definer: true),
    KnownFunction("renew_epoch()", definer: true),
    KnownFunction("settle_transaction()", definer: true),
    // Parts of the above.
    KnownFunction("as_changes(jsonb,uuid,jsonb,uuid)"),
    KnownFunction("bind_side(text,text,text,text,text,uuid)"),
    KnownFunction("enlist_transaction(bigint)"),
    KnownFunction("follow_members(text[],uuid[])"),
    KnownFunction("follow_record(text,text,text,uuid)"),
    KnownFunction("identities_of_person(text,uuid)"),
    KnownFunction("identity_of(text,text)"),
    KnownFunction("ids_of_person(text,uuid)"),
    KnownFunction("in_words(text)"),
    KnownFunction("index_people()"),
    KnownFunction("is_of_kind(text,text)"),
    KnownFunction("is_visible(text)"),
    KnownFunction("means_forgotten(text,uuid,text[],uuid[],text[])"),
    KnownFunction("merge_changes(bigint)"),
    KnownFunction("named_record(text,text,text,text)"),
    KnownFunction("refuse_ring(text)", definer: true),
    KnownFunction("replace_people(text[],text[])", definer: true),
    KnownFunction("ring_above(text)", definer: true),
    KnownFunction("transaction_number()"),
    KnownFunction("without_people(jsonb,text[],uuid[],text[])"),
    KnownFunction("unrecorded_change(text,text,text)"),
    KnownFunction("unrecorded_changes()", definer: true),
    // For readers.
    KnownFunction("count_unrecorded()", definer: true, readers, "a number"),
    KnownFunction("field_values(jsonb)", readers, "nothing: a function of its argument"),
    KnownFunction("layout()", readers, "a digest of the catalog, which everybody may read"),
    KnownFunction("may_read_history(name)", readers, "what the catalog says of a role"),
    // For editors.
    KnownFunction(
      "catch_up_history()",
      definer: true,
      "editor",
      "changes that were made are recorded"
    ),
    KnownFunction(
      "prune_history()",
      definer: true,
      "editor",
      "what is older than agreed is removed"
    ),
    KnownFunction(
      "prune_tracking()",
      definer: true,
      "editor",
      "readers who have not synced for 2,000 transactions compare everything once"
    ),
    KnownFunction(
      "was_used(text,text)",
      definer: true,
      "editor",
      "whether somebody has an id or had it, whatever policies hide"
    ),
    // For the owner.
    KnownFunction("forget_in_rules(text[],uuid[])", definer: true),
    KnownFunction("forget_person(text,uuid)", definer: true),
    KnownFunction("forget_user(text)", definer: true),
    KnownFunction("grant_admin()"),
    KnownFunction("grant_editor()"),
    KnownFunction("grant_historian()"),
    KnownFunction("grant_reader()"),
    KnownFunction("grant_reading(name)"),
    KnownFunction("grant_server()"),
    KnownFunction("keep_history(interval)", definer: true),
    KnownFunction("prune(bigint)", definer: true),
  ]
}

/// A table of the schema, who may read it, and what each may do with it beside that.
private struct KnownTable {
  /// What it says of a record that a policy hides.
  enum Answer {
    /// Nothing: it names no record, or only in values of other records, which are theirs.
    case nothing
    /// Nothing to readers, as the schema has a policy on it.
    case ownPolicy
    /// Nothing, where it has a policy as on the page that describes them.
    case documentedPolicy
  }

  let name: String
  let answer: Answer
  /// The roles that read it, without `staffbook_`.
  let readers: [String]
  /// By role, privileges on the table, or on the columns that follow them in parentheses.
  let writers: [String: [String]]

  init(
    _ name: String,
    tells answer: Answer,
    editor: String...,
    admin: [String] = [],
    server: [String] = [],
    readers: String = KnownFunction.readers
  ) {
    (self.name, self.answer) = (name, answer)
    self.readers = readers.split(separator: " ").map(String.init)
    writers = ["editor": editor, "admin": admin, "server": server]
  }

  /// A new table is added here, with what it tells of people who are hidden; the test fails for one that
  /// is not.
  static let all = [
    KnownTable(
      "accepted_deletions",
      tells: .nothing,
      editor: "insert (departments, users, memberships)"
    ),
    KnownTable("changes", tells: .ownPolicy),
    KnownTable("departments", tells: .nothing, editor: "delete", "insert", "update"),
    KnownTable(
      "devices",
      tells: .nothing,
      admin: ["delete", "insert", "update"],
      readers: "admin server"
    ),
    KnownTable("epoch", tells: .nothing),
    KnownTable("fields", tells: .nothing),
    KnownTable("history", tells: .nothing),
    KnownTable("ledger", tells: .nothing),
    KnownTable("memberships", tells: .documentedPolicy, editor: "delete", "insert", "update"),
    KnownTable("migrations", tells: .nothing),
    KnownTable(
      "source_files",
      tells: .nothing,
      editor: "delete",
      "insert",
      "update",
      readers: "editor"
    ),
    KnownTable(
      "source_records",
      tells: .documentedPolicy,
      editor: "delete",
      "insert",
      "update",
      readers: "editor"
    ),
    KnownTable(
      "sources",
      tells: .nothing,
      editor: "delete",
      "insert",
      "update",
      readers: "editor"
    ),
    KnownTable(
      "tokens",
      tells: .documentedPolicy,
      admin: ["delete", "insert", "update"],
      server: ["update (last_used)"],
      readers: "admin server"
    ),
    KnownTable("tombstones", tells: .documentedPolicy),
    KnownTable("transactions", tells: .ownPolicy),
    KnownTable("tree_lock", tells: .nothing),
    KnownTable("users", tells: .documentedPolicy, editor: "delete", "insert", "update"),
    KnownTable(
      "visibility_groups",
      tells: .documentedPolicy,
      admin: ["delete", "insert", "update"]
    ),
    KnownTable(
      "visibility_rules",
      tells: .documentedPolicy,
      admin: ["delete", "insert", "update"]
    ),
  ]

  /// What needs a privilege, by that privilege.
  ///
  /// None changes a row; `column` is one of the table's.
  func statements(column: String) -> [String: String] {
    var statements = [
      "select": "select from staffbook.\(name)",
      "insert":
        "insert into staffbook.\(name) (\(column)) select \(column) from staffbook.\(name) where false",
      "update": "update staffbook.\(name) set \(column) = \(column) where false",
      "delete": "delete from staffbook.\(name) where false",
      "truncate": "truncate staffbook.\(name) cascade",
      "trigger": """
      create trigger x before insert on staffbook.\(name)
        execute function pg_catalog.suppress_redundant_updates_trigger()
      """,
    ]
    for privilege in writers.values.joined() where privilege.hasSuffix(")") {
      let parts = privilege.split(separator: " (")
      let columns = parts[1].dropLast()
      statements[privilege] =
        parts[0] == "update"
        ? "update staffbook.\(name) set \(columns) = \(columns) where false"
        : """
        insert into staffbook.\(name) (\(columns)) select \(columns) from staffbook.\(name) where false
        """
    }
    return statements
  }
}

/// The user who calls the functions and uses the tables.
private enum Somebody: String, CaseIterable {
  case nobody, reader, editor, historian, admin, server, owner

  func mayCall(_ function: KnownFunction) -> Bool {
    self == .owner || function.callers.split(separator: " ").contains { $0 == rawValue }
  }

  func may(_ privilege: String, _ table: KnownTable) -> Bool {
    if self == .owner { return true }
    guard privilege != "select" else { return table.readers.contains(rawValue) }
    // Who may write a table may write each of its columns.
    let own = table.writers[rawValue] ?? []
    return own.contains(privilege) || own.contains { privilege.hasPrefix($0 + " (") }
  }
}

@Suite("Rights")
struct RightsTests {
  /// Runs `body` with a session of each of them, in which every statement is taken back.
  private func withEverybody(
    _ body: (_ somebody: Somebody, _ owner: SQLSession, _ refusal: (String) async throws -> String?)
      async throws -> Void
  ) async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      for somebody in Somebody.allCases {
        let role = somebody == .owner ? nil : uniqueName("\(somebody)")
        if let role {
          try await owner.run("create role \(role)")
          if somebody != .nobody {
            try await owner.run("grant staffbook_\(somebody) to \(role)")
          }
        }
        let session = try await SQLSession(conninfo, role: role)
        try await body(somebody, owner) { statement in
          // Rights are looked at before anything is waited for.
          try await session.run("begin; set local statement_timeout = '5s'")
          let diagnostic = try await session.refusal(of: statement)
          try await session.run("rollback")
          let refusal = diagnostic.map { "\($0.sqlstate?.rawValue ?? ""): \($0.message)" }
          return refusal?.hasPrefix("42501: permission denied for ") == true ? refusal : nil
        }
        if let role { try await owner.run("drop owned by \(role); drop role \(role)") }
      }
    }
  }

  @Test func `to call a function are those of the list, for everybody who calls it`() async throws {
    try await withEverybody { somebody, owner, refusal in
      for name in try await owner.rows(
        """
        select proname, oidvectortypes(proargtypes) from pg_proc
          where pronamespace = 'staffbook'::regnamespace
        """
      ) {
        let signature = "\(name[0])(\(name[1].replacing(", ", with: ",")))"
        let known = KnownFunction.all.first { $0.signature == signature }
        let function = try #require(known, "\(signature) is not in the list")
        let arguments = name[1].split(separator: ",").map { "null::\($0)" }
        let call = "select staffbook.\(name[0])(\(arguments.joined(separator: ",")))"
        let expected =
          if somebody.mayCall(function) {
            String?.none
          } else if somebody == .nobody {
            "42501: permission denied for schema staffbook"
          } else {
            "42501: permission denied for function \(name[0])"
          }
        #expect(try await refusal(call) == expected, "\(somebody): \(call)")
      }
    }
  }

  @Test func `to use a table are those of the list, for everybody who uses it`() async throws {
    try await withEverybody { somebody, owner, refusal in
      for name in try await owner.rows(
        """
        select relname, (select attname from pg_attribute where attrelid = c.oid and attnum = 1)
          from pg_class c
          where relnamespace = 'staffbook'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        """
      ) {
        let known = KnownTable.all.first { $0.name == name[0] }
        let table = try #require(known, "\(name[0]) is not in the list")
        for (privilege, statement) in table.statements(column: name[1]) {
          let expected =
            if somebody.may(privilege, table) {
              String?.none
            } else if somebody == .nobody {
              "42501: permission denied for schema staffbook"
            } else {
              "42501: permission denied for table \(table.name)"
            }
          #expect(try await refusal(statement) == expected, "\(somebody): \(statement)")
        }
      }
      // Rows get their numbers by themselves.
      for name in try await owner.rows(
        "select relname from pg_class where relnamespace = 'staffbook'::regnamespace and relkind = 'S'"
      ) {
        let kind = somebody == .nobody ? "schema staffbook" : "sequence \(name[0])"
        #expect(
          try await refusal("select nextval('staffbook.\(name[0])')")
            == (somebody == .owner ? nil : "42501: permission denied for \(kind)"),
          "\(somebody)"
        )
      }
    }
  }

  @Test func `of every function are those of the list, and PUBLIC has none`() async throws {
    try await withDirectory { conninfo in
      let found = try await SQLSession(conninfo).rows(
        """
        select p.proname || '(' || (
              select coalesce(string_agg(format_type(t, null), ',' order by n), '')
                from unnest(p.proargtypes) with ordinality a(t, n)) || ')',
            p.prosecdef::text,
            coalesce((select string_agg(case a.grantee when 0 then 'PUBLIC'
                  else replace(a.grantee::regrole::text, 'staffbook_', '') end, ' ' order by a.grantee::regrole::text)
                from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                where a.grantee <> p.proowner), '')
          from pg_proc p where p.pronamespace = 'staffbook'::regnamespace order by 1
        """
      )
      let known = KnownFunction.all
        .map { [$0.signature, $0.isDefiner ? "true" : "false", $0.callers] }
        .sorted { $0[0] < $1[0] }
      #expect(Set(found) == Set(known))
      for function in KnownFunction.all where !function.callers.isEmpty {
        #expect(!function.gain.isEmpty, "\(function.signature)")
      }
    }
  }

  @Test func `of every table are those of the list`() async throws {
    try await withDirectory { conninfo in
      let found = try await SQLSession(conninfo).rows(
        """
        select c.relname, replace(a.grantee::regrole::text, 'staffbook_', ''),
            string_agg(lower(a.privilege_type), ' ' order by a.privilege_type)
          from pg_class c cross join aclexplode(c.relacl) a
          where c.relnamespace = 'staffbook'::regnamespace and a.grantee <> c.relowner
            and a.privilege_type <> 'SELECT'
          group by 1, 2
        union all
        select c.relname || '.' || t.attname, replace(a.grantee::regrole::text, 'staffbook_', ''),
            lower(a.privilege_type)
          from pg_class c join pg_attribute t on t.attrelid = c.oid cross join aclexplode(t.attacl) a
          where c.relnamespace = 'staffbook'::regnamespace
        """
      )
      let known = KnownTable.all.flatMap { table in
        table.writers.flatMap { role, privileges -> [[String]] in
          let parts = privileges.joined(separator: " ").split(separator: " (")
          guard parts.count == 2 else { return parts.map { [table.name, role, String($0)] } }
          return parts[1].dropLast().split(separator: ", ")
            .map { ["\(table.name).\($0)", role, String(parts[0])] }
        }
      }
      #expect(Set(found) == Set(known))
      let read = try await SQLSession(conninfo).rows(
        """
        select c.relname, string_agg(r.name, ' ' order by r.name) from pg_class c,
            (values ('reader'), ('editor'), ('historian'), ('admin'), ('server')) r(name)
          where c.relnamespace = 'staffbook'::regnamespace and c.relkind = 'r'
            and has_any_column_privilege('staffbook_' || r.name, c.oid, 'select')
          group by 1
        """
      )
      #expect(
        Set(read) == Set(KnownTable.all.map { [$0.name, $0.readers.joined(separator: " ")] })
      )
    }
  }

  /// What a reader tried who may use the schema and make temporary tables.
  static let attacks = [
    "record_changes()": "after insert on t referencing new table as new_rows for each statement",
    "record_replicated()": "after insert on t for each row",
    "record_truncation()": "before truncate on t for each statement",
    "settle_transaction()": "after insert on t for each row",
    "guard_field()": "after insert on t for each row",
    "follow_people()": "after insert on t for each statement",
    "follow_declarations()": "after insert on t for each statement",
    "bind_rule()": "before insert on t for each row",
    "bind_in_rules()": "after insert on t referencing new table as new_rows for each statement",
    "record_rule()": "after insert on t for each row",
    "follow_in_rules()": "after insert on t for each row",
    "follow_in_sources()": "after insert on t for each row",
    "follow_in_tokens()": "after insert on t for each row",
    "bury()": "after insert on t for each row",
    "enter_in_ledger()": "after insert on t for each statement",
    "renew_epoch()": "after insert on t for each statement",
    "lock_tree()": "after insert on t for each statement",
    "check_tree()": "after insert on t referencing new table as new_rows for each statement",
    "check_fields()": "after insert on t referencing new table as new_rows for each statement",
    "check_acceptance()": "after insert on t for each row",
  ]

  @Test(arguments: attacks.keys.sorted())
  func `a reader hangs no trigger function on a table of their own`(_ function: String) async throws
  {
    let clause = try #require(Self.attacks[function])
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let before = try await owner.rows(Self.everything)
      let role = uniqueName("ann")
      try await owner.run(
        "create role \(role) in role staffbook_reader; grant temporary on database \(try await owner.value("select current_database()")) to \(role)"
      )
      let ann = try await SQLSession(conninfo, role: role)
      try await ann.run("create temporary table t (id text, number bigint, fields jsonb)")
      let refusal = try await ann.refusal(
        of: "create trigger x \(clause) execute function staffbook.\(function)"
      )
      #expect(refusal?.sqlstate == .insufficientPrivilege)
      #expect(try await owner.rows(Self.everything) == before)
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }

  /// Rights given by mistake are not way round: the function looks at its table first.
  @Test(arguments: attacks.keys.sorted())
  func `a trigger function serves no other table, whatever role executes it`(
    _ function: String
  ) async throws {
    let clause = try #require(Self.attacks[function])
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        create function public.told(text) returns json language plpgsql
          as $$ begin raise exception 'code of the caller''s own ran'; end $$;
        create type public.own as enum ('a');
        create function public.as_json(public.own) returns json language sql
          as $$ select public.told('') $$;
        create cast (public.own as json) with function public.as_json(public.own);
        create table public.t (id public.own, number bigint, fields jsonb);
        create trigger x \(clause.replacing(" on t", with: " on public.t"))
          execute function staffbook.\(function)
        """
      )
      let statement =
        clause.hasPrefix("before truncate")
        ? "truncate public.t" : "insert into public.t values ('a', 1, '{\"x\": \"y\"}')"
      let refusal = try await sql.refusal(of: statement)
      #expect(refusal?.sqlstate == .insufficientPrivilege, "\(refusal.map { "\($0)" } ?? "it ran")")
    }
  }

  private static let everything = """
    select (select string_agg(t::text, ',' order by t::text) from staffbook.transactions t),
      (select string_agg(c::text, ',' order by c::text) from staffbook.changes c),
      (select string_agg(t::text, ',' order by t::text) from staffbook.tombstones t),
      (select string_agg(l::text, ',' order by l::text) from staffbook.ledger l),
      (select string_agg(e::text, ',') from staffbook.epoch e),
      (select string_agg(u::text, ',' order by u::text) from staffbook.users u)
    """

  @Test func `the time of a transaction that has ended is given once`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(smallCompany)
      let before = try await sql.rows("select * from staffbook.transactions")
      let refusal = try await sql.refusal(of: "update staffbook.transactions set at = null")
      #expect(refusal?.sqlstate?.rawValue == "55000")
      #expect(try await sql.rows("select * from staffbook.transactions") == before)
    }
  }

  @Test func `an editor accepts the deletions that were made, by no other name`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("bo")
      try await owner.run("create role \(role) in role staffbook_editor")
      let bo = try await SQLSession(conninfo, role: role)
      let counts = "insert into staffbook.accepted_deletions (departments, users, memberships)"
      for statement in [
        "insert into staffbook.accepted_deletions (departments, users, memberships, by_role) values (0, 0, 0, 'ceo')",
        "insert into staffbook.accepted_deletions (departments, users, memberships, changed_in) values (0, 0, 0, '3')",
      ] {
        #expect(try await bo.refusal(of: statement)?.sqlstate == .insufficientPrivilege)
      }
      for statement in [
        "\(counts) values (0, 100, 0)",
        "begin; delete from staffbook.users where id = 'u1'; \(counts) values (0, 2, 1); commit",
        "begin; delete from staffbook.users where id = 'u1'; \(counts) values (0, 1, 1), (0, 1, 1); commit",
      ] {
        #expect(
          try await bo.refusal(of: statement)?.constraint == "accepted_deletions_real",
          "\(statement)"
        )
        try await bo.run("rollback")
      }
      try await bo.run(
        "begin; delete from staffbook.users where id = 'u1'; \(counts) values (0, 1, 1); commit"
      )
      #expect(
        try await owner.rows("select users, memberships, by_role from staffbook.accepted_deletions")
          == [["1", "1", role]]
      )
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }
}

/// What fresh eyes tried against the schema, as an editor who may make temporary things.
@Suite("An editor")
struct EditorAttackTests {
  /// Runs `body` with a session of an editor, and the owner's.
  private func withEditor(
    _ body: (_ bo: SQLSession, _ owner: SQLSession, _ role: String) async throws -> Void
  ) async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("bo")
      try await owner.run("create role \(role) in role staffbook_editor")
      try await body(try await SQLSession(conninfo, role: role), owner, role)
      try await owner.run("drop owned by \(role) cascade; drop role \(role)")
    }
  }

  @Test func `brings no type of their own into a function that the owner runs`() async throws {
    try await withEditor { bo, owner, role in
      try await bo.run(
        """
        create function pg_temp.evil(t pg_catalog.text) returns boolean language plpgsql as $$ begin
          if current_user <> '\(role)' then update staffbook.transactions set by_role = 'evil'; end if;
          return true;
        end $$;
        create domain pg_temp.text as pg_catalog.text check (pg_temp.evil(value));
        set search_path = pg_temp, pg_catalog;
        update staffbook.users set phone = '1' where id = 'u1';
        """
      )
      try await bo.run(
        "begin; set constraints all immediate; update staffbook.users set phone = '2' where id = 'u1'; commit"
      )
      #expect(
        try await owner.rows("select 1 from staffbook.transactions where by_role = 'evil'") == []
      )
    }
  }

  @Test func `does not pass off what they write as found`() async throws {
    try await withEditor { bo, owner, _ in
      let late = try await bo.refusal(
        of:
          "begin; update staffbook.users set phone = '1' where id = 'u1'; select staffbook.catch_up_history()"
      )
      #expect(late?.sqlstate?.rawValue == "55000")
      try await bo.run("rollback")
      let beside = try await bo.refusal(
        of:
          "update staffbook.users set phone = '1' where id = 'u1' returning staffbook.catch_up_history()"
      )
      #expect(beside?.sqlstate?.rawValue == "55000")
      try await owner.run(
        """
        alter table staffbook.users disable trigger record_updated;
        update staffbook.users set phone = '8' where id = 'u2';
        """
      )
      try await owner.run("alter table staffbook.users enable trigger record_updated")
      try await bo.run(
        "begin; select staffbook.catch_up_history(); update staffbook.users set phone = 'sneaky' where id = 'u1'; commit"
      )
      #expect(
        try await owner.value(
          "select is_found from staffbook.transactions order by number desc limit 1"
        ) == "f"
      )
    }
  }

  @Test func `writes no value of another kind, whatever the settings`() async throws {
    try await withEditor { bo, owner, _ in
      try await owner.run(
        "insert into staffbook.fields (of, name, label, kind) values ('user', 'born', 'Born', 'date')"
      )
      try await bo.run("set standard_conforming_strings = off; set escape_string_warning = off")
      let refusal = try await bo.refusal(
        of: "update staffbook.users set fields = '{\"born\": \"dddd-01-01\"}' where id = 'u1'"
      )
      #expect(refusal?.constraint == "users_fields_declared")
      try await bo.run(
        "update staffbook.users set fields = '{\"born\": \"1999-02-28\"}' where id = 'u1'"
      )
    }
  }

  @Test func `accepts no deletion of what is there again`() async throws {
    try await withEditor { bo, _, _ in
      let refusal = try await bo.refusal(
        of: """
          begin;
          delete from staffbook.memberships where user_id = 'u3' and department_id = 'a';
          insert into staffbook.memberships (user_id, department_id) values ('u3', 'a');
          insert into staffbook.accepted_deletions (departments, users, memberships) values (0, 0, 1);
          commit
          """
      )
      #expect(refusal?.constraint == "accepted_deletions_real")
    }
  }

  @Test func `takes up no identity of another record where the history is not theirs to read`()
    async throws
  {
    try await withEditor { bo, owner, role in
      func adding(_ id: String, _ identity: String) -> String {
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id, identity)
          values ('\(id)', 'Back', 'a', '\(identity)');
        insert into staffbook.memberships (user_id, department_id) values ('\(id)', 'a');
        commit
        """
      }
      let former = try await owner.rows(
        "select identity from staffbook.users where id in ('u1', 'u2') order by id"
      ).map { $0[0] }
      try await owner.run("delete from staffbook.users where id in ('u1', 'u2')")
      try await bo.run(adding("v1", former[0]))
      let inRule = "00000000-0000-4000-8000-000000000001"
      try await owner.run(
        """
        alter table staffbook.users enable row level security;
        create policy few on staffbook.users to staffbook_editor using (id <> 'u3');
        insert into staffbook.visibility_rules
            (sort_order, effect, target, target_id, viewer, target_identity)
          values (-1, 'show', 'person', 'x', 'everybody', '\(inRule)');
        """
      )
      for identity in [former[1], inRule] {
        let refusal = try await bo.refusal(of: adding("v2", identity))
        #expect(refusal?.sqlstate == .insufficientPrivilege)
        #expect(
          refusal?.message
            == "an identity that was another record's comes back only by those who may read the history"
        )
        try await bo.run("rollback")
      }
      try await bo.run(adding("n1", "00000000-0000-4000-8000-000000000002"))
      try await owner.run("grant staffbook_historian to \(role)")
      try await bo.run(adding("v2", former[1]))
      #expect(
        try await owner.value("select string_agg(id, ' ' order by id) from staffbook.users")
          == "n1 u3 v1 v2"
      )
    }
  }

  @Test func `is told no id of a hidden department`() async throws {
    try await withEditor { bo, owner, _ in
      try await owner.run(
        """
        alter table staffbook.departments enable row level security;
        create policy few on staffbook.departments to staffbook_editor using (id <> 'b')
        """
      )
      let refusal = try await bo.refusal(
        of: "update staffbook.departments set parent_id = 'c' where id = 'a'"
      )
      #expect(refusal?.sqlstate?.rawValue == "SB001")
      #expect(refusal?.message == "a department would be below itself")
      #expect(refusal?.detail == nil)
    }
  }

  @Test func `that an administrator gave columns only gets no more by grant_reader()`() async throws
  {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      let role = uniqueName("few")
      try await owner.run(smallCompany)
      try await owner.run(
        """
        create role \(role);
        select staffbook.grant_reading('\(role)');
        revoke select on staffbook.users from \(role);
        grant select (id, name) on staffbook.users to \(role);
        select staffbook.grant_reading('\(role)');
        """
      )
      let few = try await SQLSession(conninfo, role: role)
      #expect(try await few.refusal(of: "select phone from staffbook.users") != nil)
      #expect(try await few.value("select count(*) from staffbook.changes") == "0")
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }
}

@Suite("Forgetting")
struct ForgettingReasonsTests {
  /// An address of "-" was once part of every reason.
  @Test func `erases reasons that name the person, and no others`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      try await sql.run(
        """
        begin;
        insert into staffbook.departments (id, name) values ('d', 'D');
        insert into staffbook.users (id, name, email, primary_department_id) values
          ('z', 'Zed', '-', 'd'), ('ada.lund', 'Ada Lund', '', 'd'), ('w', '张伟', '1', 'd'), ('q', 'Qu', '', 'd');
        insert into staffbook.memberships (user_id, department_id) select id, 'd' from staffbook.users;
        commit;
        """
      )
      for (reason, id) in [
        ("ticket 17", "q"), ("as Ada Lund wanted", "q"), ("给张伟的", "q"), ("zed moved", "z"),
        ("zed - 1", "q"),
      ] {
        try await sql.run(
          """
          begin;
          select set_config('staffbook.reason', '\(reason)', true);
          update staffbook.users set phone = phone || '1' where id = '\(id)';
          commit
          """
        )
      }
      for (id, expected) in [("z", "1"), ("ada.lund", "1"), ("w", "1")] {
        #expect(
          try await sql.value("select reasons from staffbook.forget_person('\(id)')") == expected,
          "\(id)"
        )
      }
      #expect(
        try await sql.rows(
          "select reason from staffbook.transactions where reason is not null order by number"
        ) == [["ticket 17"], ["(forgotten)"], ["(forgotten)"], ["(forgotten)"], ["zed - 1"]]
      )
    }
  }

  @Test func `tells people of one name apart who are listed anew`() async throws {
    try await withDirectory { conninfo in
      let sql = try await SQLSession(conninfo)
      func people(_ ids: String...) -> String {
        let rows = zip(ids, ["a@x.example", "b@x.example"])
          .map { "('\($0)', 'John Smith', '\($1)', '100', 'd')" }
        return "insert into staffbook.users (id, name, email, phone, primary_department_id) values "
          + rows.joined(separator: ", ")
          + "; insert into staffbook.memberships (user_id, department_id) select id, 'd' from staffbook.users;"
      }
      try await sql.run(
        "begin; insert into staffbook.departments (id, name) values ('d', 'D'); \(people("j1", "j2")) commit"
      )
      try await sql.run("begin; delete from staffbook.users; \(people("k1", "k2")) commit")
      #expect(
        try await sql.rows("select key from staffbook.ids_of_person('k1')") == [["k1"], ["j1"]]
      )
      #expect(
        try await sql.rows("select key from staffbook.ids_of_person('j2')") == [["k2"], ["j2"]]
      )
    }
  }
}

@Suite("Row-level security as docs/first-steps.md describes it")
struct DocumentedPolicyTests {
  private static let mark = "Zq9"

  /// A company in which each table that may names a hidden person, or one who was hidden and removed.
  private static let hiddenPerson = """
    insert into staffbook.fields (of, name, label, kind) values
      ('user', 'joined', 'Joined', 'date');
    begin;
    insert into staffbook.users (id, name, email, primary_department_id, fields) values
      ('u\(mark)', 'U\(mark)', '\(mark)@lumen.example', 'a', '{"joined": "1999-02-28"}'),
      ('g\(mark)', 'G\(mark)', '', 'a', '{"joined": "1999-02-28"}');
    insert into staffbook.memberships (user_id, department_id, title) values
      ('u\(mark)', 'a', 'T\(mark)'), ('g\(mark)', 'a', '');
    commit;
    insert into staffbook.visibility_groups (name, user_id) values
      ('council', 'u\(mark)'), ('council', 'u1');
    insert into staffbook.visibility_rules (sort_order, effect, target, target_id, viewer) values
      (-2, 'hide', 'person', 'u\(mark)', 'everybody');
    insert into staffbook.visibility_rules (sort_order, effect, target, viewer, viewer_id) values
      (-1, 'show', 'everything', 'person', 'u\(mark)');
    insert into staffbook.tokens (user_id, purpose, hash) values
      ('u\(mark)', 'for \(mark)', sha256('\(mark)')), ('u1', 'for u1', sha256('u1'));
    insert into staffbook.sources (name, fields) values ('list', '{}');
    insert into staffbook.source_records (source, kind, id, alias, is_owner) values
      ('list', 'user', 'u\(mark)', 'n\(mark)', true), ('list', 'user', 'u1', '1', true);
    delete from staffbook.users where id = 'g\(mark)';
    """

  /// The tables that a role may read, and how many of their rows bear the mark.
  private func marked(_ session: SQLSession) async throws -> [String: String] {
    var found: [String: String] = [:]
    for table in KnownTable.all {
      let statement = """
        select count(*) from staffbook.\(table.name) t where t::text like '%\(Self.mark)%'
        """
      guard try await session.refusal(of: statement) == nil else { continue }
      found[table.name] = try await session.value(statement)
    }
    return found
  }

  @Test func `hides a person in every table, and nobody else from anybody`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany + Self.hiddenPerson)
      let open = try await marked(owner).filter { $0.value != "0" }.keys
      let telling = KnownTable.all.filter { $0.answer != .nothing && $0.name != "transactions" }
      #expect(Set(open) == Set(telling.map(\.name)))

      try await owner.run(documentedPolicies())
      let secured = try await owner.rows(
        """
        select relname from pg_class
          where relnamespace = 'staffbook'::regnamespace and relrowsecurity
        """
      )
      #expect(
        Set(secured.map { $0[0] })
          == Set(KnownTable.all.filter { $0.answer != .nothing }.map(\.name))
      )
      for group in KnownFunction.readers.split(separator: " ") {
        let role = uniqueName("\(group)")
        try await owner.run("create role \(role) in role staffbook_\(group)")
        let session = try await SQLSession(conninfo, role: role)
        let found = try await marked(session)
        let people = try await session.value("select count(*) from staffbook.users")
        let places = try await session.value("select count(*) from staffbook.memberships")
        switch group {
        case "historian": #expect(people == "4" && places == "5")
        case "admin":
          #expect(people == "4" && places == "5")
          #expect(found["tokens"] == "1" && found["visibility_rules"] == "2")
        default:
          #expect(people == "3" && places == "4", "\(group)")
          #expect(found.values.allSatisfy { $0 == "0" }, "\(group): \(found)")
        }
        try await owner.run("drop owned by \(role); drop role \(role)")
      }
    }
  }

  @Test func `lets an editor write whom they see, and no one else`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany + Self.hiddenPerson)
      try await owner.run(documentedPolicies())
      let role = uniqueName("bo")
      try await owner.run("create role \(role) in role staffbook_editor")
      let bo = try await SQLSession(conninfo, role: role)
      try await bo.run(
        """
        begin;
        insert into staffbook.users (id, name, primary_department_id) values ('u4', 'New', 'a');
        insert into staffbook.memberships (user_id, department_id) values ('u4', 'a');
        commit
        """
      )
      try await bo.run("update staffbook.users set phone = '1' where id = 'u\(Self.mark)'")
      try await bo.run("delete from staffbook.memberships where user_id = 'u\(Self.mark)'")
      let refusal = try await bo.refusal(
        of: """
          insert into staffbook.memberships (user_id, department_id)
            values ('u\(Self.mark)', 'b')
          """
      )
      #expect(refusal?.sqlstate == .insufficientPrivilege)
      #expect(
        try await owner.rows(
          """
          select phone, (select count(*) from staffbook.memberships where user_id = u.id)
            from staffbook.users u where id in ('u4', 'u\(Self.mark)') order by id
          """
        ) == [["", "1"], ["", "1"]]
      )
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }
}

@Suite("History under row-level security")
struct HiddenHistoryTests {
  @Test(arguments: ["staffbook_reader", "staffbook_editor"])
  func `is for historians alone, from the moment of the policy`(_ group: String) async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany + "delete from staffbook.users where id = 'u2';")
      let role = uniqueName("ann")
      try await owner.run("create role \(role) in role \(group)")
      let asAnn = conninfo + " options=-crole=\(role)"
      let ann = try await SQLSession(asAnn)
      let counts = """
        select (select count(*) > 0 from staffbook.changes),
          (select count(*) > 0 from staffbook.transactions),
          (select count(*) > 0 from staffbook.changes where former_parent is null),
          (select count(*) > 0 from staffbook.changes where former_parent = 'a')
        """
      try await owner.run("update staffbook.departments set parent_id = null where id = 'b'")
      try await owner.run("update staffbook.departments set parent_id = 'a' where id = 'b'")
      #expect(try await ann.rows(counts) == [["t", "t", "t", "t"]])

      try await owner.run(
        """
        alter table staffbook.users enable row level security;
        create policy few on staffbook.users for select using (id <> 'u1')
        """
      )
      #expect(try await ann.rows(counts) == [["f", "f", "f", "f"]])
      #expect(try await owner.rows(counts) == [["t", "t", "t", "t"]])
      let history = try await DirectoryHistory(conninfo: asAnn, doing: "show the log")
      let error = await #expect(throws: DirectoryError.self) {
        try await history.transactions(HistoryFilter())
      }
      #expect(error?.kind == .notPermitted)
      #expect(
        error?.message == """
          cannot show the log: row-level security hides records of this database, history shows \
          all of them, and \(role) is not a member of staffbook_historian
          """
      )
      #expect(
        error?.advice?.description
          == "have an administrator run: grant staffbook_historian to \"\(role)\";"
      )
      await #expect(throws: DirectoryError.self) { try await history.changes(backTo: 0) }
      await #expect(throws: DirectoryError.self) { try await history.formerPeople() }

      try await owner.run("grant staffbook_historian to \(role)")
      #expect(try await ann.rows(counts) == [["t", "t", "t", "t"]])
      #expect(try await history.transactions(HistoryFilter()).count == 4)
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }

  @Test func `takes no index from those who read it`() async throws {
    try await withDirectory { conninfo in
      let owner = try await SQLSession(conninfo)
      try await owner.run(smallCompany)
      let role = uniqueName("ann")
      try await owner.run("create role \(role) in role staffbook_reader")
      let ann = try await SQLSession(conninfo, role: role)
      try await ann.run("set enable_seqscan = off")
      for condition in [
        "key1 = 'u1'", "transaction = 1",
        "key2 = 'a' and kind = 'membership' and before is not null",
        "former_parent = 'a' and kind = 'department' and before is not null",
        "former_parent is null and kind = 'department' and before is not null",
      ] {
        let plan = try await ann.rows("explain select * from staffbook.changes where \(condition)")
        #expect(plan.joined().contains { $0.contains("Index Cond") }, "\(plan)")
      }
      try await owner.run("drop owned by \(role); drop role \(role)")
    }
  }
}
