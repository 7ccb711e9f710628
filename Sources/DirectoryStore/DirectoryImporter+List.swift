import DirectoryModel
import LibPQ

/// What the plan of a list comes to beside the changes.
package struct ListStatistics: Sendable {
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
  /// People whose ids have zeros in front that the list has lost.
  package var zeros = 0
  /// Values that were edited here, or that another list has.
  package var edits = 0
}

/// What the plan of a list says beside the changes, page by page.
extension DirectoryImporter {
  private static let pageSize = 1_000

  /// The next matches of the plan to tell, after one of them, in the order of the list's ids; none at the
  /// end.
  ///
  /// `withAdopted` tells whether people who have the same id in the database are among them.
  package func matches(
    after last: ListMatch?,
    withAdopted: Bool
  ) async throws(DirectoryError) -> [ListMatch] {
    guard source != nil else { return [] }
    return try await database.run { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select alias, name, id, recorded, reason, outcome,
            (case when regained = '{}' then '{}' else jsonb_build_object('regained', regained) end
              || case when lacking = '{}' then '{}' else jsonb_build_object('lacking', lacking) end)::text
          from pg_temp.import_told
          where alias > $1 and ($2::boolean or outcome not in ('adopted', 'shared'))
          order by alias limit \(Self.pageSize)
        """,
        [.text(last?.id ?? ""), .bool(withAdopted)]
      )
      return (0..<found.rowCount).map { row in
        let outcome = ListMatch.Outcome(rawValue: found.cell(5, row: row)) ?? .adopted
        var match = ListMatch(found, row, outcome: outcome)
        let values = FieldValues(canonical: found.cell(6, row: row)).values
        match.regained = values?["regained"]?.texts ?? []
        match.lacking = values?["lacking"]?.texts ?? []
        return match
      }
    }
  }

  /// The next values that were edited here, after one of them; none at the end.
  package func edits(after last: ListConflict?) async throws(DirectoryError) -> [ListConflict] {
    guard let source else { return [] }
    return try await database.run { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select kind, id, name, value, coalesce(here, ''), coalesce(listed, ''), coalesce(owner, '')
          from pg_temp.import_edits
          where (not is_foreign or owner is not null) and (kind, id, value) > ($1, $2, $3)
          order by kind, id, value limit \(Self.pageSize)
        """,
        [.text(last?.kind.rawValue ?? ""), .text(last?.id ?? ""), .text(last?.value ?? "")]
      )
      return (0..<found.rowCount).map { row in
        ListConflict(
          kind: RecordKind(rawValue: found.cell(0, row: row)) ?? .user,
          id: found.cell(1, row: row),
          name: found.cell(2, row: row),
          value: found.cell(3, row: row),
          here: found.cell(4, row: row),
          inList: found.cell(5, row: row),
          isKept: source.edited == .keep,
          owner: found.cell(6, row: row)
        )
      }
    }
  }

  /// What the plan comes to beside the changes; `nil` where the files are not a list.
  package func figures(naming limit: Int) async throws(DirectoryError) -> ListStatistics? {
    precondition(state == .planned, "figures without a plan")
    guard source != nil else { return nil }
    let owned = owned
    return try await database.run { (connection) throws(StoreFailure) in
      let counts = try connection.query(
        """
        select count(*) filter (where outcome = 'adopted'),
            count(*) filter (where outcome not in ('adopted', 'shared')),
            (select count(*) from pg_temp.import_edits where not is_foreign or owner is not null),
            count(*) filter (where reason = 'zeros' and length(id) > length(alias))
          from pg_temp.import_told
        """
      )
      let first = try connection.query(
        """
        select u.name, u.id from pg_temp.import_leavers l join staffbook.users u on u.id = l.id
          where l.is_new order by u.name collate "C", u.id limit \(limit)
        """
      )
      return ListStatistics(
        owned: owned.owned,
        leaving: owned.leaving,
        leavers: (0..<first.rowCount).map {
          "\(first.cell(0, row: $0)) (\(first.cell(1, row: $0)))"
        },
        adopted: counts.int(row: 0, column: 0) ?? 0,
        shared: owned.shared,
        matched: counts.int(row: 0, column: 1) ?? 0,
        zeros: counts.int(row: 0, column: 3) ?? 0,
        edits: counts.int(row: 0, column: 2) ?? 0
      )
    }
  }

  /// When and as what the same files of the list were imported before; `nil` where they were not.
  package func earlier(_ digest: String) async throws(DirectoryError) -> String? {
    guard let source else { return nil }
    return try await database.run { (connection) throws(StoreFailure) in
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
}
