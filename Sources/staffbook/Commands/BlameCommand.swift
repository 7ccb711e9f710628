import ArgumentParser
import ChangeHistory
import DirectoryModel
import Terminal

struct BlameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Show who last set each value of a person or department.",
    discussion: """
      Values from before the history began have no author, nor have those whose history was \
      forgotten.

      EXAMPLES
        staffbook blame "Ada Walsh"
        staffbook blame id:ada.walsh --json
      """
  )

  @OptionGroup(title: "Source") var source: SourceOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption

  @Flag(help: "Print JSON Lines: one object per value.")
  var json = false

  @Argument(help: "The person or department.")
  var who: [String]

  func run() async throws {
    let report = try await HistoryReader(viewer.session(source)).blame(who.joined(separator: " "))
    guard !report.lines.isEmpty else { throw NothingFound(hint: "no recorded changes") }
    if json { return try LineFormat.json.write(report.jsonLines) }
    var screen = Screen()
    let painter = CardPainter(screen.profile)
    painter.append(
      heading: "\(report.name) (\(report.id))" + (report.isRemoved ? ", removed" : ""),
      report.lines.map { line in
        CardPainter.Field(
          line.label,
          [line.value, "  " + HistoryText.whoSet(line, since: report.beginning)]
        )
      },
      to: &screen.buffer
    )
    try screen.finish()
  }
}
