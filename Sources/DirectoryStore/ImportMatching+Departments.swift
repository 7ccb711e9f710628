import DirectoryModel
import LibPQ

extension ImportMatching {
  /// Lets staged rows have the recorded ids of departments that the list calls otherwise, since it
  /// renamed them: the id of a department is often the path of names.
  ///
  ///     import_units   alias, id   the list's id, the record's
  ///
  /// An id that the list gives to a new department, and that a renamed one still has on record, is
  /// replaced by its SHA-256.
  func takeKnownDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table import_units on commit drop as
        select r.alias, r.id from staffbook.source_records r
            join staffbook.departments d on d.id = r.id
          where r.source = $1 and r.kind = 'department' and r.alias <> r.id
            and r.alias in (select s.id from pg_temp.staged_departments s)
      """,
      [.text(source.name)]
    )
    try connection.perform(
      """
      insert into pg_temp.import_units
        select distinct s.id, encode(sha256(convert_to(s.id, 'UTF8')), 'hex') collate "C"
          from pg_temp.staged_departments s
          where s.id in (select id from pg_temp.import_units)
            and s.id not in (select alias from pg_temp.import_units)
      """
    )
    try rewriteDepartments("pg_temp.import_units", &connection)
  }

  /// Takes a department that would be closed, and most of whose people go to one new department in its
  /// place, for the same one under another name.
  ///
  ///     import_moved    former, latter, people    people who go from one department to another
  ///     import_flows    former, latter, people    the same with the departments above, which close or are new
  ///     import_moved_units   alias, id            what is found
  func findRenamedDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    guard replaces, source.placesPeople else { return }
    let isClosing = """
      exists (select from staffbook.source_records r
        where r.source = $1 and r.kind = 'department' and r.is_owner and r.id = d.id)
      and not exists (select from pg_temp.staged_departments s where s.id = d.id)
      and not exists (select from staffbook.source_records r
        where r.source <> $1 and r.kind = 'department' and r.id = d.id)
      """
    let count = try connection.perform(
      """
      create temporary table import_moved on commit drop as
        select u.primary_department_id as former, s.department_id as latter, count(*) as people
          from staffbook.departments d
            join staffbook.users u on u.primary_department_id = d.id
            join pg_temp.import_matches m on m.id = u.id
            join pg_temp.staged_users s on s.id = m.alias and not s.has_left
          where \(isClosing) group by 1, 2
      """,
      [.text(source.name)]
    )
    guard count > 0 else { return }
    try connection.perform(
      """
      create temporary table import_flows on commit drop as
        with recursive former as (
          select distinct f.former as leaf, d.id, d.parent_id
            from pg_temp.import_moved f join staffbook.departments d on d.id = f.former
          union all
          select w.leaf, d.id, d.parent_id
            from former w join staffbook.departments d on d.id = w.parent_id where \(isClosing)
        ), latter as (
          select distinct f.latter as leaf, s.id, s.parent_id
            from pg_temp.import_moved f join pg_temp.staged_departments s on s.id = f.latter
            where not exists (select from staffbook.departments d where d.id = s.id)
          union
          select w.leaf, s.id, s.parent_id
            from latter w join pg_temp.staged_departments s on s.id = w.parent_id
            where not exists (select from staffbook.departments d where d.id = s.id)
        )
        select a.id as former, a.parent_id as former_parent, b.id as latter,
            b.parent_id as latter_parent, sum(f.people) as people
          from pg_temp.import_moved f join former a on a.leaf = f.former
            left join latter b on b.leaf = f.latter
          group by 1, 2, 3, 4
      """,
      [.text(source.name)]
    )
    try connection.perform(
      """
      create temporary table import_moved_units on commit drop as
        with recursive likely as (
          select w.* from (
            select f.*, max(f.people) over (partition by f.latter, f.former_parent) as most,
                count(*) over (partition by f.latter, f.former_parent, f.people) as equals,
                (select sum(o.people) from pg_temp.import_moved o where o.former in (
                  with recursive below as (
                    select f.former as id
                    union select d.id from staffbook.departments d join below b on d.parent_id = b.id)
                  select id from below)) as everybody
              from pg_temp.import_flows f where f.latter is not null) w
            where w.people * 2 > w.everybody and w.people = w.most and w.equals = 1
        ), same as (
          select l.former, l.latter from likely l
            where l.former_parent is not distinct from l.latter_parent
          union
          select l.former, l.latter from likely l join same p
            on p.former = l.former_parent and p.latter = l.latter_parent
        )
        select latter as alias, former as id from same
      """
    )
    try rewriteDepartments("pg_temp.import_moved_units", &connection)
    try connection.perform(
      "insert into pg_temp.import_units select alias, id from pg_temp.import_moved_units"
    )
  }

  func rewriteDepartments(
    _ units: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    for (table, column) in [
      ("departments", "id"), ("departments", "parent_id"), ("users", "department_id"),
      ("memberships", "department_id"),
    ] {
      try connection.perform(
        """
        update pg_temp.staged_\(table) s set \(column) = n.id from \(units) n
          where n.alias = s.\(column)
        """
      )
    }
  }
}
