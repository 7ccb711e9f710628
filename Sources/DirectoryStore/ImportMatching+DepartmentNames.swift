import DirectoryModel
import LibPQ

extension ImportMatching {
  /// Lets departments that the list has for the first time be those of the same name below the same
  /// parent that are there already, such as those that were entered by hand.
  ///
  /// The id that a list has for a department is often the path of its names, and no one who enters one
  /// by hand thinks of that. Names are compared without regard to case and blanks. A name that two
  /// departments of the list, or of the directory, have below one parent is not guessed, and a
  /// department that this list has under another id is not looked at: that is one more.
  ///
  ///     import_named_units   alias, id   what is found
  ///
  /// Comes after `takeKnownDepartments`.
  ///
  /// - Complexity: Linear in the departments of list and directory, by hashing, for each level.
  func takeNamedDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    let isNew = "not exists (select from staffbook.departments d where d.id = s.id)"
    let new = try connection.query(
      "select exists (select from pg_temp.staged_departments s where \(isNew))"
    )
    guard new.bool(row: 0, column: 0) == true else { return }
    func name(_ table: String) -> String { "lower(btrim(\(table).name))" }
    try connection.perform(
      """
      create temporary table import_named_units on commit drop as
        with recursive listed as (
          select s.parent_id, \(name("s")) as name, min(s.id) as id
            from (select distinct s.id, s.parent_id, s.name from pg_temp.staged_departments s) s
            where \(isNew) group by 1, 2 having count(*) = 1
        ), recorded as (
          select f.* from (
            select d.parent_id, \(name("d")) as name, min(d.id) as id
              from staffbook.departments d group by 1, 2 having count(*) = 1) f
            where not exists (select from pg_temp.staged_departments s where s.id = f.id)
              and not exists (select from staffbook.source_records r
                where r.source = $1 and r.kind = 'department' and r.id = f.id)
        ), same as (
          select s.id as alias, s.id from pg_temp.staged_departments s where not \(isNew)
          union
          select l.id, r.id from listed l join recorded r on r.name = l.name
            where l.parent_id is null and r.parent_id is null
          union
          select l.id, r.id
            from same p join listed l on l.parent_id = p.alias
              join recorded r on r.parent_id = p.id and r.name = l.name
        )
        select alias, id from same where alias <> id
      """,
      [.text(source.name)]
    )
    try rewriteDepartments("pg_temp.import_named_units", &connection)
    try connection.perform(
      "insert into pg_temp.import_units select alias, id from pg_temp.import_named_units"
    )
  }
}
