import ArgumentParser
import DirectoryModel
import LiveDirectory
import Platform
import SiteSettings
import Terminal

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Update the local snapshot from the database.",
    discussion: """
      Only the changes since the last sync are read if they are certain to be enough; otherwise \
      everything is read and compared, and the report says why. The snapshot is replaced in one \
      step: readers see the old state or the new one, never a mixture. Exit status 75 means that \
      many records have disappeared from the database, and that nothing was changed.

      With --watch, it keeps running and updates the snapshot: the database notifies it of \
      changes, and where it cannot, as on a standby, it checks every \
      minute. Failures are reported once and \
      retried. It starts the private server only at the beginning, and ends at SIGTERM (exit \
      status 0) or Ctrl-C.

      EXAMPLES
        staffbook sync
        staffbook sync --dry-run --verbose
        staffbook sync --database "host=one,two dbname=directory" --prefer-standby
        staffbook sync --watch --poll 5m
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Read everything, even if the changes would be enough.")
  var full = false

  @Flag(help: "If there are several hosts, read from a standby if one answers.")
  var preferStandby = false

  @Flag(help: "Replace the snapshot even if much of it, or all, was deleted.")
  var acceptDeletions = false

  @Flag(name: [.customShort("n"), .long], help: "Show what would change, but write nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "List every department and person that changed.")
  var verbose = false

  @Flag(help: "Print JSON Lines: progress, changes (with --verbose), and the report.")
  var json = false

  @Flag(help: "Keep running, and update the snapshot whenever the database changes.")
  var watch = false

  @Option(
    help: ArgumentHelp(
      "With --watch, how often to check without notifications: 30s, 5m, 1h (default: 1m).",
      discussion:
        "The key poll of config.yaml sets it, too. Your own tables are read every 5 minutes.",
      valueName: "time"
    )
  )
  var poll: String?

  func validate() throws {
    if poll != nil, !watch { throw ValidationError("--poll is only used with --watch") }
    if let poll, TimeSpan.seconds(poll) == nil {
      throw ValidationError("--poll \(poll) is not a time; give one such as 30s, 5m or 1h")
    }
    let single = [(full, "--full"), (dryRun, "--dry-run"), (acceptDeletions, "--accept-deletions")]
    for (isGiven, name) in single where isGiven && watch {
      throw ValidationError("\(name) is for a single sync; it cannot be used with --watch")
    }
  }

  func run() async throws {
    if watch { try await runWatch() }
    var options = SyncOptions()
    options.full = full
    options.preferStandby = preferStandby
    options.acceptDeletions = acceptDeletions
    options.isRehearsal = dryRun
    options.namesChanges = verbose
    let progress = ProgressLine()
    let events = json ? SyncEvents() : nil
    let clock = ContinuousClock()
    let start = clock.now
    let report: SyncReport
    do {
      defer { progress.finish() }
      report = try await SnapshotSync(source.administrator()).sync(options) {
        progress.show($0)
        events?.show($0)
      }
    }
    print(report, seconds: (clock.now - start).seconds)
    if report.unplaced > 0 {
      let count = counted(report.unplaced, "record has", "records have")
      Messages.warning("\(count) no place in the tree; list them all with: staffbook doctor")
      for line in report.unplacedLines { Messages.notice(line) }
    }
  }

  private func runWatch() async throws -> Never {
    let run = WatchRun(asJSON: json, isVerbose: verbose)
    var options = WatchOptions()
    options.sync.preferStandby = preferStandby
    options.sync.namesChanges = verbose
    options.poll = poll.flatMap { TimeSpan.seconds($0) }.map { .seconds($0) }
    let administrator = try source.administrator { run.note($0.words) }
    let signal = try await run.run(administrator, options)
    throw ExitCode(WatchRun.status(of: signal))
  }

  private func print(_ report: SyncReport, seconds: Double) {
    do throws(OutputError) {
      if json {
        if let changes = report.changes { try LineFormat.json.write(changes.lazy.map(\.json)) }
        try LineFormat.json.write([report.json(seconds: seconds)])
      } else {
        try LineFormat.text.write(report.lines(duration: seconds.asDuration))
        if let changes = report.changes { try LineFormat.text.write(changes.lazy.map(\.text)) }
      }
    } catch {
      ExitStatus.exit(afterFailedOutput: error)
    }
  }
}
