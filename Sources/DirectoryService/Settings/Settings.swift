import DirectoryModel
import SystemPackage

/// What a command works with: flags win over the environment, the environment over the file.
package struct Settings: Sendable {
  package let folders: Folders
  package let source: SourceSetting
  /// The locale for the order of names; `und` where nobody chose one.
  package let locale: String
  /// ISO 3166 code of the country whose telephone numbers need no country code.
  package let country: String?
  package let environment: [String: String]

  /// libpq variables that choose a server; any of them means "not the private one".
  ///
  /// Source: libpq, "Environment Variables".
  private static let serverVariables = [
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE",
  ]

  package init(
    environment: [String: String],
    database: String? = nil
  ) throws(DirectoryError) {
    self.environment = environment
    folders = try Folders(environment: environment)
    let file = try ConfigurationFile(path: folders.configuration.appending("config.yaml"))
    locale = Self.nonEmpty(environment["STAFFBOOK_LOCALE"]) ?? Self.nonEmpty(file.locale) ?? "und"
    country = Self.nonEmpty(file.country)
    let conninfo =
      Self.nonEmpty(database) ?? Self.nonEmpty(environment["STAFFBOOK_DATABASE_URL"])
      ?? Self.conninfoOfLibpq(environment) ?? Self.nonEmpty(file.database)
    source = try SourceSetting(conninfo: conninfo, queries: file.source)
  }

  /// An empty connection string, by which libpq reads its own environment.
  private static func conninfoOfLibpq(_ environment: [String: String]) -> String? {
    serverVariables.contains { nonEmpty(environment[$0]) != nil } ? "" : nil
  }

  private static func nonEmpty(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
