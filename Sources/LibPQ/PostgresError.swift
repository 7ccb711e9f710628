/// Why something asked of PostgreSQL did not happen.
///
/// No case holds a password, and no description a bound parameter.
package enum PostgresError: Error, Equatable, Sendable {
  /// The connection string cannot be read; nothing was tried.
  case invalidConninfo(reason: String)
  /// No connection came about: the server is not there, or does not let us in; then `sqlstate` is
  /// what it said, such as `28P01` for a wrong password, or for one that is missing.
  case connectionFailed(reason: String, sqlstate: SQLState? = nil)
  /// The connection broke; whatever was not committed is lost. `sqlstate` is the server's farewell,
  /// such as `57P01` when an administrator shut it down; `nil` when it went without a word.
  case connectionLost(reason: String, sqlstate: SQLState?)
  /// The connection broke while COMMIT was under way: it may have happened or not.
  case commitOutcomeUnknown(reason: String)
  /// COMMIT was answered by ROLLBACK: an earlier statement had failed, and its error was ignored.
  case rolledBackInsteadOfCommitted
  /// The task was cancelled before the statement was sent, or while it connected.
  case cancelled
  /// The server refused the statement; the connection stays usable.
  case refused(PGDiagnostic)
  /// A parameter that cannot be sent, by its 1-based position (`$1`).
  case invalidParameter(position: Int, reason: String)
  /// A statement that cannot be sent, or that is not what the call is for.
  case invalidStatement(reason: String)
  /// libpq and the server do not understand each other.
  case protocolViolation(reason: String)
  case outOfMemory
}

extension PostgresError {
  /// The server's code, where there is one.
  package var sqlstate: SQLState? {
    switch self {
    case .refused(let diagnostic): diagnostic.sqlstate
    case .connectionLost(_, let sqlstate), .connectionFailed(_, let sqlstate): sqlstate
    default: nil
    }
  }

  /// The violated constraint's name, where the server named one.
  package var constraint: String? {
    guard case .refused(let diagnostic) = self else { return nil }
    return diagnostic.constraint
  }

  /// Whether it may come of the task's being cancelled: what was under way is undone in any case.
  package var mayBeCancellation: Bool {
    switch self {
    case .cancelled, .connectionFailed, .connectionLost: true
    default: sqlstate == .queryCanceled
    }
  }

  /// Whether the connection is lost, so that the next step is to reconnect.
  package var isConnectionGone: Bool {
    switch self {
    case .connectionFailed, .connectionLost, .commitOutcomeUnknown: true
    default: false
    }
  }

  /// Whether the same transaction may succeed when it is tried again on this connection.
  package var isTransient: Bool {
    switch sqlstate {
    case .serializationFailure, .deadlockDetected, .lockNotAvailable: !isConnectionGone
    default: false
    }
  }
}

extension PostgresError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .invalidConninfo(let reason): "cannot read the connection string: \(reason)"
    case .connectionFailed(let reason, _): "cannot connect to PostgreSQL: \(reason)"
    case .connectionLost(let reason, nil): "lost the connection to PostgreSQL: \(reason)"
    case .connectionLost(let reason, let sqlstate?):
      "lost the connection to PostgreSQL: \(reason) (SQLSTATE \(sqlstate))"
    case .commitOutcomeUnknown(let reason):
      "lost the connection to PostgreSQL during COMMIT, with an unknown outcome: \(reason)"
    case .rolledBackInsteadOfCommitted:
      "PostgreSQL rolled the transaction back at COMMIT: an earlier statement had failed"
    case .cancelled: "interrupted"
    case .refused(let diagnostic): "PostgreSQL refused: \(diagnostic)"
    case .invalidParameter(let position, let reason):
      "cannot send parameter $\(position): \(reason)"
    case .invalidStatement(let reason): "cannot send the statement: \(reason)"
    case .protocolViolation(let reason): "cannot understand the server: \(reason)"
    case .outOfMemory: "out of memory in libpq"
    }
  }
}

/// What a call throws that runs a closure of the caller: PostgreSQL's failures, or the closure's.
package protocol PostgresFailure: Error {
  init(_ error: PostgresError)
}

extension PostgresError: PostgresFailure {
  package init(_ error: PostgresError) { self = error }
}
