import DirectoryModel
import LibPQ

extension DirectoryError {
  /// Says in the directory's words what PostgreSQL or the way to it made impossible.
  ///
  /// - Parameters:
  ///   - error: What LibPQ threw.
  ///   - doing: What was being done, such as `load the directory`.
  init(_ error: PostgresError, doing: String) {
    if Task.isCancelled, error.mayBeCancellation {
      self = .interrupted
      return
    }
    let attempt = "cannot \(doing)"
    switch error {
    case .cancelled: self = .interrupted
    case .invalidConninfo(let reason):
      self.init(
        .usage,
        "\(attempt): the connection string cannot be read: \(reason.onOneLine)",
        advice: "give a URL such as postgresql://user@host/database"
      )
    case .connectionFailed(let reason, let sqlstate):
      self.init(failedConnection: reason.onOneLine, sqlstate, attempt)
    case .connectionLost(let reason, let sqlstate):
      self.init(lostConnection: reason.onOneLine, sqlstate, attempt)
    case .commitOutcomeUnknown(let reason):
      self.init(
        .unavailable,
        "\(attempt) with certainty: the connection was lost during COMMIT, and it is unknown whether "
          + "the changes were applied: \(reason.onOneLine)",
        advice: "check the contents of the database before trying again"
      )
    case .refused(let diagnostic):
      self.init(diagnostic, attempt: attempt)
    case .protocolViolation:
      self.init(
        .unavailable,
        "\(attempt): \(error)",
        advice: "check that a PostgreSQL server is at that address, and that nothing in between "
          + "alters the data"
      )
    case .outOfMemory:
      self.init(.unavailable, "\(attempt): \(error)", advice: "close other programs and try again")
    case .rolledBackInsteadOfCommitted, .invalidParameter, .invalidStatement:
      self.init(.bug, "\(attempt): \(error)")
    }
  }

  private init(failedConnection reason: String, _ sqlstate: SQLState?, _ attempt: String) {
    if sqlstate == nil, Self.isOfSetting(reason) {
      self.init(
        .usage,
        "\(attempt): the connection setting is not valid: \(reason)",
        advice: "correct the connection string, or the variable that sets it, such as PGSSLMODE"
      )
    } else if let advice = Self.adviceForConnecting(reason, sqlstate) {
      self.init(
        sqlstate?.errorClass == "28" ? .notPermitted : .unavailable,
        "\(attempt): the connection to PostgreSQL failed: \(reason)",
        advice: Advice(advice)
      )
    } else if sqlstate?.errorClass == "28" {
      self.init(
        .notPermitted,
        "\(attempt): PostgreSQL denied access: \(reason)",
        advice: "check the user and the password, which come from the connection setting, "
          + "PGPASSWORD or ~/.pgpass"
      )
    } else if sqlstate == .insufficientPrivilege {
      self.init(
        .notPermitted,
        "\(attempt): PostgreSQL denied access: \(reason)",
        advice: "have the owner of the database grant CONNECT on it"
      )
    } else if sqlstate == .invalidCatalogName {
      self.init(
        .unavailable,
        "\(attempt): the connection to PostgreSQL failed: \(reason)",
        advice: "check the name of the database in the connection setting, or create it: createdb"
      )
    } else {
      self.init(
        .unavailable,
        "\(attempt): the connection to PostgreSQL failed: \(reason)",
        advice: "check that the server is running and that the connection setting is right"
      )
    }
  }

  /// Whether libpq refused an option before it looked for a server.
  ///
  /// Source: PostgreSQL 13 to 18, fe-connect.c (connectOptions2, parse_int_param).
  private static func isOfSetting(_ reason: String) -> Bool {
    reason.hasPrefix("invalid ") && (reason.contains(" value") || reason.contains(" number"))
      || reason.hasPrefix("could not match ")
      || reason.hasPrefix("weak sslmode ")
      || reason.contains(" invalid when SSL support is not compiled in")
  }

