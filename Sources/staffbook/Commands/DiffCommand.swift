import ArgumentParser
import ChangeHistory
import DirectoryModel
import Platform
import Terminal

struct DiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show what differs between two times.",
    discussion: """
      Who joined, left, was promoted to lead a department, moved or was renamed, which departments \
      were reorganised, and what else was changed. Each record is listed once. FROM and TO are \
      times as for staffbook log; without TO, now is meant.

      EXAMPLES
        staffbook diff 2026-07-01 2026-10-01
        staffbook diff "3 months ago" --in Towers --html > towers.html
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption

  @Flag(help: "Print JSON Lines: one object per change.")
  var json = false

  @Flag(help: "Print CSV: one row per value that differs.")
  var csv = false

  @Flag(help: "Print a page for a browser.")
  var html = false

  @Option(
    name: .customLong("in"),
    help: ArgumentHelp("Only this department and those below it.", valueName: "department")
  )
  var within: String?

  @Argument(help: "The earlier time.")
  var from: String

  @Argument(help: "The later time.")
  var to: String?

  @Argument(help: "Only this department and those below it.")
  var department: String?

  func validate() throws {
    if [json, csv, html].count(where: { $0 }) > 1 {
      throw ValidationError("--json, --csv and --html cannot be used together")
    }
    if within != nil, department != nil { throw ValidationError("name one department") }
  }

  func run() async throws {
    let differences = try await HistoryReader(viewer.session(source)).differences(
      from: from,
      to: to,
      department: within ?? department
    )
    let report = DifferenceReport(differences, title: "\(from) to \(to ?? "now")")
    if csv || html {
      var screen = Screen()
      screen.buffer = csv ? report.csv : report.html
      return try screen.finish()
    }
    if json { return try LineFormat.json.write(report.jsonLines) }
    if differences.isEmpty { return Messages.notice("nothing differs") }
    try LineFormat.text.write(report.lines)
  }
}
