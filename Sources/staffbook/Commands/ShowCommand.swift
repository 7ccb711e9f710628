import ArgumentParser
import DirectoryModel
import DirectoryService

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show one person or department.",
    discussion: """
      By exact id, or by a name that only one has; id:, name: and path: in front force one of \
      them.

      EXAMPLES
        staffbook show "Zoë Fernlicht"
        staffbook show id:lukasz.zajac
        staffbook show "path:Fernlicht & Daughters/Software"
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Argument(help: "The person or department.")
  var who: String

  func run() async throws {
    let (_, directory) = try await reading.open()
    try CardPrinter(output).print(try directory.cards(of: DepartmentName(who)))
  }
}
