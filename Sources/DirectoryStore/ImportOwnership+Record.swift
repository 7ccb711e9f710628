import DirectoryModel
import LibPQ

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
      insert into staffbook.source_records as r
          (source, kind, id, alias, is_owner, hashes, identity)
        select $1, 'department', s.id, coalesce(n.alias, s.id), not exists (
              select from staffbook.source_records o where o.source <> $1
                and o.kind = 'department' and o.id = s.id and o.is_owner),
            jsonb_build_object(\(hashes)) - coalesce(e.foreign_values, '{}') || coalesce(e.former, '{}')
              || coalesce(w.people, '{}'),
            d.identity
          from pg_temp.staged_departments s left join pg_temp.import_units n on n.id = s.id
            left join staffbook.departments d on d.id = s.id
            left join \(Self.edits("department")) e on e.id = s.id
            left join \(ImportReferences.awaited(.department)) w on w.id = s.id
          where s.file <> \(ImportReferences.noFile)
        on conflict (source, kind, id) do update
          set alias = excluded.alias, hashes = excluded.hashes, identity = excluded.identity
          where (r.alias, r.hashes, r.identity)
            is distinct from (excluded.alias, excluded.hashes, excluded.identity)
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
          (source, kind, id, alias, is_owner, hashes, places, identity)
        select $1, 'user', s.id, coalesce(m.alias, s.id), case when $3::boolean
              then not exists (select from \(owners) x where x.id = s.id) else m.id is null end,
            jsonb_build_object(\(hashes)) - coalesce(e.foreign_values, '{}') || coalesce(e.former, '{}')
              || coalesce(w.people, '{}'),
            array_prepend(s.department_id, p.places), u.identity
          from pg_temp.staged_users s left join pg_temp.import_matches m on m.id = s.id
            left join staffbook.users u on u.id = s.id
            left join (
                select user_id, array_agg(department_id order by department_id) as places
                  from pg_temp.staged_memberships where file <> \(ImportReferences.noFile)
                  group by user_id) p
              on p.user_id = s.id
            left join \(Self.edits("user")) e on e.id = s.id
            left join \(ImportReferences.awaited(.user)) w on w.id = s.id
          where s.file <> \(ImportReferences.noFile) and not exists (select from pg_temp.import_leavers l where l.id = s.id)
        on conflict (source, kind, id) do update
          set alias = excluded.alias, is_owner = r.is_owner or excluded.is_owner,
            hashes = excluded.hashes, places = excluded.places, left_at = null,
            identity = excluded.identity
          where (r.alias, r.hashes, r.places, r.left_at, r.identity) is distinct from (
              excluded.alias, excluded.hashes, excluded.places, null::timestamptz, excluded.identity)
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
            and s.file <> \(ImportReferences.noFile) and f.name = o.source and not 'department' = any (f.fields)
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
