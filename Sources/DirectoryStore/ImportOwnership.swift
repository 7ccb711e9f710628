import CopyFormat
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
    try dropConsequences(of: .user, &connection)
    try keepPeople(&connection)
    try keepDepartments(&connection)
    try findLeavers(&connection)
    try ImportReturning(source: source).takePlaces(&connection)
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
  var owners: String {
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
  struct Value {
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

  var values: [Value] {
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
  var valuesOfDepartments: [Value] {
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

  /// Lets staged rows of a kind have what is recorded where it is not the list's to change.
  private func keep(
    _ values: [Value],
    of kind: RecordKind,
    from stored: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let kept = source.edited == .keep ? "true" : "e.is_foreign"
    for value in values {
      try connection.perform(
        """
        update pg_temp.staged_\(kind.plural) s set \(value.keeping)
          from pg_temp.import_edits e join \(stored) = e.id
          where e.kind = '\(kind.rawValue)' and e.value = '\(value.name)' and \(kept) and s.id = e.id
        """
      )
    }
  }

  private func keepPeople(_ connection: inout PGConnection) throws(StoreFailure) {
    try keep(values, of: .user, from: "\(Self.stored) on u.id", &connection)
    try connection.perform(
      """
      delete from pg_temp.staged_memberships m using pg_temp.staged_users s
        where s.id = m.user_id and s.department_id = m.department_id
      """
    )
  }

  /// The same for departments; the list that brought one gives it its name and place.
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
    try dropConsequences(of: .department, &connection)
    try keep(
      valuesOfDepartments,
      of: .department,
      from: "staffbook.departments d on d.id",
      &connection
    )
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
