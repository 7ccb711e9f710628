import CopyFormat
import DirectoryModel
import LibPQ

/// Streams the three tables into columns.
struct RecordLoader {
  private static let rowsPerReport = 1 << 14
  /// So few that the server need not wait for the code that looks at them: what it sends meanwhile
  /// fits into the socket's buffers.
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
    try copy(queries.departments, &connection, &records) {
      (line, records) throws(DirectoryError) in try records.departments.append(copied: line)
    }
    try copy(queries.users, &connection, &records) { (line, records) throws(DirectoryError) in
      try records.users.append(copied: line)
    }
    try copy(queries.memberships, &connection, &records) {
      (line, records) throws(DirectoryError) in try records.memberships.append(copied: line)
    }
    report()
    return records
  }

  private mutating func copy(
    _ query: RecordQuery,
    _ connection: inout PGConnection,
    _ records: inout DirectoryRecords,
    _ append: (UnsafeRawBufferPointer, inout DirectoryRecords) throws(DirectoryError) -> Void
  ) throws(StoreFailure) {
    do throws(StoreFailure) {
      try connection.copyOut(query.sql) { (line) throws(StoreFailure) in
        do throws(DirectoryError) { try append(line, &records) } catch { throw .directory(error) }
        rows += 1
        if rows % Self.rowsPerObservation == 0 {
          observer?.rowsArrived(records)
          if rows % Self.rowsPerReport == 0 { report() }
        }
      }
    } catch {
      guard case .postgres(let error) = error else { throw error }
      throw Self.failure(error, query)
    }
    observer?.rowsArrived(records)
  }

  /// What a refused query comes to.
  static func failure(_ error: PostgresError, _ query: RecordQuery) -> StoreFailure {
    guard let expectation = query.expectation,
      let refusal = DirectoryError(
        ofOwnQuery: expectation.key,
        yielding: expectation.columns,
        error,
        "cannot load the directory"
      )
    else { return .postgres(error) }
    return .directory(refusal)
  }

  private func report() { progress?(LoadProgress(rows: rows, expectedRows: expectedRows)) }
}

extension DirectoryError {
  /// A refused query of a user's own, where it is the query, a right or a value that is wrong.
  ///
  /// - Parameters:
  ///   - key: The query's key in the configuration.
  ///   - columns: What it must yield.
  ///   - error: Why it was refused.
  ///   - attempt: What was tried.
  init?(ofOwnQuery key: String, yielding columns: String, _ error: PostgresError, _ attempt: String)
  {
    guard case .refused(let diagnostic) = error else { return nil }
    let reason = "\(attempt): the query \(key) fails: \(diagnostic.message.onOneLine)"
    switch (diagnostic.sqlstate, diagnostic.sqlstate?.errorClass) {
    case (.insufficientPrivilege?, _):
      self.init(
        .notPermitted,
        reason,
        advice: "grant the database user the right to SELECT from what the query reads"
      )
    case (_, "42"?): self.init(.badData, reason, advice: "it must return the columns \(columns)")
    case (_, "22"?), (_, "25"?):
      self.init(.badData, reason, advice: "correct the query, or the value at which it fails")
    default: return nil
    }
  }
}
