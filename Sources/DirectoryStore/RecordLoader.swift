import DirectoryModel
import LibPQ

/// Streams the three tables into columns.
struct RecordLoader {
  private static let rowsPerReport = 1 << 14
  /// So few that the server need not wait for whoever looks at them: what it sends meanwhile fits
  /// into the socket's buffers.
  private static let rowsPerObservation = 1 << 10

  private let queries: RecordQueries
  private let expectedRows: Int?
  private let progress: (@Sendable (LoadProgress) -> Void)?
  private let observer: (any RecordObserver)?
  private var rows = 0

  init(
    _ queries: RecordQueries = .tables,
    expectedRows: Int?,
    progress: (@Sendable (LoadProgress) -> Void)?,
    observer: (any RecordObserver)? = nil
  ) {
    self.queries = queries
    self.expectedRows = expectedRows
    self.progress = progress
    self.observer = observer
  }

  mutating func load(
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> DirectoryRecords {
    var records = DirectoryRecords()
    observer?.readBegins()
    try loadDepartments(&connection, into: &records)
    try loadUsers(&connection, into: &records)
    try loadMemberships(&connection, into: &records)
    report()
    return records
  }

  private mutating func loadDepartments(
    _ connection: inout PGConnection,
    into records: inout DirectoryRecords
  ) throws(StoreFailure) {
    try copy(queries.departments, &connection, &records) {
      (fields, records) throws(StoreFailure) in
      try fields.appendNext(to: &records.departments.ids)
      try fields.appendNext(to: &records.departments.parents, null: true)
      try fields.appendNext(to: &records.departments.texts, of: .department)
      records.departments.sortOrders.append(try fields.nextInt64())
    }
  }

  private mutating func loadUsers(
    _ connection: inout PGConnection,
    into records: inout DirectoryRecords
  ) throws(StoreFailure) {
    try copy(queries.users, &connection, &records) { (fields, records) throws(StoreFailure) in
      try fields.appendNext(to: &records.users.ids)
      try fields.appendNext(to: &records.users.primaryDepartments)
      try fields.appendNext(to: &records.users.texts, of: .user)
    }
  }

  private mutating func loadMemberships(
    _ connection: inout PGConnection,
    into records: inout DirectoryRecords
  ) throws(StoreFailure) {
    try copy(queries.memberships, &connection, &records) {
      (fields, records) throws(StoreFailure) in
      try fields.appendNext(to: &records.memberships.users)
      try fields.appendNext(to: &records.memberships.departments)
      try fields.appendNext(to: &records.memberships.texts, of: .membership)
      records.memberships.sortOrders.append(try fields.nextInt64())
      records.memberships.leads.append(try fields.nextBool())
    }
  }

  private mutating func copy(
    _ query: RecordQuery,
    _ connection: inout PGConnection,
    _ records: inout DirectoryRecords,
    _ append: (inout CopyTextFields, inout DirectoryRecords) throws(StoreFailure) -> Void
  ) throws(StoreFailure) {
    do throws(PGBodyError<StoreFailure>) {
      try connection.copyOut(query.sql, throwing: StoreFailure.self) {
        (line) throws(StoreFailure) in
        var fields = try CopyTextFields(line)
        try append(&fields, &records)
        try fields.finish()
        rows += 1
        if rows % Self.rowsPerObservation == 0 {
          observer?.rowsArrived(records)
          if rows % Self.rowsPerReport == 0 { report() }
        }
      }
    } catch {
      switch error {
      case .postgres(let error): throw Self.failure(error, query)
      case .body(let failure): throw failure
      }
    }
    observer?.rowsArrived(records)
  }

  /// A refused query of somebody's own is a mistake in the configuration.
  static func failure(_ error: PostgresError, _ query: RecordQuery) -> StoreFailure {
    guard let expectation = query.expectation, case .refused(let diagnostic) = error,
      diagnostic.sqlstate?.errorClass == "42", diagnostic.sqlstate != .insufficientPrivilege
    else { return .postgres(error) }
    return .directory(
      DirectoryError(
        .badData,
        "cannot load the directory: the query \(expectation.key) fails: "
          + diagnostic.message.onOneLine,
        advice: "it must return the columns \(expectation.columns)"
      )
    )
  }

  private func report() { progress?(LoadProgress(rows: rows, expectedRows: expectedRows)) }
}
