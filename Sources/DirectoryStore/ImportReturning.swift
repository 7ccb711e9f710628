import CopyFormat
import DirectoryModel
import LibPQ

/// Gives people who come back what was theirs and is not the list's to say: values that it does not name,
/// further departments, and fields of others that named them.
///
/// What they had is taken from history, as it was when they were removed, or became former ones. Those whom
/// a person was only likely to be get nothing, and of those who were forgotten nothing is left.
///
///     import_former_users         as staffbook.users, of people who were removed; by which transaction
///     import_former_memberships   as staffbook.memberships, with the department as it is called now
struct ImportReturning: Sendable {
  let source: ListSource

  /// In front of the names of both tables.
  static let schema = "pg_temp.import_former_"

  /// Finds out what people had who come back.
  ///
  /// - Returns: How many there are.
  /// - Complexity: Linear in what history has of the transactions that removed them.
  func find(_ connection: inout PGConnection) throws(StoreFailure) -> Int {
    let former = PGParameter.text(source.former?.department.rawValue ?? "")
    let contacts = Field.list { "coalesce(l.before ->> '\($0.name)', '') as \($0.name)" }
    // What is kept of a field has to fit its declaration, which may be another one now.
    try connection.perform(
      """
      create temporary table import_former_users on commit drop as
        select t.id, l.before ->> 'name' as name, \(contacts),
            l.before ->> 'primary_department_id' as primary_department_id,
            coalesce(l.before -> 'fields', '{}') as former_fields,
            coalesce((
              select jsonb_object_agg(e.key, e.value)
                from jsonb_each(l.before -> 'fields') e
                  join staffbook.fields f on f.of = 'user' and f.name = e.key
                    and f.is_multiple = (jsonb_typeof(e.value) = 'array')
                where not exists (select from staffbook.changes c
                  where c.kind = 'field' and c.key1 = 'user' and c.key2 = e.key and c.place > l.place
                    and c.before ->> 'kind' <> f.kind)), '{}') as fields,
            l.transaction, l.identity
          from pg_temp.import_told t
            join pg_temp.import_matches m on m.alias = t.alias and m.id = t.id and m.is_sure
            cross join \(ImportMatching.lastRemoval(.user, of: "t.id")) l
          where t.outcome = 'returned' and not l.is_forgotten
      """
    )
    try connection.perform(
      """
      create temporary table import_partings on commit drop as
        select f.id, f.transaction from pg_temp.import_former_users f
        union
        select f.id, l.transaction
          from pg_temp.import_former_users f cross join lateral (
            select c.transaction from staffbook.changes c
              where c.kind = 'user' and c.key1 = f.id and c.identity = f.identity
                and c.after ->> 'primary_department_id' = $2
                and c.before ->> 'primary_department_id' <> $2
              order by c.place desc limit 1) l
          where f.primary_department_id = $2
        union
        select r.id, t.number
          from staffbook.source_records r join staffbook.transactions t on t.began = r.left_at
            join pg_temp.import_matches m on m.id = r.id and m.is_sure
            join pg_temp.staged_users s on s.id = r.id
          where r.source = $1 and r.kind = 'user' and r.left_at is not null
      """,
      [.text(source.name), former]
    )
    try connection.perform(
      """
      create temporary table import_former_memberships on commit drop as
        select distinct on (p.id, coalesce(n.id, c.key2)) p.id as user_id,
            coalesce(n.id, c.key2) as department_id, c.before ->> 'title' as title,
            (c.before ->> 'sort_order')::bigint as sort_order,
            coalesce((c.before ->> 'leads')::boolean, false) as leads
          from pg_temp.import_partings p
            join staffbook.changes c on c.transaction = p.transaction and c.kind = 'membership'
              and c.key1 = p.id and c.after is null and c.before ? 'title'
              and c.transaction = any (array(select transaction from pg_temp.import_partings)::bigint[])
            left join lateral (
              select d.id from staffbook.changes r join staffbook.departments d on d.identity = r.identity
                where r.kind = 'department' and r.key1 = c.key2 and r.after is null
                order by r.place desc limit 1) n on true
          where c.key2 <> $1
          order by p.id, coalesce(n.id, c.key2), c.place desc
      """,
      [former]
    )
    return try Self.count(&connection)
  }

  /// How many people come back of whom history says what they had.
  static func count(_ connection: inout PGConnection) throws(StoreFailure) -> Int {
    let found = try connection.query("select count(distinct id) from pg_temp.import_partings")
    return found.int(row: 0, column: 0) ?? 0
  }

