import ArgumentParser
import DirectoryWriting

struct MoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Move departments and people to another department.",
    discussion: """
      A department is moved with everything below it. A person leaves the primary department, or the \
      one that --from names, and keeps the title there and all other departments.

      EXAMPLES
        staffbook move "Fog Signals" --to "Telescope Works"
        staffbook move "Ada Walsh" "Grace Norris" --to towers -m "the merger"
        staffbook move archive --top
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Option(help: ArgumentHelp("The department to move them to.", valueName: "department"))
  var to: String?

  @Option(help: ArgumentHelp("The department that people leave.", valueName: "department"))
  var from: String?

  @Flag(help: "Move departments to the top level.")
  var top = false

  @Argument(help: "The people and departments to move.")
  var who: [String]

  func validate() throws {
    guard (to != nil) != top else { throw ValidationError("give either --to DEPARTMENT or --top") }
  }

  func run() async throws {
    try await EditRun(source, options).run(.move(who: who, to: to, from: from))
  }
}

struct JoinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Add a person to another department.",
    discussion: """
      EXAMPLES
        staffbook join "Ada Walsh" "Night Watch" --title Adviser
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Option(help: ArgumentHelp("The person's title there.", valueName: "text"))
  var title: String?

  @Argument(help: "The person.")
  var who: String

  @Argument(help: "The department.")
  var department: String

  func run() async throws {
    try await EditRun(source, options)
      .run(.join(who: who, department: department, title: title))
  }
}

struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave",
    abstract: "Remove a person from a department.",
    discussion: """
      If it is the primary department, the first of the others becomes the primary one. A person's \
      only department cannot be left.

      EXAMPLES
        staffbook leave "Ada Walsh" "Night Watch"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The person.")
  var who: String

  @Argument(help: "The department.")
  var department: String

  func run() async throws {
    try await EditRun(source, options).run(.leave(who: who, department: department))
  }
}

struct PrimaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "primary",
    abstract: "Make one of a person's departments the primary one.",
    discussion: """
      EXAMPLES
        staffbook primary "Ada Walsh" "Night Watch"
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The person.")
  var who: String

  @Argument(help: "One of the person's departments.")
  var department: String

  func run() async throws {
    try await EditRun(source, options).run(.primary(who: who, department: department))
  }
}

struct OrderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order",
    abstract: "Set the order of people and departments in a department.",
    discussion: """
      Those named come first, in this order; the others follow in their present order. \
      Departments always come before people.

      EXAMPLES
        staffbook order "Fog Signals" "Ada Walsh" 林俊傑
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Edit") var options: EditOptions

  @Argument(help: "The department.")
  var department: String

  @Argument(help: "People and departments in it, from first to last.")
  var who: [String]

  func run() async throws {
    try await EditRun(source, options).run(.order(department: department, who: who))
  }
}
