import Administration
import ArgumentParser
import DirectoryModel

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of the database and the snapshot.",
    discussion: """
      Nothing is started or changed. This works while the database is down.

      EXAMPLES
        staffbook status
        staffbook status --json
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let report = try await StatusReport(for: source.administrator(.warn))
    try StatusPrinter(asJSON: json).print(report)
  }
}
