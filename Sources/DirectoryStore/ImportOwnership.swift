import DirectoryModel
import LibPQ

/// What a list may change: the records that it brought, and the values that its mapping names.
///
///     import_edits     kind, id, name, value, here, listed, hash, is_foreign, owner   values that are
///                                                                  not simply the list's
///     import_leavers   id, is_removed, is_new                      people who go, or become former ones
///     import_places    user_id, department_id                      memberships that the list dropped
///     import_closed    id                                          departments that go
struct ImportOwnership: Sendable {
  let source: ListSource
  /// Whether what the list brought and has no more goes.
  let replaces: Bool
  /// The declared fields.
  let fields: [Field]

  /// Memberships that leave with their people, and those that the list dropped.
  static let places = """
    select m.user_id, m.department_id, 'r'::"char"
      from staffbook.memberships m join staffbook.users u on u.id = m.user_id
        join pg_temp.import_leavers l on l.id = u.id
      where l.is_removed or m.department_id <> u.primary_department_id
        and not exists (select from pg_temp.staged_users s
          where s.id = u.id and s.department_id = m.department_id)
    union all
    select p.user_id, p.department_id, 'r' from pg_temp.import_places p
    """

  /// What the import comes to besides what rows say.
  struct Outcome: Sendable {
    /// People whom the list brought before or adopts now.
    var owned = 0
    /// Those of them who leave with this import.
    var leaving = 0
    /// People who were found recorded and do not belong to the list: how many by the list that has
    /// them, which is empty for none.
    var shared: [(owner: String, count: Int)] = []
  }

  /// Comes after the check, and before staged rows are compared.
  ///
  /// - Complexity: Linear in the rows of files and of the directory.
  func run(_ connection: inout PGConnection) throws(StoreFailure) -> Outcome {
    try findEdits(&connection)
    try keepStored(&connection)
    try keepDepartments(&connection)
    try findLeavers(&connection)
    try findDroppedPlaces(&connection)
    try findClosedDepartments(&connection)
    let name = PGParameter.text(source.name)
    let counts = try connection.query(
      """
      select (select count(*) from staffbook.source_records r join staffbook.users u on u.id = r.id
          where r.source = $1 and r.kind = 'user' and r.is_owner and r.left_at is null),
        (select count(*) from pg_temp.import_leavers where is_new)
      """,
      [name]
    )
    var outcome = Outcome(
      owned: counts.int(row: 0, column: 0) ?? 0,
      leaving: counts.int(row: 0, column: 1) ?? 0
    )
    let found = try connection.query(
      """
      select x.source, count(*)
        from pg_temp.staged_users s join staffbook.users u on u.id = s.id
          left join \(owners) x on x.id = s.id
        where not exists (select from staffbook.source_records r
          where r.source = $1 and r.kind = 'user' and r.id = s.id)
        group by x.source order by x.source nulls first
      """,
      [name]
    )
    for row in 0..<found.rowCount {
      let count = found.int(row: row, column: 1) ?? 0
      if source.placesPeople, found.cell(0, row: row).isEmpty {
        outcome.owned += count
      } else {
        outcome.shared.append((found.cell(0, row: row), count))
      }
    }
    try connection.perform(
      """
      update pg_temp.import_told t set outcome = 'shared'
        where t.outcome = 'adopted'
          and (not $2::boolean or exists (select from \(owners) x where x.id = t.id))
      """,
      [name, .bool(source.placesPeople)]
    )
    return outcome
  }

  /// People who belong to other lists, in a statement whose `$1` is the list.
  ///
  /// A list that says where people are takes them over from one that does not.
  private var owners: String {
    """
    (select o.id, o.source, f.fields
      from staffbook.source_records o join staffbook.sources f on f.name = o.source
      where o.source <> $1 and o.kind = 'user' and o.is_owner
        \(source.placesPeople ? "and 'department' = any (f.fields)" : ""))
    """
  }
}

extension ImportOwnership {
  /// A value that the list has: its name, and where it stands in the staged row `s`, and recorded
  /// in the user `u` and the primary membership `m`.
  private struct Value {
    var name: String
    var staged: String
    var stored: String
    /// The assignment that lets a staged row have what is recorded.
    var keeping: String

