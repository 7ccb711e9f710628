import CLibPQ

/// An open connection to PostgreSQL, closed when it goes out of scope.
///
/// What talks to the server is `mutating`: a connection does one thing at a time, and exclusive
/// access makes the compiler (or, in a class or actor, the runtime) say so. While a COPY or a
/// transaction's body runs, the connection is theirs.
///
/// Every call blocks its thread; from async code use `PGSession`, or an actor whose executor is a
/// `PGExecutor`.
// @unchecked: all use of `handle` that changes it is in mutating methods, hence exclusive; a
// PGconn is not tied to a thread (libpq: "Behavior in Threaded Programs").
package struct PGConnection: ~Copyable, @unchecked Sendable {
  /// Takes the server's notices and warnings, on the thread that is using the connection.
  package typealias NoticeHandler = @Sendable (PGDiagnostic) -> Void

  /// Of libpq, such as 170005. (libpq: PQlibVersion)
  package static var libraryVersion: Int { Int(PQlibVersion()) }

  let handle: OpaquePointer
  private let notices: Unmanaged<NoticeContext>
  /// Through which a cancelled call ends its statement; `nil` outside of a session.
  var gate: CancelGuard?
  /// Whether what is sent is sent in a cancelled task, too.
  var isShielded = false
  /// How long an answer is waited for.
  package var patience: PGWaiting

  /// Connects, and returns when the session is ready for use.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string, pairs or URI; what it leaves out comes from the
  ///     `PG*` environment, and "" leaves out everything. `client_encoding` is always UTF8;
  ///     `application_name` falls back to `staffbook`, `connect_timeout` to 10 seconds for each
  ///     address, and TCP's probes to finding out within half a minute that the peer is unreachable.
  ///   - options: What else the connection is to do.
  ///   - handler: Where notices go; they never reach stderr.
  /// - Throws: `invalidConninfo` or `connectionFailed`, which names each host and its reason.
  ///   Looking up a name is libpq's and has no limit but the resolver's.
  package init(
    conninfo: String,
    options: PGConnectionOptions = PGConnectionOptions(),
    notices handler: @escaping NoticeHandler = { _ in }
  ) throws(PostgresError) {
    let notices = Unmanaged.passRetained(NoticeContext(handler))
    do throws(PostgresError) {
      var connector = try PGConnector(PGConninfo(parsing: conninfo), options) { handle in
        Self.receiveNotices(of: handle, in: notices)
      }
      handle = try connector.connect()
    } catch {
      notices.release()
      throw error
    }
    self.notices = notices
    patience = PGWaiting(silenceLimit: options.silenceLimit)
  }

  deinit {
    PQfinish(handle)
    notices.release()
  }

  private static func receiveNotices(of handle: OpaquePointer, in box: Unmanaged<NoticeContext>) {
    _ = PQsetNoticeReceiver(
      handle,
      { box, result in
        guard let box, let result else { return }
        let diagnostic = PGDiagnostic(result: result)
        Unmanaged<NoticeContext>.fromOpaque(box).takeUnretainedValue().handler(diagnostic)
      },
      box.toOpaque()
    )
  }
}

/// Keeps the handler at one address for libpq.
// @unchecked: only who has the connection touches `handler`, and libpq calls it on that thread.
private final class NoticeContext: @unchecked Sendable {
  var handler: PGConnection.NoticeHandler

  init(_ handler: @escaping PGConnection.NoticeHandler) { self.handler = handler }
}

extension PGConnection {
  /// Lets notices go elsewhere from now on.
  package mutating func receiveNotices(_ handler: @escaping NoticeHandler) {
    notices.takeUnretainedValue().handler = handler
  }

  /// Finds out, without a round trip, whether the server has closed the connection meanwhile.
  package mutating func isStillAlive() -> Bool { PQconsumeInput(handle) == 1 && isAlive }

  /// Makes the session what it was when it was opened, with all its settings.
  ///
  /// It is what DISCARD ALL does, which forgets, however, what role the session was opened with.
  package mutating func resetSession() throws(PostgresError) {
    try executeScript(
      """
      reset session authorization; reset all; reset role; close all; deallocate all; unlisten *;
      select pg_catalog.pg_advisory_unlock_all(); discard plans; discard sequences; discard temp
      """
    )
  }
}

extension PGConnection {
  /// Where a session stands between BEGIN and COMMIT. (libpq: PQtransactionStatus)
  package enum TransactionStatus: Sendable {
    case idle
    /// A command is under way.
    case active
    case inTransaction
    /// A statement failed; only ROLLBACK is accepted.
    case inFailedTransaction
    /// The connection is lost.
    case unknown
  }

  package var transactionStatus: TransactionStatus {
    switch PQtransactionStatus(handle) {
    case PQTRANS_IDLE: .idle
    case PQTRANS_ACTIVE: .active
    case PQTRANS_INTRANS: .inTransaction
    case PQTRANS_INERROR: .inFailedTransaction
    default: .unknown
    }
  }

  /// Whether the connection was usable when it was last used.
  package var isAlive: Bool { PQstatus(handle) == CONNECTION_OK }

  /// The server's version as `major * 10000 + minor`, such as 150018.
  package var serverVersion: Int { Int(PQserverVersion(handle)) }

  /// The process that serves this session.
  package var backendPID: Int32 { PQbackendPID(handle) }

  /// The host connected to: a name, an address or a socket's folder.
  package var host: String { String(orEmpty: PQhost(handle)) }
  /// The address behind the host's name; "" for a socket.
  package var address: String { String(orEmpty: PQhostaddr(handle)) }
  package var port: String { String(orEmpty: PQport(handle)) }
  package var database: String { String(orEmpty: PQdb(handle)) }
  package var user: String { String(orEmpty: PQuser(handle)) }

  /// How many hosts the connection could be made to.
  package var hostCount: Int { PGHostList(PGConninfo(effectiveIn: handle)).entries.count }

  /// All that this connection was made with, wherever it came from, but no secret and no default.
  package var conninfo: PGConninfo { PGConninfo(of: handle) }

  /// What the server reports of itself, such as `server_encoding` or `in_hot_standby`.
  package func parameterStatus(_ name: String) -> String? {
    PQparameterStatus(handle, name).map { String(cString: $0) }
  }

  /// Makes what can end this connection's running statement from another thread.
  package func makeCanceller() throws(PostgresError) -> PGCanceller {
    guard let handle = PQgetCancel(handle) else {
      throw .connectionLost(reason: "there is nothing to cancel", sqlstate: nil)
    }
    return PGCanceller(owning: handle)
  }
}

extension String {
  /// A C string, or "" for none.
  fileprivate init(orEmpty text: UnsafeMutablePointer<CChar>?) {
    self = text.map { String(cString: $0) } ?? ""
  }
}
