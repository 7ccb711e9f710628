import CLibPQ
import Platform

/// Brings a connection about, host after host.
///
/// libpq takes the next host by itself when one refuses. One that says nothing it waits for in
/// PQconnectdb only, which has no place for a notice receiver: warnings raised at login, such as of
/// a bad ALTER ROLE … SET, would go to stderr. Hence PQconnectPoll, which knows no time limit, with
/// one of ours; a host that passes it is struck off the list, and the others are tried again.
struct PGConnector {
  private var settings: PGConninfo
  private let options: PGConnectionOptions
  /// Gives a new PGconn what it needs before it hears from the server.
  private let prepare: (OpaquePointer) -> Void
  /// What became of hosts that are struck off.
  private var reasons: [String] = []

  init(
    _ conninfo: PGConninfo,
    _ options: PGConnectionOptions,
    prepare: @escaping (OpaquePointer) -> Void
  ) throws(PostgresError) {
    self.options = options
    self.prepare = prepare
    settings = try Self.completed(conninfo, options)
  }

  /// Connects to the first host that lets us in.
  ///
  /// - Returns: A handle that is ready for use and the caller's to free.
  mutating func connect() throws(PostgresError) -> OpaquePointer {
    try passOverHosts()
    while true {
      if Task.isCancelled { throw .cancelled }
      // As a string, not as arrays of keywords and values: in those an empty value counts as none,
      // and a variable of the environment would take its place.
      guard let handle = PQconnectStart(settings.pairs) else { throw .outOfMemory }
      prepare(handle)
      // Of a connection that fails, libpq tells the SQLSTATE in no other way.
      _ = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      switch Self.complete(handle) {
      case .connected:
        _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        return handle
      case .refused:
        let message = Self.withoutPassword(String(cString: PQerrorMessage(handle)), handle)
        var refusal = ConnectionFailure(verbose: message)
        if PQconnectionNeedsPassword(handle) == 1 { refusal.sqlstate = .invalidPassword }
        PQfinish(handle)
        throw .connectionFailed(
          reason: (reasons + [refusal.reason]).joined(separator: "\n"),
          sqlstate: refusal.sqlstate
        )
      case .cancelled:
        PQfinish(handle)
        throw .cancelled
      case .stalled(let seconds):
        let host = PendingHost(handle)
        PQfinish(handle)
        reasons.append(host.reason(seconds: seconds))
        try strikeOff(host)
      }
    }
  }

  private mutating func strikeOff(_ host: PendingHost) throws(PostgresError) {
    var hosts = PGHostList(Self.resolved(settings))
    let count = hosts.entries.count
    hosts.remove(name: host.name, address: host.address, port: host.port)
    guard !hosts.entries.isEmpty, hosts.entries.count < count || !host.address.isEmpty else {
      throw .connectionFailed(reason: reasons.joined(separator: "\n"))
    }
    hosts.apply(to: &settings)
  }

  private mutating func passOverHosts() throws(PostgresError) {
    guard !options.passedOver.isEmpty else { return }
    var hosts = PGHostList(Self.resolved(settings))
    for host in options.passedOver { hosts.remove(host) }
    guard !hosts.entries.isEmpty else {
      throw .connectionFailed(reason: "there are no more hosts")
    }
    hosts.apply(to: &settings)
  }
}

extension PGConnector {
  private enum Outcome {
    case connected
    case refused
    case cancelled
    case stalled(seconds: Int)
  }

  /// Takes a connection that was begun through its handshake. (libpq: PQconnectPoll)
  private static func complete(_ handle: OpaquePointer) -> Outcome {
    guard PQstatus(handle) != CONNECTION_BAD else { return .refused }
    let seconds = timeout(of: handle)
    var host = PendingHost(handle)
    var deadline = seconds.map { ContinuousClock.now + .seconds($0) }
    var next = PGRES_POLLING_WRITING
    while true {
      guard
        SocketWait.isReady(
          PQsocket(handle),
          toWrite: next == PGRES_POLLING_WRITING,
          toRead: next != PGRES_POLLING_WRITING,
          until: deadline,
          unless: { Task.isCancelled }
        )
      else { return Task.isCancelled ? .cancelled : .stalled(seconds: seconds ?? 0) }
      next = PQconnectPoll(handle)
      switch next {
      case PGRES_POLLING_OK: return .connected
      case PGRES_POLLING_FAILED: return .refused
      default: break
      }
      let current = PendingHost(handle)
      guard current != host else { continue }
      host = current
      deadline = seconds.map { ContinuousClock.now + .seconds($0) }
    }
  }

