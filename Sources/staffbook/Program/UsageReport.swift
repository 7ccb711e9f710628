import ArgumentParser
import DirectoryModel

/// Says in words of ours what is wrong with the arguments.
///
///     staffbook: unknown option '--aal'; did you mean '--all'?
///     staffbook: usage: staffbook tree [<options>] [<department>]; see staffbook tree --help
enum UsageReport {
  /// Throws where arguments name no command; the parser would take it for an argument, and
  /// `help` would show the help of what is above.
  static func checkCommand(of arguments: [String]) throws {
    let path = CommandPath(of: arguments, below: StaffbookCommand.self)
    guard let word = path.rest.first, !word.hasPrefix("-") || path.isHelp,
      path.isHelp || !path.command.configuration.subcommands.isEmpty
    else { return }
    let command = ([path.names.dropFirst().joined(separator: " ")] + [word])
      .filter { !$0.isEmpty }.joined(separator: " ")
    let hint = path.nearest(to: word).map { "; did you mean '\($0)'?" } ?? ""
    throw ValidationError("there is no command '\(command)'\(hint)")
  }

  /// What is wrong, then how the command is used.
  static func lines(for error: any Error) -> [String] {
    let path = CommandPath(
      of: Array(CommandLine.arguments.dropFirst()),
      below: StaffbookCommand.self
    )
    let name = path.names.joined(separator: " ")
    let message = StaffbookCommand.message(for: error)
    // The parser reads the value of an option that it does not know as an argument, and says so first.
    let unknown = message.hasPrefix("The value '") ? unknownOption(path) : nil
    return [
      unknown.map { "unknown option '\($0)'" } ?? reworded(message),
      "usage: \(name)\(operands(of: path)); see \(name) --help",
    ]
  }

  /// The parser's sentences as ours are: in lower case, without a full stop, on one line.
  private static func reworded(_ message: String) -> String {
    let spans = [
      ("\n   or: ", ", or: "), (". Please provide one of the following:\n  - ", "; give one of "),
      (". Please provide one of ", "; give one of "), ("\n  - ", ", "),
      (". Did you mean ", "; did you mean "), (" Did you mean ", "; did you mean "),
    ]
    var text = message
    for (theirs, ours) in spans { text = text.replacing(theirs, with: ours) }
    if let (option, near) = suggestion(in: text),
      EditDistance.nearest(to: option, among: [near]) == nil
    {
      text = "unknown option '\(option)'"
    }
    if text.hasSuffix(".") { text.removeLast() }
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  /// The first option among the arguments that the command's help does not have.
  private static func unknownOption(_ path: CommandPath) -> Substring? {
    let help = StaffbookCommand.helpMessage(for: path.command, includeHidden: true)
    let known = Set(help.split { " ,|[]()\n".contains($0) })
    return path.rest.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
      .first { $0.hasPrefix("--") && !known.contains($0) }
  }

  /// The option that is unknown, and the one that the parser suggests, however far from it.
  private static func suggestion(in text: String) -> (option: String, near: String)? {
    guard text.hasPrefix("Unknown option '"), text.contains("; did you mean '") else { return nil }
    let quoted = text.split(separator: "'", omittingEmptySubsequences: false)
    return quoted.count == 5 ? (String(quoted[1]), String(quoted[3])) : nil
  }

  /// What stands behind a command's name: all options that may be left out as one, those that may not, and
  /// then the arguments.
  private static func operands(of path: CommandPath) -> String {
    guard path.command.configuration.subcommands.isEmpty else { return " <command>" }
    let usage = StaffbookCommand.usageString(for: path.command)
    // Behind the names, each in a word of its own: "staffbook add user [--id <id>] --in <department> <name>".
    let words = usage.split(separator: " ").dropFirst(path.names.count)
    var rest = Substring(words.joined(separator: " "))
    var operands = ""
    while let start = rest.firstIndex(of: "[") {
      operands += rest[..<start]
      let end = rest[start...].firstIndex(of: "]").map { rest.index(after: $0) } ?? rest.endIndex
      let part = rest[start..<end]
      if !part.hasPrefix("[-"), part != "[<options>]" { operands += part }
      rest = rest[end...]
    }
    return ([" [<options>]"] + (operands + rest).split(separator: " ")).joined(separator: " ")
  }
}
