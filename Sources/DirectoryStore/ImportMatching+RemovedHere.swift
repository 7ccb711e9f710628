import DirectoryModel
import LibPQ

/// People whom the list brought, who were removed here by other means than the list, and whom the list
/// still has: whether they come back is asked once.
///
///     import_removed_here   alias, id, name, recorded, is_dismissed
///
/// That they stay away is noted with what the list knows of them, until they are there again.
extension ImportMatching {
  /// The key under which `source_records.hashes` has it; no value of a person is called so.
  static let dismissal = "removed here"

  /// Finds them among the people who come back.
  ///
  /// - Returns: Those about whom nobody has decided yet.
  /// - Complexity: Linear in those who come back.
  func removedHere(_ connection: inout PGConnection) throws(StoreFailure) -> [ListMatch] {
    let away = decisions.filter { !$0.isSame && $0.reason == .removedHere }
    try connection.perform(
      """
      create temporary table import_removed_here on commit drop as
        select m.alias, m.id, s.name, p.name as recorded,
            coalesce(r.hashes ? '\(Self.dismissal)', false)
              or (m.alias, m.id) in (
                select d.alias collate "C", d.id collate "C" from unnest($2::text[], $3::text[])
                  d(alias, id)) as is_dismissed
          from pg_temp.import_matches m join pg_temp.import_open s on s.id = m.alias
            join pg_temp.import_candidates p on p.id = m.id and p.is_removed
            join staffbook.source_records r
              on r.source = $1 and r.kind = 'user' and r.id = m.id and r.is_owner
            cross join lateral (
              select c.transaction from staffbook.changes c
                where c.kind = 'user' and c.key1 = m.id and c.after is null
                  and c.identity = r.identity
                order by c.place desc limit 1) c
            left join staffbook.transactions t on t.number = c.transaction
          where not s.has_left and m.reason <> '\(ListMatch.Reason.removedHere.rawValue)'
            and not starts_with(coalesce(t.reason, ''), 'import ')
      """,
      [
        .text(source.name), .textArray(away.map(\.id)), .textArray(away.map(\.recordedID)),
      ]
    )
    guard source.doubts == .stop else { return [] }
    let found = try connection.query(
      """
      select h.alias, h.name, h.id, h.recorded, '\(ListMatch.Reason.removedHere.rawValue)'
        from pg_temp.import_removed_here h where not h.is_dismissed order by h.alias
      """
    )
    return (0..<found.rowCount).map { ListMatch(found, $0, outcome: .doubtful) }
  }

  /// Lets those who stay away be people who have left.
  ///
  /// - Returns: How many they are, with the first ones.
  func dismissRemovedHere(_ connection: inout PGConnection) throws(StoreFailure) -> GuessedMatches {
    let dismissed = "select h.alias from pg_temp.import_removed_here h where h.is_dismissed"
    let found = try connection.query(
      """
      select h.alias, h.name, h.id, h.recorded, '\(ListMatch.Reason.removedHere.rawValue)',
          count(*) over ()
        from pg_temp.import_removed_here h where h.is_dismissed
        order by h.alias limit \(GuessedMatches.namedCount)
      """
    )
    guard found.rowCount > 0 else { return GuessedMatches() }
    try connection.perform(
      "update pg_temp.staged_users s set has_left = true where s.id in (\(dismissed))"
    )
    try connection.perform(
      "delete from pg_temp.import_matches m where m.alias in (\(dismissed))"
    )
    return GuessedMatches(found, outcome: .doubtful)
  }
}

extension ImportOwnership {
  /// Notes who stays away; comes after `record`.
  func rememberDismissed(_ connection: inout PGConnection) throws(StoreFailure) {
    let exists = try connection.query(
      "select to_regclass('pg_temp.import_removed_here') is not null"
    )
    guard exists.bool(row: 0, column: 0) == true else { return }
    try connection.perform(
      """
      update staffbook.source_records r
        set hashes = r.hashes || '{"\(ImportMatching.dismissal)": 1}'
        from pg_temp.import_removed_here h
        where h.is_dismissed and r.source = $1 and r.kind = 'user' and r.id = h.id
          and not r.hashes ? '\(ImportMatching.dismissal)'
      """,
      [.text(source.name)]
    )
  }
}
