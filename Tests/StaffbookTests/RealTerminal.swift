import SystemPackage
import TestSupport
import Testing

/// The program on a real terminal: tmux, which the tests type into and whose screen they read.
struct RealTerminal {
  private let socket: FilePath
  private let book: Book

  init(_ book: Book) {
    self.book = book
    socket = book.home.appending("tmux.socket")
  }

  @discardableResult
  func tmux(_ arguments: String...) async throws -> String {
    var variables = book.variables
    variables["TERM"] = "xterm-256color"
    let outcome = try await runProgram(
      "/usr/bin/tmux",
      ["-S", socket.string, "-f", "/dev/null"] + arguments,
      environment: variables
    )
    try #require(outcome.status == 0, "\(arguments): \(outcome)")
    return outcome.stdout
  }

  /// Starts a command of the shell with `staffbook` in it, on a screen of so many columns and rows.
  func start(_ command: String, columns: Int = 80, rows: Int = 24) async throws {
    let program = try Book.program()
    let script = book.home.appending("run.sh")
    try write("staffbook() { '\(program)' \"$@\"; }\n\(command)\n", to: script)
    try await tmux(
      "new-session",
      "-d",
      "-x",
      "\(columns)",
      "-y",
      "\(rows)",
      "TERM=screen-256color sh \(script)"
    )
  }

  /// Presses keys, by tmux's names of them.
  func type(_ keys: String...) async throws {
    for key in keys { try await tmux("send-keys", key) }
  }

  /// Types a text as it is.
  func enter(_ text: String) async throws { try await tmux("send-keys", "-l", "--", text) }

  func screen() async throws -> String { try await tmux("capture-pane", "-p") }

  var isOnOtherScreen: Bool {
    get async throws { try await tmux("display", "-p", "#{alternate_on}").hasPrefix("1") }
  }

  /// Waits until the screen shows something.
  func wait(for text: String) async throws {
    try await wait(until: "the terminal shows “\(text)”") { $0.contains(text) }
  }

  /// Waits until what the screen shows is as it must be.
  func wait(
    until event: String,
    _ holds: (_ screen: String) async throws -> Bool
  ) async throws {
    try await TestSupport.wait(until: event, seen: screen) { try await holds(try await screen()) }
  }

  func end() async { _ = try? await tmux("kill-server") }
}

/// Makes a book, and ends the terminal however the body ends.
func withTerminal(
  prepare: (inout Book) async throws -> Void,
  _ body: (RealTerminal, Book) async throws -> Void
) async throws {
  try await withBook { book in
    var book = book
    try await prepare(&book)
    let terminal = RealTerminal(book)
    do {
      try await body(terminal, book)
    } catch {
      await terminal.end()
      throw error
    }
    await terminal.end()
  }
}
