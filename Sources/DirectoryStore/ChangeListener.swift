import DirectoryModel
import LibPQ
import Synchronization

/// A connection on which the database says that something was written (`NOTIFY staffbook`).
///
/// Writers say it only while a process waits; see `0017_2_tracking.sql`. Between two waits no
/// transaction is open, so that the server's queue of notifications can go on.
package struct ChangeListener: Sendable {
  /// Why notifications are unavailable.
  package enum Cause: Error, Hashable, Sendable {
    /// A standby takes no LISTEN.
    case standby
    /// A pooler gives each transaction another session.
    case pooler
    /// Others hold a lock by which writers would know of a waiting process.
    case locked(holders: String)
  }

  private let session: PGSession
  private let closeReason: CloseReason
  private static let doing = "wait for changes"

  /// Connects and listens.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - silenceLimit: How long the server may send nothing while an answer is due.
  ///   - rest: How long nothing may be asked of the connection; the server closes it after twice that.
  /// - Returns: A listener, which receives nothing before it is armed, or why there is none.
  /// - Throws: Why there is no connection.
  package static func connect(
    conninfo: String,
    silenceLimit: Duration?,
    rest: Duration
  ) async throws(DirectoryError) -> Result<ChangeListener, Cause> {
    let session: PGSession
    let closeReason = CloseReason()
    do throws(PostgresError) {
      session = try await PGSession.connect(
        conninfo: conninfo,
        options: PGConnectionOptions(silenceLimit: silenceLimit),
        notices: { closeReason.note($0) }
      )
    } catch {
      throw DirectoryError(error, doing: doing)
    }
    let listener = ChangeListener(session: session, closeReason: closeReason)
    let cause = try await listener.run { (connection) throws(StoreFailure) -> Cause? in
      let facts = try connection.query(
        "select pg_catalog.pg_is_in_recovery(), pg_catalog.pg_backend_pid()"
      )
      if facts.bool(row: 0, column: 0) == true { return .standby }
      // A pooler invents the number that it tells us.
      if facts.int(row: 0, column: 1) != Int(connection.backendPID),
        try !keepsSession(&connection, conninfo)
      {
        return .pooler
      }
      try listen(&connection, rest)
      return nil
    }
    return cause.map { .failure($0) } ?? .success(listener)
  }

  /// Whether what a session listens to reaches us through a pooler, which a notice from another
  /// connection shows: a session that serves others meanwhile loses it.
  private static func keepsSession(
    _ connection: inout PGConnection,
    _ conninfo: String
  ) throws(StoreFailure) -> Bool {
    let channel = "staffbook_" + String(UInt64.random(in: .min ... .max), radix: 36)
    do throws(PostgresError) {
      try connection.execute("listen \(channel)")
      var other = try PGConnection(
        conninfo: PGConninfo(parsing: conninfo).pinned(to: connection).pairs,
        options: PGConnectionOptions(silenceLimit: connection.patience.silenceLimit)
      )
      try other.execute("select pg_catalog.pg_notify($1, '')", [.text(channel)])
      let answer = try connection.waitForNotification(until: .now + .seconds(1))
      try connection.execute("unlisten \(channel)")
      return answer == .notified
    } catch {
      throw .postgres(error)
    }
  }

  /// A client that disappears silently must not hold the locks by which writers know of a waiting
  /// process: the server is to find out soon.
  private static func listen(
    _ connection: inout PGConnection,
    _ rest: Duration
  ) throws(StoreFailure) {
    var settings = [
      "tcp_keepalives_idle = 30", "tcp_keepalives_interval = 10", "tcp_keepalives_count = 3",
      "tcp_user_timeout = 60000",
    ]
    if connection.serverVersion >= 140_000 {
      let limit = min(rest * 2 + .seconds(60), .seconds(2_000_000))
      settings.append("idle_session_timeout = \(limit.components.seconds * 1_000)")
    }
    try connection.script(settings.map { "set \($0);" }.joined() + "listen staffbook")
  }

  private func run<R: Sendable>(
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    do throws(StoreFailure) {
      return try await session.withConnection(body)
    } catch {
      throw error.directoryError(doing: Self.doing)
    }
  }
}

/// What the server says when it closes a connection of which nothing was asked.
private final class CloseReason: Sendable {
  private let last = Mutex<String?>(nil)

  var text: String? { last.withLock { $0 } }

  func note(_ diagnostic: PGDiagnostic) {
    guard diagnostic.severity == .fatal || diagnostic.severity == .panic else { return }
    last.withLock { $0 = diagnostic.message }
  }
}

