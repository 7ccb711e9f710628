import DirectoryModel
import LibPQ

/// Finds out of history who made something what it is.
enum ConflictOrigins {
  /// Where history has an item: in a row of this kind and these keys.
  private struct Place {
    var kind: RecordKind
    var key2 = ""
    /// The column; `nil` for whether the row is there at all.
    var column: String?
    /// A declared field in the column.
    var field: String?
  }

  /// Gives conflicts the last transaction that changed just what they are about.
  ///
  /// A transaction that only found a change that was made unseen has not made it, and is not named;
  /// nor is one that changed it before that happened unseen.
  ///
  /// - Complexity: One statement, and the recorded changes of each record.
  static func fill(
    _ conflicts: inout [ChangeConflict],
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let places = conflicts.map(Self.place(of:))
    let found = try connection.query(
      """
      select w.place, coalesce(nullif(t.actor, ''), t.by_role), \(HistoryQueries.microseconds("t.at"))
        from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
            with ordinality w(kind, key1, key2, name, field, place)
          cross join lateral (
            select case w.kind
                when 'department' then
                  (select to_jsonb(d) from staffbook.departments d where d.id = w.key1)
                when 'user' then (select to_jsonb(u) from staffbook.users u where u.id = w.key1)
                else (select to_jsonb(m) from staffbook.memberships m
                  where m.user_id = w.key1 and m.department_id = w.key2)
              end as row
          ) now
          cross join lateral (
            select c.transaction, c.after from staffbook.changes c
              where c.kind = w.kind and c.key1 = w.key1 and c.key2 = w.key2
                and case
                  when w.name is null then (c.before is null) <> (c.after is null)
                  when w.field is null then c.before -> w.name is distinct from c.after -> w.name
                  else c.before -> w.name -> w.field is distinct from c.after -> w.name -> w.field
                end
              order by c.place desc limit 1
          ) c
          join staffbook.transactions t on t.number = c.transaction
        where t.at is not null and not t.is_found and case
            when w.name is null then (c.after is null) = (now.row is null)
            when w.field is null then c.after -> w.name is not distinct from now.row -> w.name
            else c.after -> w.name -> w.field is not distinct from now.row -> w.name -> w.field
          end
      """,
      [
        .textArray(places.map(\.kind.rawValue)), .textArray(conflicts.map(\.id)),
        .textArray(places.map(\.key2)), .textArray(places.map(\.column)),
        .textArray(places.map(\.field)),
      ]
    )
    for row in 0..<found.rowCount {
      guard let place = found.int(row: row, column: 0), let at = Int64(found.cell(2, row: row))
      else { continue }
      conflicts[place - 1].trace = ChangeConflict.Trace(actor: found.cell(1, row: row), at: at)
    }
  }

  private static func place(of conflict: ChangeConflict) -> Place {
    guard case .differs(let item, _, _, _) = conflict.cause else {
      return Place(kind: conflict.kind)
    }
    return switch item {
    case .value(let column): Place(kind: conflict.kind, column: column.name)
    case .field(let name):
      Place(kind: conflict.kind, column: RecordColumn.fields.name, field: name)
    case .primary: Place(kind: conflict.kind, column: conflict.kind.keys[1].name)
    case .membership(let department): Place(kind: .membership, key2: department.rawValue)
    case .membershipValue(let department, let column):
      Place(kind: .membership, key2: department.rawValue, column: column.name)
    }
  }
}
