import CopyFormat
import DirectoryModel
import LibPQ

/// Values of fields that name people, and what becomes of those that find nobody: they are left out, and
/// with a list they are noted as awaited, so that the next import takes them up once the person is there.
///
///     import_left_out   kind, file, line, id, name, field, value, cause
///
/// A row that no file has, and that only loses or gets back such a value, is staged with `noFile` as its
/// file: so the plan shows it.
struct ImportReferences: Sendable {
  /// The file of staged rows that no file has.
  static let noFile = -1

  /// Whether the files alone count, or also what the database holds.
  let replaces: Bool
  let source: ListSource?
  /// The declared fields.
  let fields: [Field]
  /// Names of fields that no file has.
  var absent: [RecordKind: Set<String>] = [:]

  /// Departments or people whose fields name people.
  private var kinds: [RecordKind] {
    [.department, .user].filter { kind in fields.of(kind).contains { $0.kind == .person } }
  }

  private static func mark(_ kind: RecordKind) -> String { "'\(kind.rawValue)' collate \"C\"" }

  /// Each person whom a staged row `s` names, as `v.id` in the field `f`.
  private static func people(of kind: RecordKind, in table: String) -> String {
    """
    \(table) s
      join staffbook.fields f on f.of = '\(kind.rawValue)' and f.kind = 'person' and s.fields ? f.name
      cross join lateral staffbook.field_values(s.fields -> f.name) v(id)
    """
  }

  /// Leaves out who is neither staged nor, unless it is replaced, in the database.
  ///
  /// Names and addresses of people whom the files do not have are looked up.
  ///
  /// - Complexity: Linear in the rows of files and of the directory, by hashing.
  func leaveOutUnknown(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.script(
      """
      create temporary table import_left_out (
        kind text collate "C" not null, file integer not null, line bigint not null,
        id text collate "C" not null, name text not null, field text collate "C" not null,
        value text collate "C" not null, cause text not null
      ) on commit drop
      """
    )
    var count = 0
    for kind in kinds {
      count += try connection.perform(
        """
        insert into pg_temp.import_left_out
          select \(Self.mark(kind)), s.file, s.line, s.id, s.name, f.name, v.id, 'nobody'
            from \(Self.people(of: kind, in: "pg_temp.staged_\(kind.plural)"))
            where not exists (select from pg_temp.staged_users t where t.id = v.id)
              \(replaces ? "" : "and not exists (select from staffbook.users u where u.id = v.id)")
        """
      )
    }
    guard count > 0 else { return }
    try lookUp(&connection)
    try connection.perform(
      """
      create temporary table import_unknown on commit drop as
        select alias, id from pg_temp.import_sought where id is not null
        union
        select value, null from pg_temp.import_left_out
      """
    )
    for kind in kinds {
      try ImportMatching.rewriteReferences("pg_temp.import_unknown", of: kind, &connection)
    }
  }

  /// Looks for people whom rows name by a name, as it stands or `Last, First`, or by an address.
  ///
  ///     import_sought   alias, id, people   the value; the one person whom it means; how many it may mean
  private func lookUp(_ connection: inout PGConnection) throws(StoreFailure) {
    let turned = "'^([^,]*),([^,]*)$', '\\2 \\1'"
    func plain(_ text: String) -> String {
      "btrim(regexp_replace(lower(\(text)), '\\s+', ' ', 'g'))"
    }
    try connection.perform(
      """
      create temporary table import_sought on commit drop as
        with sought as (
          select distinct value as alias, substr(value, 2) as text from pg_temp.import_left_out
            where left(value, 1) = chr(\(UnlistedPerson.mark))
        ), forms as (
          select s.alias, v.rank, \(plain("v.form")) as form
            from sought s cross join lateral (
                select regexp_replace(s.text, '\\s*\\([^()]*\\)$', '') as bare) b
              cross join lateral (values (0, s.text), (1, regexp_replace(s.text, \(turned))),
                (2, b.bare), (3, regexp_replace(b.bare, \(turned)))) v(rank, form)
        ), hits as (
          select f.alias, f.rank, u.id
            from forms f join staffbook.users u on \(plain("u.name")) = f.form
          union
          select f.alias, f.rank, u.id
            from forms f join staffbook.users u on u.email <> '' and lower(u.email) = f.form
        )
        select h.alias, case when count(*) = 1 then min(h.id) end as id, count(*) as people
          from (select *, min(rank) over (partition by alias) as best from hits) h
          where h.rank = h.best and not $1::boolean group by h.alias
      """,
      [.bool(replaces)]
    )
    try connection.perform(
      """
      delete from pg_temp.import_left_out l using pg_temp.import_sought s
        where s.alias = l.value and s.people = 1
      """
    )
    try connection.perform(
      """
      update pg_temp.import_left_out l set cause = 'several' from pg_temp.import_sought s
        where s.alias = l.value
      """
    )
  }
}

