import DirectoryModel
import TestSupport
import Testing

@testable import DirectoryStore
@testable import LibPQ

@Suite("PostgreSQL's errors")
struct ErrorTranslationTests {
  private func translated(_ error: PostgresError) -> DirectoryError {
    DirectoryError(error, doing: "import the directory")
  }

  /// What a state becomes, with the words in front of the server's.
  private struct Refusal {
    let kind: DirectoryError.Kind
    var words = ""
    let states: [String]
  }

  private static let refusals = [
    Refusal(kind: .notPermitted, states: ["42501"]),
    Refusal(kind: .cannotWrite, words: "the database is read-only: ", states: ["25006"]),
    Refusal(
      kind: .cannotWrite,
      words: "the disk of the database server is full: ",
      states: ["53100"]
    ),
    Refusal(
      kind: .cannotWrite,
      words: "the database server cannot use its disk: ",
      states: ["58030"]
    ),
    Refusal(
      kind: .refusedForNow,
      words: "it conflicts with another transaction: ",
      states: ["40001", "40P01"]
    ),
    Refusal(
      kind: .refusedForNow,
      words: "another session holds a lock on the tables: ",
      states: ["55P03"]
    ),
    Refusal(kind: .refusedForNow, words: "the server ended the statement: ", states: ["57014"]),
    Refusal(kind: .unavailable, states: ["53300", "57P03"]),
    Refusal(
      kind: .unavailable,
      words: "the database server failed: ",
      states: ["XX000", "XX001", "53400"]
    ),
    Refusal(
      kind: .badData,
      words: "the schema staffbook is not as its migrations created it: ",
      states: ["42809", "55000"]
    ),
    Refusal(
      kind: .badData,
      words: "the database does not have the schema of this program: ",
      states: ["42P01", "3F000"]
    ),
    Refusal(
      kind: .badData,
      words: "a trigger or function that is not Staffbook's refused it: ",
      states: ["P0001", "CO001"]
    ),
    Refusal(kind: .badData, states: ["23505", "23514", "SB001", "22021", "54000"]),
    Refusal(kind: .bug, states: ["42601", "0A000"]),
  ]

