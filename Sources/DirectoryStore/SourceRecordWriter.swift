import DirectoryModel
import LibPQ

/// What changes of people mean for the lists that have them.
package enum ListEffect: Sendable {
  /// The first is the second from now on.
  case merged(UserID, into: UserID)
  /// The changes take back what transactions of these numbers did, or bring back what was removed.
  case takenBack([Int64])
}

/// Lets what lists have of records follow changes, in the transaction that makes them and after them.
struct SourceRecordWriter: Sendable {
  let effect: ListEffect
  let changes: [Change]

  func run(_ connection: inout PGConnection) throws(StoreFailure) {
    switch effect {
    case .merged(let double, let person): try merge(double, person, &connection)
    case .takenBack(let transactions):
      try partMerged(&connection)
      guard !transactions.isEmpty else { return }
      try takeBackImports(transactions.map(String.init), &connection)
    }
  }

  /// A list that has both keeps both, each with its record.
  private func merge(
    _ double: UserID,
    _ person: UserID,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      update staffbook.source_records r
        set id = $2, identity = null, formers = r.formers || $1::text, is_owner = r.is_owner and not exists (
            select from staffbook.source_records o
              where o.kind = 'user' and o.id = $2 and o.is_owner)
        where r.kind = 'user' and r.id = $1 and not exists (
          select from staffbook.source_records o
            where o.source = r.source and o.kind = 'user' and o.id = $2)
      """,
      [.text(double.rawValue), .text(person.rawValue)]
    )
  }

  /// A person who was merged and is restored has what lists had.
  private func partMerged(_ connection: inout PGConnection) throws(StoreFailure) {
    let added = changes.filter { $0.kind == .user && $0.before == nil }.map(\.id)
    guard !added.isEmpty else { return }
    try connection.perform(
      """
      update staffbook.source_records r
        set id = b.id, identity = null, formers = r.formers[:b.place::int - 1]
        from (
          select distinct on (o.source, o.id) o.source, o.id as former, f.id, f.place
            from staffbook.source_records o
              cross join lateral unnest(o.formers) with ordinality f(id, place)
            where o.kind = 'user' and o.formers <> '{}' and f.id = any ($1)
            order by o.source, o.id, f.place) b
        where r.source = b.source and r.kind = 'user' and r.id = b.former
      """,
      [.textArray(added)]
    )
  }
}

extension SourceRecordWriter {
  /// The list said nothing of what is taken back: it brought nothing, and what is restored is not an
  /// edit that was made here.
  private func takeBackImports(
    _ transactions: [String],
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let numbers = PGParameter.textArray(transactions)
    let found = try connection.query(
      """
      delete from staffbook.source_files f using staffbook.transactions t
        where t.number = any ($1::bigint[]) and t.began = f.imported_at returning f.source
      """,
      [numbers]
    )
    guard found.rowCount > 0 else { return }
    let sources = PGParameter.textArray((0..<found.rowCount).map { found.cell(0, row: $0) })
    try connection.perform(
      """
      delete from staffbook.source_records r using staffbook.transactions t
        where t.number = any ($1::bigint[]) and t.began = r.brought_at and r.source = any ($2)
      """,
      [numbers, sources]
    )
    try restoreIDs(sources, &connection)
    try restoreValues(sources, &connection)
    try restorePlaces(sources, numbers, &connection)
  }

  private func restoreIDs(
    _ sources: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let renamed = changes.compactMap { change in
      change.kind == .user ? change.newID.map { (former: change.id, latter: $0) } : nil
    }
    guard !renamed.isEmpty else { return }
    try connection.perform(
      """
      update staffbook.source_records r set alias = n.latter
        from unnest($2::text[], $3::text[]) n(former, latter)
        where r.source = any ($1) and r.kind = 'user' and r.id = n.latter and r.alias = n.former
      """,
      [sources, .textArray(renamed.map(\.former)), .textArray(renamed.map(\.latter))]
    )
  }

  /// What the list is noted to have said is what is recorded now.
  private func restoreValues(
    _ sources: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    var (kinds, ids, names): ([String], [String], [String]) = ([], [], [])
    for change in changes {
      for name in change.listedValues {
        kinds.append(change.kind.rawValue)
        ids.append(change.newID ?? change.id)
        names.append(name)
      }
    }
    guard !names.isEmpty else { return }
    try connection.perform(
      """
      update staffbook.source_records r set hashes = r.hashes || n.hashes,
          left_at = case when not n.has_moved then r.left_at end
        from (
          select o.source, o.kind, o.id, bool_or(e.value = 'department') as has_moved,
              coalesce(jsonb_object_agg(e.value, hashtextextended(coalesce(v.value, ''), 0))
                filter (where o.hashes ? e.value), '{}') as hashes
            from unnest($2::text[], $3::text[], $4::text[]) e(kind, id, value)
              join staffbook.source_records o
                on o.source = any ($1) and o.kind = e.kind collate "C" and o.id = e.id collate "C"
              left join \(ImportOwnership.stored) on o.kind = 'user' and u.id = o.id
              left join staffbook.departments d on o.kind = 'department' and d.id = o.id
              cross join lateral (
                select coalesce(
                    jsonb_build_object('department', u.primary_department_id, 'title', m.title,
                      'sort_order', m.sort_order, 'leads', m.leads),
                    '{}')
                  || coalesce(to_jsonb(u), to_jsonb(d)) as row) w
              cross join lateral (
                select coalesce(w.row -> 'fields' ->> e.value, w.row ->> e.value,
                  w.row ->> (e.value || '_id')) as value) v
            group by o.source, o.kind, o.id) n
        where r.source = n.source and r.kind = n.kind and r.id = n.id
      """,
      [sources, .textArray(kinds), .textArray(ids), .textArray(names)]
    )
  }

  /// Memberships that the list dropped are the list's again; one that went with its person may have been
  /// entered here.
  private func restorePlaces(
    _ sources: PGParameter,
    _ transactions: PGParameter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    var (ids, places, isAdded): ([String], [String], [String]) = ([], [], [])
    for change in changes where change.kind == .user && change.before != nil {
      let former = Set(change.before?.memberships.map(\.place.id) ?? [])
      let latter = Set(change.after?.memberships.map(\.place.id) ?? [])
      for place in former.symmetricDifference(latter) {
        ids.append(change.newID ?? change.id)
        places.append(place.rawValue)
        isAdded.append(latter.contains(place) ? "true" : "false")
      }
    }
    guard !ids.isEmpty else { return }
    try connection.perform(
      """
      update staffbook.source_records r
        set places = array(
            select p.id from unnest(r.places) p(id)
              where not coalesce(p.id = any (n.dropped), false)
            union select a.id from unnest(n.added) a(id))
        from (
          select e.id, array_agg(e.place) filter (where e.is_added) as added,
              array_agg(e.place) filter (where not e.is_added) as dropped
            from unnest($2::text[], $3::text[], $4::boolean[]) e(id, place, is_added)
            where not e.is_added or not exists (
              select from staffbook.changes c
                where c.kind = 'user' and c.key1 = e.id collate "C" and c.after is null
                  and c.transaction = any ($5::bigint[])
                  and not exists (select from staffbook.changes a
                    where a.kind = 'user' and a.transaction = c.transaction
                      and a.identity = c.identity and a.before is null))
            group by e.id) n
        where r.source = any ($1) and r.kind = 'user' and r.id = n.id
      """,
      [sources, .textArray(ids), .textArray(places), .textArray(isAdded), transactions]
    )
  }
}

extension Change {
  /// Names of the values that it makes others, as lists call them; none of what is added or removed.
  fileprivate var listedValues: [String] {
    guard let before, let after else { return [] }
    var names: [String] = []
    for item in items {
      switch item {
      case .value(let column): names.append(column.name)
      case .field(let name): names.append(name)
      case .primary: names.append(kind == .user ? "department" : "parent")
      case .membership, .membershipValue: break
      }
    }
    guard kind == .user else { return names }
    let (old, new) = (before.primaryValues, after.primaryValues)
    for (index, column) in RecordKind.membership.valueColumns.enumerated()
    where old?[index] != new?[index] {
      names.append(column.name)
    }
    return names
  }
}

extension Change.State {
  fileprivate var primaryValues: [String?]? {
    memberships.first { $0.place.id == primary?.id }?.values
  }
}
