import DirectoryModel
import LibPQ

/// Streams the three tables into columns.
struct RecordLoader {
  private static let rowsPerReport = 1 << 14

  private let queries: RecordQueries
  private let expectedRows: Int?
  private let progress: (@Sendable (LoadProgress) -> Void)?
  private var rows = 0

  init(
    _ queries: RecordQueries = .tables,
    expectedRows: Int?,
    progress: (@Sendable (LoadProgress) -> Void)?
  ) {
    self.queries = queries
    self.expectedRows = expectedRows
    self.progress = progress
  }

  mutating func load(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectoryRecords {
    var records = DirectoryRecords()
    try loadDepartments(&connection, into: &records.departments)
    try loadUsers(&connection, into: &records.users)
    try loadMemberships(&connection, into: &records.memberships)
    report()
    return records
  }

  private mutating func loadDepartments(
    _ connection: inout PGConnection,
    into table: inout DepartmentTable
  ) throws(StoreFailure) {
    try copy(queries.departments, &connection) { (fields) throws(StoreFailure) in
      try fields.appendNext(to: &table.ids)
      try fields.appendNext(to: &table.parents, null: true)
      try fields.appendNext(to: &table.names)
      try fields.appendNext(to: &table.descriptions)
      table.sortOrders.append(try fields.nextInt64())
    }
  }

  private mutating func loadUsers(
    _ connection: inout PGConnection,
    into table: inout UserTable
  ) throws(StoreFailure) {
    try copy(queries.users, &connection) { (fields) throws(StoreFailure) in
      try fields.appendNext(to: &table.ids)
      try fields.appendNext(to: &table.primaryDepartments)
      try fields.appendNext(to: &table.names)
      try fields.appendNext(to: &table.emails)
      try fields.appendNext(to: &table.phones)
    }
  }

  private mutating func loadMemberships(
    _ connection: inout PGConnection,
    into table: inout MembershipTable
  ) throws(StoreFailure) {
    try copy(queries.memberships, &connection) { (fields) throws(StoreFailure) in
      try fields.appendNext(to: &table.users)
      try fields.appendNext(to: &table.departments)
      try fields.appendNext(to: &table.titles)
      table.sortOrders.append(try fields.nextInt64())
    }
  }

  private mutating func copy(
    _ query: RecordQuery,
    _ connection: inout PGConnection,
    _ append: (inout CopyTextFields) throws(StoreFailure) -> Void
  ) throws(StoreFailure) {
    do throws(PGBodyError<StoreFailure>) {
      try connection.copyOut(query.sql, throwing: StoreFailure.self) {
        (line) throws(StoreFailure) in
        var fields = try CopyTextFields(line)
        try append(&fields)
        try fields.finish()
        rows += 1
        if rows % Self.rowsPerReport == 0 { report() }
      }
    } catch {
      switch error {
      case .postgres(let error): throw Self.failure(error, query)
      case .body(let failure): throw failure
      }
    }
  }

  /// A refused query of somebody's own is a mistake in the configuration.
  private static func failure(_ error: PostgresError, _ query: RecordQuery) -> StoreFailure {
    guard let expectation = query.expectation, case .refused(let diagnostic) = error,
      diagnostic.sqlstate?.errorClass == "42", diagnostic.sqlstate != .insufficientPrivilege
    else { return .postgres(error) }
    return .directory(
      DirectoryError(
        .badData,
        "cannot load the directory: the query \(expectation.key) fails: "
          + diagnostic.message.onOneLine,
        advice: "it must yield the columns \(expectation.columns)"
      )
    )
  }

  private func report() { progress?(LoadProgress(rows: rows, expectedRows: expectedRows)) }
}
