import DirectoryModel
import LibPQ

/// Whether the schema is as the migrations made it, and whether its records fit together.
package struct SchemaInspection: Sendable {
  /// Something of another owner than the schema, and the statement that mends it.
  package struct ForeignObject: Hashable, Sendable {
    package var name: String
    package var remedy: String
  }

  package var owner = ""
  package var isOwnerSuperuser = false
  /// Who looks; what is missing below may be hidden from this role.
  package var user = ""
  /// Whether a later program migrated the database, so that its functions and indexes are not known here.
  package var isNewer = false
  package var functions: [String] = []
  package var indexes: [String] = []
  package var constraints: [String] = []
  /// Tables whose foreign keys are not enforced.
  package var unenforced: [String] = []
  /// All of them, and those that neither track changes nor keep history.
  package var triggers: [BrokenTrigger] = []
  package var guards: [BrokenTrigger] = []
  package var strays: [ForeignObject] = []
  /// Rights that the roles lack, such as `staffbook_reader: SELECT on users`.
  package var missingRights: [String] = []
  /// Functions that everybody may execute.
  package var publicFunctions: [String] = []
  /// Tables on which row-level security is enabled, and those on which it binds the owner, too.
  package var secured: [String] = []
  /// Tables without it that name records which it hides elsewhere.
  package var unsecured: [String] = []
  package var forced: [String] = []
  /// Who reads history all the same, the owner and superusers apart.
  package var historians: [String] = []
  /// Tables of one row without it, and an empty ledger.
  package var emptied: [String] = []
  /// Records that lead nowhere; `nil` where the user does not see all of them.
  package var references: [BrokenReference]?
  /// Whether the user may read every table that readers may.
  package var mayRead = false

  package init() {}

  /// What `Migrator.repair` makes again, in words.
  var repairable: [String] {
    functions.map { "function \($0)" } + indexes.map { "index \($0)" }
      + triggers.map { "trigger \($0.name)" } + missingRights.map { "right of \($0)" }
      + publicFunctions.map { "no right of PUBLIC: EXECUTE on \($0)" }
  }
}

extension SchemaInspection {
  /// - Parameters:
  ///   - connection: In a transaction that reads.
  ///   - known: The newest step that this program knows.
  /// - Throws: When the database cannot be asked.
  init(_ connection: inout PGConnection, known: Int = Schema.newestVersion) throws(StoreFailure) {
    let facts = try connection.query(
      """
      select pg_get_userbyid(n.nspowner), r.rolsuper, current_user,
          (select coalesce(max(m.version), 0) from staffbook.migrations m)
        from pg_namespace n join pg_roles r on r.oid = n.nspowner where n.nspname = 'staffbook'
      """
    )
    owner = facts.cell(0)
    isOwnerSuperuser = facts.bool(row: 0, column: 1) == true
    user = facts.cell(2)
    isNewer = facts.int(row: 0, column: 3) ?? 0 > known
    if !isNewer {
      functions = try connection.names(
        SchemaDefinitions.functions,
        [.text(SchemaDefinitions.scripts)]
      )
      indexes = try connection.names(SchemaDefinitions.indexes, [.text(SchemaDefinitions.scripts)])
      constraints = try connection.names(
        SchemaDefinitions.constraints,
        [.text(SchemaDefinitions.scripts)]
      )
      guards = try BrokenTrigger.read(BrokenTrigger.guardQuery, &connection)
      triggers = guards
      for query in [BrokenTrigger.query, BrokenTrigger.historyQuery, BrokenTrigger.noticeQuery] {
        triggers += try BrokenTrigger.read(query, &connection)
      }
      missingRights = try connection.names(Self.rights)
    }
    unenforced = try connection.names(Self.disabledForeignKeys)
    let strays = try connection.query(Self.otherOwners)
    self.strays = (0..<strays.rowCount).map {
      ForeignObject(name: strays.cell(0, row: $0), remedy: strays.cell(1, row: $0))
    }
    publicFunctions = try connection.names(Self.executableByPublic)
    secured = try connection.names(Self.tables(where: "c.relrowsecurity"))
    unsecured = try connection.names(Self.namingHiddenRecords)
    forced = try connection.names(
      Self.tables(where: "c.relrowsecurity and c.relforcerowsecurity")
    )
    historians = try connection.names(
      """
      select m.rolname from pg_roles g join pg_auth_members a on a.roleid = g.oid
          join pg_roles m on m.oid = a.member
        where g.rolname = 'staffbook_historian' order by 1
      """
    )
    mayRead =
      try connection.query(
        """
        select bool_and(has_table_privilege(c.oid, 'select')) from pg_class c
          where c.relnamespace = to_regnamespace('staffbook') and c.relkind in ('r', 'p')
            and c.relname not in (\(Self.secret), \(Self.ofLists))
        """
      ).bool(row: 0, column: 0) == true
    guard mayRead else { return }
    emptied = try connection.names(Self.emptiedTables)
    references = try BrokenReference.read(&connection)
  }

  private static let disabledForeignKeys = """
    select distinct 'staffbook.' || c.relname
      from pg_trigger t join pg_constraint k on k.oid = t.tgconstraint join pg_class c on c.oid = t.tgrelid
      where t.tgisinternal and t.tgenabled <> 'O'
        and k.connamespace = to_regnamespace('staffbook') and k.contype = 'f'
      order by 1
    """

