import DirectoryModel
import LibPQ

/// The statements that read history.
enum HistoryQueries {
  /// A parameter in microseconds since 1970 as a time, exactly.
  static func time(_ parameter: String) -> String {
    "(timestamptz 'epoch' + \(parameter)::int8 * interval '1 microsecond')"
  }

  /// A time in microseconds since 1970.
  static func microseconds(_ time: String) -> String {
    "(extract(epoch from \(time)) * 1000000)::int8"
  }

  // MARK: Transactions

  /// How many of a kind transaction `t` added, changed or removed.
  private static func total(_ kind: String) -> String {
    """
    (select coalesce(sum(n::int8), 0) from jsonb_array_elements_text(
      coalesce(t.counts -> '\(kind)', '[]')) n)
    """
  }

  /// Which fields transaction `t` declared, changed or removed, in words: `fields mobile, office declared`.
  private static let declarations = """
    case when t.counts ? 'field' then (select string_agg(d.words, '; ' order by d.place) from (
      select min(c.place), case count(*) when 1 then 'field ' else 'fields ' end || string_agg(
          c.key2 || case c.key1 when 'department' then ' of departments' else '' end,
          ', ' order by c.place) || ' ' || a.done
        from staffbook.changes c cross join lateral (select case when c.before is null then 'declared'
          when c.after is null then 'removed' else 'changed' end) a(done)
        where c.transaction = t.number and c.kind = 'field' group by a.done) d(place, words)) end
    """

