import ArgumentParser
import Browsing
import DirectoryModel
import DirectoryReading
import Dispatch
import LiveDirectory
import Platform
import SiteSettings
import Terminal

struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Browse the directory in full screen.",
    discussion: """
      Arrow keys move, expand and collapse; / searches as you type; Enter shows a person's card; \
      ? lists all keys; q quits. What you expand and collapse is kept for tree, expand, collapse \
      and export. On a terminal, staffbook without a command does the same.

      Under keys: in config.yaml, an action is given other keys, such as up: [Up, w]. The actions \
      are \(BrowserAction.allCases.map(\.rawValue).joined(separator: ", ")).

      EXAMPLES
        staffbook browse
        staffbook browse --plain-ui
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption
  @OptionGroup(title: "Screen") var screen: ScreenOptions

  func run() async throws {
    _ = try BrowserOptions.profile(of: STDOUT_FILENO, screen)
    let (session, directory) = try await reading.open(as: viewer, isLongLived: true)
    // Again, since the configuration may turn colour off.
    let profile = try BrowserOptions.profile(of: STDOUT_FILENO, screen)
    var options = BrowserOptions(reading.source, viewer)
    options.isPlain = screen.plainUI
    options.bind(session.keys)
    options.warnOfAge(of: directory, session)
    _ = try await options.run(session, directory, profile)
  }
}

struct PickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pick",
    abstract: "Choose people interactively and print their ids.",
    discussion: """
      Shows the directory on the terminal and prints the rows that are chosen, for scripts and \
      other programs: their ids, one per line, or what the options select. Enter chooses, Tab marks \
      several; Esc chooses nothing, and the exit status is then 1.

      EXAMPLES
        staffbook pick lukasz
        mail "$(staffbook pick --email)"
        staffbook pick --field name
        staffbook pick --json
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Source") var viewer: ViewerOption
  @OptionGroup(title: "Screen") var screen: ScreenOptions

  @Flag(help: "Print email addresses.")
  var email = false

  @Option(help: ArgumentHelp("Print this field, such as name or mobile.", valueName: "name"))
  var field: String?

  @Flag(help: "Print each as JSON, one object per line.")
  var json = false

  @Argument(help: "Start with the matches of this query.")
  var query: [String] = []

  func validate() throws {
    if [email, field != nil, json].count(where: { $0 }) > 1 {
      throw ValidationError("--email, --field and --json cannot be used together")
    }
  }

  func run() async throws {
    // Standard output is for what is chosen, and keys come from the terminal itself.
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    defer { if terminal >= 0 { close(terminal) } }
    _ = try BrowserOptions.profile(of: terminal, screen)
    let (session, directory) = try await reading.open(as: viewer, isLongLived: true)
    // Again, since the configuration may turn colour off.
    let profile = try BrowserOptions.profile(of: terminal, screen)
    let column = field ?? (email ? Field.email.name : "id")
    try directory.requireColumns([column])
    var options = BrowserOptions(reading.source, viewer)
    (options.input, options.output, options.purpose) = (terminal, terminal, .pick)
    options.isPlain = screen.plainUI
    options.bind(session.keys)
    options.warnOfAge(of: directory, session)
    options.query = query.joined(separator: " ")
    guard let chosen = try await options.run(session, directory, profile) else {
      throw NothingFound(hint: "nothing was chosen")
    }
    try print(chosen.nodes, of: chosen.directory, column: column)
  }

  private func print(_ nodes: [Node], of directory: Directory, column: String) throws {
    try RowPrinter.print(as: json ? .jsonl : .plain, columns: json ? [] : [column]) { body in
      for node in nodes { try body(SearchRow(row: try directory.card(at: node))) }
    }
  }
}
