import Platform

/// A program that shows long output by the screen, such as `less`, and the pipe to it.
///
/// While it runs the terminal is its own: this process ignores SIGINT, which `less` takes itself.
/// Write to ``descriptor``, then call ``finish()``; a reader that quits early gives
/// ``OutputError/closed`` at the next write, which is no failure.
package struct Pager: ~Copyable {
  /// The end of the pipe to write to.
  package let descriptor: Int32

  private let process: pid_t
  private let interruptHandler: sigaction

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
  /// - Throws: When the system gives no pipe or no process.
  package init(
    command: String,
    environment: [String: String],
    profile: TerminalProfile
  ) throws(OutputError) {
    var environment = environment
    if profile.unicode, environment["LESSCHARSET"] == nil { environment["LESSCHARSET"] = "utf-8" }
    guard let ends = Pipe() else { throw OutputError(code: errno) }
    var process: pid_t = 0
    let failure = Self.spawn(command, environment, input: ends.reading, &process)
    close(ends.reading)
    guard failure == 0 else {
      close(ends.writing)
      throw OutputError(code: failure)
    }
    descriptor = ends.writing
    self.process = process
    interruptHandler = Self.exchangeInterruptHandler(Self.ignoring())
  }

  deinit {
    close(descriptor)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    _ = Self.exchangeInterruptHandler(interruptHandler)
  }

  /// Closes the pipe and waits until the person has left the pager.
  package consuming func finish() {}

  // MARK: - System

  /// Whether the shell would find a program; words it must work out itself are let through.
  private static func isThere(_ program: String, path: String) -> Bool {
    if program.contains(where: { "/$=~'\"\\`({".contains($0) }) {
      return !program.hasPrefix("/") || access(program, X_OK) == 0
    }
    return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  /// Starts `sh -c`, with the signals as they are by default.
  ///
  /// - Returns: 0, or the error as a number of `errno`.
  private static func spawn(
    _ command: String,
    _ environment: [String: String],
    input: Int32,
    _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    return withCStrings(["sh", "-c", command]) { arguments in
      withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, variables)
      }
    }
  }

  private static func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an array with nil in it") }
      return body(base)
    }
  }

  private static func ignoring() -> sigaction {
    var action = sigaction()
    action.handler = SIG_IGN
    return action
  }

  private static func exchangeInterruptHandler(_ handler: sigaction) -> sigaction {
    var handler = handler
    var previous = sigaction()
    sigaction(SIGINT, &handler, &previous)
    return previous
  }
}
