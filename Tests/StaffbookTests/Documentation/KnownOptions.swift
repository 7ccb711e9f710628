import FoundationEssentials
import SystemPackage
import TestSupport

/// Says whether commands and options that the documentation names exist.
struct KnownOptions: Sendable {
  private let program: CommandHelp
  private let scripts: [String: String]

  init() async throws {
    program = try await CommandHelp.program()
    let folder = DocumentationPage.checkout.appending("scripts")
    var scripts: [String: String] = [:]
    for name in try folderEntries(folder) {
      let path = folder.appending(name).string
      scripts[name] = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
    self.scripts = scripts
  }

  /// What is wrong with the words of a command; `nil` for a right one and for another program's.
  func fault(in words: [String]) -> String? {
    guard let first = words.first else { return nil }
    if first == "staffbook" || first.hasSuffix("/staffbook") {
      return programFault(in: words.dropFirst())
    }
    guard first.hasPrefix("scripts/") else { return nil }
    let name = String(first.dropFirst("scripts/".count))
    guard let text = scripts[name] else { return "there is no script \(first)" }
    let missing = words.dropFirst().map(Self.name(ofOption:)).first { word in
      word.hasPrefix("--") && !text.contains(word)
    }
    return missing.map { "\(first) has no option \($0)" }
  }

  /// Whether any command of the program, or any script, takes an option.
  func isKnown(option: String) -> Bool {
    let name = Self.name(ofOption: option)
    return ["--help", "--version"].contains(name)
      || program.all.contains { Self.options(of: $0).keys.contains(name) }
      || scripts.values.contains { $0.contains(name) }
  }

  private func programFault(in words: ArraySlice<String>) -> String? {
    var command = program
    var rest = words
    while let name = rest.first, let next = command.subcommands?.first(where: { $0.isNamed(name) })
    {
      command = next
      rest = rest.dropFirst()
    }
    let placeholders = ["…", "COMMAND", "help"]
    if let word = rest.first, command.subcommands?.isEmpty == false, !word.hasPrefix("-"),
      !placeholders.contains(word)
    {
      return "\(command.commandName) has no command \(word)"
    }
    // Without a command, the program browses.
    var options = Self.options(of: command)
    if command.commandName == program.commandName, let browse = program.subcommands?.first {
      options.merge(Self.options(of: browse)) { own, _ in own }
    }
    while let word = rest.popFirst(), word != "--" {
      // A word with one hyphen may be an excluded word of a search.
      guard word.hasPrefix("--") || word.wholeMatch(of: /-[A-Za-z]/) != nil else { continue }
      let name = Self.name(ofOption: word)
      guard let takesValue = options[name] else {
        return "\(command.commandName) has no option \(name)"
      }
      if takesValue && !word.contains("=") { _ = rest.popFirst() }
    }
    return nil
  }

  /// The options of a command, each with whether a value follows.
  private static func options(of command: CommandHelp) -> [String: Bool] {
    // ArgumentParser has these by itself.
    var options = [
      "--help": false, "-h": false, "--version": false, "--generate-completion-script": true,
    ]
    for argument in command.arguments ?? [] {
      for name in argument.names ?? [] { options[name.typed] = argument.kind == "option" }
    }
    return options
  }

  private static func name(ofOption word: String) -> String {
    String(word.prefix { $0 != "=" })
  }
}

extension CommandHelp {
  fileprivate func isNamed(_ name: String) -> Bool { commandName == name }
}
