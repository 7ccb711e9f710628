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

  let handle: OpaquePointer
  private let notices: Unmanaged<NoticeBox>

  /// Connects, and returns when the session is ready for use.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string, pairs or URI; what it leaves out comes from the
  ///     `PG*` environment, and "" leaves out everything. `client_encoding` is always UTF8;
  ///     `application_name` falls back to `staffbook`, `connect_timeout` to 10 seconds per host.
  ///   - handler: Where notices go; they never reach stderr.
  /// - Throws: `invalidConninfo` or `connectionFailed`.
  package init(conninfo: String, notices handler: @escaping NoticeHandler = { _ in })
    throws(PostgresError)
  {
    let settings = try Self.completed(PGConninfo(parsing: conninfo))
    guard let handle = Self.start(settings) else { throw .outOfMemory }
    let notices = Unmanaged.passRetained(NoticeBox(handler))
    do throws(PostgresError) {
      try Self.requireNotBad(handle)
      Self.receiveNotices(of: handle, in: notices)
      // The first attempt only made the PGconn: PQconnectdb has no place for a receiver, and
      // warnings raised at login (a bad ALTER ROLE … SET) would go to stderr. PQreset connects
      // anew, with the receiver and, unlike PQconnectPoll, with connect_timeout for each host.
      PQreset(handle)
      try Self.requireNotBad(handle)
    } catch {
      PQfinish(handle)
      notices.release()
      throw error
    }
    self.handle = handle
    self.notices = notices
  }

  deinit {
    PQfinish(handle)
    notices.release()
  }

  /// Adds what we want where neither the string, the environment nor a service has a say.
  private static func completed(_ conninfo: PGConninfo) throws(PostgresError) -> PGConninfo {
    var settings = conninfo
    settings["client_encoding"] = "UTF8"
    if settings["fallback_application_name"] == nil {
      settings["fallback_application_name"] = "staffbook"
    }
    // A service named in the string may set the timeout; its file is libpq's to read.
    if settings["connect_timeout"] == nil, settings["service"] == nil,
      try PGConninfo.environment()["connect_timeout"] == nil
    {
      settings["connect_timeout"] = "10"
    }
    return settings
  }

  /// As a string, not as arrays of keywords and values: in those an empty value counts as none,
  /// and a variable of the environment would take its place.
  private static func start(_ conninfo: PGConninfo) -> OpaquePointer? {
    PQconnectStart(conninfo.pairs)
  }

  /// Reads the reason while the handle lives: even a failed connection is allocated.
  private static func requireNotBad(_ handle: OpaquePointer) throws(PostgresError) {
    guard PQstatus(handle) == CONNECTION_BAD else { return }
    throw .connectionFailed(
      reason: withoutPassword(String(cString: PQerrorMessage(handle)), handle)
    )
  }

  /// The message with the connection's password blanked out, should it stand there.
  private static func withoutPassword(_ message: String, _ handle: OpaquePointer) -> String {
    let message = message.trimmedMessage
    guard let password = PQpass(handle).map({ String(cString: $0) }), password.utf8.count > 2 else {
      return message
    }
    return message.split(separator: password, omittingEmptySubsequences: false)
      .joined(separator: "…")
  }

  private static func receiveNotices(of handle: OpaquePointer, in box: Unmanaged<NoticeBox>) {
    _ = PQsetNoticeReceiver(
      handle,
      { box, result in
        guard let box, let result else { return }
        let diagnostic = PGDiagnostic(result: result)
        Unmanaged<NoticeBox>.fromOpaque(box).takeUnretainedValue().handler(diagnostic)
      },
      box.toOpaque()
    )
  }
}

/// Keeps the handler at one address for libpq.
private final class NoticeBox: Sendable {
  let handler: PGConnection.NoticeHandler

  init(_ handler: @escaping PGConnection.NoticeHandler) { self.handler = handler }
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
    /// The connection is gone.
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
  package var port: String { String(orEmpty: PQport(handle)) }
  package var database: String { String(orEmpty: PQdb(handle)) }
  package var user: String { String(orEmpty: PQuser(handle)) }

  /// All that this connection was made with, wherever it came from, but no secret and no default.
  package var conninfo: PGConninfo { PGConninfo(of: handle) }

  /// What the server reports of itself, such as `server_encoding` or `in_hot_standby`.
  package func parameterStatus(_ name: String) -> String? {
    PQparameterStatus(handle, name).map { String(cString: $0) }
  }

  /// See `PGConninfo.redacted(conninfo:)`.
  package static func redacted(conninfo: String) -> String {
    PGConninfo.redacted(conninfo: conninfo)
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
  fileprivate init(orEmpty text: UnsafePointer<CChar>?) {
    self = text.map { String(cString: $0) } ?? ""
  }
  fileprivate init(orEmpty text: UnsafeMutablePointer<CChar>?) {
    self = text.map { String(cString: $0) } ?? ""
  }
}
