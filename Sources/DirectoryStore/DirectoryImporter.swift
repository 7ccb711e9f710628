import DirectoryModel
import LibPQ

/// One import in one transaction: rows are staged, checked against each other and against what is
/// there, and applied all at once or not at all.
///
///     let importer = try await DirectoryImporter.begin(
///       conninfo: conninfo, files: ["departments.csv", "users.csv"], replace: false)
///     try await importer.stage(batch)                       // any number of times
///     let findings = try await importer.check(limit: 20)
///     if findings.total == 0 {
///       let summary = try await importer.apply()
///       try await importer.commit()
///     }
///
/// Without `replace` it adds and changes; a changed main department replaces the primary
/// membership, and the other memberships stay. With `replace` what is not in the files goes.
/// Rows that are the same already are not written. An importer that goes out of scope without
/// `commit()` leaves nothing behind.
package actor DirectoryImporter {
  /// What may come next.
  private enum State {
    case staging
    /// Found sound; nothing may be staged any more.
    case checked
    case applied
    case ended
  }

  private static let doing = "import the directory"

  private let database: Database
  /// The files' names as the person gave them; rows carry the index.
  private let files: [String]
  private let replaces: Bool
  private var state = State.staging

  private init(database: Database, files: [String], replaces: Bool) {
    self.database = database
    self.files = files
    self.replaces = replaces
  }

  /// Begins the transaction and keeps other imports and edits out until it ends.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - files: The files' names, for problems.
  ///   - replace: Whether what is not in the files goes.
  /// - Returns: An importer that waits for rows.
  /// - Throws: `refusedForNow` when somebody else holds the tables for ten seconds.
  package static func begin(
    conninfo: String,
    files: [String],
    replace: Bool
  ) async throws(DirectoryError) -> DirectoryImporter {
    let database = try await Database.connect(conninfo: conninfo, doing: doing)
    try await database.run { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, doing: doing)
      try ServerRequirements.checkWritable(&connection, doing: doing)
      try ImportStaging.begin(&connection)
    }
    return DirectoryImporter(database: database, files: files, replaces: replace)
  }

  /// Sends rows to the server; the order of batches does not matter.
  package func stage(_ batch: some ImportBatch) async throws(DirectoryError) {
    precondition(state == .staging, "rows after the check")
    guard !batch.isEmpty else { return }
    try await database.run { (connection) throws(StoreFailure) in
      try ImportStaging.send(batch, &connection)
    }
  }

  /// Lets rows that the database knows keep what it has in columns that a file does not have.
  ///
  /// Comes after the last `stage(_:)`; new rows keep their empty values.
  package func keepStored(_ columns: [ImportColumn]) async throws(DirectoryError) {
    precondition(state == .staging, "columns after the check")
    guard !columns.isEmpty else { return }
    try await database.run { (connection) throws(StoreFailure) in
      for column in columns { try connection.perform(column.statement) }
    }
  }

  /// Looks for what would not fit together: ids that stand twice, references to nothing, rings.
  ///
  /// - Parameters:
  ///   - limit: How many problems to name.
  ///   - unreadable: Files with rows that are missing here; references to them are not judged,
  ///     and the import cannot be applied.
  /// - Returns: The first problems in the order of files and lines, and how many there are.
  /// - Throws: When the database cannot be asked.
  /// - Complexity: Linear in the rows of files and, without `replace`, of the database.
  package func check(
    limit: Int,
    unreadable: UnreadableFiles = []
  ) async throws(DirectoryError) -> ImportFindings {
    precondition(state == .staging, "a second check")
    let check = ImportCheck(
      files: files,
      replaces: replaces,
      unreadable: unreadable,
      limit: limit
    )
    let findings = try await database.run { (connection) throws(StoreFailure) in
      try check.run(&connection)
    }
    state = findings.total == 0 && unreadable.isEmpty ? .checked : .ended
    return findings
  }

  /// Writes what the files say, constraints included; it stays invisible until `commit()`.
  ///
  /// - Parameter phase: Told what comes next, on the connection's thread.
  /// - Returns: What was added, changed, removed and left alone.
  /// - Throws: When the database refuses a row after all; nothing is changed then.
  package func apply(
    phase: (@Sendable (ImportPhase) -> Void)? = nil
  ) async throws(DirectoryError) -> ImportSummary {
    precondition(state == .checked, "an import that was not found sound")
    state = .ended
    let application = ImportApplication(replaces: replaces, phase: phase)
    let summary = try await database.run { (connection) throws(StoreFailure) in
      try application.run(&connection)
    }
    state = .applied
    return summary
  }

  /// Makes the import visible to everybody, and refreshes the planner's statistics.
  ///
  /// - Throws: `unavailable` when the connection breaks; its message says that nobody knows
  ///   whether the import was applied.
  package func commit() async throws(DirectoryError) {
    precondition(state == .applied, "a commit of nothing")
    state = .ended
    try await database.run { (connection) throws(StoreFailure) in
      try connection.commit()
      connection.tidyUp()
    }
  }

  /// Gives up the import and leaves everything as it was.
  package func rollback() async {
    state = .ended
    // Whatever comes of it, the server undoes what was not committed.
    _ = try? await database.run { (connection) throws(StoreFailure) in
      try connection.perform("rollback")
    }
  }
}

extension PGConnection {
  /// Ends the transaction; a connection that breaks meanwhile leaves the outcome unknown.
  fileprivate mutating func commit() throws(StoreFailure) {
    do throws(PostgresError) {
      guard try execute("commit").commandTag == "COMMIT" else {
        throw PostgresError.rolledBackInsteadOfCommitted
      }
    } catch {
      guard case .connectionLost(let reason, _) = error else { throw .postgres(error) }
      throw .postgres(.commitOutcomeUnknown(reason: reason))
    }
  }

  /// Statistics and pruning after the fact; what was committed stands whether they work or not.
  fileprivate mutating func tidyUp() {
    _ = try? perform("analyze staffbook.departments, staffbook.users, staffbook.memberships")
    _ = try? perform(
      """
      select staffbook.prune()
        where has_function_privilege('staffbook.prune(bigint)', 'execute')
      """
    )
  }
}
