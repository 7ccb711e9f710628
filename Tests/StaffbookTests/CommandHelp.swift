import FoundationEssentials
import TestSupport

/// A command as `--experimental-dump-help` describes it, as far as it is looked at.
struct CommandHelp: Decodable, Sendable {
  var commandName: String
  var superCommands: [String]?
  var abstract: String?
  var discussion: String?
  var arguments: [Argument]?
  var subcommands: [CommandHelp]?

  struct Argument: Decodable, Sendable {
    var abstract: String?
    var discussion: String?
    var kind: String
    var names: [Name]?
    var allValues: [String]?
    var shouldDisplay: Bool
    var valueName: String?

    /// As one types them, such as `-o` and `--output`.
    var options: [String] { (names ?? []).map(\.typed) }
  }

  struct Name: Decodable, Sendable {
    var kind: String
    var name: String

    /// As it is typed: `--dry-run`, `-n`.
    var typed: String { (kind == "long" ? "--" : "-") + name }
  }

  /// As one types it.
  var path: [String] { (superCommands ?? []) + [commandName] }

  var shownArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }

  /// The command and all below it, but those that only print help.
  var all: [CommandHelp] {
    ([self] + (subcommands ?? []).flatMap(\.all)).filter { $0.commandName != "help" }
  }

  /// The program's own description of all its commands.
  static func program() async throws -> CommandHelp {
    struct Dump: Decodable { var command: CommandHelp }
    let dump = try await withTemporaryDirectory { home in
      try await Book(home: home, conninfo: "").run("--experimental-dump-help")
    }
    return try JSONDecoder().decode(Dump.self, from: Data(dump.stdoutBytes)).command
  }
}
