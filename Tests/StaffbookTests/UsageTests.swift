import SystemPackage
import TestSupport
import Testing

@Suite("Usage")
struct UsageTests {
  /// Runs the program without a database.
  private func run(
    _ arguments: [String],
    environment: [String: String] = [:]
  ) async throws -> ProgramOutcome {
    try await withTemporaryDirectory { home in
      try await Book(home: home, conninfo: "", environment: environment).run(arguments)
    }
  }

  @Test(arguments: [
    (
      ["tree", "--aal"], "unknown option '--aal'; did you mean '--all'?", "tree", " [<department>]"
    ),
    (["log", "--xyz"], "unknown option '--xyz'", "log", " [<who> ...]"),
    (["undo", "1", "--as", "x"], "unknown option '--as'", "undo", " [<transactions> ...]"),
    (
      ["undo", "x", "--force"], "the value 'x' is invalid for '<transactions>'", "undo",
      " [<transactions> ...]"
    ),
    (
      ["tree", "--depth", "x"], "the value 'x' is invalid for '--depth <n>'", "tree",
      " [<department>]"
    ),
    (["tree", "--depth"], "missing value for '--depth <n>'", "tree", " [<department>]"),
    (["sync", "a", "b"], "2 unexpected arguments: 'a', 'b'", "sync", ""),
    (["expand"], "name departments, or use --all or --level N", "expand", " [<departments> ...]"),
    (["db", "url", "x"], "unexpected argument 'x'", "db url", ""),
    (
      ["tree", "--color", "blue"],
      "the value 'blue' is invalid for '--color <when>'; give one of 'auto', 'always' or 'never'",
      "tree", " [<department>]"
    ),
  ])
  func `errors are one line, and the usage is another`(
    _ arguments: [String],
    _ message: String,
    _ command: String,
    _ operands: String
  ) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.stdout.isEmpty)
    let lines = outcome.stderr.split(separator: "\n")
    try #require(lines.count == 2, "\(outcome)")
    #expect(lines[at: 0] == "staffbook: \(message)")
    let usage = "staffbook \(command) [<options>]\(operands); see staffbook \(command) --help"
    #expect(lines[at: 1] == "staffbook: usage: \(usage)")
    #expect(lines[1].utf8.count <= 100)
  }

  @Test(arguments: [
    (["serach", "x"], "serach", "search"), (["tre"], "tre", "tree"), (["stat"], "stat", "status"),
    (["help", "tre"], "tre", "tree"), (["help", "db", "stp"], "db stp", "db stop"),
    (["find", "x"], "find", "search"), (["ls"], "ls", "tree"), (["list"], "list", "tree"),
    (["hepl"], "hepl", "help"), (["field", "ls"], "field ls", "field list"),
    (["db", "ls"], "db ls", "db status"),
    (["visibility", "rm"], "visibility rm", "visibility remove"),
    (["db", "stat"], "db stat", "db status"), (["stop"], "stop", "db stop"),
  ])
  func `a mistyped command is told with the nearest one`(
    _ arguments: [String],
    _ word: String,
    _ meant: String
  ) async throws {
    let outcome = try await run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.stdout.isEmpty)
    let command = (["staffbook"] + word.split(separator: " ").dropLast()).joined(separator: " ")
    #expect(
      outcome.stderr.reads(
        "staffbook: there is no command '\(word)'; did you mean '\(meant)'?",
        "staffbook: usage: \(command) <command>; see \(command) --help"
      ),
      "\(outcome)"
    )
  }

  @Test func `usage has options before arguments, also those that must be given`() async throws {
    for (command, usage) in [
      ("add user", "add user [<options>] --in <department> <name> [<field=value> ...]"),
      ("set", "set [<options>] <who> <field=value> ..."),
      ("rename", "rename [<options>] <who> <new-name>"),
    ] {
      let outcome = try await run(command.split(separator: " ").map(String.init))
      #expect(
        outcome.stderr.hasSuffix(
          "staffbook: usage: staffbook \(usage); see staffbook \(command) --help\n"
        ),
        "\(outcome)"
      )
    }
  }

  @Test func `a word that is like no command is only refused`() async throws {
    let outcome = try await run(["nonsense"])
    #expect(outcome.status == 64)
    #expect(
      outcome.stderr.reads(
        "staffbook: there is no command 'nonsense'",
        "staffbook: usage: staffbook <command>; see staffbook --help"
      ),
      "\(outcome)"
    )
  }

  @Test(arguments: ["--help", "--version", "help sync", "tree --help", ""])
  func `help that cannot be written is 73, and a closed pipe is nothing`(
    _ arguments: String
  ) async throws {
    let program = try Book.program()
    func shell(_ redirection: String) async throws -> ProgramOutcome {
      try await runProgram("/bin/sh", ["-c", "'\(program)' \(arguments) \(redirection)"])
    }
    let full = try await shell("> /dev/full")
    #expect(full.status == 73, "\(full)")
    #expect(
      full.stderr == "staffbook: cannot write the output: no space is left on the device\n"
    )
    let closed = try await shell("| :")
    #expect(closed.status == 0 && closed.stderr.isEmpty, "\(closed)")
  }

  @Test func `help is ASCII where the terminal is, with the signs that it shows`() async throws {
    for command in ["", "tree", "search", "import", "db", "db url", "doctor"] {
      let outcome = try await run(
        command.split(separator: " ").map(String.init) + ["--help"],
        environment: ["LC_ALL": "C"]
      )
      #expect(outcome.status == 0)
      #expect(outcome.stdoutBytes.allSatisfy { $0 < 0x7F }, "\(outcome)")
    }
    let tree = try await run(["tree", "--help"], environment: ["LC_ALL": "C"])
    #expect(!tree.stdout.contains("\\u{25"), "\(tree)")
  }
}
