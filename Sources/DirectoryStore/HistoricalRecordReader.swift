import DirectoryModel
import LibPQ

/// Reads, of every record that changed after a time, what it was then.
struct HistoricalRecordReader {
  /// Microseconds since 1970, UTC.
  let time: Int64

  /// The changes of a kind after the time.
  private func later(_ kind: String) -> String {
    """
    staffbook.transactions t join staffbook.changes c on c.transaction = t.number
      and t.at > \(HistoryQueries.time("\(time)")) and t.counts ? '\(kind)'
      and c.kind = '\(kind)'
    """
  }

  /// The changes of a kind that came first after the time.
  ///
  /// A transaction may have two of an id: a record lost it, and another one got it.
  private func first(_ kind: String) -> String {
    """
    (select distinct on (c.key1, c.key2) c.key1, c.key2, c.before, c.identity from \(later(kind))
      order by c.key1, c.key2, t.at, c.before is null, c.place)
    """
  }

  func read(_ connection: inout PGConnection) throws(StoreFailure) -> DirectoryChanges {
    if try isRecent(&connection) { try HistoryQueries.goByIndexes(&connection) }
    var changes = DirectoryChanges()
    var loader = RecordLoader(
      RecordQueries(each: { kind in RecordQuery(sql: statement(for: kind)) }),
      expectedRows: nil,
      progress: nil
    )
    changes.records = try loader.load(&connection)
    changes.records.fields = try fields(&connection)
    try readAbsent(into: &changes, &connection)
    return changes
  }

  /// Whether so few transactions are later that it is quicker to look each of them up.
  private func isRecent(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      select count(*) < 100000 from (
        select from staffbook.transactions t
          where t.at > \(HistoryQueries.time("\(time)")) limit 100000) later
      """
    )
    return found.bool(row: 0, column: 0) == true
  }

  private func statement(for kind: RecordKind) -> String {
    let columns = kind.columns.enumerated().map { index, column in
      switch column {
      case .id, .user: "f.key1"
      case .department: "f.key2"
      case .identity: "coalesce(f.identity::text, '')"
      case .fields: "v.before -> 'fields'"
      case .sortOrder: "(v.before ->> 'sort_order')::int8"
      case .leads: "(v.before ->> 'leads')::boolean"
      default: "v.before ->> '\(column.name)'"
      }
    }
    return """
      copy (select \(columns.joined(separator: ", ")) from \(first(kind.rawValue)) f
        cross join lateral (
          select case when f.before = '{}' then \(forgotten(kind)) else f.before end as before) v
        where f.before is not null and f.key1 <> '') to stdout
      """
  }

  /// What stands for erased values: a person who was there is not left out, and is said to be
  /// forgotten.
  ///
  /// The primary department is today's where the person was in it then.
  private func forgotten(_ kind: RecordKind) -> String {
    switch kind {
    case .department: "f.before"
    case .membership:
      "jsonb_build_object('title', '(forgotten)', 'sort_order', 0, 'leads', false)"
    case .user:
      """
      jsonb_build_object('name', '(forgotten)', 'email', '', 'phone', '', 'fields', '{}'::jsonb,
        'primary_department_id', coalesce((
          select p.id from (
            select m.department_id as id from staffbook.memberships m
              where m.user_id = f.key1 and not exists (select from \(later("membership"))
                where c.key1 = m.user_id and c.key2 = m.department_id)
            union all
            select x.key2 from \(first("membership")) x
              where x.key1 = f.key1 and x.before is not null) p
          order by p.id = (select u.primary_department_id from staffbook.users u
            where u.id = f.key1) desc nulls last, p.id limit 1), ''))
      """
    }
  }

  /// What was not there, and how many people were of whom something was erased.
  private func readAbsent(
    into changes: inout DirectoryChanges,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    var forgotten: Set<String> = []
    for kind in RecordKind.allCases {
      let found = try connection.query(
        """
        select c.key1, c.key2, c.before is null from \(later(kind.rawValue))
          where coalesce(c.before, '{}') = '{}' and c.key1 <> '' and not exists (
            select from staffbook.changes p
                join staffbook.transactions o on o.number = p.transaction
              where p.key1 = c.key1 and p.key2 = c.key2 and p.kind = c.kind
                and case when p.transaction <> c.transaction then p.place < c.place
                  else c.before is null and p.before is not null end
                and o.at > \(HistoryQueries.time("\(time)")))
        """
      )
      for row in 0..<found.rowCount {
        let (key1, key2) = (found.cell(0, row: row), found.cell(1, row: row))
        guard found.bool(row: row, column: 2) == true else {
          forgotten.insert(key1)
          continue
        }
        switch kind {
        case .department: changes.removedDepartments.append(DepartmentID(key1))
        case .user: changes.removedUsers.append(UserID(key1))
        case .membership:
          changes.removedMemberships.append(
            MembershipKey(user: UserID(key1), department: DepartmentID(key2))
          )
        }
      }
    }
    // A removed person has no id any more; each was removed once more than added since then.
    let nameless = try connection.query(
      """
      select count(*) filter (where c.after is null) - count(*) filter (where c.before is null)
        from \(later("user")) where c.key1 = ''
      """
    )
    changes.forgottenPeople = forgotten.count + max(0, nameless.int(row: 0, column: 0) ?? 0)
  }

  /// The fields that were declared then.
  private func fields(_ connection: inout PGConnection) throws(StoreFailure) -> [Field] {
    try FieldQueries.read(
      from: """
        (select d.name, d.of, d.kind, d.label, d.is_multiple, d.is_searched, d.sort_order,
            d.visible, d.for_oneself
          from staffbook.fields d
          where not exists (select from \(first("field")) f
            where f.key1 = d.of and f.key2 = d.name)
        union all
        select f.key2, f.key1, f.before ->> 'kind', f.before ->> 'label',
            (f.before ->> 'is_multiple')::boolean, (f.before ->> 'is_searched')::boolean,
            (f.before ->> 'sort_order')::int8, coalesce(f.before ->> 'visible', 'everybody'),
            coalesce((f.before ->> 'for_oneself')::boolean, true)
          from \(first("field")) f where f.before is not null) fields
        """,
      &connection
    )
  }
}
