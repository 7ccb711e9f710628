import DirectoryModel
import DirectoryStore
import LibPQ
import LiveDirectory
import PrivateServer
import SiteSettings

/// The server of the directory, and the schema there.
package struct DatabaseServer: Sendable {
  let site: Site

  package init(_ administrator: Administrator) { self.init(administrator.site) }

  init(_ site: Site) { self.site = site }

  /// Whether a connection string carries a password.
  package static func holdsPassword(_ conninfo: String) -> Bool {
    (try? PGConninfo(parsing: conninfo))?.holdsSecret ?? false
  }

  /// Starts the private server.
  ///
  /// - Returns: Where it can be reached.
  /// - Throws: `.usage` when the source is another server than the private one.
  package func startServer() async throws(DirectoryError) -> String {
    try requirePrivateServer("start")
    return try await site.startPrivateServer().url
  }

  /// Stops the private server.
  ///
  /// - Returns: Whether it was running.
  /// - Throws: `.usage` when the source is another server than the private one.
  package func stopServer() async throws(DirectoryError) -> Bool {
    try requirePrivateServer("stop")
    do throws(PrivateServerError) {
      return try await site.privateServer.stop()
    } catch {
      throw DirectoryError(error)
    }
  }

  private func requirePrivateServer(_ verb: String) throws(DirectoryError) {
    guard site.settings.source.server == .privateServer else {
      throw DirectoryError(
        .usage,
        "cannot \(verb) \(StatusReport.description(of: site.settings.source)): it is not the private server",
        advice: "remove the connection setting to use the private server"
      )
    }
  }

  /// One libpq URI without a password; the private server is started so that it can be used.
  package func databaseURL() async throws(DirectoryError) -> String {
    switch site.settings.source.server {
    case .privateServer: return try await site.startPrivateServer().url
    case .conninfo(let conninfo):
      var parts = (try? PGConninfo(parsing: conninfo)) ?? PGConninfo()
      for (keyword, variable) in SourceSetting.identifyingKeywords + [("user", "PGUSER")]
      where parts[keyword] == nil && parts["service"] == nil {
        parts[keyword] = site.settings.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
      }
      return parts.withoutSecrets.uri
    }
  }

  /// Brings the schema up to this program.
  ///
  /// - Returns: What was done, line by line.
  /// - Throws: Why the database cannot be migrated.
  package func migrate() async throws(DirectoryError) -> [String] {
    try site.requireWritable("migrate")
    let conninfo = try await site.conninfoAsIs()
    let report = try await Migrator().migrate(conninfo: conninfo, access: site.access)
    let applied = report.applied.map { "applied \($0)" }
    return (applied.isEmpty ? ["the schema is up to date"] : applied)
      + ["schema version \(report.version)"] + report.notices
  }

  /// Makes the schema again as the migrations made it, after bringing it up to
  /// this program.
  ///
  /// - Returns: What was done, line by line.
  /// - Throws: Why the database cannot be repaired.
  package func repairSchema() async throws(DirectoryError) -> [String] {
    let migrated = try await migrate()
    let report = try await Migrator().repair(
      conninfo: site.conninfoAsIs(),
      access: site.access
    )
    return migrated
      + (report.mended.isEmpty && report.remaining.isEmpty
        ? ["there was nothing to repair"] : report.mended.map { "repaired: \($0)" })
      + report.remaining.map { "still differs from the migrations: \($0)" } + report.notices
  }
}
