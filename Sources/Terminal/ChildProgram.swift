import Platform
import Synchronization

/// A program that has the terminal while it runs, such as a pager or an editor.
///
/// It gets the signals as they are by default, and this process ignores SIGINT and SIGQUIT until
/// it has ended: Ctrl-C is for the program in front. Who lets go of the value waits for the end, too.
package struct ChildProgram: ~Copyable {
  /// The one that has the terminal; 0 without one.
  private static let running = Atomic<pid_t>(0)
  /// How the terminal was before; `nil` where there is none.
  private static let settings = Mutex<termios?>(nil)
  /// Whether this process ends as soon as the program has.
  private static let isEnding = Atomic(false)

  private let process: pid_t
  private let interruptHandler: sigaction
  private let quitHandler: sigaction

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - arguments: Its words, the name that it is called by first.
  ///   - environment: Its variables.
  ///   - input: Its standard input; `nil` for ours.
  ///   - discarded: Those of its descriptors whatever it writes to which is thrown away; a pipe that is
  ///     closed would end what it leaves behind, and a file would grow.
  /// - Throws: When the system does not start it.
  package init(
    path: String,
    arguments: [String],
    environment: [String: String],
    input: Int32? = nil,
    discarding discarded: [Int32] = []
  ) throws(OutputError) {
    var process: pid_t = 0
    var settings = termios()
    Self.settings.withLock { $0 = tcgetattr(STDIN_FILENO, &settings) == 0 ? settings : nil }
    let failure = Self.spawn(path, arguments, environment, input, discarded, &process)
    guard failure == 0 else { throw OutputError(code: failure) }
    self.process = process
    Self.running.store(process, ordering: .sequentiallyConsistent)
    var ignoring = sigaction()
    ignoring.handler = SIG_IGN
    interruptHandler = Self.exchangeHandler(of: SIGINT, ignoring)
    quitHandler = Self.exchangeHandler(of: SIGQUIT, ignoring)
  }

  /// - Returns: The handler before.
  private static func exchangeHandler(of signal: Int32, _ handler: sigaction) -> sigaction {
    var handler = handler
    var previous = sigaction()
    sigaction(signal, &handler, &previous)
    return previous
  }

  /// Starts a command of the shell.
  ///
  /// - Parameters:
  ///   - command: What the shell runs; `"$@"` in it are the arguments.
  ///   - arguments: Words that the shell does not look into.
  ///   - environment: Its variables.
  ///   - input: Its standard input; `nil` for ours.
  /// - Throws: When the system does not start it.
  package init(
    shell command: String,
    arguments: [String] = [],
    environment: [String: String],
    input: Int32? = nil
  ) throws(OutputError) {
    try self.init(
      path: "/bin/sh",
      arguments: ["sh", "-c", command, "sh"] + arguments,
      environment: environment,
      input: input
    )
  }

  deinit { _ = Self.wait(for: process, interruptHandler, quitHandler) }

  /// Waits until it has ended.
  ///
  /// - Returns: Its exit status; 128 and the signal's number where a signal ended it, as a shell says.
  package consuming func wait() -> Int32 {
    let (process, interrupt, quit) = (process, interruptHandler, quitHandler)
    discard self
    return Self.wait(for: process, interrupt, quit)
  }

  private static func wait(
    for process: pid_t,
    _ interrupt: sigaction,
    _ quit: sigaction
  ) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    running.store(0, ordering: .sequentiallyConsistent)
    while isEnding.load(ordering: .sequentiallyConsistent) { pause() }
    _ = exchangeHandler(of: SIGINT, interrupt)
    _ = exchangeHandler(of: SIGQUIT, quit)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Ends the program that has the terminal, and what it started.
  ///
  /// An editor that is left behind would share the terminal with the shell. Waits for it, at most three
  /// seconds, and sets the terminal as it was: vi that is told to end leaves it as it is.
  ///
  /// The caller ends this process afterwards; `wait()` does not return any more.
  package static func end(with signal: CInt) {
    isEnding.store(true, ordering: .sequentiallyConsistent)
    let program = running.load(ordering: .sequentiallyConsistent)
    guard program != 0 else { return }
    let family = family(of: program)
    for process in family { kill(process, signal) }
    for _ in 0..<300 where family.contains(where: { kill($0, 0) == 0 }) { usleep(10_000) }
    settings.withLock { settings in
      guard var former = settings else { return }
      tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
    }
  }

  /// A process and all that descend from it, as far as the system tells (Linux: proc(5)).
  private static func family(of process: pid_t) -> [pid_t] {
    var family = [process]
    var index = 0
    while index < family.count {
      let path = "/proc/\(family[index])/task/\(family[index])/children"
      index += 1
      guard let file = fopen(path, "r") else { continue }
      var child: pid_t = 0
      while withUnsafeMutablePointer(to: &child, { withVaList([$0]) { vfscanf(file, "%d", $0) } })
        == 1
      {
        family.append(child)
      }
      fclose(file)
    }
    return family
  }

  /// - Returns: 0, or the error as a number of `errno`.
  private static func spawn(
    _ path: String,
    _ arguments: [String],
    _ environment: [String: String],
    _ input: Int32?,
    _ discarded: [Int32],
    _ process: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    for descriptor in discarded {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&defaults, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    return withCStrings(arguments) { arguments in
      withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        posix_spawn(&process, path, &actions, &attributes, arguments, variables)
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
}

/// The editor that the user likes.
package enum TextEditor {
  /// `VISUAL`, else `EDITOR`, else `vi`.
  package static func command(environment: [String: String]) -> String {
    named(environment: environment) ?? "vi"
  }

  /// The editor that the environment names; `nil` where it names none.
  package static func named(environment: [String: String]) -> String? {
    ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }
      .first { $0.contains { !$0.isWhitespace } }
  }

  /// The variable by which a full-screen front tells a program that it runs on the other screen.
  package static let otherScreen = "STAFFBOOK_OTHER_SCREEN"

  /// Opens a file, and waits until the editor has ended; interrupts are the editor's meanwhile.
  ///
  /// - Parameters:
  ///   - path: The file's.
  ///   - command: The editor, as the shell takes it.
  ///   - environment: Its variables.
  /// - Returns: Its exit status; 127 where there is no such program.
  package static func open(
    _ path: String,
    _ command: String,
    environment: [String: String]
  ) -> Int32 {
    do throws(OutputError) {
      // As git does it: the command may have arguments of its own. An interrupt that nvi answered ended
      // the shell that waited for it; a signal that is caught is as it was for what the shell starts.
      let program = try ChildProgram(
        shell: "trap : INT QUIT; " + command + " \"$@\"",
        arguments: [path],
        environment: environment
      )
      let status = program.wait()
      if environment[otherScreen] != nil { FullScreen.goToOtherScreen() }
      return status
    } catch {
      return 127
    }
  }
}