extension ImportReferences {
  /// Takes out who leaves with this import, also of records that no file has.
  ///
  /// Comes once it is known who leaves; what the list itself says is told, the rest is in the plan.
  ///
  /// - Complexity: Linear in the rows of files and of the directory, by hashing, where anybody leaves or
  ///   comes back.
  func leaveOutLeavers(_ connection: inout PGConnection) throws(StoreFailure) {
    guard !kinds.isEmpty, source != nil || replaces else { return }
    let removed =
      source == nil
      ? "select u.id from staffbook.users u"
      : "select l.id from pg_temp.import_leavers l where l.is_removed"
    let count = try connection.perform(
      """
      create temporary table import_gone on commit drop as
        select r.id from (\(removed)) r
          where not exists (select from pg_temp.staged_users s where s.id = r.id)
      """
    )
    let returning = source == nil ? 0 : try ImportReturning.count(&connection)
    guard count + returning > 0 else { return }
    if source != nil { try stageUntouched(naming: "pg_temp.import_gone", &connection) }
    for kind in kinds {
      let listed = fields.of(kind).filter { field in
        field.kind == .person && absent[kind]?.contains(field.name) != true
          && (kind == .department || source?.values.contains(field.name) ?? true)
      }
      let named = try connection.perform(
        """
        create temporary table import_gone_\(kind.plural) on commit drop as
          select s.file, s.line, s.id, s.name, f.name as field, v.id as value,
              s.file >= 0 and f.name = any ($1) as is_listed
            from \(Self.people(of: kind, in: "pg_temp.staged_\(kind.plural)"))
            where exists (select from pg_temp.import_gone g where g.id = v.id)
              or not exists (select from staffbook.users u where u.id = v.id)
                and not exists (select from pg_temp.staged_users t where t.id = v.id)
        """,
        [.textArray(listed.map(\.name))]
      )
      guard named > 0 else { continue }
      if source != nil {
        try tellLeavers(of: kind, &connection)
        if kind == .user {
          try ImportReturning.noteLacking("pg_temp.import_gone_users", &connection)
        }
      }
      try connection.perform(
        """
        create temporary table import_taken_out_of_\(kind.plural) on commit drop as
          select distinct value as alias, null::text collate "C" as id
            from pg_temp.import_gone_\(kind.plural)
        """
      )
      try ImportMatching.rewriteReferences(
        "pg_temp.import_taken_out_of_\(kind.plural)",
        of: kind,
        &connection
      )
    }
  }

