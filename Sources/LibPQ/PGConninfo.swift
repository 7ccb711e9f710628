import CLibPQ
import Platform

/// A connection string taken apart: libpq's keywords and what they are set to.
///
/// Only what the string itself says; PG* variables, services and defaults fill the rest in later.
/// (libpq: PQconninfoParse)
package struct PGConninfo: Equatable, Sendable {
  /// One keyword and its value, in libpq's order of keywords.
  struct Setting: Equatable, Sendable {
    var keyword: String
    var value: String
    /// Whether libpq marks it as something to hide, such as `password` and `sslpassword`.
    var isSecret: Bool
  }

  private(set) var settings: [Setting] = []

  package init() {}

  /// Reads `keyword=value` pairs or a URI; "" means no setting at all.
  package init(parsing conninfo: String) throws(PostgresError) {
    guard !conninfo.utf8.contains(0) else {
      throw .invalidConninfo(reason: "it contains a NUL byte")
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(conninfo, &message) else {
      defer { PQfreemem(message) }
      guard let message else { throw .outOfMemory }
      throw .invalidConninfo(reason: Self.harmless(String(cString: message), about: conninfo))
    }
    defer { PQconninfoFree(options) }
    settings = Self.settings(in: options)
  }

  /// What the environment (`PG*`, `PGSERVICE`) and libpq's defaults say.
  static func environment() throws(PostgresError) -> PGConninfo {
    guard let options = PQconndefaults() else { throw .outOfMemory }
    defer { PQconninfoFree(options) }
    var conninfo = PGConninfo()
    conninfo.settings = settings(in: options)
    return conninfo
  }

  /// The variables that libpq reads, such as `PGHOST`, with the keyword that each sets.
  package static func environmentVariables() throws(PostgresError) -> [String: String] {
    guard let options = PQconndefaults() else { throw .outOfMemory }
    defer { PQconninfoFree(options) }
    var variables = ["PGSERVICE": "service"]
    for option in PQconninfoSequence(options) {
      guard let variable = option.envvar else { continue }
      variables[String(cString: variable)] = String(cString: option.keyword)
    }
    return variables
  }

  /// The same, with the default spelled out where a variable of the environment would have a say.
  ///
  /// `PGSERVICE` alone cannot be overruled so: libpq looks that service up in any case.
  package func shieldedFromEnvironment() throws(PostgresError) -> PGConninfo {
    guard let options = PQconndefaults() else { throw .outOfMemory }
    defer { PQconninfoFree(options) }
    var shielded = self
    for option in PQconninfoSequence(options) {
      let keyword = String(cString: option.keyword)
      guard let variable = option.envvar, getenv(variable) != nil, self[keyword] == nil,
        keyword != "service"
      else { continue }
      shielded[keyword] = option.compiled.map { String(cString: $0) } ?? ""
    }
    // The one whose default is empty: an empty number is refused.
    if shielded["connect_timeout"] == "" { shielded["connect_timeout"] = "10" }
    return shielded
  }

  /// What an open connection is made of, without secrets and without what is the default anyway.
  init(of handle: OpaquePointer) {
    guard let options = PQconninfo(handle) else { return }
    defer { PQconninfoFree(options) }
    settings = Self.settings(in: options, onlyChanged: true).filter { !$0.isSecret }
  }

  /// All that a connection is made of, wherever it came from, secrets and defaults included.
  init(effectiveIn handle: OpaquePointer) {
    guard let options = PQconninfo(handle) else { return }
    defer { PQconninfoFree(options) }
    settings = Self.settings(in: options)
  }

  /// The value of a keyword, such as `host`; `nil` when the string does not set it.
  ///
  /// Setting one that libpq does not know is found out when connecting.
  package subscript(keyword: String) -> String? {
    get { settings.first { $0.keyword == keyword }?.value }
    set {
      let index = settings.firstIndex { $0.keyword == keyword }
      switch (index, newValue) {
      case (let index?, let value?): settings[index].value = value
      case (let index?, nil): settings.remove(at: index)
      case (nil, let value?):
        let isSecret = Self.secretKeywords.contains(keyword)
        settings.append(Setting(keyword: keyword, value: value, isSecret: isSecret))
      case (nil, nil): break
      }
    }
  }

  /// The same, for another connection to the very server that one reached: of several hosts it is that one,
  /// and its name is not looked up again, which another address may be found by, or none.
  package func pinned(to connection: borrowing PGConnection) -> PGConninfo {
    var settings = self
    settings["host"] = connection.host
    // Also where it is empty: a service and the environment have no say.
    settings["hostaddr"] = connection.address
    settings["port"] = connection.port
    settings["target_session_attrs"] = "any"
    return settings
  }

  /// The parts by keyword, passwords included.
  package var dictionary: [String: String] {
    Dictionary(settings.map { ($0.keyword, $0.value) }, uniquingKeysWith: { _, last in last })
  }

  /// Whether a password, or the password of a key, stands in it.
  package var holdsSecret: Bool { settings.contains(where: \.isSecret) }

  package var withoutSecrets: PGConninfo {
    var copy = self
    copy.settings.removeAll(where: \.isSecret)
    return copy
  }

  /// Keywords that libpq marks as secret in every version we know.
  private static let secretKeywords: Set<String> = ["password", "sslpassword"]

  /// Copies the settings out of libpq's array.
  private static func settings(
    in options: UnsafeMutablePointer<PQconninfoOption>,
    onlyChanged: Bool = false
  ) -> [Setting] {
    var settings: [Setting] = []
    for option in PQconninfoSequence(options) {
      guard let value = option.val else { continue }
      let text = String(cString: value)
      if onlyChanged, option.compiled.map({ String(cString: $0) }) ?? "" == text { continue }
      settings.append(
        Setting(
          keyword: String(cString: option.keyword),
          value: text,
          // libpq: dispchar "*" is a field whose value is hidden on input.
          isSecret: option.dispchar.map { String(cString: $0) } == "*"
        )
      )
    }
    return settings
  }
}

extension PGConninfo {
  /// A connection string without any password, in the form it was given (pairs or URI).
  ///
  /// One that cannot be read is not shown at all: it is unknown what in it is the password.
  package static func redacted(conninfo text: String) -> String {
    guard let conninfo = try? PGConninfo(parsing: text) else {
      return "(unreadable connection string)"
    }
    let harmless = conninfo.withoutSecrets
    return isURI(text) ? harmless.uri : harmless.pairs
  }

  /// Source: libpq, uri_prefix_length.
  static func isURI(_ conninfo: String) -> Bool {
    conninfo.hasPrefix("postgresql://") || conninfo.hasPrefix("postgres://")
  }

  /// What libpq says about a string that it cannot read, without quoting a password out of it.
  ///
  /// Its messages quote the place where it stumbled, and that can be inside a password: the blank
  /// in `password=open sesame` makes `sesame` an unknown keyword.
  private static func harmless(_ message: String, about conninfo: String) -> String {
    let message = message.trimmedMessage
    guard isURI(conninfo) || conninfo.lowercased().contains("pass") else { return message }
    guard let first = message.firstIndex(of: "\""), let last = message.lastIndex(of: "\"") else {
      return message
    }
    // From the first quotation mark to the last: the quoted text may itself contain some.
    return message[..<first] + "\"…\"" + message[message.index(after: last)...]
  }
}

/// libpq's array of options, which ends with a null keyword.
private struct PQconninfoSequence: Sequence, IteratorProtocol {
  private var position: UnsafeMutablePointer<PQconninfoOption>

  init(_ options: UnsafeMutablePointer<PQconninfoOption>) { position = options }

  mutating func next() -> PQconninfoOption? {
    guard position.pointee.keyword != nil else { return nil }
    defer { position += 1 }
    return position.pointee
  }
}
