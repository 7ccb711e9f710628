import ArgumentParser
import DirectoryModel

/// The command that arguments begin with.
struct CommandPath {
  private(set) var command: any ParsableCommand.Type
  private(set) var names: [String]
  /// What stands behind the command.
  private(set) var rest: ArraySlice<String>
  /// Whether only its help is asked for.
  let isHelp: Bool

  init(of arguments: [String], below program: any ParsableCommand.Type) {
    command = program
    names = [program._commandName]
    isHelp = arguments.first == "help"
    rest = arguments.dropFirst(isHelp ? 1 : 0)
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { $0._commandName == word })
    {
      command = next
      names.append(word)
      rest = rest.dropFirst()
    }
    if isHelp { rest = rest.filter { !$0.hasPrefix("-") }[...] }
  }

  /// What commands are called by other programs; the first that there is is meant.
  private static let otherNames = [
    "find": ["search"], "grep": ["search"], "ls": ["tree", "list", "status"],
    "list": ["tree", "status"], "cat": ["show", "list"], "show": ["list", "status"],
    "rm": ["remove"], "delete": ["remove"], "mv": ["move"], "create": ["add"], "update": ["set"],
    "revert": ["undo"], "pull": ["sync"],
  ]

  /// The command below this one that a word was likely meant for, as one has to type it.
  func nearest(to word: String) -> String? {
    let subcommands = command.configuration.subcommands.map { $0._commandName }
    let others = Self.otherNames[word.lowercased()] ?? []
    if let other = others.first(where: { subcommands.contains($0) }) {
      return (names.dropFirst() + [other]).joined(separator: " ")
    }
    let all = Self.commands(below: command, Array(names.dropFirst())) + [["help"]]
    let typed = Array(word.lowercased().unicodeScalars.prefix(40))
    let near = all.compactMap { path -> (path: [String], distance: Int)? in
      guard let name = path.last else { return nil }
      if name.hasPrefix(word), !word.isEmpty { return (path, name == word ? 0 : 1) }
      return EditDistance.between(
        typed,
        Array(name.unicodeScalars),
        atMost: typed.count > 3 ? 2 : 1
      )
      .map { (path, $0 + 1) }
    }
    return near.min { ($0.distance, $0.path.count) < ($1.distance, $1.path.count) }
      .map { $0.path.joined(separator: " ") }
  }

  private static func commands(
    below command: any ParsableCommand.Type,
    _ above: [String]
  ) -> [[String]] {
    command.configuration.subcommands.flatMap { sub in
      [above + [sub._commandName]] + commands(below: sub, above + [sub._commandName])
    }
  }
}
