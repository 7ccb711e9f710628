import ArgumentParser
import DirectoryModel
import DirectoryService

struct StaffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "staff",
    abstract: "List a department's people.",
    discussion: """
      In the order of the tree, each person once.

      EXAMPLES
        staffbook staff "Fog Signals"
        staffbook staff "Fernlicht & Daughters/Software" --recursive --json
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Also the people of all departments below.")
  var recursive = false

  @Argument(help: "The department, by id, unique name or path.")
  var department: String

  func run() async throws {
    let (_, directory) = try await reading.open()
    let node = try directory.node(of: DepartmentName(department))
    try ListPrinter(output).print { body in
      try directory.forEachPerson(in: node, recursive: recursive, body)
    }
  }
}
