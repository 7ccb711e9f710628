import ArgumentParser
import DirectoryService

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Bring the local snapshot up to the database.",
    discussion: """
      Only what changed since the last sync is read, where that is certain to be enough; otherwise \
      everything is read and compared, and the report says why. The snapshot is replaced at once: \
      readers see the old state or the new one, never a mixture. Exit status 75 means that much \
      of what the snapshot holds is gone from the database, and that nothing was done.

      EXAMPLES
        staffbook sync
        staffbook sync --dry-run --verbose
        staffbook sync --database "postgresql://one.example,two.example/directory" --prefer-standby
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Read everything, also where changes would do.")
  var full = false

  @Flag(help: "Of several hosts, read from a standby if one answers.")
  var preferStandby = false

  @Flag(help: "Let a source that lost much, or all, replace the snapshot.")
  var acceptDeletions = false

  @Flag(name: [.customShort("n"), .long], help: "Show what would change, and write nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Name every department and person that changed.")
  var verbose = false

  @Flag(help: "Print JSON Lines: progress, with --verbose the changes, and the report.")
  var json = false

  func run() async throws {
    var options = SyncOptions()
    options.full = full
    options.preferStandby = preferStandby
    options.acceptDeletions = acceptDeletions
    options.isRehearsal = dryRun
    options.namesChanges = verbose
    let progress = SyncProgressLine()
    let events = json ? SyncEvents() : nil
    let clock = ContinuousClock()
    let start = clock.now
    let report: SyncReport
    do {
      defer { progress.finish() }
      report = try await source.service().sync(options) {
        progress.show($0)
        events?.show($0)
      }
    }
    try print(report, seconds: (clock.now - start).seconds)
    if report.unplaced > 0 {
      Messages.warning(
        "\(report.unplaced) records have no place in the tree; see them with: staffbook doctor"
      )
    }
  }

  private func print(_ report: SyncReport, seconds: Double) throws {
    if json {
      for line in report.json(seconds: seconds) { Messages.output(line) }
      return
    }
    for line in report.lines(duration: seconds.asDuration) { Messages.output(line) }
    if verbose { for line in report.changeLines { Messages.output(line) } }
  }
}
