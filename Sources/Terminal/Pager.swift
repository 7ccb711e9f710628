import Platform

/// A program that shows long output by the screen, such as `less`, and the pipe to it.
///
/// While it runs the terminal is its own: this process ignores SIGINT, which `less` takes itself.
/// Write to ``descriptor``, then call ``finish()``; a reader that quits early gives
/// ``OutputError/closed`` at the next write, which is not a failure.
package struct Pager: ~Copyable {
  /// The end of the pipe to write to.
  package let descriptor: Int32

  private let program: ChildProgram

  /// The command of the person's choice, for `sh -c`, or `nil` when nothing is to be paged.
  ///
  /// `STAFFBOOK_PAGER`, else `PAGER`, else `less -FRX`. An empty value and `cat` mean none, and so
  /// does a program that is not there: showing the output unpaged is better than not at all.
  package static func command(
    environment: [String: String],
    profile: TerminalProfile
  ) -> String? {
    guard profile.isTerminal, environment["TERM"] != "dumb" else { return nil }
    let command = environment["STAFFBOOK_PAGER"] ?? environment["PAGER"] ?? "less -FRX"
    guard let program = command.split(whereSeparator: { $0 == " " || $0 == "\t" }).first,
      program != "cat", isThere(String(program), path: environment["PATH"] ?? "")
    else { return nil }
    return command
  }

  /// Starts the command with a pipe as its standard input.
  ///
  /// - Parameters:
  ///   - command: For `sh -c`.
  ///   - environment: The command's, to which `LESSCHARSET=utf-8` is added where the terminal is
  ///     UTF-8 and nothing else is said: without a locale `less` would show bytes.
  ///   - profile: Of the terminal that it will write to.
  /// - Throws: When no pipe or no process can be created.
  package init(
    command: String,
    environment: [String: String],
    profile: TerminalProfile
  ) throws(OutputError) {
    var environment = environment
    if profile.unicode, environment["LESSCHARSET"] == nil { environment["LESSCHARSET"] = "utf-8" }
    guard let ends = Pipe() else { throw OutputError(code: errno) }
    defer { close(ends.reading) }
    do throws(OutputError) {
      program = try ChildProgram(shell: command, environment: environment, input: ends.reading)
    } catch {
      close(ends.writing)
      throw error
    }
    descriptor = ends.writing
  }

  deinit { close(descriptor) }

  /// Closes the pipe and waits until the person has left the pager.
  package consuming func finish() {}

  /// Whether the shell would find a program; words it must work out itself are let through.
  private static func isThere(_ program: String, path: String) -> Bool {
    if program.contains(where: { "/$=~'\"\\`({".contains($0) }) {
      return !program.hasPrefix("/") || access(program, X_OK) == 0
    }
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }
}
