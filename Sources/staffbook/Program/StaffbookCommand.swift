import ArgumentParser
import CCommit
import DirectoryModel
import Platform
import Terminal

/// The program: parses, calls the use cases, prints.
@main
struct StaffbookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "staffbook",
    abstract: "A company's address book: one tree of departments and people.",
    discussion: """
      Departments and people live in PostgreSQL. Commands that read use a local snapshot, so they \
      are instant and need no network; sync updates the snapshot.

      EXAMPLES
        staffbook                        browse the directory in full screen
        staffbook sample --load          load an invented company to try things out
        staffbook tree                   show the tree as you left it
        staffbook expand Towers          expand a department, and keep it expanded
        staffbook search lukasz          find Łukasz
        staffbook staff Towers -r        list everyone in and below a department
        staffbook export -o staff.csv    write exactly the rows that tree shows
        staffbook set "Ada Walsh" phone=+49301234   change a field of a record

      Name a department by its id, its name if it is unique, or its path, such as \
      Company/Engineering/Storage. The prefixes id:, name: and path: force one of these.
      """,
    version: ProgramVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Browsing",
        subcommands: [
          BrowseCommand.self, TreeCommand.self, ExpandCommand.self, CollapseCommand.self,
          SearchCommand.self, StaffCommand.self, ShowCommand.self, PickCommand.self,
        ]
      ),
      CommandGroup(
        name: "Editing",
        subcommands: [
          EditCommand.self, AddCommand.self, SetCommand.self, RenameCommand.self, MoveCommand.self,
          JoinCommand.self, LeaveCommand.self, PrimaryCommand.self, OrderCommand.self,
          MergeCommand.self, RemoveCommand.self,
        ]
      ),
      CommandGroup(
        name: "History",
        subcommands: [
          LogCommand.self, BlameCommand.self, DiffCommand.self, UndoCommand.self,
          RestoreCommand.self, ForgetCommand.self, HistoryCommand.self,
        ]
      ),
      CommandGroup(
        name: "Data",
        subcommands: [
          SyncCommand.self, StatusCommand.self, DoctorCommand.self, ImportCommand.self,
          SourceCommand.self, ExportCommand.self, FieldCommand.self, VisibilityCommand.self,
          TokenCommand.self, DeviceCommand.self, SampleCommand.self, DatabaseCommand.self,
          BackupCommand.self, RestoreBackupCommand.self,
        ]
      ),
    ]
  )

  /// Without a command: the directory on the whole screen, or help where there is none.
  func run() async throws {
    let profile = TerminalProfile(descriptor: STDOUT_FILENO, environment: Messages.environment)
    guard profile.canRedraw, isatty(STDIN_FILENO) == 1 else {
      throw CleanExit.helpRequest(self)
    }
    try await BrowseCommand.parse([]).run()
  }

  static func main() async {
    ProcessChecks.occupyClosedDescriptors()
    ProcessChecks.quietDispatch()
    SignalDisposition.install()
    Completion.answerAndExit(Array(CommandLine.arguments.dropFirst()), of: Self.self)
    do {
      try ProcessChecks.checkArguments()
      try UsageReport.checkCommand(of: Array(CommandLine.arguments.dropFirst()))
      var command = try parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      ErrorReport.exit(with: error)
    }
  }
}

/// What `--version` prints.
enum ProgramVersion {
  /// Raised by hand, and nowhere else; the package adds how many commits there were.
  private static let number = "0.2.0"

  /// Such as `0.2.0 (commit 1bf628394a0c)`; without a commit where there was no checkout.
  static var text: String {
    let commit = String(cString: staffbook_commit())
    return commit.isEmpty ? number : "\(number) (commit \(commit))"
  }
}
