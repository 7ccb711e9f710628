import Terminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the program says beside its data, and short answers.
enum Messages {
  /// The environment as the program found it.
  static let environment: [String: String] = {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(
        separator: "=",
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    return variables
  }()

  static let errorProfile = TerminalProfile(
    descriptor: STDERR_FILENO,
    environment: environment
  )

  /// One line of an answer, on standard output.
  static func output(_ line: String) {
    var writer = OutputWriter(descriptor: STDOUT_FILENO)
    let profile = TerminalProfile(descriptor: STDOUT_FILENO, environment: environment)
    do throws(OutputError) {
      try writer.write((profile.isTerminal ? profile.visible(line) : line) + "\n")
      try writer.finish()
    } catch {
      ErrorReport.exit(afterFailedOutput: error)
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

  static func emptyDirectory() {
    notice(
      "the directory is empty; import a folder with: staffbook import FOLDER, "
        + "or look at an invented company: staffbook sample --load"
    )
  }
}