    init(column: String, as name: String, of stored: String) {
      self.name = name
      staged = "s.\(column)::text"
      self.stored = "\(stored)::text"
      keeping = "\(column) = \(stored)"
    }

    init(field: String, of record: String = "u") {
      name = field
      staged = "s.fields ->> '\(field)'"
      stored = "\(record).fields ->> '\(field)'"
      keeping = """
        fields = s.fields - '\(field)' || case when \(record).fields ? '\(field)'
          then jsonb_build_object('\(field)', \(record).fields -> '\(field)') else '{}' end
        """
    }

    var hash: String { "hashtextextended(coalesce(\(staged), ''), 0)" }
  }

  private var values: [Value] {
    let declared = Set(fields.of(.user).map(\.name))
    return source.values.compactMap { name in
      switch name {
      case "department":
        Value(column: "department_id", as: name, of: "u.primary_department_id")
      case "name": Value(column: name, as: name, of: "u.name")
      case "title", "sort_order", "leads": Value(column: name, as: name, of: "m.\(name)")
      default:
        if Field.contact(name) != nil {
          Value(column: name, as: name, of: "u.\(name)")
        } else if declared.contains(name) {
          Value(field: name)
        } else {
          nil
        }
      }
    }
  }

  /// A user `u` and the primary membership `m`.
  static let stored = """
    staffbook.users u join staffbook.memberships m
      on m.user_id = u.id and m.department_id = u.primary_department_id
    """

  /// What a list may say of a department: `s` is the staged row, and `d` what is recorded.
  private var valuesOfDepartments: [Value] {
    ["name", "description", "sort_order"].map { Value(column: $0, as: $0, of: "d.\($0)") }
      + [Value(column: "parent_id", as: "parent", of: "d.parent_id")]
      + fields.of(.department).map { Value(field: $0.name, of: "d") }
  }

  /// Values that differ and were edited here since the list said them, those that another list has
  /// for people who belong to it, and names of people who do not belong to a list that only completes
  /// them.
  private func findEdits(_ connection: inout PGConnection) throws(StoreFailure) {
    let list = values.map { "('\($0.name)', \($0.staged), \($0.stored))" }.joined(separator: ", ")
    try connection.perform(
      """
      create temporary table import_edits on commit drop as
        select 'user' collate "C" as kind, s.id, u.name, e.value, e.here, e.listed,
            (r.hashes ->> e.value)::bigint as hash,
            f.is_foreign, case when f.is_owned and e.listed <> '' then x.source end as owner
          from pg_temp.staged_users s join \(Self.stored) on u.id = s.id
            left join staffbook.source_records r
              on r.source = $1 and r.kind = 'user' and r.id = s.id
            left join \(owners) x on x.id = s.id
            cross join lateral (values \(list)) e(value, listed, here)
            cross join lateral (
              select e.value = 'name' and not $2::boolean and not coalesce(r.is_owner, false)
                as is_recognition) n
            cross join lateral (
              select coalesce(e.value = any (x.fields), false) and not n.is_recognition as is_owned) o
            cross join lateral (
              select o.is_owned, o.is_owned or n.is_recognition as is_foreign) f
          where coalesce(e.listed, '') <> coalesce(e.here, '')
            and (f.is_foreign
              or (r.hashes ->> e.value)::bigint <> hashtextextended(coalesce(e.here, ''), 0)
                and r.left_at is null)
      """,
      [.text(source.name), .bool(source.placesPeople)]
    )
  }

  /// Lets staged rows have what is recorded where it is not the list's to change.
  private func keepStored(_ connection: inout PGConnection) throws(StoreFailure) {
    let kept = source.edited == .keep ? "true" : "e.is_foreign"
    for value in values {
      try connection.perform(
        """
        update pg_temp.staged_users s set \(value.keeping)
          from pg_temp.import_edits e join \(Self.stored) on u.id = e.id
          where e.kind = 'user' and e.value = '\(value.name)' and \(kept) and s.id = e.id
        """
      )
    }
    try connection.perform(
      """
      delete from pg_temp.staged_memberships m using pg_temp.staged_users s
        where s.id = m.user_id and s.department_id = m.department_id
      """
    )
  }

