import ArgumentParser
import DirectoryWriting

struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove people and departments.",
    discussion: """
      A person is removed from all departments. A department that contains people or departments \
      is removed only with --recursive, which removes everything below it and the people who are \
      in no other department, or with --people-to, which moves its people to another department. \
      The command shows what it removes, and asks; without a terminal it removes only with --yes.

      EXAMPLES
        staffbook remove "Ada Walsh" -m "left the company"
        staffbook remove "Moon Lighthouse"
        staffbook remove "Fog Signals" --people-to Towers --yes
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Flag(name: [.customShort("r"), .long], help: "Also remove everything below departments.")
  var recursive = false

  @Option(help: ArgumentHelp("The department to move the people to.", valueName: "department"))
  var peopleTo: String?

  @Argument(help: "The people and departments to remove.")
  var who: [String]

  func validate() throws {
    if recursive, peopleTo != nil {
      throw ValidationError("--recursive removes the people, and --people-to moves them: use one")
    }
  }

  func run() async throws {
    try await EditRun(source, options)
      .run(.remove(who: who, recursive: recursive, peopleTo: peopleTo))
  }
}
