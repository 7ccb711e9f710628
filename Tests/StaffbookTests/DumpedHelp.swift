import FoundationEssentials
import TestSupport

/// What `--experimental-dump-help` prints, as far as it is looked at.
struct DumpedHelp: Decodable {
  var command: Command

  struct Command: Decodable {
    var commandName: String
    var superCommands: [String]?
    var abstract: String?
    var discussion: String?
    var arguments: [Argument]?
    var subcommands: [Command]?

    var all: [Command] { [self] + (subcommands ?? []).flatMap(\.all) }
    /// As one types it.
    var path: [String] { (superCommands ?? []) + [commandName] }
    var shownArguments: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
  }

  struct Argument: Decodable {
    var kind: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool
    var valueName: String?
    var allValues: [String]?
    var names: [Name]?

    /// As one types them, such as `-o` and `--output`.
    var options: [String] { (names ?? []).map(\.typed) }
  }

  struct Name: Decodable {
    var kind: String
    var name: String

    var typed: String { (kind == "short" ? "-" : "--") + name }
  }

  /// All commands but `help`.
  static func commands() async throws -> [Command] {
    let dump = try await withTemporaryDirectory { home in
      try await Book(home: home, conninfo: "").run("--experimental-dump-help")
    }
    return try JSONDecoder().decode(Self.self, from: Data(dump.stdoutBytes)).command.all
      .filter { $0.commandName != "help" }
  }
}
