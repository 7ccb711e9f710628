import CLibPQ

/// What the server says about one refused statement, or in one notice.
///
/// Source: libpq, PQresultErrorField. The fields are data from the server: `message`, `detail` and
/// `context` may quote rows and parameters, which is why `description` keeps to what cannot.
package struct PGDiagnostic: Equatable, Sendable, CustomStringConvertible {
  /// How bad it is; the words of the protocol, never localized.
  package enum Severity: String, Sendable {
    case panic = "PANIC"
    case fatal = "FATAL"
    case error = "ERROR"
    case warning = "WARNING"
    case notice = "NOTICE"
    case info = "INFO"
    case log = "LOG"
    case debug = "DEBUG"
  }

  package var severity = Severity.error
  /// `nil` when libpq itself made the message.
  package var sqlstate: SQLState?
  package var message: String
  package var detail: String?
  package var hint: String?
  package var table: String?
  package var column: String?
  package var constraint: String?
  /// The call stack inside the server, or the line of a COPY.
  package var context: String?

  /// The message without values, its SQLSTATE, and the constraint or table it is about.
  package var description: String {
    var text = messageWithoutValues
    if let sqlstate { text += " (SQLSTATE \(sqlstate)" + place + ")" }
    return text
  }

  /// What `message` says apart from the value that it quotes.
  ///
  /// A data exception (class 22) ends with the offending value, which may be a bound parameter:
  /// `invalid input syntax for type integer: "…"`.
  private var messageWithoutValues: String {
    guard sqlstate?.errorClass == "22", let colon = message.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { return message }
    return String(message[..<colon]).trimmedMessage
  }

  private var place: String {
    if let constraint { return ", constraint \(constraint)" }
    if let table, let column { return ", column \(table).\(column)" }
    if let table { return ", table \(table)" }
    return ""
  }
}

extension PGDiagnostic {
  /// Copies the fields out of a result that is an error or a notice.
  init(result: OpaquePointer) {
    func field(_ code: Int) -> String? {
      PQresultErrorField(result, CInt(code)).map { String(cString: $0) }
    }
    self.init(
      severity: field(staffbook_diag_severity).flatMap(Severity.init(protocolWord:)) ?? .error,
      sqlstate: field(staffbook_diag_sqlstate).map(SQLState.init(rawValue:)),
      message: field(staffbook_diag_message) ?? Self.bareMessage(of: result),
      detail: field(staffbook_diag_detail),
      hint: field(staffbook_diag_hint),
      table: field(staffbook_diag_table),
      column: field(staffbook_diag_column),
      constraint: field(staffbook_diag_constraint),
      context: field(staffbook_diag_context)
    )
  }

  /// The text of an error that libpq made, which has no fields.
  private static func bareMessage(of result: OpaquePointer) -> String {
    PQresultErrorMessage(result).map { String(cString: $0).trimmedMessage } ?? ""
  }
}

extension PGDiagnostic.Severity {
  /// From the protocol's word; the debug levels `DEBUG1`…`DEBUG5` are one.
  init?(protocolWord word: String) {
    self.init(rawValue: word.hasPrefix("DEBUG") ? "DEBUG" : word)
  }
}

extension String {
  /// The text without the line breaks and blanks that libpq leaves at its ends.
  var trimmedMessage: String {
    let blank: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 || $0 == 0x09 }
    let bytes = Array(utf8)
    guard let first = bytes.firstIndex(where: { !blank($0) }),
      let last = bytes.lastIndex(where: { !blank($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
