import DirectoryModel
import LibPQ

/// The statements that read history.
enum HistoryQueries {
  /// A parameter in microseconds since 1970 as a time, exactly.
  static func time(_ parameter: String) -> String {
    "(timestamptz 'epoch' + (\(parameter))::int8 * interval '1 microsecond')"
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
    var window = """
      ($1::int8 is null or t.at >= \(time("$1"))) and ($2::int8 is null or t.at <= \(time("$2")))
      and ($3::text is null or lower($3) in (lower(t.actor), lower(t.by_role)))
      """
    var source = "staffbook.transactions t"
    switch filter.subject {
    case .everything: break
    case .user(let id):
      try goByIndexes(&connection)
      parameters += try terms(of: .user(id), &connection).parameters
      source =
        "\(transactions(of: .user, terms: 4)) own\n"
        + "join staffbook.transactions t on t.number = own.transaction"
    case .department(let id):
      let terms = try terms(of: .department(id), &connection)
      guard let last = terms.all.last else { return [] }
      // Another department may have had its id at other times.
      let own = terms.all.filter { $0.id.utf8.elementsEqual(last.id.utf8) }.map(\.condition)
      window += " and (\(own.joined(separator: " or ")))"
      if try !hasEverythingBelow(DepartmentID(last.id), &connection) {
        parameters.append(.text(last.id))
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
    init(_ kind: RecordKind, _ id: String) { append(RecordKey(kind, id)) }

    mutating func append(_ key: RecordKey) {
      if key.kind == .user {
        users.append(UserID(key.id))
      } else {
        departments.append(DepartmentID(key.id))
      }
    }
  }

  /// The records that transactions changed: of each at most `limit`, departments first, then by id.
  static func changedRecords(
    of transactions: [RecordedTransaction],
    limit: Int?,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [ChangedRecords] {
    let found = try connection.query(
      """
      select asked.nth - 1, touched.is_department, touched.key1
        from unnest($1::int8[]) with ordinality asked(number, nth) cross join lateral (
          select distinct c.kind = 'department', c.key1 from staffbook.changes c
            where c.transaction = asked.number and c.kind in ('department', 'user', 'membership')
            order by 1 desc, 2 \(limit.map { "limit \($0)" } ?? "")) touched(is_department, key1)
        order by 1, 2 desc, 3
      """,
      [.int64Array(transactions.map(\.number))]
    )
    var touched = transactions.map { _ in ChangedRecords() }
    for row in 0..<found.rowCount {
      guard let nth = found.int(row: row, column: 0) else { continue }
      touched[nth].append(found, row: row, column: 1)
    }
    return touched
  }

  /// The records of which some changes are.
  static func changedRecords(
    where condition: String,
    _ parameters: [PGParameter],
    limit: Int? = nil,
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
    for row in 0..<found.rowCount { touched.append(found, row: row, column: 0) }
    return touched
  }

  /// The transactions that changed a record, a department or a person, in some terms, the first of whose
  /// three parameters is given.
  static func transactions(of kind: RecordKind, terms first: Int) -> String {
    """
    (select distinct c.transaction
      from unnest($\(first)::text[], $\(first + 1)::int8[], $\(first + 2)::int8[])
          term(id, since, until)
        join staffbook.changes c on c.key1 = term.id
          and c.kind in (\(kind == .user ? "'user', 'membership'" : "'department'"))
        join staffbook.transactions o on o.number = c.transaction
      where \(microseconds("o.at")) between term.since and term.until)
    """
  }

  /// What each of some transactions did to a record.
  static func changes(
    of terms: Terms,
    in transactions: [RecordedTransaction],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [[Change]] {
    let touched = transactions.map { transaction in
      var records = ChangedRecords()
      for term in terms.all where term.contains(transaction.at) {
        records.append(RecordKey(terms.kind, term.id))
      }
      return records
    }
    return try changes(of: touched, in: transactions, &connection).map { changes in
      changes.filter { change in
        terms.identity == nil || change.identity == nil || change.identity == terms.identity
      }
    }
  }

  /// What each of some transactions did to records.
  static func changes(
    of touched: [ChangedRecords],
    in transactions: [RecordedTransaction],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [[Change]] {
    var all = ChangedRecords()
    for records in touched { all.formUnion(records) }
    let versions = try RecordVersions(
      of: all,
      at: transactions.flatMap { [$0.at - 1, $0.at] },
      &connection
    )
    return zip(touched, transactions).map { touched, transaction in
      versions.changes(of: touched, from: transaction.at - 1, to: transaction.at)
    }
  }
}

extension HistoryQueries.ChangedRecords {
  /// Takes a record out of two columns: whether it is a department, and its id.
  fileprivate mutating func append(_ found: borrowing PGResult, row: Int, column: Int) {
    let isDepartment = found.bool(row: row, column: column) == true
    append(RecordKey(isDepartment ? .department : .user, found.cell(column + 1, row: row)))
  }

  fileprivate mutating func formUnion(_ other: Self) {
    departments += other.departments
    users += other.users
  }
}
