import ArgumentParser
import DirectoryWriting

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a person or a department.",
    subcommands: [User.self, Department.self]
  )

  struct User: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "user",
      abstract: "Add a person to a department.",
      discussion: """
        Without --id, the id is the name in Latin letters, with a number if another person has it \
        or had it. Fields are given as FIELD=VALUE; staffbook set --help lists them.

        EXAMPLES
          staffbook add user "Zoë Winter" --in "Fog Signals" --title "Bell founder"
          staffbook add user 王芳 --in towers email=fang@fernlicht.example mobile="+44 7700 900000"
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Edit") var options: EditOptions

    @Option(help: ArgumentHelp("The department.", valueName: "department"))
    var `in`: String

    @Option(help: "The id. (default: made from the name)")
    var id: String?

    @Option(help: ArgumentHelp("The person's title there.", valueName: "text"))
    var title: String?

    @Argument(help: "The person's name.")
    var name: String

    @Argument(help: ArgumentHelp("Further fields.", valueName: "field=value"))
    var values: [String] = []

    func run() async throws {
      try await EditRun(source, options)
        .run(.addUser(name: name, department: `in`, id: id, title: title, values: values))
    }
  }

  struct Department: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "department",
      abstract: "Add a department.",
      discussion: """
        Without --under, it is added at the top level. Without --id, the id is the name in Latin \
        letters, with a number if another department has it or had it.

        EXAMPLES
          staffbook add department "Night Shift" --under "Fog Signals"
          staffbook add department Archive --id arc description="Old plans and ledgers"
        """
    )

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Edit") var options: EditOptions

    @Option(help: ArgumentHelp("The department above.", valueName: "department"))
    var under: String?

    @Option(help: "The id. (default: made from the name)")
    var id: String?

    @Argument(help: "The department's name.")
    var name: String

    @Argument(help: ArgumentHelp("Further fields.", valueName: "field=value"))
    var values: [String] = []

    func run() async throws {
      try await EditRun(source, options)
        .run(.addDepartment(name: name, parent: under, id: id, values: values))
    }
  }
}
