import ArgumentParser
import FoundationEssentials

/// What a command takes, as its help shows it.
struct CommandArguments: Decodable {
  struct Argument: Decodable {
    enum Kind: String, Decodable {
      case positional, option, flag
    }

    struct Name: Decodable {
      var kind: String
      var name: String

      var typed: String { (kind == "short" ? "-" : "--") + name }
    }

    var kind: Kind
    var shouldDisplay: Bool
    var isRepeating: Bool
    var names: [Name]?
    var valueName: String?
    var allValues: [String]?
    var abstract: String?

    /// The options as they are typed.
    var options: [String] { (names ?? []).map(\.typed) }
  }

  private struct Command: Decodable {
    var arguments: [Argument]?
  }

  private var command: Command

  /// What `--help` lists.
  var all: [Argument] { (command.arguments ?? []).filter(\.shouldDisplay) }
  var positional: [Argument] { all.filter { $0.kind == .positional } }

  func option(_ typed: String) -> Argument? { all.first { $0.options.contains(typed) } }

  /// - Returns: `nil` where the parser does not say it in the form that is known here.
  static func of(_ command: any ParsableCommand.Type) -> CommandArguments? {
    try? JSONDecoder().decode(CommandArguments.self, from: Data(command._dumpHelp().utf8))
  }
}