  /// What helps where the server's or libpq's words say more than that there is no connection; libpq's own
  /// have no SQLSTATE.
  ///
  /// Source: PostgreSQL 13 to 18, auth.c (`no pg_hba.conf entry`), miscinit.c and postinit.c (`too many
  /// connections for`), fe-secure-openssl.c, fe-secure-common.c, fe-connect.c.
  static func adviceForConnecting(
    _ reason: String,
    _ sqlstate: SQLState?,
    libpq version: Int = PGConnection.libraryVersion
  ) -> String? {
    if sqlstate == .tooManyConnections { return adviceForTooMany(reason) }
    if sqlstate == .cannotConnectNow {
      return "the server is starting or stopping; try again in a moment"
    }
    if let file = reason.firstRange(of: "root certificate file") {
      let words = reason[file.upperBound...].split(separator: "\"", maxSplits: 2)
      let path = words.count == 3 ? words[1] : "~/.postgresql/root.crt"
      return "save the certificate of the authority that signed the server's as \(path)"
        + (version >= 160_000 ? ", or set sslrootcert=system in the connection setting" : "")
    }
    if reason.contains("certificate verify failed") {
      return
        "sslrootcert or ~/.postgresql/root.crt must contain the certificate of the authority that "
        + "signed the server's, and the server's certificate must not have expired"
    }
    if reason.contains("does not match host name") {
      return
        "connect to a name that is in the server's certificate, or have the server's administrator "
        + "get a certificate for this name"
    }
    if reason.contains("server does not support SSL") {
      return "turn on ssl at the server, or remove sslmode from the connection setting"
    }
    guard reason.contains("no pg_hba.conf entry") else { return nil }
    // By default libpq tries both.
    return reason.contains("no encryption") && !reason.contains("SSL encryption")
      ? "the server may require encryption: add sslmode=require to the connection setting, or have its "
        + "administrator admit you in pg_hba.conf"
      : "have the server's administrator admit this user, host and database in pg_hba.conf"
  }

  private static func adviceForTooMany(_ reason: String) -> String {
    for (kind, statement) in [("role", "alter role"), ("database", "alter database")]
    where reason.contains("too many connections for \(kind)") {
      return "the \(kind) has as many connections as it is allowed: try again later, or have an "
        + "administrator raise its limit (\(statement) … connection limit …)"
    }
    return
      "the server has as many connections as it allows: try again later, raise max_connections, "
      + "or use a pooler such as PgBouncer"
  }

  private init(lostConnection reason: String, _ sqlstate: SQLState?, _ attempt: String) {
    switch sqlstate {
    case .protocolViolation? where reason.contains("statement pooling"):
      self.init(
        .unavailable,
        "\(attempt): the connection goes through a pooler in statement mode, which does "
          + "not allow transactions: \(reason)",
        advice: "set pool_mode to transaction or session in PgBouncer for this database, or "
          + "connect to PostgreSQL directly"
      )
    case .idleInTransactionSessionTimeout?, .transactionTimeout?, .idleSessionTimeout?:
      self.init(
        .unavailable,
        "\(attempt): a time limit of the server ended the session: \(reason)",
        advice: "nothing was changed; raise that limit for this user (alter role … set)"
      )
    default:
      self.init(
        .unavailable,
        "\(attempt): the connection to PostgreSQL was lost: \(reason)",
        advice: "nothing was changed; try again when the server is back"
      )
    }
  }

  private init(_ diagnostic: PGDiagnostic, attempt: String) {
    guard let (kind, words, advice) = diagnostic.sqlstate.flatMap({ Self.passing[$0] }) else {
      self.init(lasting: diagnostic, attempt)
      return
    }
    self.init(kind, "\(attempt): \(words)\(diagnostic.reason)", advice: advice)
  }

  /// What may be otherwise when it is tried again, with the words in front of the server's.
  private static let passing: [SQLState: (Kind, words: String, Advice?)] = {
    let conflict: (Kind, String, Advice?) = (
      .refusedForNow, "it conflicts with another transaction: ", "nothing was changed; try again"
    )
    let busy: (Kind, String, Advice?) = (.unavailable, "", "try again in a moment")
    return [
      .readOnlySQLTransaction: (
        .cannotWrite, "the database is read-only: ", "it may be a standby; write to the primary"
      ),
      .diskFull: (
        .cannotWrite, "the disk of the database server is full: ",
        "nothing was changed; free some space on the server's disk and try again"
      ),
      .ioError: (.cannotWrite, "the database server cannot use its disk: ", nil),
      .serializationFailure: conflict,
      .deadlockDetected: conflict,
      .lockNotAvailable: (
        .refusedForNow, "another session holds a lock on the tables: ",
        "nothing was changed; try again when that session has finished"
      ),
      .tooManyConnections: busy,
      .cannotConnectNow: busy,
      .queryCanceled: (
        .refusedForNow, "the server ended the statement: ",
        "nothing was changed; an administrator, or a time limit of the server, ended it: try again"
      ),
    ]
  }()

