import ArgumentParser
import DirectoryService
import Terminal

/// How a list is printed.
struct OutputOptions: ParsableArguments {
  @Flag(help: "JSON Lines: an object a row.")
  var json = false

  @Flag(help: "Tab-separated: level, kind, id, name, title, email, phone.")
  var plain = false

  @Option(help: ArgumentHelp("Colour: auto, always or never.", valueName: "when"))
  var color = TerminalProfile.ColourChoice.auto

  func validate() throws {
    if json, plain { throw ValidationError("--json and --plain exclude each other") }
  }

  /// The format of the rows; `nil` for text.
  var format: RowFormat? { json ? .jsonl : plain ? .plain : nil }
}

extension TerminalProfile.ColourChoice: ExpressibleByArgument {}
