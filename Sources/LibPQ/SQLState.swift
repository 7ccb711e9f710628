/// A five-character SQLSTATE; callers match it, never a message's text.
///
/// Source: PostgreSQL manual, appendix A ("PostgreSQL Error Codes").
package struct SQLState: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package var description: String { rawValue }

  /// The first two characters: the class, such as `23` for a violated constraint.
  package var errorClass: Substring { rawValue.prefix(2) }

  package static let protocolViolation = SQLState(rawValue: "08P01")

  package static let readOnlySQLTransaction = SQLState(rawValue: "25006")
  package static let idleInTransactionSessionTimeout = SQLState(rawValue: "25P03")
  package static let transactionTimeout = SQLState(rawValue: "25P04")
  package static let invalidPassword = SQLState(rawValue: "28P01")
  package static let invalidCatalogName = SQLState(rawValue: "3D000")
  package static let invalidSchemaName = SQLState(rawValue: "3F000")

  package static let serializationFailure = SQLState(rawValue: "40001")
  package static let deadlockDetected = SQLState(rawValue: "40P01")

  package static let insufficientPrivilege = SQLState(rawValue: "42501")
  package static let syntaxError = SQLState(rawValue: "42601")
  package static let undefinedColumn = SQLState(rawValue: "42703")
  package static let undefinedFunction = SQLState(rawValue: "42883")
  package static let undefinedTable = SQLState(rawValue: "42P01")
  package static let duplicateTable = SQLState(rawValue: "42P07")
  package static let duplicateColumn = SQLState(rawValue: "42701")
  package static let duplicateFunction = SQLState(rawValue: "42723")
  package static let duplicateObject = SQLState(rawValue: "42710")

  package static let diskFull = SQLState(rawValue: "53100")
  package static let tooManyConnections = SQLState(rawValue: "53300")
  package static let lockNotAvailable = SQLState(rawValue: "55P03")
  package static let queryCanceled = SQLState(rawValue: "57014")
  package static let cannotConnectNow = SQLState(rawValue: "57P03")
  package static let idleSessionTimeout = SQLState(rawValue: "57P05")
  package static let ioError = SQLState(rawValue: "58030")
}