  @Test func `become the exit status that fits, in one line`() {
    for refusal in Self.refusals {
      for state in refusal.states {
        let diagnostic = PGDiagnostic(sqlstate: SQLState(rawValue: state), message: "no\nreason")
        let error = translated(.refused(diagnostic))
        #expect(error.kind == refusal.kind, "\(state)")
        #expect(
          error.message
            == "cannot import the directory: \(refusal.words)no; reason (SQLSTATE \(state))"
        )
      }
    }
  }

  @Test(arguments: [
    (
      "SSL error: certificate verify failed", nil,
      """
      sslrootcert or ~/.postgresql/root.crt must contain the certificate of the authority that \
      signed the server's, and the server's certificate must not have expired
      """
    ),
    (
      "server certificate for \"db.example\" (and 1 other name) does not match host name \"10.0.0.1\"",
      nil,
      """
      connect to a name that is in the server's certificate, or have the server's administrator \
      get a certificate for this name
      """
    ),
    (
      "server does not support SSL, but SSL was required", nil,
      "turn on ssl at the server, or remove sslmode from the connection setting"
    ),
    (
      "FATAL:  no pg_hba.conf entry for host \"::1\", user \"a\", database \"d\", no encryption",
      "28000",
      """
      the server may require encryption: add sslmode=require to the connection setting, or have \
      its administrator admit you in pg_hba.conf
      """
    ),
    (
      "FATAL:  no pg_hba.conf entry for host \"::1\", user \"a\", database \"d\", SSL encryption",
      "28000",
      "have the server's administrator admit this user, host and database in pg_hba.conf"
    ),
    (
      """
      FATAL:  no pg_hba.conf entry for host "::1", user "a", database "d", SSL encryption
      FATAL:  no pg_hba.conf entry for host "::1", user "a", database "d", no encryption
      """, "28000",
      "have the server's administrator admit this user, host and database in pg_hba.conf"
    ),
  ])
  func `of a connection advise what helps`(_ reason: String, _ state: String?, _ advice: String) {
    let error = translated(
      .connectionFailed(reason: reason, sqlstate: state.map { SQLState(rawValue: $0) })
    )
    #expect(error.kind == (state == nil ? .unavailable : .notPermitted))
    #expect(error.advice?.description == advice, "\(error)")
  }

  @Test func `advise only what this libpq can do`() {
    let reason = "root certificate file \"/etc/ssl/company.crt\" does not exist"
    let save =
      "save the certificate of the authority that signed the server's as /etc/ssl/company.crt"
    let system = save + ", or set sslrootcert=system in the connection setting"
    for (version, expected) in [(150_010, save), (160_000, system)] {
      let advice = DirectoryError.adviceForConnecting(reason, nil, libpq: version)
      #expect(advice == expected)
    }
    let error = translated(.connectionFailed(reason: reason, sqlstate: nil))
    #expect(error.kind == .unavailable)
    #expect([save, system].contains(error.advice?.description), "\(error)")
  }

  @Test(arguments: [
    (
      "too many connections for role \"ann\"",
      """
      the role has as many connections as it is allowed: try again later, or have an \
      administrator raise its limit (alter role … connection limit …)
      """
    ),
    (
      "too many connections for database \"book\"",
      """
      the database has as many connections as it is allowed: try again later, or have an \
      administrator raise its limit (alter database … connection limit …)
      """
    ),
    (
      "sorry, too many clients already",
      """
      the server has as many connections as it allows: try again later, raise max_connections, \
      or use a pooler such as PgBouncer
      """
    ),
  ])
  func `of too many connections name the limit that was reached`(
    _ reason: String,
    _ advice: String
  ) {
    let error = translated(
      .connectionFailed(reason: "FATAL:  " + reason, sqlstate: .tooManyConnections)
    )
    #expect(error.advice?.description == advice, "\(error)")
  }

  @Test func `on the way there are unavailable`() {
    #expect(
      translated(.connectionFailed(reason: "first\nsecond"))
        == DirectoryError(
          .unavailable,
          "cannot import the directory: the connection to PostgreSQL failed: first; second",
          advice: "check that the server is running and that the connection setting is right"
        )
    )
    #expect(
      translated(.connectionLost(reason: "gone", sqlstate: nil))
        == DirectoryError(
          .unavailable,
          "cannot import the directory: the connection to PostgreSQL was lost: gone",
          advice: "nothing was changed; try again when the server is back"
        )
    )
    #expect(
      translated(.commitOutcomeUnknown(reason: "gone"))
        == DirectoryError(
          .unavailable,
          """
          cannot import the directory with certainty: the connection was lost during COMMIT, and \
          it is unknown whether the changes were applied: gone
          """,
          advice: "check the contents of the database before trying again"
        )
    )
  }

  @Test(arguments: [
    (
      ["28P01", "28000"], DirectoryError.Kind.notPermitted, "PostgreSQL denied access",
      """
      check the user and the password, which come from the connection setting, PGPASSWORD or \
      ~/.pgpass
      """
    ),
    (
      ["42501"], .notPermitted, "PostgreSQL denied access",
      "have the owner of the database grant CONNECT on it"
    ),
    (
      ["3D000"], .unavailable, "the connection to PostgreSQL failed",
      "check the name of the database in the connection setting, or create it: createdb"
    ),
    (
      ["57P03"], .unavailable, "the connection to PostgreSQL failed",
      "the server is starting or stopping; try again in a moment"
    ),
    (
      ["53300"], .unavailable, "the connection to PostgreSQL failed",
      """
      the server has as many connections as it allows: try again later, raise max_connections, \
      or use a pooler such as PgBouncer
      """
    ),
  ])
  func `at the door are told apart`(
    _ states: [String],
    _ kind: DirectoryError.Kind,
    _ words: String,
    _ advice: String
  ) {
    for state in states {
      let error = translated(
        .connectionFailed(reason: "no\nway", sqlstate: SQLState(rawValue: state))
      )
      #expect(error.kind == kind)
      #expect(error.message == "cannot import the directory: \(words): no; way")
      #expect(error.advice?.description == advice)
    }
  }

  @Test func `that end a session are named by what ended it`() {
    for state in ["25P03", "25P04", "57P05"] {
      let error = translated(.connectionLost(reason: "gone", sqlstate: SQLState(rawValue: state)))
      #expect(error.kind == .unavailable)
      #expect(
        error.message
          == "cannot import the directory: a time limit of the server ended the session: gone"
      )
    }
    let pooler = translated(
      .connectionLost(
        reason: "transaction blocks not allowed in statement pooling mode",
        sqlstate: .protocolViolation
      )
    )
    #expect(pooler.kind == .unavailable)
    #expect(
      pooler.advice == """
        set pool_mode to transaction or session in PgBouncer for this database, or connect to \
        PostgreSQL directly
        """
    )
  }

  @Test func `of a function that is not ours are its own, and ours are ours`() {
    func error(_ state: String, context: String) -> DirectoryError {
      translated(
        .refused(
          PGDiagnostic(
            sqlstate: SQLState(rawValue: state),
            message: "no",
            detail: "never",
            context: context
          )
        )
      )
    }
    let frame = "PL/pgSQL function company.audit(text) line 3 at SQL statement"
    let theirs = error(
      "42P01",
      context: "SQL statement \"insert into log (a) values (1)\"\n" + frame
    )
    #expect(theirs.kind == .badData)
    #expect(
      theirs.message == """
        cannot import the directory: a trigger or function that is not Staffbook's refused it: no \
        (SQLSTATE 42P01); never (\(frame))
        """
    )
    #expect(
      theirs.advice == "nothing was changed; ask the author of that trigger or function"
    )
    let ours = error("42P01", context: "PL/pgSQL function staffbook.bury() line 3 at SQL statement")
    #expect(ours.advice?.description == "run: <migrate>")
    #expect(
      error("XX000", context: "while inserting tuple (0,1) in \"users\"").kind == .unavailable
    )
  }

  @Test func `name the keys of a broken rule, but no value that was bound`() {
    let ring = PGDiagnostic(
      sqlstate: SQLState(rawValue: "SB001"),
      message: "department \"a\" would be below itself",
      detail: "a → b → a",
      table: "departments",
      constraint: "departments_no_ring"
    )
    #expect(
      translated(.refused(ring)).message == """
        cannot import the directory: department "a" would be below itself (SQLSTATE SB001, \
        constraint departments_no_ring): a → b → a
        """
    )
    let value = PGDiagnostic(
      sqlstate: .invalidTextRepresentation,
      message: "invalid input syntax for type xid8: \"pw\"",
      detail: "pw"
    )
    #expect(
      translated(.refused(value)).message
        == "cannot import the directory: invalid input syntax for type xid8 (SQLSTATE 22P02)"
    )
  }

  @Test func `in our own use of it are bugs`() {
    #expect(translated(.invalidStatement(reason: "x")).kind == .bug)
    #expect(translated(.invalidConninfo(reason: "x")).kind == .usage)
  }
}
