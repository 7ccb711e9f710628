import DirectoryModel
import LibPQ

/// Reads, of every record that changed after a time, what it was then.
struct PastReader {
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
  private func first(_ kind: String) -> String {
    """
    (select distinct on (c.key1, c.key2) c.key1, c.key2, c.before from \(later(kind))
      order by c.key1, c.key2, c.place)
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
      case .fields: "f.before -> 'fields'"
      case .sortOrder: "(f.before ->> 'sort_order')::int8"
      case .leads: "(f.before ->> 'leads')::boolean"
      default: "f.before ->> '\(column.name)'"
      }
    }
    return """
      copy (select \(columns.joined(separator: ", ")) from \(first(kind.rawValue)) f
        where f.before <> '{}') to stdout
      """
  }

  /// What was not there, or what nobody knows any more.
  private func readAbsent(
    into changes: inout DirectoryChanges,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    for kind in RecordKind.allCases {
      let found = try connection.query(
        """
        select c.key1, c.key2 from \(later(kind.rawValue))
          where coalesce(c.before, '{}') = '{}' and not exists (
            select from staffbook.changes p
                join staffbook.transactions o on o.number = p.transaction
              where p.key1 = c.key1 and p.key2 = c.key2 and p.kind = c.kind and p.place < c.place
                and o.at > \(HistoryQueries.time("\(time)")))
        """
      )
      for row in 0..<found.rowCount {
        let (key1, key2) = (found.cell(0, row: row), found.cell(1, row: row))
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
  }

  /// The fields that were declared then.
  private func fields(_ connection: inout PGConnection) throws(StoreFailure) -> [Field] {
    try FieldQueries.read(
      from: """
        (select d.name, d.of, d.kind, d.label, d.is_multiple, d.is_searched, d.sort_order
          from staffbook.fields d
          where not exists (select from \(first("field")) f
            where f.key1 = d.of and f.key2 = d.name)
        union all
        select f.key2, f.key1, f.before ->> 'kind', f.before ->> 'label',
            (f.before ->> 'is_multiple')::boolean, (f.before ->> 'is_searched')::boolean,
            (f.before ->> 'sort_order')::int8
          from \(first("field")) f where f.before is not null) fields
        """,
      &connection
    )
  }
}