  /// The same for departments; whoever brought one gives it its name and place.
  private func keepDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    let list = valuesOfDepartments.map { "('\($0.name)', \($0.staged), \($0.stored))" }
      .joined(separator: ", ")
    let count = try connection.perform(
      """
      insert into pg_temp.import_edits
        select 'department', s.id, d.name, e.value, e.here, e.listed, (r.hashes ->> e.value)::bigint,
            x.id is not null and e.value in ('name', 'parent'),
            case when e.value in ('name', 'parent') then x.source end
          from pg_temp.staged_departments s join staffbook.departments d on d.id = s.id
            left join staffbook.source_records r
              on r.source = $1 and r.kind = 'department' and r.id = s.id
            left join staffbook.source_records x
              on x.source <> $1 and x.kind = 'department' and x.id = s.id and x.is_owner
            cross join lateral (values \(list)) e(value, listed, here)
          where coalesce(e.listed, '') <> coalesce(e.here, '')
            and (x.id is not null and e.value in ('name', 'parent')
              or (r.hashes ->> e.value)::bigint <> hashtextextended(coalesce(e.here, ''), 0))
      """,
      [.text(source.name)]
    )
    guard count > 0 else { return }
    let kept = source.edited == .keep ? "true" : "e.is_foreign"
    for value in valuesOfDepartments {
      try connection.perform(
        """
        update pg_temp.staged_departments s set \(value.keeping)
          from pg_temp.import_edits e join staffbook.departments d on d.id = e.id
          where e.kind = 'department' and e.value = '\(value.name)' and \(kept) and s.id = e.id
        """
      )
    }
    try openRings(&connection)
  }

  /// Where a parent that was chosen here and those of the list would be a ring, the list's count.
  private func openRings(_ connection: inout PGConnection) throws(StoreFailure) {
    let rings = try connection.query(
      """
      with recursive tree as (
        select s.id, s.parent_id from pg_temp.staged_departments s
        union all
        select d.id, d.parent_id from staffbook.departments d
          where not exists (select from pg_temp.staged_departments s where s.id = d.id)
      ), reached as (
        select t.id from tree t where t.parent_id is null
        union all
        select t.id from tree t join reached p on t.parent_id = p.id
      )
      select (select count(*) from reached) < (select count(*) from tree)
      """
    )
    guard rings.bool(row: 0, column: 0) == true else { return }
    try connection.perform(
      """
      with returned as (
        delete from pg_temp.import_edits e where e.kind = 'department' and e.value = 'parent'
          returning e.id, e.listed)
      update pg_temp.staged_departments s set parent_id = e.listed from returned e where e.id = s.id
      """
    )
  }

  /// People who left by the list's word, by their absence, and former ones whose time is over.
  private func findLeavers(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_leavers on commit drop as
        select u.id, $2::boolean or coalesce(r.left_at < now() - make_interval(days => $3::int), false)
              as is_removed,
            r.left_at is null as is_new
          from staffbook.users u
            left join staffbook.source_records r
              on r.source = $1 and r.kind = 'user' and r.id = u.id
            left join pg_temp.import_left l on l.id = u.id
          where (l.id is not null and (r.is_owner or r.id is null and $5::boolean
                and not exists (select from \(owners) x where x.id = u.id))
              or r.is_owner and ($4::boolean or r.left_at is not null))
            and not exists (select from pg_temp.staged_users s where s.id = u.id)
            and ($2::boolean or r.left_at is null
              or r.left_at < now() - make_interval(days => $3::int))
      """,
      [
        .text(source.name), .bool(source.former == nil),
        .int64(Int64(source.former?.days ?? 0)), .bool(replaces), .bool(source.placesPeople),
      ]
    )
    guard let former = source.former else { return }
    let department = PGParameter.text(former.department.rawValue)
    let count = try connection.perform(
      """
      insert into pg_temp.staged_users
          (file, line, id, department_id, name, title, \(Field.columns()), sort_order, leads,
            fields)
        select 0, 0, u.id, $1, u.name, m.title, \(Field.columns("u.")), m.sort_order, false,
            u.fields
          from pg_temp.import_leavers l join \(Self.stored) on u.id = l.id
          where not l.is_removed
      """,
      [department]
    )
    guard count > 0 else { return }
    try connection.perform(
      """
      insert into pg_temp.staged_departments
          (file, line, id, name, description, sort_order, is_implied)
        select 0, 0, $1, $1, '', 0, true
          where not exists (select from staffbook.departments where id = $1)
            and not exists (select from pg_temp.staged_departments where id = $1)
      """,
      [department]
    )
  }

  /// What the list said of further departments before and says no more; others were entered here.
  private func findDroppedPlaces(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_places on commit drop as
        select m.user_id, m.department_id
          from staffbook.source_records r join pg_temp.staged_users s on s.id = r.id
            join staffbook.users u on u.id = r.id
            join staffbook.memberships m on m.user_id = r.id and m.department_id = any (r.places)
          where r.source = $1 and r.kind = 'user' and $2::boolean
            and m.department_id <> u.primary_department_id and m.department_id <> s.department_id
            and not exists (select from pg_temp.import_leavers l where l.id = r.id)
            and not exists (select from pg_temp.staged_memberships t
              where t.user_id = m.user_id and t.department_id = m.department_id)
      """,
      [.text(source.name), .bool(replaces && source.placesPeople)]
    )
  }

  /// Departments that the list brought and has no more go once no one and nothing is in them.
  private func findClosedDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_closed on commit drop as
        select r.id from staffbook.source_records r join staffbook.departments d on d.id = r.id
          where r.source = $1 and r.kind = 'department' and r.is_owner and $2::boolean and r.id <> $3
            and not exists (select from pg_temp.staged_departments s where s.id = r.id)
            and not exists (select from pg_temp.staged_users s where s.department_id = r.id)
            and not exists (select from pg_temp.staged_memberships s where s.department_id = r.id)
            and not exists (
              select from staffbook.memberships m join staffbook.users u on u.id = m.user_id
                where m.department_id = r.id
                  and not exists (select from pg_temp.import_leavers l where l.id = m.user_id)
                  and not exists (select from pg_temp.import_places p
                    where p.user_id = m.user_id and p.department_id = m.department_id)
                  and not exists (select from pg_temp.staged_users s
                    where s.id = u.id and u.primary_department_id = r.id))
      """,
      [
        .text(source.name), .bool(replaces && source.placesPeople),
        .text(source.former?.department.rawValue ?? ""),
      ]
    )
    var removed = 1
    while removed > 0 {
      removed = try connection.perform(
        """
        delete from pg_temp.import_closed c
          where exists (select from staffbook.departments d where d.parent_id = c.id
              and not exists (select from pg_temp.import_closed o where o.id = d.id)
              and not exists (select from pg_temp.staged_departments s where s.id = d.id))
            or exists (select from pg_temp.staged_departments s where s.parent_id = c.id)
        """
      )
    }
  }
}

extension ImportOwnership {
  /// Notes what the list has from now on, and gives records the ids of the list; the last step.
  ///
  /// - Parameters:
  ///   - files: Names of the files.
  ///   - digest: What they and their mapping are known by.
  ///   - connection: In the transaction that has carried the plan out.
  /// - Returns: How many people have another id now.
  /// - Throws: What the server says.
  func record(
    files: String,
    digest: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Int {
    let name = PGParameter.text(source.name)
    try connection.perform(
      """
      insert into staffbook.sources (name, fields) values ($1, $2)
        on conflict (name) do update set fields = excluded.fields
      """,
      [name, .textArray(source.values)]
    )
    try connection.perform(
      """
      insert into staffbook.source_files (source, digest, name) values ($1, $2, $3)
      """,
      [name, .text(digest), .text(files)]
    )
    try recordDepartments(name, &connection)
    // What is noted of a value is what it will be once people have the ids of the list.
    try ImportMatching.rewriteReferences(
      "(select former as alias, latter as id from pg_temp.import_renames)",
      &connection
    )
    try recordPeople(name, &connection)
    // The id of a person and that of the primary membership are checked against each other.
    try connection.perform("set constraints all deferred")
    let renamed = try connection.perform(
      """
      update staffbook.users u set id = n.latter from pg_temp.import_renames n
        where u.id = n.former
      """
    )
    try connection.perform("set constraints all immediate")
    return renamed
  }

  /// Values that are not noted as the list's, and what is noted further of those that are kept here,
  /// if `$2`.
  private static func edits(_ kind: String) -> String {
    """
    (select e.id, array_agg(e.value) filter (where e.is_foreign) as foreign_values,
        jsonb_object_agg(e.value, e.hash) filter (where not e.is_foreign and $2::boolean) as former
      from pg_temp.import_edits e where e.kind = '\(kind)' group by e.id)
    """
  }

  private func recordDepartments(
    _ name: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      delete from staffbook.source_records r using pg_temp.import_units n
        where r.source = $1 and r.kind = 'department' and r.alias = n.alias and r.id <> n.id
      """,
      [name]
    )
    let hashes = valuesOfDepartments.map { "'\($0.name)', \($0.hash)" }.joined(separator: ", ")
    try connection.perform(
      """
      insert into staffbook.source_records as r (source, kind, id, alias, is_owner, hashes)
        select $1, 'department', s.id, coalesce(n.alias, s.id), not exists (
              select from staffbook.source_records o where o.source <> $1
                and o.kind = 'department' and o.id = s.id and o.is_owner),
            jsonb_build_object(\(hashes)) - coalesce(e.foreign_values, '{}') || coalesce(e.former, '{}')
          from pg_temp.staged_departments s left join pg_temp.import_units n on n.id = s.id
            left join \(Self.edits("department")) e on e.id = s.id
        on conflict (source, kind, id) do update
          set alias = excluded.alias, hashes = excluded.hashes
          where (r.alias, r.hashes) is distinct from (excluded.alias, excluded.hashes)
      """,
      [name, .bool(source.edited == .keep)]
    )
  }

  private func recordPeople(
    _ name: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let hashes = values.map { "'\($0.name)', \($0.hash)" }.joined(separator: ", ")
    // An alias that went to another user would find two.
    try connection.perform(
      """
      delete from staffbook.source_records r using pg_temp.import_matches m
        where r.source = $1 and r.kind = 'user' and r.alias = m.alias and r.id <> m.id
      """,
      [name]
    )
    try connection.perform(
      """
      insert into staffbook.source_records as r
          (source, kind, id, alias, is_owner, hashes, places)
        select $1, 'user', s.id, coalesce(m.alias, s.id), case when $3::boolean
              then not exists (select from \(owners) x where x.id = s.id) else m.id is null end,
            jsonb_build_object(\(hashes)) - coalesce(e.foreign_values, '{}') || coalesce(e.former, '{}'),
            array_prepend(s.department_id, p.places)
          from pg_temp.staged_users s left join pg_temp.import_matches m on m.id = s.id
            left join (
                select user_id, array_agg(department_id order by department_id) as places
                  from pg_temp.staged_memberships group by user_id) p
              on p.user_id = s.id
            left join \(Self.edits("user")) e on e.id = s.id
          where not exists (select from pg_temp.import_leavers l where l.id = s.id)
        on conflict (source, kind, id) do update
          set alias = excluded.alias, is_owner = r.is_owner or excluded.is_owner,
            hashes = excluded.hashes, places = excluded.places, left_at = null
          where (r.alias, r.hashes, r.places, r.left_at)
            is distinct from (excluded.alias, excluded.hashes, excluded.places, null::timestamptz)
              or excluded.is_owner and not r.is_owner
      """,
      [name, .bool(source.edited == .keep), .bool(source.placesPeople)]
    )
    if source.placesPeople {
      try connection.perform(
        """
        update staffbook.source_records o set is_owner = false
          from pg_temp.staged_users s, staffbook.sources f
          where o.source <> $1 and o.kind = 'user' and o.id = s.id and o.is_owner
            and f.name = o.source and not 'department' = any (f.fields)
        """,
        [name]
      )
    }
    try connection.perform(
      """
      insert into staffbook.source_records as r (source, kind, id, alias, is_owner, left_at)
        select $1, 'user', l.id, coalesce(g.alias, l.id), true, now() from pg_temp.import_leavers l
            left join pg_temp.import_left g on g.id = l.id
          where l.is_new and not l.is_removed
        on conflict (source, kind, id) do update set left_at = excluded.left_at
      """,
      [name]
    )
  }
}

