import DirectoryModel
import LibPQ

/// Reads what history has kept.
///
/// The state at a time is today's with, for each record that changed later, what stands before the
/// first such change: the cost is what changed since, not the directory.
package struct DirectoryHistory: Sendable {
  let database: Database

  /// Connects to a database that keeps history.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - doing: What is being done, for messages: `show the log`.
  ///   - access: Where connections come from, how long to wait for the server, and whom to tell.
  /// - Throws: What keeps the database from being read.
  package init(
    conninfo: String,
    doing: String,
    access: DatabaseAccess = DatabaseAccess()
  ) async throws(DirectoryError) {
    database = try await Database.connect(conninfo: conninfo, doing: doing, access: access)
    try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: .reading, doing: doing)
    }
  }

  /// Since when it is kept: microseconds since 1970, UTC.
  package func beginning() async throws(DirectoryError) -> Int64 {
    try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        "select \(HistoryQueries.microseconds("h.began")) from staffbook.history h"
      )
      return Int64(found.cell(0)) ?? 0
    }
  }

  /// One transaction; `nil` where none has that number, or not any longer.
  package func transaction(
    _ number: Int64
  ) async throws(DirectoryError) -> RecordedTransaction? {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.transaction(number, &connection)
    }
  }

  /// The transactions that the user asks for, newest first.
  ///
  /// - Complexity: For everything what is listed, for a person what there is about them, for a
  ///   department what there is about it and all that was ever below it.
  package func transactions(
    _ filter: HistoryFilter
  ) async throws(DirectoryError) -> [RecordedTransaction] {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.transactions(filter, &connection)
    }
  }

  /// What each of some transactions did, or did to one record, departments first, then by id.
  ///
  /// Of each at most `limit` records are told; `nil` is all.
  ///
  /// - Complexity: What they did, and what happened to the same records since.
  package func changes(
    in transactions: [RecordedTransaction],
    of record: RecordKey? = nil,
    limit: Int? = nil
  ) async throws(DirectoryError) -> [[Change]] {
    guard !transactions.isEmpty else { return [] }
    return try await see { (connection) throws(StoreFailure) in
      guard let record else {
        let touched = try HistoryQueries.changedRecords(
          of: transactions,
          limit: limit,
          &connection
        )
        return try HistoryQueries.changes(of: touched, in: transactions, &connection)
      }
      let terms = try HistoryQueries.terms(of: record, &connection)
      return try HistoryQueries.changes(of: terms, in: transactions, &connection)
    }
  }

  /// What a transaction did to a department and what was below it, before or afterwards, and perhaps to
  /// some who were there at another time; at most `limit` records are told.
  ///
  /// - Complexity: What it did, and what was below the department.
  package func changes(
    in transaction: RecordedTransaction,
    below department: DepartmentID,
    limit: Int
  ) async throws(DirectoryError) -> [Change] {
    var below: Set<DepartmentID> = []
    for time in [transaction.at - 1, transaction.at] {
      below.formUnion(try await departments(below: department, at: time))
    }
    let ids = below.map(\.rawValue)
    return try await see { (connection) throws(StoreFailure) in
      let touched = try HistoryQueries.changedRecords(
        where: """
          c.transaction = $1::int8 and case c.kind
            when 'department' then c.key1 = any($2)
            when 'membership' then c.key2 = any($2)
            else exists (select from staffbook.memberships m
                where m.user_id = c.key1 and m.department_id = any($2))
              or exists (select from staffbook.changes m where m.key1 = c.key1
                and m.kind = 'membership' and m.key2 = any($2)) end
          """,
        [.int64(transaction.number), .textArray(ids)],
        limit: limit,
        &connection
      )
      return try HistoryQueries.changes(of: [touched], in: [transaction], &connection)[0]
    }
  }

  /// The ids now of those of some records that are there.
  package func ids(
    of identities: Set<RecordIdentity>
  ) async throws(DirectoryError) -> [RecordIdentity: String] {
    guard !identities.isEmpty else { return [:] }
    return try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select u.identity::text, u.id from staffbook.users u where u.identity = any($1::uuid[])
        union all
        select d.identity::text, d.id from staffbook.departments d
          where d.identity = any($1::uuid[])
        """,
        [.textArray(identities.map(\.rawValue))]
      )
      var ids: [RecordIdentity: String] = [:]
      for row in 0..<found.rowCount {
        ids[RecordIdentity(found.cell(0, row: row))] = found.cell(1, row: row)
      }
      return ids
    }
  }

  /// The terms of people with some ids that have ended, in the order of time.
  ///
  /// - Complexity: What is recorded of these ids.
  package func formerTerms(
    of ids: Set<UserID>
  ) async throws(DirectoryError) -> [FormerHolders.Term] {
    guard !ids.isEmpty else { return [] }
    return try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.goByIndexes(&connection)
      let found = try connection.query(
        """
        select c.key1, \(HistoryQueries.microseconds("t.at")), \(HistoryQueries.holder)
          from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            \(HistoryQueries.holders(of: .user))
          where c.kind = 'user' and c.key1 = any($1) and c.after is null and c.identity is not null
          order by t.at, c.place
        """,
        [.textArray(ids.map(\.rawValue).sorted())]
      )
      return (0..<found.rowCount).compactMap { row in
        HistoryQueries.term(of: .user, found, row: row, holder: 2)
      }
    }
  }

  /// What differs between two times, departments first, then by id.
  ///
  /// The times are microseconds since 1970, UTC.
  ///
  /// - Complexity: What changed since the first of them.
  package func changes(from: Int64, to: Int64) async throws(DirectoryError) -> [Change] {
    try await see { (connection) throws(StoreFailure) in
      let touched = try HistoryQueries.changedRecords(
        where: """
          c.transaction in (select t.number from staffbook.transactions t
            where t.at > \(HistoryQueries.time("$1")) and t.at <= \(HistoryQueries.time("$2")))
          """,
        [.int64(from), .int64(to)],
        &connection
      )
      return try RecordVersions(of: touched, at: [from, to], &connection)
        .changes(of: touched, from: from, to: to)
    }
  }

  /// What differs of rules and groups between two times, rules first.
  package func visibilityChanges(
    from: Int64,
    to: Int64
  ) async throws(DirectoryError) -> [VisibilityChange] {
    try await see { (connection) throws(StoreFailure) in
      try VisibilityQueries.changes(from: from, to: to, &connection)
    }
  }

  /// What makes of today's directory that of a time.
  ///
  /// That is the records as they were that changed since, and the keys that were not there; the time is
  /// microseconds since 1970, UTC.
  ///
  /// - Complexity: What changed since.
  package func changes(backTo time: Int64) async throws(DirectoryError) -> DirectoryChanges {
    try await see { (connection) throws(StoreFailure) in
      try HistoricalRecordReader(time: time).read(&connection)
    }
  }

  /// People who were removed, newest first, as they last were.
  ///
  /// - Complexity: All recorded removals of people.
  package func formerPeople() async throws(DirectoryError) -> [HistoryStep] {
    // As they were removed, unless their values were erased since.
    let isLast = """
      c.kind = 'user' and c.after is null and c.before <> '{}'
        and not exists (select from staffbook.users u where u.identity = c.identity)
        and not exists (select from staffbook.changes l
          where l.kind = 'user' and l.identity = c.identity and l.after is null
            and l.place > c.place)
      """
    return try await see { (connection) throws(StoreFailure) in
      let transactions = try HistoryQueries.transactions(
        from: "staffbook.transactions t",
        where: "t.number in (select c.transaction from staffbook.changes c where \(isLast))",
        [],
        limit: nil,
        &connection
      )
      let touched = try transactions.map { (transaction) throws(StoreFailure) in
        try HistoryQueries.changedRecords(
          where: "c.transaction = $1::int8 and \(isLast)",
          [.int64(transaction.number)],
          &connection
        )
      }
      let changes = try HistoryQueries.changes(of: touched, in: transactions, &connection)
      return zip(transactions, changes).flatMap { transaction, changes in
        changes.filter { $0.after == nil }
          .map { HistoryStep(transaction: transaction, change: $0) }
      }
    }
  }

  /// In one consistent state.
  ///
  /// - Throws: `.notPermitted` where policies hide records from readers: history would show them.
  func see<R: Sendable>(
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    let doing = database.doing
    return try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.consistentRead) { (connection) throws(StoreFailure) in
        let rights = try connection.query("select staffbook.may_read_history(), current_user")
        guard rights.bool(row: 0, column: 0) == true else {
          throw .directory(.historyIsHidden(from: rights.cell(1), doing: doing))
        }
        return try body(&connection)
      }
    }
  }
}

extension DirectoryError {
  fileprivate static func historyIsHidden(from role: String, doing: String) -> DirectoryError {
    DirectoryError(
      .notPermitted,
      "cannot \(doing): row-level security hides records of this database, history shows all of them, "
        + "and \(role) is not a member of staffbook_historian",
      advice: "have an administrator run: grant staffbook_historian to \(role.quotedIdentifier);"
    )
  }
}
