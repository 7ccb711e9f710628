import ArgumentParser
import DirectoryModel
import DirectoryService

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write exactly the rows that tree shows.",
    discussion: """
      The format is told by --format or by the file's ending: csv, json (one array), jsonl (an \
      object a line) or plain (tab-separated). A file appears whole or not at all.

      EXAMPLES
        staffbook export -o staff.csv
        staffbook export Software --all --format json > software.json
        staffbook export --filter lens -o lens.csv
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "What to write") var scope: TreeScopeOptions

  @Flag(help: "Only what tree shows. This is the default.")
  var visible = false

  @Option(help: "csv, json, jsonl or plain.")
  var format: RowFormat?

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Where to write; - is standard output.", valueName: "file")
  )
  var output = "-"

  @Flag(help: "CSV for a spreadsheet: with a byte order mark, and no cell that it would run.")
  var excel = false

  @Flag(help: "Replace a file that is there already.")
  var force = false

  @Argument(help: "Only this department and what is below.")
  var department: String?

  func validate() throws {
    if visible, scope.all { throw ValidationError("--visible and --all exclude each other") }
    if excel, try chosenFormat() != .csv { throw ValidationError("--excel goes with csv") }
  }

  /// The format asked for, or that of the file's ending; CSV on standard output.
  private func chosenFormat() throws -> RowFormat {
    if let format { return format }
    if output == "-" { return .csv }
    guard let format = RowFormat(fileName: output) else {
      throw ValidationError("cannot tell the format of \(output); give --format")
    }
    return format
  }

  func run() async throws {
    let (service, directory) = try await reading.open()
    var request = try scope.request(service, directory, department: department)
    request.withContacts = true
    let format = excel ? RowFormat.spreadsheetCSV : try chosenFormat()
    let count =
      output == "-"
      ? try RowPrinter.print(request, of: directory, as: format)
      : try directory.export(request, as: format, to: output, replacing: force)
    if count == 0, request.filter != nil { throw NothingFound() }
    if output != "-" { Messages.notice("wrote \(count) rows to \(output)") }
  }
}

extension RowFormat: ExpressibleByArgument {
  package init?(argument: String) {
    self.init(name: argument)
  }

  package static var allValueStrings: [String] { named.map(\.name) }
}
