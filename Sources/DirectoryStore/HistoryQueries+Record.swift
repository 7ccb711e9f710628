import DirectoryModel
import LibPQ

extension HistoryQueries {
  /// What happened to a department or a person, newest first.
  ///
  /// - Complexity: What there is on record about it.
  static func steps(
    of kind: RecordKind,
    _ id: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [HistoryStep] {
    let kinds = kind == .user ? "('user', 'membership')" : "('department')"
    let transactions = try transactions(
      from: """
        (select distinct c.transaction from staffbook.changes c
          where c.key1 = $1 and c.kind in \(kinds)) own
        join staffbook.transactions t on t.number = own.transaction
        """,
      where: "true",
      [.text(id)],
      limit: nil,
      &connection
    )
    let touched =
      kind == .user ? Touched(users: [UserID(id)]) : Touched(departments: [DepartmentID(id)])
    var steps: [HistoryStep] = []
    for transaction in transactions {
      let changes = try changes(
        of: touched,
        from: transaction.at - 1,
        to: transaction.at,
        &connection
      )
      if let change = changes.first {
        steps.append(HistoryStep(transaction: transaction, change: change))
      }
    }
    return steps
  }

  /// The last name of a department or a person that is gone; `nil` where none is known.
  static func lastName(
    _ kind: RecordKind,
    _ id: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> String? {
    let found = try connection.query(
      """
      select coalesce(c.after, c.before) ->> 'name' from staffbook.changes c
        where c.kind = $1 and c.key1 = $2 order by c.place desc limit 1
      """,
      [.text(kind.rawValue), .text(id)]
    )
    return found.rowCount == 0 ? nil : found.text(row: 0, column: 0)
  }

  /// A department and everything that was below it at a time.
  ///
  /// - Complexity: What was below.
  static func departments(
    below id: DepartmentID,
    at time: Int64,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [DepartmentID] {
    let later = """
      select from staffbook.changes p join staffbook.transactions o on o.number = p.transaction
        where p.kind = 'department' and o.at > \(self.time("$2"))
      """
    let found = try connection.query(
      """
      with recursive below(id) as (
        select $1::text collate "C"
        union
        select down.id from below b cross join lateral (
          select d.id from staffbook.departments d
            where d.parent_id = b.id and not exists (\(later) and p.key1 = d.id)
          union all
          select c.id from staffbook.former_children(b.id) c
              join staffbook.transactions t on t.number = c.transaction
            where t.at > \(self.time("$2"))
              and not exists (\(later) and p.key1 = c.id and p.place < c.place)
        ) down(id)
      )
      select id from below
      """,
      [.text(id.rawValue), .int64(time)]
    )
    return (0..<found.rowCount).map { DepartmentID(found.cell(0, row: $0)) }
  }
}

extension DirectoryHistory {
  /// What happened to a department or a person, newest first; to its memberships, too.
  package func steps(
    of kind: RecordKind,
    _ id: String
  ) async throws(DirectoryError) -> [HistoryStep] {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.steps(of: kind, id, &connection)
    }
  }

  /// The last name on record of a department or a person of this very id; `nil` where there is none.
  package func lastName(_ kind: RecordKind, _ id: String) async throws(DirectoryError) -> String? {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.lastName(kind, id, &connection)
    }
  }

  /// A department and everything that was below it at a time.
  package func departments(
    below id: DepartmentID,
    at time: Int64
  ) async throws(DirectoryError) -> [DepartmentID] {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.departments(below: id, at: time, &connection)
    }
  }
}

/// What changes history itself.
extension DirectoryHistory {
  /// Erases a person's values from history, and the id of one who is gone.
  ///
  /// - Returns: In how many changes.
  /// - Throws: `.notPermitted` for those who do not own the tables.
  package func forget(
    _ user: UserID,
    by authorship: Authorship
  ) async throws(DirectoryError) -> Int {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      try connection.query("select staffbook.forget_user($1)", [.text(user.rawValue)])
        .int(row: 0, column: 0) ?? 0
    }
  }

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// The period is an interval as PostgreSQL reads it, `nil` for ever; what comes back is how many
  /// transactions were removed.
  package func keep(
    _ period: String?,
    by authorship: Authorship
  ) async throws(DirectoryError) -> Int {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      try connection.perform("select staffbook.keep_history($1::interval)", [.text(period)])
      return try connection.query("select staffbook.prune_history()").int(row: 0, column: 0) ?? 0
    }
  }

  /// Records what was written past the triggers.
  ///
  /// - Returns: How many records that are.
  package func catchUp(by authorship: Authorship) async throws(DirectoryError) -> Int {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      try connection.query("select staffbook.catch_up_history()").int(row: 0, column: 0) ?? 0
    }
  }

  private func write<R: Sendable>(
    by authorship: Authorship,
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    let doing = database.doing
    return try await database.run { (connection) throws(StoreFailure) in
      do throws(StoreFailure) {
        try WriteTransaction.begin(&connection, by: authorship, doing: doing)
        try ServerRequirements.checkSchema(&connection, for: .writing, doing: doing)
        let result = try body(&connection)
        try connection.perform("commit")
        return result
      } catch {
        _ = try? connection.perform("rollback")
        throw error
      }
    }
  }
}

extension DirectoryHistory {
  /// A record as it is, or was last; `nil` where nothing is known of it.
  ///
  /// The steps are what happened to it, newest first.
  package func lastState(
    of kind: RecordKind,
    _ id: String,
    _ steps: [HistoryStep]
  ) async throws(DirectoryError) -> (state: Change.State, isGone: Bool)? {
    let records = try await records(
      at: Int64.max / 4,
      departments: kind == .department ? [DepartmentID(id)] : [],
      users: kind == .user ? [UserID(id)] : []
    )
    if let state = records.state(kind, id) { return (state, false) }
    return steps.lazy.compactMap(\.change.before).first.map { ($0, true) }
  }
}