  static func transactions(
    from source: String,
    where condition: String,
    _ parameters: [PGParameter],
    limit: Int?,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [RecordedTransaction] {
    let counts = ["department", "user", "membership"].flatMap { kind in
      (0..<3).map { "coalesce((t.counts -> '\(kind)' ->> \($0))::int8, 0)" }
    }
    let found = try connection.query(
      """
      select t.number, \(microseconds("t.at")), t.by_role, coalesce(t.actor, ''),
          coalesce(t.reason, ''), t.is_found, t.counts ? 'forgotten',
          \(declarations), \(total("rule")) + \(total("group")),
          \(counts.joined(separator: ", "))
        from \(source) where t.at is not null and (\(condition))
        order by t.at desc, t.number desc \(limit.map { "limit \($0)" } ?? "")
      """,
      parameters
    )
    return (0..<found.rowCount).map { row in
      let counts = (0..<3).map { kind in
        let numbers = (0..<3).map { found.int(row: row, column: 9 + 3 * kind + $0) ?? 0 }
        return ChangeCounts(added: numbers[0], changed: numbers[1], removed: numbers[2])
      }
      return RecordedTransaction(
        number: Int64(found.cell(0, row: row)) ?? 0,
        at: Int64(found.cell(1, row: row)) ?? 0,
        role: found.cell(2, row: row),
        actor: found.cell(3, row: row),
        reason: found.cell(4, row: row),
        rows: ChangeTotals(departments: counts[0], users: counts[1], memberships: counts[2]),
        declarations: found.cell(7, row: row),
        rules: found.int(row: row, column: 8) ?? 0,
        isFound: found.bool(row: row, column: 5) == true,
        hasForgotten: found.bool(row: row, column: 6) == true
      )
    }
  }

  static func transaction(
    _ number: Int64,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> RecordedTransaction? {
    try transactions(
      from: "staffbook.transactions t",
      where: "t.number = $1::int8",
      [.int64(number)],
      limit: nil,
      &connection
    ).first
  }

  static func transactions(
    _ filter: HistoryFilter,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [RecordedTransaction] {
    var parameters: [PGParameter] = [
      .int64(filter.since), .int64(filter.until), .text(filter.by),
    ]
    let window = """
      ($1::int8 is null or t.at >= \(time("$1"))) and ($2::int8 is null or t.at <= \(time("$2")))
      and ($3::text is null or lower($3) in (lower(t.actor), lower(t.by_role)))
      """
    var source = "staffbook.transactions t"
    switch filter.subject {
    case .everything: break
    case .user(let id):
      parameters.append(.text(id.rawValue))
      source = """
        (select distinct c.transaction from staffbook.changes c
          where c.key1 = $4 and c.kind in ('user', 'membership')) own
        join staffbook.transactions t on t.number = own.transaction
        """
    case .department(let id):
      if try !hasEverythingBelow(id, &connection) {
        parameters.append(.text(id.rawValue))
        return try transactions(below: parameters, where: window, filter.limit, &connection)
      }
    }
    return try transactions(
      from: source,
      where: window,
      parameters,
      limit: filter.limit,
      &connection
    )
  }

  /// Whether a department is and has always been the only root.
  private static func hasEverythingBelow(
    _ id: DepartmentID,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      select exists (select from staffbook.departments d where d.id = $1 and d.parent_id is null)
        and not exists (select from staffbook.departments d
          where d.parent_id is null and d.id <> $1)
        and not exists (select from staffbook.changes c
          where c.kind = 'department' and c.before is not null and c.former_parent is null
            and c.key1 <> $1)
      """,
      [.text(id.rawValue)]
    )
    return found.bool(row: 0, column: 0) == true
  }

  // MARK: Records

  /// Departments and people; what happened to a membership happened to its person.
  ///
  /// An empty id stands for all people who were removed and then forgotten.
  struct ChangedRecords {
    var departments: [DepartmentID] = []
    var users: [UserID] = []

    init() {}

    /// One department or person.
    init(_ kind: RecordKind, _ id: String) {
      if kind == .user { users = [UserID(id)] } else { departments = [DepartmentID(id)] }
    }
  }

  static func changedRecords(
    where condition: String,
    _ parameters: [PGParameter],
    limit: Int?,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> ChangedRecords {
    let found = try connection.query(
      """
      select distinct c.kind = 'department', c.key1 from staffbook.changes c
        where c.kind in ('department', 'user', 'membership') and \(condition)
        order by 1 desc, 2 \(limit.map { "limit \($0)" } ?? "")
      """,
      parameters
    )
    var touched = ChangedRecords()
    for row in 0..<found.rowCount {
      if found.bool(row: row, column: 0) == true {
        touched.departments.append(DepartmentID(found.cell(1, row: row)))
      } else {
        touched.users.append(UserID(found.cell(1, row: row)))
      }
    }
    return touched
  }

  /// What a transaction did to records.
  static func changes(
    of touched: ChangedRecords,
    in transaction: RecordedTransaction,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Change] {
    try changes(of: touched, from: transaction.at - 1, to: transaction.at, &connection)
  }

  static func changes(
    of touched: ChangedRecords,
    from: Int64,
    to: Int64,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Change] {
    var before = try records(at: from, touched, &connection)
    var after = try records(at: to, touched, &connection)
    if touched.users.first?.rawValue == "" {
      before.users[UserID("")] = .forgotten(.user)
      after.users[UserID("")] = .forgotten(.user)
    }
    return touched.departments.compactMap {
      Change(.department, $0.rawValue, from: before.departments[$0], to: after.departments[$0])
    }
      + touched.users.compactMap {
        Change(.user, $0.rawValue, from: before.users[$0], to: after.users[$0])
      }
  }

  /// Records as they were at a time, complete, their departments by the names of then.
  static func records(
    at time: Int64,
    _ touched: ChangedRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> CurrentRecords {
    let users = touched.users.map(\.rawValue)
    var records = CurrentRecords()
    for (kind, ids) in [
      (RecordKind.department, touched.departments.map(\.rawValue)), (.user, users),
      (.membership, users),
    ] where !ids.isEmpty {
      try append(kind, of: [.textArray(ids), .int64(time)], past(kind), to: &records, &connection)
    }
    try namePlaces(time, &records, &connection)
    return records
  }

  /// People, each as they were at a time of their own; their departments have no names.
  static func people(
    _ times: [(user: UserID, at: Int64)],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> CurrentRecords {
    var records = CurrentRecords()
    let parameters: [PGParameter] = [
      .textArray(times.map(\.user.rawValue)), .textArray(times.map { String($0.at) }),
    ]
    for kind in [RecordKind.user, .membership] {
      try append(kind, of: parameters, past(kind, isEach: true), to: &records, &connection)
    }
    return records
  }

  private static func append(
    _ kind: RecordKind,
    of parameters: [PGParameter],
    _ past: String,
    to records: inout CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let place = kind == .membership ? "key2" : "row ->> '\(kind.keys[1].name)'"
    let values = kind.valueColumns.map { "row ->> '\($0.name)'" }.joined(separator: ", ")
    let found = try connection.query(
      """
      \(past) select key1, \(place), '', row ->> 'fields', \(values) from past
        order by key1, key2 collate "C"
      """,
      parameters
    )
    records.append(kind, found)
  }

  /// The rows of a table as they were at $2, or each at its own time among $2, whose first key is among
  /// $1; where the values were erased, they are null.
  private static func past(_ kind: RecordKind, isEach: Bool = false) -> String {
    let key = kind.keys[0].name
    let key2 = kind == .membership ? "r.\(kind.keys[1].name)" : "''"
    let asked =
      isEach
      ? "c.key1 = asked.key and t.at > \(time("asked.at"))"
      : "c.key1 = any($1) and t.at > \(time("$2"))"
    return """
      with late as (
        select distinct on (c.key1, c.key2) c.key1, c.key2, c.before
          from \(isEach ? "unnest($1::text[], $2::int8[]) asked(key, at) cross join " : "")
            staffbook.changes c join staffbook.transactions t on t.number = c.transaction
          where c.kind = '\(kind.rawValue)' and \(asked)
          order by c.key1, c.key2, c.place
      ), past(key1, key2, row) as (
        select r.\(key), \(key2), to_jsonb(r) from staffbook.\(kind.plural) r
          where r.\(key) = any($1) and not exists (
            select from late l where l.key1 = r.\(key) and l.key2 = \(key2))
        union all
        select l.key1, l.key2, l.before from late l where l.before is not null
      )
      """
  }

  /// A department that was not there goes by its id.
  private static func namePlaces(
    _ time: Int64,
    _ records: inout CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    var places: Set<DepartmentID> = []
    for state in records.departments.values {
      if let primary = state.primary { places.insert(primary.id) }
    }
    for state in records.users.values {
      if let primary = state.primary { places.insert(primary.id) }
      for membership in state.memberships { places.insert(membership.place.id) }
    }
    guard !places.isEmpty else { return }
    let found = try connection.query(
      "\(past(.department)) select key1, row ->> 'name' from past",
      [.textArray(places.map(\.rawValue)), .int64(time)]
    )
    var names: [DepartmentID: String] = [:]
    for row in 0..<found.rowCount {
      names[DepartmentID(found.cell(0, row: row))] = found.cell(1, row: row)
    }
    records.namePlaces { names[$0] ?? $0.rawValue }
  }
}