  /// Seconds for each address; `nil` means no limit. (libpq: connectDBComplete)
  private static func timeout(of handle: OpaquePointer) -> Int? {
    guard let seconds = PGConninfo(effectiveIn: handle)["connect_timeout"].flatMap({ Int($0) }),
      seconds > 0
    else { return nil }
    return max(seconds, 2)
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
}

extension PGConnector {
  /// Adds what we want where neither the string, its service nor the environment has a say.
  private static func completed(
    _ conninfo: PGConninfo,
    _ options: PGConnectionOptions
  ) throws(PostgresError) -> PGConninfo {
    var settings = conninfo
    settings["client_encoding"] = "UTF8"
    if settings["fallback_application_name"] == nil {
      settings["fallback_application_name"] = "staffbook"
    }
    // A service named in the string may say all this; its file is libpq's to read.
    let others = settings["service"] == nil ? try PGConninfo.environment() : resolved(settings)
    for (keyword, value) in fallbacks where settings[keyword] == nil && others[keyword] == nil {
      settings[keyword] = value
    }
    if let attributes = options.targetSessionAttributes, settings["target_session_attrs"] == nil,
      getenv("PGTARGETSESSIONATTRS") == nil,
      others["target_session_attrs"] ?? "any" == "any"
    {
      settings["target_session_attrs"] = attributes
    }
    return settings
  }

  /// A peer that disappears silently is found out after about half a minute, whether we wait
  /// for it to read or to write. (libpq: "keepalives_idle"; tcp(7), TCP_USER_TIMEOUT)
  private static let fallbacks = [
    ("connect_timeout", "10"), ("keepalives_idle", "15"), ("keepalives_interval", "5"),
    ("keepalives_count", "3"), ("tcp_user_timeout", "30000"),
  ]

  /// What a string means with its service, the environment and the defaults; nothing where that
  /// cannot be found out, which connecting finds out as well.
  private static func resolved(_ settings: PGConninfo) -> PGConninfo {
    guard let handle = PQconnectStart(settings.pairs) else { return settings }
    defer { PQfinish(handle) }
    return PGConninfo(effectiveIn: handle)
  }
}

/// The address that a connection is being made to.
private struct PendingHost: Equatable {
  var name: String
  var address: String
  var port: String

  init(_ handle: OpaquePointer) {
    name = PQhost(handle).map { String(cString: $0) } ?? ""
    address = PQhostaddr(handle).map { String(cString: $0) } ?? ""
    port = PQport(handle).map { String(cString: $0) } ?? ""
  }

  /// In libpq's own words.
  func reason(seconds: Int) -> String {
    let place =
      name.hasPrefix("/") || name.hasPrefix("@")
      ? "on socket \"\(name)/.s.PGSQL.\(port)\""
      : "at \"\(name)\"" + (address == name ? "" : " (\(address))") + ", port \(port)"
    return "connection to server \(place) failed: no answer within \(counted(seconds, "second"))"
  }
}

/// What a connection is to do beyond its connection string.
package struct PGConnectionOptions: Sendable, Equatable {
  /// `target_session_attrs` where neither the string, a service nor the environment names one,
  /// such as `prefer-standby`. (libpq: "Parameter Key Words")
  package var targetSessionAttributes: String?
  /// How long the server may send nothing while an answer is due; then it counts as stalled.
  ///
  /// `nil` waits for ever. Several seconds at least, unless `PGWaiting.isAtWork` tells: a server
  /// that computes is silent too.
  package var silenceLimit: Duration?
  /// Hosts of the string that are not tried.
  package var passedOver: [PGHost]

  package init(
    targetSessionAttributes: String? = nil,
    silenceLimit: Duration? = nil,
    passedOver: [PGHost] = []
  ) {
    self.targetSessionAttributes = targetSessionAttributes
    self.silenceLimit = silenceLimit
    self.passedOver = passedOver
  }
}

/// One host of a connection string, by what the string calls it.
package struct PGHost: Hashable, Sendable, CustomStringConvertible {
  /// A name, an address or a socket's folder; "" is libpq's default.
  package var name: String
  package var port: String

  package init(name: String, port: String) {
    self.name = name
    self.port = port
  }

  package var description: String {
    name.hasPrefix("/") || name.isEmpty ? "\(name)/.s.PGSQL.\(port)" : "\(name):\(port)"
  }
}
