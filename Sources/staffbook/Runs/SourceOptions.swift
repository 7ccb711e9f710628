import Administration
import ArgumentParser
import ChangeHistory
import DirectoryModel
import DirectoryReading
import LiveDirectory
import SiteSettings
import Terminal

/// Which directory a command works on.
struct SourceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "PostgreSQL database to use instead of the private server.",
      discussion:
        "Any libpq connection string. STAFFBOOK_DATABASE_URL or variables such as PGHOST do the same.",
      valueName: "url"
    )
  )
  var database: String?

  /// What to do about settings that are wrong.
  enum InvalidSettingPolicy {
    /// Stop: what is written must not depend on a slip.
    case stop
    /// Go on without them, with a warning for each.
    case warn
    /// Go on without them; another caller reports them.
    case ignore
  }

  // A process that asks many questions is long-lived (`Hub`).
  func session(
    _ mistakes: InvalidSettingPolicy = .stop,
    isLongLived: Bool = false,
    notice: @escaping @Sendable (Advice) -> Void = { Messages.notice($0.words) }
  ) throws -> Session {
    if let database, DatabaseServer.holdsPassword(database) {
      Messages.warning(
        "a password on the command line is visible to other accounts; put it in ~/.pgpass"
      )
    }
    let settings = try Settings(environment: Messages.environment, database: database)
    TerminalProfile.isColourOff = !settings.usesColour
    switch mistakes {
    case .stop: try settings.requireSound()
    case .warn: for problem in settings.problems { Messages.warning(problem.words) }
    case .ignore: break
    }
    // A user who has the configuration and the database's password may see what the database shows
    // them.
    let hub = Hub(Site(settings: settings, tell: notice), isLongLived: isLongLived)
    return Session(hub, settings.caller(.everything), tell: notice)
  }

  /// The same for what only those do who see everything.
  func administrator(
    _ mistakes: InvalidSettingPolicy = .stop,
    notice: @escaping @Sendable (Advice) -> Void = { Messages.notice($0.words) }
  ) throws -> Administrator {
    try Administrator(session(mistakes, notice: notice), to: "do this")
  }
}

/// Whose eyes a reading command uses.
struct ViewerOption: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Show what this person, or device:NAME, sees under the visibility rules.",
      valueName: "viewer"
    )
  )
  var viewer: String?

  func session(
    _ source: SourceOptions,
    _ mistakes: SourceOptions.InvalidSettingPolicy = .warn,
    isLongLived: Bool = false
  ) async throws -> Session {
    let session = try source.session(mistakes, isLongLived: isLongLived)
    guard let viewer else { return session }
    let seen = try await ViewerLookUp(Administrator(session, to: "see what others see"))
      .session(as: viewer)
    if Messages.errorProfile.isTerminal, let name = seen.viewerName {
      Messages.notice("this is what \(name) sees")
    }
    return seen
  }
}

/// Which directory a reading command works on, and how fresh it must be.
struct ReadingOptions: ParsableArguments {
  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Update the snapshot from the database first.")
  var fresh = false

  func open(
    as viewer: ViewerOption? = nil,
    isLongLived: Bool = false
  ) async throws -> (session: Session, directory: Directory) {
    let mistakes = fresh ? SourceOptions.InvalidSettingPolicy.stop : .warn
    let session =
      try await viewer?.session(source, mistakes, isLongLived: isLongLived)
      ?? source.session(mistakes, isLongLived: isLongLived)
    let progress = ProgressLine()
    defer { progress.finish() }
    let directory = try await DirectoryOpener(session).directory(fresh: fresh) { progress.show($0) }
    progress.finish()
    if Messages.errorProfile.isTerminal, let warning = Age.warning(of: directory, session) {
      Messages.warning(warning)
    }
    return (session, directory)
  }
}

/// Which directory is read by a command that can also look back.
struct ViewingOptions: ParsableArguments {
  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption

  @Option(
    help: ArgumentHelp(
      "Show the directory as it was then: 2026-10-01, '2 weeks ago', or a transaction of the log.",
      valueName: "when"
    )
  )
  var asOf: String?

  /// The options for another command that is to show the same directory to the same viewer.
  var arguments: [String] {
    (viewer.viewer.map { ["--as", $0] } ?? []) + (asOf.map { ["--as-of", $0] } ?? [])
  }

  func open() async throws -> (session: Session, directory: Directory) {
    guard let asOf else { return try await reading.open(as: viewer) }
    let session = try await viewer.session(reading.source)
    let progress = ProgressLine()
    defer { progress.finish() }
    return (session, try await HistoryReader(session).directory(asOf: asOf) { progress.show($0) })
  }
}