  private static func tables(where condition: String) -> String {
    """
    select c.relname from pg_class c
      where c.relnamespace = to_regnamespace('staffbook') and \(condition)
        and c.relname in ('departments', 'users', 'memberships', 'fields') order by 1
    """
  }

  private static let otherOwners = """
    select o.name, format('alter %s %s owner to %I;', o.kind, o.name, pg_get_userbyid(n.nspowner))
      from pg_namespace n cross join lateral (
          select case c.relkind when 'v' then 'view' when 'm' then 'materialized view' else 'table' end,
              c.oid::regclass::text, c.relowner
            from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm')
          union all
          select 'function', p.oid::regprocedure::text, p.proowner
            from pg_proc p where p.pronamespace = n.oid
        ) o(kind, name, owner)
      where n.nspname = 'staffbook' and o.owner <> n.nspowner order by 1
    """

  private static let executableByPublic = """
    select p.oid::regprocedure::text from pg_proc p
      where p.pronamespace = to_regnamespace('staffbook') and exists (
        select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)
      order by 1
    """

  /// Tables that readers may not read.
  private static let secret = "'devices', 'tokens'"
  /// Tables that only editors read.
  private static let ofLists = "'sources', 'source_records', 'source_files'"

  private static let namingHiddenRecords = """
    select t.name from (values ('memberships', '{departments,users}'),
        ('source_records', '{departments,users,memberships}'), ('tokens', '{users}'),
        ('tombstones', '{departments,users,memberships}'), ('visibility_groups', '{users}'),
        ('visibility_rules', '{departments,users}')) t(name, named)
      where exists (select from pg_class c where c.relnamespace = to_regnamespace('staffbook')
          and c.relrowsecurity and c.relname = any (t.named::name[]))
        and exists (select from pg_class c where c.relnamespace = to_regnamespace('staffbook')
          and not c.relrowsecurity and c.relname = t.name)
      order by 1
    """

  /// What `grant_reading()`, `grant_editor()`, `grant_admin()` and `grant_server()` grant; a role that is not there needs nothing.
  private static let rights = """
    select r.name || ': ' || w.wanted from pg_roles g
      join (values ('staffbook_reader'), ('staffbook_editor'), ('staffbook_historian'),
          ('staffbook_admin'), ('staffbook_server')) r(name)
        on r.name = g.rolname
      cross join lateral (
        select 'USAGE on the schema' where not has_schema_privilege(g.oid, 'staffbook', 'usage')
        union all
        select 'SELECT on ' || c.relname from pg_class c
          where c.relnamespace = to_regnamespace('staffbook') and c.relkind in ('r', 'p', 'v', 'm')
            and (c.relname not in (\(secret)) or r.name in ('staffbook_admin', 'staffbook_server'))
            and (c.relname not in (\(ofLists)) or r.name = 'staffbook_editor')
            and not has_table_privilege(g.oid, c.oid, 'select')
        union all
        select 'EXECUTE on ' || f.name from (values ('layout()', true), ('field_values(jsonb)', true),
            ('may_read_history(name)', true), ('count_unrecorded()', true),
            ('prune_tracking()', false), ('prune_history()', false),
            ('catch_up_history()', false), ('was_used(text,text)', false)) f(name, is_everybodys)
          where (f.is_everybodys or r.name = 'staffbook_editor') and not coalesce(
            has_function_privilege(g.oid, to_regprocedure('staffbook.' || f.name), 'execute'), true)
        union all
        select upper(p.name) || ' on ' || t.name
          from (values ('departments', 'editor'), ('users', 'editor'), ('memberships', 'editor'),
              ('sources', 'editor'), ('source_records', 'editor'), ('source_files', 'editor'),
              ('visibility_rules', 'admin'), ('visibility_groups', 'admin'),
              ('devices', 'admin'), ('tokens', 'admin')) t(name, role),
            (values ('insert'), ('update'), ('delete')) p(name)
          where r.name = 'staffbook_' || t.role
            and not has_table_privilege(g.oid, to_regclass('staffbook.' || t.name), p.name)
        union all
        select 'INSERT of ' || c.name || ' on accepted_deletions'
          from (values ('departments'), ('users'), ('memberships')) c(name)
          where r.name = 'staffbook_editor' and not has_column_privilege(
            g.oid, to_regclass('staffbook.accepted_deletions'), c.name, 'insert')
        union all
        select 'UPDATE of last_used on tokens' where r.name = 'staffbook_server'
          and not has_column_privilege(
            g.oid, to_regclass('staffbook.tokens'), 'last_used', 'update')
        union all
        select 'TEMPORARY on the database' where r.name = 'staffbook_editor'
          and not has_database_privilege(g.oid, current_database(), 'temporary')
      ) w(wanted)
      order by 1
    """

  private static let emptiedTables = """
    select t.name from (values
        ('epoch', (select count(*) from staffbook.epoch)),
        ('history', (select count(*) from staffbook.history)),
        ('tree_lock', (select count(*) from staffbook.tree_lock)),
        ('ledger', (select count(*) from (select from staffbook.ledger limit 1) l)
          + case when exists (select from staffbook.departments)
              or exists (select from staffbook.users) then 0 else 1 end)
      ) t(name, rows)
      where t.rows = 0 order by 1
    """
}

extension PGConnection {
  /// The first column of a query's rows.
  fileprivate mutating func names(
    _ query: String,
    _ parameters: [PGParameter] = []
  ) throws(StoreFailure) -> [String] {
    let found = try self.query(query, parameters)
    return (0..<found.rowCount).map { found.cell(0, row: $0) }
  }
}
