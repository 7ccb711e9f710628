import LibPQ
import Platform
import Synchronization

/// Finds out what a session waits for, on a connection of its own, and says each thing once.
///
/// A statement that computes is not news; one that waits for a lock or a standby is, and so is a
/// server that does not answer.
final class WaitReporter: Sendable {
  /// Takes what there is to say to the person who waits.
  typealias Notice = @Sendable (String) -> Void

  /// How long a wait goes without a word.
  static let delay = Duration.seconds(1)

  private let conninfo: PGConninfo
  private let backendPID: Int32
  private let lockSeconds: Int
  private let silenceSeconds: Int64?
  private let notice: Notice
  private let told = Mutex<Set<String>>([])

  /// - Parameters:
  ///   - connection: The session that may wait.
  ///   - conninfo: What it was made with.
  ///   - notice: Called on the thread that waits.
  init(
    _ connection: borrowing PGConnection,
    conninfo: String,
    notice: @escaping Notice
  ) {
    var settings = ((try? PGConninfo(parsing: conninfo)) ?? PGConninfo()).pinned(to: connection)
    settings["connect_timeout"] = "2"
    self.conninfo = settings
    backendPID = connection.backendPID
    lockSeconds = max(
      1,
      SessionSettings.lockMilliseconds(silenceLimit: connection.patience.silenceLimit) / 1_000
    )
    silenceSeconds = connection.patience.silenceLimit?.components.seconds
    self.notice = notice
  }

  /// Says what the session waits for, unless it has been said.
  func tell() {
    guard let cause = cause(), told.withLock({ $0.insert(cause).inserted }) else { return }
    notice(cause)
  }

  /// Whether the server, asked on a connection of its own, is at work for the session: neither done
  /// nor stuck in a wait for its client, for a lock or for a standby.
  func isAtWork() -> Bool {
    do throws(PostgresError) {
      let found = try ask()
      // Behind a pooler it cannot be determined; such a server does at least answer.
      guard found.rowCount == 1 else { return true }
      let isActive = found.text(row: 0, column: 4) == "active"
      return isActive && !["Client", "Lock"].contains(found.text(row: 0, column: 0))
        && found.text(row: 0, column: 1) != "SyncRep"
    } catch {
      // In a cancelled task no one is asked, and COMMIT gets no more time.
      return error != .cancelled && !error.isConnectionGone
        || error.sqlstate == .tooManyConnections
    }
  }

  private static let query = """
    select a.wait_event_type, a.wait_event,
        (select pg_catalog.string_agg(
            pg_catalog.format('process %s (%s)', b.pid, pg_catalog.concat_ws(', ',
              coalesce(nullif(b.application_name, ''), b.backend_type), 'user ' || b.usename)),
            ' and ' order by b.pid)
          from pg_catalog.pg_stat_activity b where b.pid = any(l.pids)),
        0 = any(l.pids), a.state
      from pg_catalog.pg_stat_activity a, pg_catalog.pg_blocking_pids(a.pid) l(pids)
      where a.pid = $1 and a.usename = session_user
        and a.datname = pg_catalog.current_database()
    """

  /// One row for the session, or none behind a pooler, whose numbers are not the server's.
  private func ask() throws(PostgresError) -> PGResult {
    var connection = try PGConnection(
      conninfo: conninfo.pairs,
      options: PGConnectionOptions(silenceLimit: .seconds(2))
    )
    return try connection.execute(Self.query, [.int64(Int64(backendPID))])
  }

  private func cause() -> String? {
    do throws(PostgresError) {
      let found = try ask()
      guard found.rowCount == 1 else { return silence("the server has not answered yet") }
      switch (found.text(row: 0, column: 0), found.text(row: 0, column: 1)) {
      case ("Lock", _):
        let processes = found.text(row: 0, column: 2)
        let prepared =
          found.bool(row: 0, column: 3) == true
          ? "a prepared transaction (see pg_prepared_xacts)" : nil
        let holders = [processes, prepared].compactMap { $0 }.joined(separator: " and ")
        return "waiting for a lock that is held by \(holders.isEmpty ? "another session" : holders)"
          + "; giving up after \(counted(lockSeconds, "second")) of waiting for one lock"
      case (_, "SyncRep"):
        return "the server has written the changes and is waiting for a synchronous standby to "
          + "confirm them"
      default: return nil
      }
    } catch {
      return error.isConnectionGone ? silence("the server sends nothing") : nil
    }
  }

  private func silence(_ text: String) -> String {
    silenceSeconds.map { "\(text); giving up after \(counted($0, "second")) of silence" } ?? text
  }
}

extension PGSession {
  /// Connects, and reports when that takes long.
  static func connect(
    conninfo: String,
    options: PGConnectionOptions,
    notices: @escaping PGConnection.NoticeHandler,
    reporting notice: @escaping WaitReporter.Notice
  ) async throws(PostgresError) -> PGSession {
    // Beside the call, which keeps its own thread busy until it is through.
    let reminder = Task {
      try await Task.sleep(for: WaitReporter.delay * 2)
      notice("waiting for the database server to accept the connection")
    }
    defer { reminder.cancel() }
    return try await connect(conninfo: conninfo, options: options, notices: notices)
  }
}

extension PGConnection {
  /// Reports from now on every wait that takes long.
  mutating func report(
    _ conninfo: String,
    to notice: @escaping WaitReporter.Notice
  ) {
    let reporter = WaitReporter(self, conninfo: conninfo, notice: notice)
    patience.reminder = (WaitReporter.delay, { reporter.tell() })
    patience.isAtWork = { reporter.isAtWork() }
  }
}

/// Gathers what the server says besides, from whatever thread uses the connection.
final class NoticeList: Sendable {
  private let list = Mutex<[String]>([])

  func append(_ notice: PGDiagnostic) {
    let hint = notice.hint.map { "; " + $0 } ?? ""
    list.withLock { $0.append((notice.message + hint).onOneLine) }
  }

  var texts: [String] { list.withLock { $0 } }
}
