import ArgumentParser
import DirectoryService

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync",
    abstract: "Bring the local snapshot up to the database.",
    discussion: """
      Reads one consistent state of departments, users and memberships and puts it in the \
      snapshot's place at once: readers see the old state or the new one, never a mixture.

      EXAMPLES
        staffbook sync
        staffbook sync --database postgresql://reader@db.example/directory
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Read everything again. At present every sync does.")
  var full = false

  @Flag(help: "Let a source that is empty now replace a snapshot that is not.")
  var acceptDeletions = false

  @Flag(help: "Print the report as one JSON object.")
  var json = false

  func run() async throws {
    let progress = SyncProgressLine()
    let clock = ContinuousClock()
    let start = clock.now
    let report = try await source.service().sync(acceptDeletions: acceptDeletions) {
      progress.show($0)
    }
    progress.finish()
    let seconds = (clock.now - start).seconds
    if json {
      Messages.output(report.json(seconds: seconds))
    } else {
      Messages.output(
        "synced \(report.users) people, \(report.departments) departments and "
          + "\(report.memberships) memberships from \(report.source) "
          + "in \(seconds.asDuration)"
      )
    }
    if report.unplaced > 0 {
      Messages.warning(
        "\(report.unplaced) records have no place in the tree; see them with: "
          + "staffbook tree Unplaced"
      )
    }
  }
}
