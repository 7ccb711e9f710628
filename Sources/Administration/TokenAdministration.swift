import SiteSettings
import DirectoryModel
import DirectoryReading
import DirectoryStore
import LiveDirectory

/// Who is let in at a server by tokens, and the devices that may have some.
package struct TokenAdministration: Sendable {
  private let session: Session

  package init(_ administrator: Administrator) { session = administrator.session }

  /// Makes a token.
  ///
  /// - Parameters:
  ///   - who: A person, or `device:` and a name.
  ///   - purpose: What it is for.
  ///   - scope: What its holder may do.
  ///   - period: For how long, such as `1y`, or `never` for one that does not expire.
  /// - Returns: Its text, which is kept nowhere, and what is kept of it.
  /// - Throws: `.notFound` if no person, or several, match; `.usage` for an invalid period;
  ///   `.notPermitted` for database users who are not members of `staffbook_admin`.
  package func addToken(
    for who: String,
    purpose: String,
    scope: TokenScope,
    expires period: String
  ) async throws -> (text: String, token: Token) {
    let store = try await store("add a token")
    let lifetime = period == "never" ? nil : try RetentionPeriod(period, orElse: "never").interval
    let holder = try await holder(who)
    let text = Self.makeText()
    let token = try await store.add(
      TokenHash(of: text),
      of: holder,
      for: purpose,
      may: scope,
      lifetime: lifetime
    )
    return (text, token)
  }

  private func holder(_ who: String) async throws -> Viewer {
    if who.hasPrefix("device:") { return .device(String(who.dropFirst("device:".count))) }
    // A name may have become another person's since the last sync.
    let directory = try await DirectoryOpener(session).directory(fresh: true)
    let row = try directory.listRow(at: directory.theNode(of: who, .user))
    guard DepartmentName(who).isExact(for: row) else {
      throw DirectoryError(
        .notFound,
        "no person is called \(who)",
        advice:
          "did you mean \(row.name) (id:\(row.id))? Name the person by the id or the whole name"
      )
    }
    return .person(UserID(row.id))
  }

  /// 160 bits of the system's random source, in base32 (RFC 4648 §6) of lower case.
  private static func makeText() -> String {
    var source = SystemRandomNumberGenerator()
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    let random = (0..<32).map { _ in digits[Int(source.next(upperBound: 32 as UInt64))] }
    return "sb_" + String(decoding: random, as: UTF8.self)
  }

  /// All tokens, also those that have expired.
  package func tokens() async throws(DirectoryError) -> [Token] {
    try await store("list the tokens").tokens()
  }

  /// Ends tokens, all or none: every node of a server refuses them after a few seconds.
  ///
  /// - Throws: `.notFound` where one of them is not there; `.notPermitted`.
  package func removeTokens(_ ids: [Int64]) async throws(DirectoryError) {
    try await store("remove tokens").remove(ids)
  }

  /// Adds a device, which sees nothing until a rule names it.
  ///
  /// - Throws: `.badData` for a name that is taken or none; `.notPermitted`.
  package func addDevice(_ name: String) async throws(DirectoryError) {
    try await store("add a device").addDevice(name)
  }

  package func devices() async throws(DirectoryError) -> [Device] {
    try await store("list the devices").devices()
  }

  /// Removes a device with its tokens; rules that name it stay.
  ///
  /// - Returns: How many tokens it had.
  /// - Throws: `.notFound` where there is no such device; `.notPermitted`.
  package func removeDevice(_ name: String) async throws(DirectoryError) -> Int {
    try await store("remove a device").removeDevice(name)
  }

  private func store(_ doing: String) async throws(DirectoryError) -> DatabaseEditor {
    let site = session.site
    guard site.settings.source.queries == nil else {
      throw DirectoryError(
        .notPermitted,
        "cannot \(doing): tokens are kept in the schema of Staffbook, and the source is queries on other "
          + "tables, which are only read",
        advice:
          "remove source from the configuration, and import the people into a database of Staffbook"
      )
    }
    return DatabaseEditor(
      conninfo: try await site.conninfo(),
      authorship: session.caller.authorship(reason: nil),
      access: site.access
    )
  }
}
