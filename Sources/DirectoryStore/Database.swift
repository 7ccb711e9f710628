import DirectoryModel
import LibPQ

/// A connection for one kind of work, whose failures come as `DirectoryError`.
struct Database: Sendable {
  private let lease: ConnectionLease
  /// What the work is, for messages: `load the directory`.
  let doing: String

  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - doing: What the work is, for messages.
  ///   - access: Where the connection comes from, how long it is waited for, and who is told.
  ///   - attributes: `target_session_attrs` where nothing else names one.
  ///   - notices: Where the server's notices go.
  /// - Returns: The connection.
  /// - Throws: Why there is none.
  static func connect(
    conninfo: String,
    doing: String,
    access: DatabaseAccess = DatabaseAccess(),
    attributes: String? = nil,
    notices: @escaping PGConnection.NoticeHandler = { _ in }
  ) async throws(DirectoryError) -> Database {
    do throws(PostgresError) {
      let lease = try await access.pool.lease(
        conninfo,
        PGConnectionOptions(
          targetSessionAttributes: attributes,
          silenceLimit: access.silenceLimit
        ),
        notices: notices,
        reporting: access.notice
      )
      return Database(lease: lease, doing: doing)
    } catch {
      throw DirectoryError(error, doing: doing)
    }
  }

  /// Runs `body` in a transaction that only reads, in a database whose schema serves a use.
  static func look<R: Sendable>(
    at conninfo: String,
    for use: ServerRequirements.Use,
    doing: String,
    access: DatabaseAccess,
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    let database = try await connect(conninfo: conninfo, doing: doing, access: access)
    return try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: use, doing: doing)
      return try body(&connection)
    }
  }

  /// Runs `body` with the connection, off the cooperative pool.
  func run<R: Sendable>(
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    do throws(StoreFailure) {
      return try await lease.session.withConnection(body)
    } catch {
      throw error.directoryError(doing: doing)
    }
  }

  /// Makes room for another connection where this one is of no use any more.
  func giveUp() { lease.end() }

  /// Runs `body` in a transaction that only reads.
  func look<R: Sendable>(
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    try await run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.look, body)
    }
  }
}

/// Where connections to a database come from, how long it is waited for, and who is told meanwhile.
package struct DatabaseAccess: Sendable {
  package var pool: ConnectionPool
  /// How long the server may send nothing while an answer is due; `nil` is for ever.
  ///
  /// One that is known to be at work on the answer may take ten times as long.
  package var silenceLimit: Duration?
  /// Told what is waited for, on the thread that waits.
  package var notice: @Sendable (String) -> Void

  package init(
    pool: ConnectionPool = ConnectionPool(),
    silenceLimit: Duration? = .seconds(60),
    notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.pool = pool
    self.silenceLimit = silenceLimit
    self.notice = notice
  }

  /// The same, for a connection that is new and that no caller waits for to be given back.
  var alone: DatabaseAccess { DatabaseAccess(silenceLimit: silenceLimit, notice: notice) }
}

/// What can go wrong in the store before it is put into words: PostgreSQL's failures, which are
/// translated in one place, and our own findings.
enum StoreFailure: PostgresFailure {
  case postgres(PostgresError)
  case directory(DirectoryError)
  /// The schema is of another version than this program's, or not there; a second look says which.
  case wrongSchemaVersion

  init(_ error: PostgresError) { self = .postgres(error) }

  /// Something of ours to say.
  static func refusal(
    _ kind: DirectoryError.Kind,
    _ message: String,
    advice: Advice? = nil
  ) -> StoreFailure {
    .directory(DirectoryError(kind, message, advice: advice))
  }

  func directoryError(doing: String) -> DirectoryError {
    switch self {
    case .postgres(let error): DirectoryError(error, doing: doing)
    case .directory(let error): error
    case .wrongSchemaVersion:
      DirectoryError(
        .badData,
        "cannot \(doing): the schema of the database has another version",
        advice: "run: \(.migrate)"
      )
    }
  }
}

extension PGConnection {
  /// Runs a statement whose result does not matter, and says how many rows it touched.
  @discardableResult
  mutating func perform(
    _ sql: String,
    _ parameters: [PGParameter] = []
  ) throws(StoreFailure) -> Int {
    do throws(PostgresError) {
      return try execute(sql, parameters).affectedRows ?? 0
    } catch {
      throw .postgres(error)
    }
  }

  /// Runs several statements of ours.
  mutating func script(_ sql: String) throws(StoreFailure) {
    do throws(PostgresError) { try executeScript(sql) } catch { throw .postgres(error) }
  }

  /// Runs a query.
  mutating func query(
    _ sql: String,
    _ parameters: [PGParameter] = []
  ) throws(StoreFailure) -> PGResult {
    do throws(PostgresError) { return try execute(sql, parameters) } catch {
      throw .postgres(error)
    }
  }

  /// Runs `body` in a transaction with settings of ours; what it throws rolls back.
  mutating func inTransaction<R>(
    _ options: PGTransactionOptions,
    meansOwnTables: Bool = false,
    _ body: (inout PGConnection) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    var options = options
    options.prologue =
      SessionSettings.script(for: self, meansOwnTables: meansOwnTables) + options.prologue
    return try transaction(options, body)
  }
}

extension PGResult {
  /// A cell that a query of ours always fills.
  func cell(_ column: Int, row: Int = 0) -> String { text(row: row, column: column) ?? "" }
}