/// What the plan of a list comes to beside the changes.
package struct ListFigures: Sendable {
  /// People whom the list brought, and those of them who leave, with the first ones.
  package var owned = 0
  package var leaving = 0
  package var leavers: [String] = []
  /// Records that the list brings from now on.
  package var adopted = 0
  /// People who were found recorded and do not belong to the list: how many by the list that has
  /// them, which is empty for none.
  package var shared: [(owner: String, count: Int)] = []
  /// Further matches that are told.
  package var matched = 0
  /// Values that were edited here, or that another list has.
  package var edits = 0
}

/// What the plan of a list says beside the changes, page by page.
enum ImportPlanQueries {
  private static let pageSize = 1_000

  /// - Parameters:
  ///   - last: The list's id of the match that was told last; empty at first.
  ///   - withAdopted: Whether people who have the same id in the database are among them.
  ///   - connection: In the import's transaction.
  /// - Returns: A page of them, in the order of the list's ids.
  /// - Throws: When the database cannot be asked.
  static func matches(
    after last: String,
    withAdopted: Bool,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [ListMatch] {
    let found = try connection.query(
      """
      select alias, name, id, recorded, reason, outcome from pg_temp.import_told
        where alias > $1 and ($2::boolean or outcome not in ('adopted', 'shared'))
        order by alias limit \(pageSize)
      """,
      [.text(last), .bool(withAdopted)]
    )
    return (0..<found.rowCount).map { row in
      let outcome = ListMatch.Outcome(rawValue: found.cell(5, row: row)) ?? .adopted
      return ListMatch(found, row, outcome: outcome)
    }
  }

  static func edits(
    after last: ListEdit?,
    isKept: Bool,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [ListEdit] {
    let found = try connection.query(
      """
      select kind, id, name, value, coalesce(here, ''), coalesce(listed, ''), coalesce(owner, '')
        from pg_temp.import_edits
        where (not is_foreign or owner is not null) and (kind, id, value) > ($1, $2, $3)
        order by kind, id, value limit \(pageSize)
      """,
      [.text(last?.kind.rawValue ?? ""), .text(last?.id ?? ""), .text(last?.value ?? "")]
    )
    return (0..<found.rowCount).map { row in
      ListEdit(
        kind: RecordKind(rawValue: found.cell(0, row: row)) ?? .user,
        id: found.cell(1, row: row),
        name: found.cell(2, row: row),
        value: found.cell(3, row: row),
        here: found.cell(4, row: row),
        inList: found.cell(5, row: row),
        isKept: isKept,
        owner: found.cell(6, row: row)
      )
    }
  }

  static func figures(
    _ owned: ImportOwnership.Outcome,
    naming limit: Int,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> ListFigures {
    let counts = try connection.query(
      """
      select count(*) filter (where outcome = 'adopted'),
          count(*) filter (where outcome not in ('adopted', 'shared')),
          (select count(*) from pg_temp.import_edits where not is_foreign or owner is not null)
        from pg_temp.import_told
      """
    )
    let first = try connection.query(
      """
      select u.name, u.id from pg_temp.import_leavers l join staffbook.users u on u.id = l.id
        where l.is_new order by u.name collate "C", u.id limit \(limit)
      """
    )
    return ListFigures(
      owned: owned.owned,
      leaving: owned.leaving,
      leavers: (0..<first.rowCount).map { "\(first.cell(0, row: $0)) (\(first.cell(1, row: $0)))" },
      adopted: counts.int(row: 0, column: 0) ?? 0,
      shared: owned.shared,
      matched: counts.int(row: 0, column: 1) ?? 0,
      edits: counts.int(row: 0, column: 2) ?? 0
    )
  }

  /// When the same files were imported before; `nil` where they were not.
  static func earlier(
    _ digest: String,
    of source: ListSource,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> String? {
    let found = try connection.query(
      """
      select name || ' on ' || to_char(imported_at, 'YYYY-MM-DD HH24:MI')
        from staffbook.source_files where source = $1 and digest = $2
        order by imported_at desc limit 1
      """,
      [.text(source.name), .text(digest)]
    )
    return found.rowCount > 0 ? found.cell(0, row: 0) : nil
  }
}
