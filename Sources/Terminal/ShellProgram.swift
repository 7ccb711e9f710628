import Platform

/// Programs that people name in a variable, as the shell runs them.
enum ShellProgram {
  /// Starts `sh -c`, with the signals as they are by default.
  ///
  /// - Parameters:
  ///   - command: What the shell runs; `"$@"` in it are the arguments.
  ///   - arguments: Words that the shell does not look into.
  ///   - environment: The program's variables.
  ///   - input: Its standard input; `nil` for ours.
  ///   - process: Gets the number of the process.
  /// - Returns: 0, or the error as a number of `errno`.
  static func spawn(
    _ command: String,
    _ arguments: [String],
    _ environment: [String: String],
    input: Int32?,
    _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    return withCStrings(["sh", "-c", command, "sh"] + arguments) { arguments in
      withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, variables)
      }
    }
  }

  /// Waits until a process has ended.
  ///
  /// - Returns: Its exit status, or 128 and the signal that ended it, as the shell has it.
  @discardableResult
  static func wait(for process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// A handler that takes no notice.
  static var ignoring: sigaction {
    var action = sigaction()
    action.handler = SIG_IGN
    return action
  }

  /// - Returns: The handler before.
  static func exchangeHandler(of signal: Int32, _ handler: sigaction) -> sigaction {
    var handler = handler
    var previous = sigaction()
    sigaction(signal, &handler, &previous)
    return previous
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
}
