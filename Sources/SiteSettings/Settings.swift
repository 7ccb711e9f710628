import DirectoryModel
import DirectorySearch
import Platform
import SystemPackage

/// What a command works with: flags win over the environment, the environment over the file.
package struct Settings: Sendable {
  package let folders: Folders
  package let source: SourceSetting
  /// The locale for the order of names; `und` where none was chosen.
  package let locale: String
  /// How telephone numbers are dialled in the country that the configuration names.
  package let phones: DialingPlan
  /// How long a server may send nothing while an answer is due.
  package let silenceLimit: Duration
  /// Seconds after which a snapshot that was not compared with its source is old; `nil` for never.
  package let maxAge: Int64?
  /// Seconds after which a sync that watches looks by itself; `nil` where that is not set.
  package let poll: Int64?
  /// Whether the terminal may be coloured.
  package let usesColour: Bool
  package let environment: [String: String]
  /// Who asks, by the configuration: an id, a name or an address.
  private let me: String?
  /// What keys do in the browser.
  package let keys: [KeySetting]
  /// Lists that are imported again and again.
  package let jobs: [ImportJob]
  /// How `staffbookd` serves.
  package var server: ServerSettings
  /// Settings that are wrong; each is as if it were not there.
  package let problems: [InputProblem]

  /// libpq variables that choose a server; any of them means "not the private one".
  ///
  /// Source: libpq, "Environment Variables".
  private static let serverVariables = [
    "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE",
  ]

  /// - Parameters:
  ///   - environment: The variables.
  ///   - database: A connection string from the command line.
  ///   - administrator: The file of the machine, read before the user's own.
  /// - Throws: Where a file cannot be used.
  package init(
    environment: [String: String],
    database: String? = nil,
    administrator: FilePath = "/etc/staffbook/config.yaml"
  ) throws(DirectoryError) {
    self.environment = environment
    folders = try Folders(environment: environment)
    var file = ConfigurationFile()
    let own = folders.configuration.appending("config.yaml")
    // One folder holds everything where `STAFFBOOK_HOME` names it.
    var paths = [(own, "XDG_CONFIG_HOME")]
    if folders.home == nil, own != administrator {
      paths.insert((administrator, "STAFFBOOK_HOME"), at: 0)
    }
    for (path, variable) in paths {
      try folders.requireOwnConfiguration(path, placedBy: variable)
      try file.read(path, placedBy: variable)
    }
    var check = SettingsCheck(file: file)
    locale = check.locale(environment["STAFFBOOK_LOCALE"])
    phones = check.phones()
    silenceLimit = check.silenceLimit(environment["STAFFBOOK_TIMEOUT"])
    maxAge = check.maxAge()
    poll = check.poll()
    usesColour = check.usesColour()
    problems = check.problems
    me = Self.nonEmpty(file.me)
    keys = file.keys
    jobs = file.jobs
    server = file.server
    let conninfo =
      Self.nonEmpty(database) ?? Self.nonEmpty(environment["STAFFBOOK_DATABASE_URL"])
      ?? Self.conninfoOfLibpq(environment) ?? Self.nonEmpty(file.database)
    source = try SourceSetting(conninfo: conninfo, queries: file.source)
    try folders.requireOwnFolders(
      of: source.key(environment: environment),
      withJournal: source.queries != nil
    )
  }

  /// Throws where a setting is wrong: what is written must not depend on a slip.
  package func requireSound() throws(DirectoryError) {
    guard !problems.isEmpty else { return }
    throw DirectoryError(
      .usage,
      "cannot continue: "
        + (problems.count == 1 ? "a setting is wrong" : "\(problems.count) settings are wrong"),
      advice: "correct the configuration; only commands that change nothing ignore mistakes",
      problems: problems,
      problemCount: problems.count
    )
  }

  /// Who works with these settings.
  ///
  /// - Parameter viewer: Whose eyes these are.
  /// - Returns: As whom the configuration and the environment have them.
  package func caller(_ viewer: Viewer) -> Caller {
    Caller(
      viewer: viewer,
      me: me,
      actor: Self.nonEmpty(environment["STAFFBOOK_ACTOR"]) ?? SystemAccount.name ?? "",
      zone: .ofProcess
    )
  }

  /// An empty connection string, by which libpq reads its own environment.
  private static func conninfoOfLibpq(_ environment: [String: String]) -> String? {
    serverVariables.contains { nonEmpty(environment[$0]) != nil } ? "" : nil
  }

  private static func nonEmpty(_ text: String?) -> String? {
    text.flatMap { $0.isEmpty ? nil : $0 }
  }
}