extension ChangeListener {
  /// What a look at the source shows.
  package struct ChangeCheck: Sendable {
    /// Whether there is something that the reader has not seen.
    package var hasChanges: Bool
    /// Every transaction below has ended.
    package var xmin: UInt64
  }

  /// Looks whether anything was written since a read.
  ///
  /// - Parameter watermark: What the read returned.
  /// - Returns: What there is; nothing new where broken triggers record nothing.
  /// - Throws: As a read.
  package func look(
    since watermark: SourceWatermark
  ) async throws(DirectoryError) -> ChangeCheck {
    try await run { (connection) throws(StoreFailure) in
      // What was said before is part of what is seen now.
      connection.takeNotifications()
      var options = PGTransactionOptions.consistentRead
      options.prologue = SourceFacts.prologue
      return try connection.inTransaction(options) { (connection) throws(StoreFailure) in
        let facts = try SourceFacts.read(&connection, since: watermark, doing: Self.doing)
        let hasChanges =
          switch IncrementalReadCheck(facts, since: watermark) {
          case .changes(let new): !new.isEmpty
          case .everything(.brokenTriggers): false
          case .everything, .behind: true
          }
        return ChangeCheck(hasChanges: hasChanges, xmin: facts.xmin)
      }
    }
  }

  /// Lets writers know of a waiting process; each that ends a transaction from now on tells.
  ///
  /// Those that are under way may not: the one who arms looks again once they have ended. Locks are
  /// tried for a fifth of a second and never waited for: every login may take them, and keep them.
  ///
  /// - Returns: A transaction of our own: each that may not tell has a lower number. A snapshot's xmax
  ///   would not do, which is one past the highest that has ended: some under way may have higher ones.
  ///   Or who has the locks; then there are no notifications.
  /// - Throws: That the connection is lost.
  package func arm() async throws(DirectoryError) -> Result<UInt64, Cause> {
    try await run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.look) {
        (connection) throws(StoreFailure) -> Result<UInt64, Cause> in
        var places = (0..<16).map(String.init)
        // A writer that looks whether a process waits has one of them for microseconds.
        for _ in 0..<Self.tries where !places.isEmpty {
          let taken = try connection.query(
            "select n from unnest(array[\(places.joined(separator: ","))]) n "
              + "where not pg_try_advisory_lock_shared(\(Self.bell), n)"
          )
          places = (0..<taken.rowCount).map { taken.cell(0, row: $0) }
          if !places.isEmpty { _ = try connection.query("select pg_sleep(0.01)") }
        }
        guard places.isEmpty else {
          let holders = try connection.query(Self.holders).cell(0)
          _ = try connection.query(Self.release)
          return .failure(.locked(holders: holders))
        }
        let own = try connection.query("select pg_current_xact_id()").cell(0)
        return .success(UInt64(own) ?? .max)
      }
    }
  }

  /// Lets writers know that no process waits.
  package func disarm() async throws(DirectoryError) {
    try await run { (connection) throws(StoreFailure) in
      _ = try connection.query(Self.release)
    }
  }

  private static let tries = 20
  private static let release = "select pg_catalog.pg_advisory_unlock_all()"

  /// Who holds one of the locks so that no one can share it, in words.
  private static let holders = """
    select coalesce(string_agg(distinct format('process %s (%s)', l.pid, concat_ws(', ',
        coalesce(nullif(a.application_name, ''), a.backend_type), 'user ' || a.usename)), ' and '),
        'another session')
      from pg_locks l left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.classid = \(bell) and l.objid < 16 and l.objsubid = 2
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.mode = 'ExclusiveLock' and l.granted
    """

  /// Waits until something was written.
  ///
  /// - Parameters:
  ///   - deadline: How long.
  ///   - descriptor: Ends the wait when it becomes readable.
  /// - Returns: What came first.
  /// - Throws: That the connection is lost.
  package func wait(
    until deadline: ContinuousClock.Instant,
    orReadable descriptor: CInt
  ) async throws(DirectoryError) -> PGConnection.NotificationWait {
    try await run { (connection) throws(StoreFailure) in
      do throws(PostgresError) {
        return try connection.waitForNotification(until: deadline, orReadable: descriptor)
      } catch PostgresError.cancelled {
        throw .directory(.interrupted)
      } catch {
        // Nothing was asked, and so nothing is to be said of it.
        let reason = closeReason.text ?? "the server closed it"
        throw .refusal(.unavailable, "the connection to the database was lost: \(reason)")
      }
    }
  }

  /// 'bell' in ASCII, as in the schema.
  private static let bell = 1_650_814_060
}
