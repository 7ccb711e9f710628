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
  /// How long a server may send nothing while an answer is due.
  package let silenceLimit: Duration
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
    silenceLimit = try Self.silenceLimit(environment["STAFFBOOK_TIMEOUT"])
    let conninfo =
      Self.nonEmpty(database) ?? Self.nonEmpty(environment["STAFFBOOK_DATABASE_URL"])
      ?? Self.conninfoOfLibpq(environment) ?? Self.nonEmpty(file.database)
    source = try SourceSetting(conninfo: conninfo, queries: file.source)
  }

  /// Seconds, a minute where nobody says otherwise.
  private static func silenceLimit(_ text: String?) throws(DirectoryError) -> Duration {
    guard let text = nonEmpty(text) else { return .seconds(60) }
    guard let seconds = Int(text), (1...86_400).contains(seconds) else {
      throw DirectoryError(
        .usage,
        "STAFFBOOK_TIMEOUT is \(text)",
        advice: "give it a number of seconds from 1 to 86400"
      )
    }
    return .seconds(seconds)
  }

  /// An empty connection string, by which libpq reads its own environment.
  private static func conninfoOfLibpq(_ environment: [String: String]) -> String? {
    serverVariables.contains { nonEmpty(environment[$0]) != nil } ? "" : nil
  }

  private static func nonEmpty(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
