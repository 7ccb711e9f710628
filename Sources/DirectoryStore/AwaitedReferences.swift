import DirectoryModel
import LibPQ

/// Values of lists that name people who are not there; the next import of the list takes up those who are
/// there by then.
package struct AwaitedReferences: Sendable {
  package var count: Int
  /// The first ones: `manager of Bo Ek (1002) is 1001 in the list personnel`.
  package var first: [String]
}

extension DirectoryRepository {
  /// Looks for what lists await.
  ///
  /// - Parameter limit: The most that are named.
  /// - Returns: How many values that are, with the first; `nil` where the user may not see what lists have.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: O(records of all lists).
  package func awaitedReferences(
    naming limit: Int
  ) async throws(DirectoryError) -> AwaitedReferences? {
    guard queries == nil else { return nil }
    return try await look("look at the lists") { (connection) throws(StoreFailure) in
      let right = try connection.query(
        """
        select coalesce(has_table_privilege(to_regclass('staffbook.source_records'), 'select'), false)
        """
      )
      guard right.bool(row: 0, column: 0) == true else { return nil }
      let found = try connection.query(
        """
        select a.field || ' of ' || case when a.kind = 'department' then 'the department ' else '' end
            || a.name || ' (' || a.id || ') is ' || a.person || ' in the list ' || a.source,
            count(*) over ()
          from (
            select r.source, r.kind, r.id, coalesce(u.name, d.name) as name, f.key as field, p.person
              from staffbook.source_records r
                left join staffbook.users u on r.kind = 'user' and u.id = r.id
                left join staffbook.departments d on r.kind = 'department' and d.id = r.id
                cross join lateral jsonb_each(r.hashes -> '?') f
                cross join lateral jsonb_array_elements_text(f.value) p(person)
              where r.hashes ? '?' and coalesce(u.id, d.id) is not null) a
          where not exists (select from staffbook.users u where u.id = a.person)
            and not exists (select from staffbook.users u where lower(u.name) = lower(a.person))
            and not exists (select from staffbook.users u
              where u.email <> '' and lower(u.email) = lower(a.person))
            and not exists (
              select from staffbook.source_records o join staffbook.users u on u.id = o.id
                where o.source = a.source and o.kind = 'user' and o.alias = a.person)
          order by a.source, a.name, a.id, a.field limit $1::int8
        """,
        [.int64(Int64(limit))]
      )
      return AwaitedReferences(
        count: found.rowCount > 0 ? found.int(row: 0, column: 1) ?? 0 : 0,
        first: (0..<found.rowCount).map { found.cell(0, row: $0) }
      )
    }
  }
}
