import ArgumentParser
import DirectoryModel
import DirectoryService

/// The program: parses, calls the service, prints.
@main
struct StaffbookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "staffbook",
    abstract: "Your company's address book: one tree of departments and people.",
    discussion: """
      Departments and people live in PostgreSQL. Reading works on a local snapshot, so it is \
      instant and needs no network; sync brings the snapshot up to date.

      EXAMPLES
        staffbook sample --load          load an invented company and look at it
        staffbook tree                   the tree as you left it
        staffbook expand Towers          open a department, and keep it open
        staffbook search lukasz          find Łukasz
        staffbook staff Towers -r        everybody in there, each person once
        staffbook export -o staff.csv    exactly the rows that tree shows

      A department is named by its id, by a name that is unique, or by a path such as \
      Company/Engineering/Storage; id:, name: and path: in front force one of them.
      """,
    version: "0.1.0",
    groupedSubcommands: [
      CommandGroup(
        name: "Look",
        subcommands: [
          TreeCommand.self, ExpandCommand.self, CollapseCommand.self, SearchCommand.self,
          StaffCommand.self, ShowCommand.self,
        ]
      ),
      CommandGroup(
        name: "Bring in and out",
        subcommands: [
          SyncCommand.self, StatusCommand.self, DoctorCommand.self, ImportCommand.self,
          ExportCommand.self, SampleCommand.self, DatabaseCommand.self,
        ]
      ),
    ]
  )

  static func main() async {
    StartingConditions.occupyClosedDescriptors()
    SignalRules.install()
    do {
      try StartingConditions.checkArguments()
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      ErrorReport.exit(with: error, parser: self)
    }
  }
}
