import LiveDirectory
import Platform
import Terminal

/// What the program says beside its data, and short answers.
enum Messages {
  /// The environment as the program found it.
  static let environment = ProcessEnvironment.variables

  static let errorProfile = TerminalProfile(
    descriptor: STDERR_FILENO,
    environment: environment
  )

  /// One line of a report on standard output, made harmless wherever it goes: a log is read on a
  /// terminal in the end.
  static func report(_ line: String) { put(outputProfile.visible(line)) }

  /// One line on standard output for programs: as it is, but for a terminal.
  static func data(_ line: String) {
    put(outputProfile.isTerminal ? outputProfile.visible(line) : line)
  }

  /// Help, whose every line is ours, in the characters that the output can show.
  static func help(_ text: String) {
    guard !outputProfile.unicode, text.hasPrefix("OVERVIEW: ") else {
      put(text)
      return
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    put(lines.map { outputProfile.visible(inASCII(String($0))) }.joined(separator: "\n"))
  }

  /// The signs of our own texts as a tree has them on a terminal that shows only ASCII.
  private static func inASCII(_ line: String) -> String {
    let signs: [Character: String] = ["▾": "v", "▸": ">", "▹": "-", "…": "...", "→": "->"]
    return line.reduce(into: "") { $0 += signs[$1] ?? String($1) }
  }

  private static let outputProfile = TerminalProfile(
    descriptor: STDOUT_FILENO,
    environment: environment
  )

  private static func put(_ text: String) {
    var writer = OutputWriter(descriptor: STDOUT_FILENO)
    do throws(OutputError) {
      try writer.write(text + "\n")
      try writer.finish()
    } catch {
      ExitStatus.exit(afterFailedOutput: error)
    }
  }

  static func notice(_ text: String) { sayAside(text) }

  static func warning(_ text: String) { sayAside("warning: " + text) }

  /// One line on standard error, made harmless; nothing can be done if that fails.
  static func sayAside(_ text: String) {
    var writer = OutputWriter(descriptor: STDERR_FILENO)
    try? writer.write("staffbook: " + errorProfile.visible(text) + "\n")
    try? writer.finish()
  }

  static func emptyDirectory(_ session: Session) {
    if let name = session.viewerName {
      return notice(
        "\(name) sees nothing of the directory; see why with: "
          + "staffbook visibility explain VIEWER WHO; look for mistakes in the rules with: staffbook doctor"
      )
    }
    notice(
      "the directory is empty; import a folder with: staffbook import FOLDER; "
        + "or load an invented company with: staffbook sample --load"
    )
  }
}
