import DirectoryModel
import LibPQ

extension ImportOwnership {
  /// Drops edits that nobody made: values that were lost since a person was removed whom a field named, or
  /// a department in which somebody was or which had others below it.
  ///
  /// History tells them: the last change of such a value was made by the transaction that removed what it
  /// named, and puts nobody else in its place. They are the list's, and come back with it.
  ///
  /// - Complexity: A look into the index of history for each edit of such a value.
  func dropConsequences(
    of kind: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let place = kind == .user ? "primary_department_id" : "parent_id"
    let value = kind == .user ? "department" : "parent"
    try dropConsequences(
      of: kind,
      where: "e.value = '\(value)'",
      former: "c.before -> '\(place)'",
      latter: "c.after -> '\(place)'",
      isConsequence: """
        jsonb_typeof(l.former) = 'string' and exists (select from staffbook.changes r
          where r.transaction = l.transaction and r.kind = 'department'
            and r.key1 = l.former #>> '{}' and r.after is null
            and not exists (select from staffbook.changes a
              where a.transaction = r.transaction and a.kind = 'department'
                and a.identity = r.identity and a.before is null))
        """,
      &connection
    )
    let people = fields.of(kind).filter { $0.kind == .person }.map(\.name)
    guard !people.isEmpty else { return }
    try dropConsequences(
      of: kind,
      where: "e.value = any ($1)",
      [.textArray(people)],
      former: "c.before -> 'fields' -> e.value",
      latter: "c.after -> 'fields' -> e.value",
      isConsequence: """
        l.former is not null and not exists (
          select from staffbook.field_values(coalesce(l.latter, '[]')) v(id)
            where v.id not in (select staffbook.field_values(l.former)))
        and not exists (
          select from staffbook.field_values(l.former) v(id)
            where v.id not in (select staffbook.field_values(coalesce(l.latter, '[]')))
              and not exists (select from staffbook.changes r
                where r.transaction = l.transaction and r.kind = 'user' and r.key1 = v.id
                  and r.after is null))
        """,
      &connection
    )
  }

  private func dropConsequences(
    of kind: RecordKind,
    where isMeant: String,
    _ parameters: [PGParameter] = [],
    former: String,
    latter: String,
    isConsequence: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      delete from pg_temp.import_edits e using (
        select e.id, e.value from pg_temp.import_edits e cross join lateral (
            select c.transaction, \(former) as former, \(latter) as latter
              from staffbook.changes c
              where c.kind = e.kind and c.key1 = e.id and c.before is not null
                and c.after is not null and (\(former)) is distinct from (\(latter))
              order by c.place desc limit 1) l
          where e.kind = '\(kind.rawValue)' and \(isMeant) and not e.is_foreign and \(isConsequence)
        ) d
        where e.kind = '\(kind.rawValue)' and e.id = d.id and e.value = d.value
      """,
      parameters
    )
  }
}