  /// What the list says of somebody who leaves; not what it said before or was edited here.
  private func tellLeavers(
    of kind: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      insert into pg_temp.import_left_out
        select \(Self.mark(kind)), g.file, g.line, g.id, g.name, g.field, g.value, 'leaves'
          from pg_temp.import_gone_\(kind.plural) g
          where g.is_listed and g.line > 0
            and not exists (select from pg_temp.import_leavers l where l.id = g.id)
            and not exists (select from pg_temp.import_edits e
              where e.kind = \(Self.mark(kind)) and e.id = g.id and e.value = g.field
                and (e.is_foreign or $1::boolean))
      """,
      [.bool(source?.edited == .keep)]
    )
  }

  /// Whether a record is removed by the import.
  ///
  /// - Parameters:
  ///   - kind: What it is.
  ///   - alias: The name of its row in a query.
  /// - Returns: A condition.
  static func isGoing(_ kind: RecordKind, _ alias: String) -> String {
    kind == .user
      ? "exists (select from pg_temp.import_leavers l where l.id = \(alias).id and l.is_removed)"
      : "exists (select from pg_temp.import_closed l where l.id = \(alias).id)"
  }

  /// Stages records as they are, where no file has them and they name certain people.
  private func stageUntouched(
    naming people: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    for kind in kinds {
      let table = kind == .user ? "users" : "departments"
      try connection.perform(
        """
        create temporary table import_naming_\(table) on commit drop as
          select distinct s.id
            from \(Self.people(of: kind, in: "staffbook.\(table)"))
              join \(people) p on p.id = v.id
            where not exists (select from pg_temp.staged_\(table) t where t.id = s.id)
              and not \(Self.isGoing(kind, "s"))
        """
      )
      try Self.stage(kind, "pg_temp.import_naming_\(table)", &connection)
    }
  }

  /// Stages records of a table of ids as they are.
  static func stage(
    _ kind: RecordKind,
    _ ids: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    switch kind {
    case .department:
      try connection.perform(
        """
        insert into pg_temp.staged_departments
            (file, line, id, parent_id, name, description, sort_order, is_implied, fields)
          select \(noFile), 0, d.id, d.parent_id, d.name, d.description, d.sort_order, false, d.fields
            from \(ids) i join staffbook.departments d on d.id = i.id
        """
      )
    default:
      try connection.perform(
        """
        insert into pg_temp.staged_users
            (file, line, id, department_id, name, title, \(Field.columns()), sort_order, leads, fields)
          select \(noFile), 0, u.id, u.primary_department_id, u.name, m.title, \(Field.columns("u.")),
              m.sort_order, m.leads, u.fields
            from \(ids) i join \(ImportOwnership.stored) on u.id = i.id
        """
      )
    }
  }
}

extension ImportReferences {
  /// What the list awaits, by record: `{"?": {"manager": ["1001"]}}` beside the hashes of its values.
  ///
  /// No field has the name `?`.
  static func awaited(_ kind: RecordKind) -> String {
    """
    (select w.id, jsonb_build_object('?', jsonb_object_agg(w.field, w.people)) as people
      from (
        select l.id, l.field, jsonb_agg(distinct ltrim(l.value, chr(\(UnlistedPerson.mark)))) as people
          from pg_temp.import_left_out l where l.kind = \(mark(kind)) group by l.id, l.field) w
      group by w.id)
    """
  }
}

extension DirectoryImporter {
  /// The values that name nobody and are left out, in the order of files and lines.
  package func leftOutReferences() async throws(DirectoryError) -> [LeftOutReference] {
    precondition(state == .planned, "references without a plan")
    return try await database.run { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select kind, file, line, id, name, field, ltrim(value, chr(\(UnlistedPerson.mark))), cause
          from pg_temp.import_left_out order by file, line, field, value
        """
      )
      return (0..<found.rowCount).map { row in
        LeftOutReference(
          kind: RecordKind(rawValue: found.cell(0, row: row)) ?? .user,
          file: found.int(row: row, column: 1) ?? 0,
          line: found.int(row: row, column: 2) ?? 0,
          id: found.cell(3, row: row),
          name: found.cell(4, row: row),
          field: found.cell(5, row: row),
          person: found.cell(6, row: row),
          cause: LeftOutReference.Cause(rawValue: found.cell(7, row: row)) ?? .nobody
        )
      }
    }
  }
}
