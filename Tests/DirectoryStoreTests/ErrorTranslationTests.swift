import DirectoryModel
import LibPQ
import Testing

@testable import DirectoryStore

@Suite("PostgreSQL's errors")
struct ErrorTranslationTests {
  private func translated(_ error: PostgresError) -> DirectoryError {
    DirectoryError(error, doing: "import the directory")
  }

  @Test(arguments: [
    ("42501", DirectoryError.Kind.notPermitted), ("25006", .cannotWrite), ("53100", .cannotWrite),
    ("58030", .cannotWrite), ("40001", .refusedForNow), ("40P01", .refusedForNow),
    ("55P03", .refusedForNow), ("53300", .unavailable), ("57P03", .unavailable),
    ("57014", .interrupted), ("42P01", .badData), ("3F000", .badData), ("23505", .badData),
    ("23514", .badData), ("SB001", .badData), ("22021", .badData), ("42601", .bug),
    ("XX000", .bug),
  ])
  func `become the exit status that fits`(_ state: String, _ kind: DirectoryError.Kind) {
    let diagnostic = PGDiagnostic(sqlstate: SQLState(rawValue: state), message: "no\nreason")
    let error = translated(.refused(diagnostic))
    #expect(error.kind == kind)
    #expect(error.message.hasPrefix("cannot import the directory: "))
    #expect(!error.message.contains("\n"))
    #expect(!error.message.hasSuffix("."))
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
