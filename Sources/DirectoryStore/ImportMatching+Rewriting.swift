import DirectoryModel
import LibPQ

extension ImportMatching {
  /// From here on staged rows have the ids in the database, also where they name people.
  func rewrite(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DroppedReferences {
    try connection.perform(
      """
      create temporary table import_left on commit drop as
        select s.id as alias, u.id
          from pg_temp.staged_users s left join pg_temp.import_matches m on m.alias = s.id
            left join staffbook.users u on u.id = m.id
          where s.has_left
      """
    )
    try connection.perform(
      """
      create temporary table import_aliases on commit drop as
        select distinct on (a.alias) a.alias, a.id from (
          select l.alias, case when $2::boolean then l.id end as id, 0 as rank
            from pg_temp.import_left l
          union all
          select m.alias, m.id, 1 from pg_temp.import_matches m where m.alias <> m.id
          union all
          select r.alias, r.id, 2 from staffbook.source_records r
            where r.source = $1 and r.kind = 'user' and r.alias <> r.id
              and exists (select from staffbook.users u where u.id = r.id)) a
          order by a.alias, a.rank
      """,
      [.text(source.name), .text(source.former == nil ? "f" : "t")]
    )
    try connection.perform(
      "delete from pg_temp.staged_users where has_left"
    )
    try connection.perform(
      """
      delete from pg_temp.staged_memberships m
        where m.user_id in (select alias from pg_temp.import_left) or m.department_id = $1
      """,
      [.text(ListSource.noDepartment.rawValue)]
    )
    for (table, column) in [("staged_users", "id"), ("staged_memberships", "user_id")] {
      try connection.perform(
        """
        update pg_temp.\(table) s set \(column) = m.id from pg_temp.import_matches m
          where m.alias = s.\(column) and m.alias <> m.id
        """
      )
    }
    let dropped = try droppedReferences(&connection)
    try Self.rewriteReferences("pg_temp.import_aliases", &connection)
    return dropped
  }

  /// The removal by which a record of an id, who is not there now, went last.
  static func lastRemoval(_ kind: RecordKind, of id: String) -> String {
    """
    lateral (select c.identity, c.before ->> 'name' as name, c.before, c.transaction, c.place,
        c.is_forgotten
      from staffbook.changes c
      where c.kind = '\(kind.rawValue)' and c.key1 = \(id) and c.after is null
        and not exists (select from staffbook.\(kind.plural) o where o.identity = c.identity)
        and not exists (select from staffbook.changes l where l.kind = c.kind
          and l.identity = c.identity and l.after is null and l.place > c.place)
        and c.identity is not null order by c.place desc limit 1)
    """
  }

  /// Gives whoever returns the identity that they had, and a department that the list knows by the same id
  /// and name.
  func bringBack(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform(
      """
      update pg_temp.staged_users s set identity = b.identity
        from pg_temp.import_told t cross join \(Self.lastRemoval(.user, of: "t.id")) b
        where t.outcome = 'returned' and s.id = t.id
      """
    )
    try connection.perform(
      """
      update pg_temp.staged_departments s set identity = b.identity
        from staffbook.source_records r cross join \(Self.lastRemoval(.department, of: "r.id")) b
        where r.source = $1 and r.kind = 'department' and r.id = s.id and r.identity = b.identity
          and b.name = s.name and not exists (select from staffbook.departments d
            where d.id = s.id or d.identity = b.identity)
      """,
      [.text(source.name)]
    )
  }

  private func droppedReferences(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DroppedReferences {
    let found = try connection.query(
      """
      select f.name || ' of ' || s.name || ' (' || s.id || ')', count(*) over ()
        from pg_temp.staged_users s
          join staffbook.fields f on f.of = 'user' and f.kind = 'person' and s.fields ? f.name
          cross join lateral staffbook.field_values(s.fields -> f.name) v(id)
          join pg_temp.import_aliases a on a.alias = v.id
        where a.id is null and exists (select from pg_temp.import_aliases where id is null)
        order by s.file, s.line limit 10
      """
    )
    return DroppedReferences(
      count: found.rowCount > 0 ? found.int(row: 0, column: 1) ?? 0 : 0,
      first: (0..<found.rowCount).map { found.cell(0, row: $0) }
    )
  }

  /// Lets staged rows that name people by an alias name them by the id; those without one are left out.
  ///
  /// - Parameters:
  ///   - aliases: A table with the columns `alias` and `id`.
  ///   - kind: Whose rows they are.
  ///   - connection: In the import's transaction.
  /// - Throws: What the server says.
  static func rewriteReferences(
    _ aliases: String,
    of kind: RecordKind = .user,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      update pg_temp.staged_\(kind.plural) s set fields = s.fields - r.names || r.fields
        from (
          select t.id, array_agg(t.name) as names, coalesce(jsonb_object_agg(t.name,
              case when t.is_multiple then t.rest else t.rest -> 0 end)
                filter (where t.rest is not null), '{}') as fields
            from (
              select s.id, f.name, f.is_multiple,
                  jsonb_agg(case when a.alias is null then v.id else a.id end order by v.place)
                    filter (where a.alias is null or a.id is not null) as rest
                from pg_temp.staged_\(kind.plural) s
                  join staffbook.fields f
                    on f.of = '\(kind.rawValue)' and f.kind = 'person' and s.fields ? f.name
                  cross join lateral staffbook.field_values(s.fields -> f.name)
                    with ordinality v(id, place)
                  left join \(aliases) a on a.alias = v.id
                where exists (select from \(aliases) r)
                group by s.id, f.name, f.is_multiple having count(a.alias) > 0) t
            group by t.id) r
        where r.id = s.id
      """
    )
  }

  /// People whom the list puts in no department stay where they are; new ones go home.
  ///
  /// - Returns: How many new ones have none, and are left out.
  func findHomes(_ connection: inout PGConnection) throws(StoreFailure) -> Int {
    let none = PGParameter.text(ListSource.noDepartment.rawValue)
    try connection.perform(
      """
      update pg_temp.staged_users s
        set department_id = u.primary_department_id from staffbook.users u
        where u.id = s.id and s.department_id = $1
      """,
      [none]
    )
    try ImportReturning.findHomes(&connection)
    if let home = source.home {
      try connection.perform(
        "update pg_temp.staged_users set department_id = $2 where department_id = $1",
        [none, .text(home.rawValue)]
      )
    }
    return try connection.perform(
      "delete from pg_temp.staged_users where department_id = $1",
      [none]
    )
  }
}

/// References to people who left that an import leaves out.
package struct DroppedReferences: Sendable {
  package var count = 0
  /// `manager of Ada Lund (0017)`.
  package var first: [String] = []

  package init(count: Int = 0, first: [String] = []) {
    self.count = count
    self.first = first
  }
}
