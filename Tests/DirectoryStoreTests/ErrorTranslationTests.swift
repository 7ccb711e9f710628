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

  @Test(arguments: [
    ("42501", DirectoryError.Kind.notPermitted), ("25006", .cannotWrite), ("53100", .cannotWrite),
    ("58030", .cannotWrite), ("40001", .refusedForNow), ("40P01", .refusedForNow),
    ("55P03", .refusedForNow), ("53300", .unavailable), ("57P03", .unavailable),
    ("57014", .refusedForNow), ("42809", .badData), ("42P01", .badData), ("3F000", .badData),
    ("23505", .badData),
    ("23514", .badData), ("SB001", .badData), ("22021", .badData), ("42601", .bug),
    ("XX000", .unavailable), ("XX001", .unavailable), ("53400", .unavailable), ("54000", .badData),
    ("55000", .badData), ("P0001", .badData), ("CO001", .badData), ("0A000", .bug),
  ])
  func `become the exit status that fits`(_ state: String, _ kind: DirectoryError.Kind) {
    let diagnostic = PGDiagnostic(sqlstate: SQLState(rawValue: state), message: "no\nreason")
    let error = translated(.refused(diagnostic))
    #expect(error.kind == kind)
    #expect(error.message.hasPrefix("cannot import the directory: "))
    #expect(!error.message.contains("\n"))
    #expect(!error.message.hasSuffix("."))
  }

  @Test(arguments: [
    (
      "root certificate file \"/etc/ssl/company.crt\" does not exist", nil,
      "signed the server's as /etc/ssl/company.crt"
    ),
    ("SSL error: certificate verify failed", nil, "the authority that signed the server's"),
    (
      "server certificate for \"db.example\" (and 1 other name) does not match host name \"10.0.0.1\"",
      nil, "connect to a name that is in the server's certificate"
    ),
    ("server does not support SSL, but SSL was required", nil, "turn on ssl"),
    (
      "FATAL:  no pg_hba.conf entry for host \"::1\", user \"a\", database \"d\", no encryption",
      "28000", "sslmode=require"
    ),
    (
      "FATAL:  no pg_hba.conf entry for host \"::1\", user \"a\", database \"d\", SSL encryption",
      "28000", "have the server's administrator admit this user"
    ),
    (
      """
      FATAL:  no pg_hba.conf entry for host "::1", user "a", database "d", SSL encryption
      FATAL:  no pg_hba.conf entry for host "::1", user "a", database "d", no encryption
      """, "28000", "have the server's administrator admit this user"
    ),
  ])
  func `of a connection advise what helps`(_ reason: String, _ state: String?, _ advice: String) {
    let error = translated(
      .connectionFailed(reason: reason, sqlstate: state.map { SQLState(rawValue: $0) })
    )
    #expect(error.kind == (state == nil ? .unavailable : .notPermitted))
    #expect(error.advice?.description.contains(advice) == true, "\(error)")
  }

  @Test func `advise only what this libpq can do`() {
    let reason = "root certificate file \"/home/ann/.postgresql/root.crt\" does not exist"
    for (version, isOffered) in [(150_010, false), (160_000, true)] {
      let advice = DirectoryError.adviceForConnecting(reason, nil, libpq: version)
      #expect(advice?.contains("sslrootcert=system") == isOffered)
    }
  }

  @Test(arguments: [
    ("too many connections for role \"ann\"", "alter role"),
    ("too many connections for database \"book\"", "alter database"),
    ("sorry, too many clients already", "max_connections"),
  ])
  func `of too many connections name the limit that was reached`(_ reason: String, _ limit: String)
  {
    let error = translated(
      .connectionFailed(reason: "FATAL:  " + reason, sqlstate: .tooManyConnections)
    )
    #expect(error.advice?.description.contains(limit) == true, "\(error)")
  }

  @Test func `on the way there are unavailable`() {
    let errors: [PostgresError] = [
      .connectionFailed(reason: "first\nsecond"), .connectionLost(reason: "gone", sqlstate: nil),
      .commitOutcomeUnknown(reason: "gone"),
    ]
    for error in errors.map(translated) {
      #expect(error.kind == .unavailable)
      #expect(error.advice != nil)
      #expect(!error.message.contains("\n"))
    }
    #expect(translated(.commitOutcomeUnknown(reason: "x")).message.contains("unknown whether"))
  }

  @Test(arguments: [
    ("28P01", DirectoryError.Kind.notPermitted, "password"), ("28000", .notPermitted, "password"),
    ("42501", .notPermitted, "CONNECT"), ("3D000", .unavailable, "createdb"),
    ("57P03", .unavailable, "starting"), ("53300", .unavailable, "max_connections"),
  ])
  func `at the door are told apart`(
    _ state: String,
    _ kind: DirectoryError.Kind,
    _ advice: String
  ) {
    let error = translated(
      .connectionFailed(reason: "no\nway", sqlstate: SQLState(rawValue: state))
    )
    #expect(error.kind == kind)
    #expect(error.advice?.description.contains(advice) == true)
  }

  @Test func `that end a session are named by what ended it`() {
    for state in ["25P03", "25P04", "57P05"] {
      let error = translated(.connectionLost(reason: "gone", sqlstate: SQLState(rawValue: state)))
      #expect(error.kind == .unavailable && error.message.contains("a time limit of the server"))
    }
    let pooler = translated(
      .connectionLost(
        reason: "transaction blocks not allowed in statement pooling mode",
        sqlstate: .protocolViolation
      )
    )
    #expect(pooler.kind == .unavailable && pooler.advice?.description.contains("pool_mode") == true)
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
    #expect(
      theirs.kind == .badData && theirs.message.hasSuffix("no (SQLSTATE 42P01); never (\(frame))")
    )
    #expect(theirs.advice?.description.contains("migrate") == false)
    let ours = error("42P01", context: "PL/pgSQL function staffbook.bury() line 3 at SQL statement")
    #expect(ours.advice?.description.contains("migrate") == true)
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
    #expect(translated(.refused(ring)).message.contains("a → b → a"))
    let value = PGDiagnostic(
      sqlstate: .invalidTextRepresentation,
      message: "invalid input syntax for type xid8: \"pw\"",
      detail: "pw"
    )
    #expect(!translated(.refused(value)).message.contains("pw"))
  }

  @Test func `in our own use of it are bugs`() {
    #expect(translated(.invalidStatement(reason: "x")).kind == .bug)
    #expect(translated(.invalidConninfo(reason: "x")).kind == .usage)
  }
}