  /// Lets people whom the list puts in no department go back to theirs.
  static func findHomes(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      update pg_temp.staged_users s set department_id = f.primary_department_id
        from pg_temp.import_former_users f
        where f.id = s.id and s.department_id = $1
          and exists (select from staffbook.departments d where d.id = f.primary_department_id)
      """,
      [.text(ListSource.noDepartment.rawValue)]
    )
  }

  /// Further departments that were entered here come back where they are there.
  ///
  /// Comes before it is known which departments close.
  func takePlaces(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_regained_leads on commit drop as
        select f.user_id as id, f.department_id
          from pg_temp.import_former_memberships f join pg_temp.staged_users s
            on s.id = f.user_id and s.department_id = f.department_id
          where f.leads and s.leads
      """
    )
    try connection.perform(
      """
      delete from pg_temp.import_former_memberships f
        where exists (select from pg_temp.staged_users s
            where s.id = f.user_id and s.department_id = f.department_id)
          or exists (select from staffbook.source_records r
            where r.kind = 'user' and r.id = f.user_id and f.department_id = any (r.places))
          or not exists (select from pg_temp.staged_users s where s.id = f.user_id)
      """
    )
    try connection.perform(
      """
      insert into pg_temp.staged_memberships
          (file, line, user_id, department_id, title, sort_order, leads)
        select \(ImportReferences.noFile), 0, f.user_id, f.department_id, f.title, f.sort_order, f.leads
          from pg_temp.import_former_memberships f
          where (exists (select from staffbook.departments d where d.id = f.department_id)
              or exists (select from pg_temp.staged_departments d where d.id = f.department_id))
            and not exists (select from pg_temp.staged_memberships s
              where s.user_id = f.user_id and s.department_id = f.department_id)
            and not exists (select from staffbook.memberships m
              where m.user_id = f.user_id and m.department_id = f.department_id)
      """
    )
  }

  /// Fields of other records that named them, and lost them when they were removed, name them again,
  /// unless they have been edited since or are the list's.
  func takeReferences(_ connection: inout PGConnection) throws(StoreFailure) {
    let count = try connection.perform(
      """
      create temporary table import_regained on commit drop as
        select c.kind, c.identity, f.name, f.is_multiple, c.before -> 'fields' -> f.name as former,
            c.after -> 'fields' -> f.name as latter
          from staffbook.changes c
            join staffbook.fields f
              on f.of = c.kind and f.kind = 'person' and c.before -> 'fields' ? f.name
          where c.transaction = any (array(select transaction from pg_temp.import_former_users)::bigint[])
            and c.kind in ('department', 'user') and c.after is not null and not c.is_forgotten
            and c.before -> 'fields' -> f.name is distinct from c.after -> 'fields' -> f.name
            and exists (select from staffbook.field_values(c.before -> 'fields' -> f.name) v(id)
              join pg_temp.import_former_users r on r.id = v.id and r.transaction = c.transaction)
      """
    )
    guard count > 0 else { return }
    for kind in [RecordKind.department, .user] {
      let table = kind == .department ? "departments" : "users"
      try connection.perform(
        """
        create temporary table import_regained_by_\(table) on commit drop as
          select t.id, g.name, g.is_multiple, g.former
            from pg_temp.import_regained g join staffbook.\(table) t on t.identity = g.identity
            where g.kind = '\(kind.rawValue)' and t.fields -> g.name is not distinct from g.latter
              and not \(ImportReferences.isGoing(kind, "t"))
              and not (g.name = any ($1)
                and exists (select from pg_temp.staged_\(table) s where s.id = t.id))
        """,
        [.textArray(kind == .user ? source.values : [])]
      )
      try connection.perform(
        """
        create temporary table import_regaining_\(table) on commit drop as
          select distinct g.id from pg_temp.import_regained_by_\(table) g
            where not exists (select from pg_temp.staged_\(table) s where s.id = g.id)
        """
      )
      try ImportReferences.stage(kind, "pg_temp.import_regaining_\(table)", &connection)
      try connection.perform(
        """
        update pg_temp.staged_\(table) s set fields = s.fields || r.fields
          from (
            select g.id, jsonb_object_agg(g.name, case when g.is_multiple then g.people
                else g.people -> 0 end) as fields
              from (
                select g.id, g.name, g.is_multiple, jsonb_agg(v.id order by v.place) as people
                  from pg_temp.import_regained_by_\(table) g
                    cross join lateral staffbook.field_values(g.former) with ordinality v(id, place)
                  where exists (select from pg_temp.staged_users u where u.id = v.id)
                    or exists (select from staffbook.users u where u.id = v.id)
                  group by g.id, g.name, g.is_multiple) g
              group by g.id) r
          where s.id = r.id and (s.fields || r.fields) <> s.fields
        """
      )
    }
  }
}

