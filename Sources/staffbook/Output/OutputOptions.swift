import ArgumentParser
import DirectoryReading
import Terminal

/// How a list is printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON Lines: one object per row.")
  var json = false

  @Flag(help: "Print tab-separated values: \(Directory.plainColumns.joined(separator: ", ")).")
  var plain = false

  @Option(
    help: ArgumentHelp(
      "Print these columns, separated by tabs: name, mobile and so on.",
      valueName: "names"
    )
  )
  var columns: String?

  @Option(help: ArgumentHelp("Use colour: auto, always or never.", valueName: "when"))
  var color = TerminalProfile.ColourChoice.auto

  func validate() throws {
    if json, plain { throw ValidationError("--json and --plain cannot be used together") }
    if columns != nil, json || plain {
      throw ValidationError("--columns cannot be used together with --json or --plain")
    }
    if let chosen, chosen.isEmpty { throw ValidationError("--columns requires names of columns") }
  }

  /// The format of the rows; `nil` for text.
  var format: RowFormat? { json ? .jsonl : plain || columns != nil ? .plain : nil }

  /// The columns asked for; `nil` for the usual ones.
  var chosen: [String]? {
    columns.map { $0.split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty } }
  }

  /// Throws where a column asked for does not exist.
  func requireColumns(of directory: Directory) throws {
    if let chosen { try directory.requireColumns(chosen) }
  }
}

extension TerminalProfile.ColourChoice: ExpressibleByArgument {}
