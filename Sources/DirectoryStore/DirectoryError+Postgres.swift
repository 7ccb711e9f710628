import DirectoryModel
import LibPQ

extension DirectoryError {
  /// Says in the directory's words what PostgreSQL or the way to it made impossible.
  ///
  /// - Parameters:
  ///   - error: What LibPQ threw.
  ///   - doing: What was being done, such as `load the directory`.
  init(_ error: PostgresError, doing: String) {
    let attempt = "cannot \(doing)"
    switch error {
    case .invalidConninfo(let reason):
      self.init(
        .usage,
        "\(attempt): the connection string cannot be read: \(reason.onOneLine)",
        advice: "give a URL such as postgresql://user@host/database"
      )
    case .connectionFailed(let reason):
      self.init(
        .unavailable,
        "\(attempt): no connection to PostgreSQL: \(reason.onOneLine)",
        advice: "check that the server runs and that the connection setting names it"
      )
    case .connectionLost(let reason, _):
      self.init(
        .unavailable,
        "\(attempt): the connection to PostgreSQL broke: \(reason.onOneLine)",
        advice: "nothing was changed; try again when the server is back"
      )
    case .commitOutcomeUnknown(let reason):
      self.init(
        .unavailable,
        "\(attempt) for certain: the connection broke during COMMIT, and it is unknown whether "
          + "the changes were applied: \(reason.onOneLine)",
        advice: "look at what the database holds before trying again"
      )
    case .refused(let diagnostic):
      self.init(diagnostic, attempt: attempt)
    case .rolledBackInsteadOfCommitted, .invalidParameter, .invalidStatement,
      .protocolViolation, .outOfMemory:
      self.init(.bug, "\(attempt): \(error)")
    }
  }

  private init(_ diagnostic: PGDiagnostic, attempt: String) {
    let reason = diagnostic.reason
    switch diagnostic.sqlstate {
    case .insufficientPrivilege?:
      self.init(
        .notPermitted,
        "\(attempt): \(reason)",
        advice: "to read, the database user must be a member of staffbook_reader; to write, it "
          + "needs rights on the tables of the schema staffbook"
      )
    case .readOnlySQLTransaction?:
      self.init(
        .cannotWrite,
        "\(attempt): the database takes no changes: \(reason)",
        advice: "it may be a standby; write to the primary"
      )
    case .diskFull?:
      self.init(
        .cannotWrite,
        "\(attempt): the database server has no room left: \(reason)",
        advice: "make room on the server's disk and try again; nothing was changed"
      )
    case .ioError?:
      self.init(.cannotWrite, "\(attempt): the database server cannot use its disk: \(reason)")
    case .serializationFailure?, .deadlockDetected?:
      self.init(
        .refusedForNow,
        "\(attempt): somebody else changed the same at the same moment",
        advice: "nothing was changed; try again"
      )
    case .lockNotAvailable?:
      self.init(
        .refusedForNow,
        "\(attempt): somebody else holds what it needs locked: \(reason)",
        advice: "another import may be running; try again when it is done"
      )
    case .tooManyConnections?, .cannotConnectNow?:
      self.init(.unavailable, "\(attempt): \(reason)", advice: "try again in a moment")
    case .queryCanceled?:
      self.init(.interrupted, "\(attempt): it was cancelled", advice: "nothing was changed")
    case .invalidSchemaName?, .undefinedTable?, .undefinedFunction?, .undefinedColumn?:
      self.init(
        .badData,
        "\(attempt): the database has no directory, or not in this form: \(reason)",
        advice: "run: staffbook db migrate"
      )
    default:
      self.init(diagnostic.isAboutData ? .badData : .bug, "\(attempt): \(reason)")
    }
  }
}

extension PGDiagnostic {
  /// The SQLSTATE of the schema's own refusal: a department would be below itself.
  static let ringState = SQLState(rawValue: "SB001")

  /// Whether the values offered were at fault: bad values, violated constraints, rings.
  fileprivate var isAboutData: Bool {
    guard let sqlstate else { return false }
    return sqlstate.errorClass == "22" || sqlstate.errorClass == "23"
      || sqlstate == Self.ringState
  }

  /// The message, with the keys that a constraint's violation is about.
  fileprivate var reason: String {
    guard isAboutData, sqlstate?.errorClass != "22", let detail else {
      return description.onOneLine
    }
    return "\(description): \(detail)".onOneLine
  }
}

extension String {
  /// The text with each run of line breaks, and the indentation behind it, as `; `: one error is
  /// one line.
  var onOneLine: String {
    split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
  }
}
