import ArgumentParser
import DirectoryModel
import DirectoryReading

struct StaffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "staff",
    abstract: "List a department's people.",
    discussion: """
      People are listed in the order of the tree, each of them once.

      EXAMPLES
        staffbook staff "Fog Signals"
        staffbook staff "Fernlicht & Daughters/Software" --recursive --json
      """
  )

  @OptionGroup(title: "Source") var reading: ViewingOptions
  @OptionGroup(title: "Output") var output: OutputOptions

  @Flag(name: [.customShort("r"), .long], help: "Include the people of all departments below.")
  var recursive = false

  @Argument(help: "The department, by id, unique name or path.")
  var department: String

  func run() async throws {
    let (_, directory) = try await reading.open()
    try output.requireColumns(of: directory)
    let node = try directory.node(of: DepartmentName(department))
    try ListPrinter(output).print(below: directory.path(through: node)) { body in
      try directory.forEachPerson(in: node, recursive: recursive) { try body(SearchRow(row: $0)) }
    }
  }
}