  /// What will be the same when it is tried again.
  private init(lasting diagnostic: PGDiagnostic, _ attempt: String) {
    let reason = diagnostic.reason
    if let words = diagnostic.wordsOfOthers {
      self.init(
        diagnostic.sqlstate == .insufficientPrivilege ? .notPermitted : .badData,
        "\(attempt): a trigger or function that is not Staffbook's refused it: \(words)",
        advice: diagnostic.hint?.onOneLine
          ?? "nothing was changed; ask the author of that trigger or function"
      )
      return
    }
    switch diagnostic.sqlstate {
    case .insufficientPrivilege?:
      self.init(
        .notPermitted,
        "\(attempt): \(reason)",
        advice: "nothing was changed; to read, the database user must be a member of "
          + "staffbook_reader; to write, of staffbook_editor, and row-level security must let it"
      )
    case .invalidSchemaName?, .undefinedTable?, .undefinedFunction?, .undefinedColumn?:
      self.init(
        .badData,
        "\(attempt): the database does not have the schema of this program: \(reason)",
        advice: "run: \(.migrate)"
      )
    case let sqlstate? where sqlstate.isAboutObjects:
      self.init(
        .badData,
        "\(attempt): the schema staffbook is not as its migrations created it: \(reason)",
        advice: diagnostic.sqlstate?.errorClass == "55"
          ? diagnostic.hint?.onOneLine
          : "undo the changes to that schema, or import into a new database; "
            + "queries on other tables belong in config.yaml, under source"
      )
    case let sqlstate? where sqlstate.isServerFault:
      self.init(
        .unavailable,
        "\(attempt): the database server failed: \(reason)",
        advice: diagnostic.hint?.onOneLine ?? "see the server's log"
      )
    default:
      self.init(diagnostic.isAboutData ? .badData : .bug, "\(attempt): \(reason)")
    }
  }
}

extension SQLState {
  /// Whether a relation, column, type or function is not what a statement of ours takes it for.
  fileprivate var isAboutObjects: Bool {
    ["42", "2B", "55"].contains(errorClass) && self != .syntaxError
  }

  /// Whether the server ran out of something, or something of it is broken.
  fileprivate var isServerFault: Bool { ["53", "57", "58", "F0", "XX"].contains(errorClass) }

  /// Whether PostgreSQL itself never says it, or only for a function in a procedural language.
  ///
  /// Source: PostgreSQL manual, appendix A.
  fileprivate var isCustom: Bool {
    !Self.classes.contains(errorClass) && self != PGDiagnostic.ringState
  }

  private static let classes: Set<Substring> = [
    "00", "01", "02", "03", "08", "09", "0A", "0B", "0F", "0L", "0Z", "20", "21", "22", "23",
    "24", "25", "26", "27", "28", "2B", "2D", "2F", "34", "38", "39", "3B", "3D", "3F", "40",
    "42", "44", "53", "54", "55", "57", "58", "72", "F0", "HV", "XX",
  ]
}

extension PGDiagnostic {
  /// The SQLSTATE of the schema's own refusal: a department would be below itself.
  static let ringState = SQLState(rawValue: "SB001")

  /// Whether the values offered were at fault: bad values, violated constraints, rings.
  fileprivate var isAboutData: Bool {
    guard let sqlstate else { return false }
    return ["22", "23", "44", "54"].contains(sqlstate.errorClass) || sqlstate == Self.ringState
  }

  /// The message, with the keys that a constraint's violation is about.
  fileprivate var reason: String {
    guard isAboutData, sqlstate?.errorClass != "22", let detail else {
      return description.onOneLine
    }
    return "\(description): \(detail)".onOneLine
  }

  /// Message, detail and place of an error that a function that is not ours raised or ran into.
  fileprivate var wordsOfOthers: String? {
    let frame = frameOfOthers
    guard sqlstate?.isCustom == true || frame != nil && !isAboutData else { return nil }
    let detail = detail.map { "; " + $0 } ?? ""
    let place = frame.map { " (\($0))" } ?? ""
    return (description + detail + place).onOneLine
  }

  /// The innermost function on the server's stack, unless it is of the schema staffbook: a name
  /// with a schema and parentheses, whatever the language around it.
  private var frameOfOthers: String? {
    for line in (context ?? "").split(whereSeparator: \.isNewline) {
      guard !line.hasPrefix("COPY "), let end = line.firstIndex(of: "("),
        line[..<end].split(separator: " ", omittingEmptySubsequences: false).last?.contains(".")
          == true
      else { continue }
      return line.contains("staffbook.") ? nil : String(line)
    }
    return nil
  }
}

extension String {
  /// The text as the one line that an error is: each run of line breaks, and the indentation
  /// behind it, is `; `.
  var onOneLine: String {
    split(whereSeparator: \.isNewline)
      .map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
  }
}