extension ImportReturning {
  /// Notes people who are named in fields of those who come back, and are not there any more.
  ///
  /// `people` is a table with the columns `id`, `field`, `value` and `is_listed`.
  static func noteLacking(
    _ people: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_lacking_people on commit drop as
        select g.id, g.field, g.value from \(people) g
            join pg_temp.import_former_users f on f.id = g.id
          where not g.is_listed and f.fields ? g.field
      """
    )
  }

  /// Says of each match what the person gets back, and what has no place any more.
  func tell(_ connection: inout PGConnection) throws(StoreFailure) {
    guard try Self.count(&connection) > 0 else { return }
    func texts(_ value: String) -> String {
      "'\"' || left((select string_agg(v, ', ') from staffbook.field_values(\(value)) v), 100) || '\"'"
    }
    let contacts = Field.contacts.filter { !source.values.contains($0.name) }.map { field in
      """
      select f.id, 0, '\(field.name) "' || left(f.\(field.name), 100) || '"'
        from pg_temp.import_former_users f join pg_temp.staged_users s on s.id = f.id
        where f.\(field.name) <> '' and s.\(field.name) = f.\(field.name)
      union all
      """
    }.joined(separator: "\n")
    let people = try connection.query(
      "select to_regclass('pg_temp.import_lacking_people') is not null"
    )
    let hasPeople = people.bool(row: 0, column: 0) == true
    let lackingPeople = """
      select l.id, 1, l.field || ' ' || l.value || ', who is not here any more'
        from pg_temp.import_lacking_people l
      union all
      """
    try connection.perform(
      """
      create temporary table import_regained_values on commit drop as
        select id, array_agg(text order by rank, text) as texts from (
          \(contacts)
          select f.id, 1 as rank, e.key || ' ' || \(texts("s.fields -> e.key")) as text
            from pg_temp.import_former_users f join pg_temp.staged_users s on s.id = f.id
              cross join lateral jsonb_each(f.fields) e
            where s.fields -> e.key = e.value and e.key <> all ($1)
          union all
          select m.user_id, 2, 'the department ' || coalesce(d.name, t.name, '') || ' (' || m.department_id || ')'
            from pg_temp.staged_memberships m
              left join staffbook.departments d on d.id = m.department_id
              left join pg_temp.staged_departments t on t.id = m.department_id
            where m.file = \(ImportReferences.noFile)
          union all
          select l.id, 3, 'the lead of the department ' || l.department_id
            from pg_temp.import_regained_leads l where 'leads' <> all ($1)) v(id, rank, text)
          group by id
      """,
      [.textArray(source.values)]
    )
    try connection.perform(
      """
      create temporary table import_lacking_values on commit drop as
        select id, array_agg(text order by rank, text) as texts from (
          \(hasPeople ? lackingPeople : "")
          select f.id, 2 as rank, e.key || ' ' || \(texts("e.value")) || ', a field that is not declared so'
            as text
            from pg_temp.import_former_users f cross join lateral jsonb_each(f.former_fields) e
            where not f.fields ? e.key and e.key <> all ($1)
          union all
          select m.user_id, 3, 'the department ' || coalesce((
              select c.before ->> 'name' from staffbook.changes c
                where c.kind = 'department' and c.key1 = m.department_id and c.after is null
                order by c.place desc limit 1), '') || ' (' || m.department_id || '), which was removed'
            from pg_temp.import_former_memberships m
            where not exists (select from staffbook.departments d where d.id = m.department_id)
              and not exists (select from pg_temp.staged_departments d where d.id = m.department_id)
          ) v(id, rank, text)
          group by id
      """,
      [.textArray(source.values)]
    )
    try connection.perform(
      """
      insert into pg_temp.import_told
          (alias, name, id, recorded, reason, regained, lacking, outcome)
        select m.alias, s.name, s.id, u.name, 'known', '{}'::text[], '{}'::text[],
            'returned'
          from (select id from pg_temp.import_regained_values
              union select id from pg_temp.import_lacking_values) v
            join staffbook.users u on u.id = v.id join pg_temp.staged_users s on s.id = v.id
            join pg_temp.import_matches m on m.id = v.id
          where not exists (select from pg_temp.import_told t where t.id = v.id)
      """
    )
    for (column, table) in [("regained", "regained_values"), ("lacking", "lacking_values")] {
      try connection.perform(
        """
        update pg_temp.import_told t set \(column) = v.texts from pg_temp.import_\(table) v
          where v.id = t.id and t.outcome = 'returned'
        """
      )
    }
  }
}
