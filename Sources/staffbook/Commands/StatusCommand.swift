import ArgumentParser
import DirectoryModel
import DirectoryService

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Say what is known of source and snapshot.",
    discussion: """
      Starts nothing and changes nothing. Works with the database down.

      EXAMPLES
        staffbook status
        staffbook status --json
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let report = try await source.service().status()
    try StatusPrinter(asJSON: json).print(report)
  }
}
