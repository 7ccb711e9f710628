import ArgumentParser
import Browsing
import DirectoryModel
import DirectoryReading
import DirectoryService
import Dispatch
import Platform
import Terminal

struct BrowseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "browse",
    abstract: "Browse the directory on the whole screen.",
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
  @OptionGroup(title: "Screen") var screen: ScreenOptions

  func run() async throws {
    let profile = try BrowserOptions.profile(of: STDOUT_FILENO, screen)
    let (service, directory) = try await reading.open()
    var options = BrowserOptions(reading.source)
    options.isPlain = screen.plainUI
    options.bind(service.settings.keys)
    options.warnOfAge(of: directory, service)
    _ = try await options.run(service, directory, profile)
  }
}

struct PickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pick",
    abstract: "Let somebody choose people, and print them.",
    discussion: """
      Shows the directory on the terminal and prints the rows that are chosen, for scripts and \
      other programs: their ids, one a line, or what the options say. Enter chooses, Tab marks \
      several; Esc chooses nothing, and the exit status is then 1.

      EXAMPLES
        staffbook pick lukasz
        mail "$(staffbook pick --email)"
        staffbook pick --field name
        staffbook pick --json
      """
  )

  @OptionGroup(title: "Source") var reading: ReadingOptions
  @OptionGroup(title: "Screen") var screen: ScreenOptions

  @Flag(help: "Print addresses to write to.")
  var email = false

  @Option(help: ArgumentHelp("Print this field, such as name or mobile.", valueName: "name"))
  var field: String?

  @Flag(help: "Print each as JSON, one object per line.")
  var json = false

  @Argument(help: "Begin with the matches of this query.")
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
    let profile = try BrowserOptions.profile(of: terminal, screen)
    let (service, directory) = try await reading.open()
    let column = field ?? (email ? ContactField.address.key : "id")
    try directory.requireColumns([column])
    var options = BrowserOptions(reading.source)
    (options.input, options.output, options.purpose) = (terminal, terminal, .pick)
    options.isPlain = screen.plainUI
    options.bind(service.settings.keys)
    options.warnOfAge(of: directory, service)
    options.query = query.joined(separator: " ")
    guard let chosen = try await options.run(service, directory, profile) else {
      throw NothingFound()
    }
    try print(chosen.nodes, of: chosen.directory, column: column)
  }

  private func print(_ nodes: [Node], of directory: Directory, column: String) throws {
    try RowPrinter.print(as: json ? .json : .plain, columns: json ? [] : [column]) { body in
      for node in nodes { try body(SearchRow(row: try directory.card(at: node))) }
    }
  }
}

struct ScreenOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use colour: auto, always or never.", valueName: "when"))
  var color = TerminalProfile.ColourChoice.auto

  @Option(
    help: ArgumentHelp(
      "Columns of characters whose width is ambiguous, such as Greek and Cyrillic: 1 or 2.",
      discussion: "Terminals in Chinese, Japanese or Korean settings may draw them in two.",
      valueName: "columns"
    )
  )
  var ambiguousWidth = 1

  @Flag(
    name: .customLong("plain-ui"),
    help: "Write a line of text for each selected row, for screen readers."
  )
  var plainUI = false

  func validate() throws {
    guard (1...2).contains(ambiguousWidth) else {
      throw ValidationError("--ambiguous-width is 1 or 2")
    }
  }
}

/// How a full-screen front is run.
struct BrowserOptions: Sendable {
  var input = STDIN_FILENO
  var output = STDOUT_FILENO
  var purpose = BrowserState.Purpose.browse
  var isPlain = false
  private(set) var keys = KeyBindings()
  /// What is wrong with the keys of the configuration.
  private(set) var warning: String?
  /// What to search for at first.
  var query: String?
  /// This program, and the options by which it finds the same directory.
  let program: String
  let arguments: [String]

  init(_ source: SourceOptions) {
    #if os(Linux)
      // Whatever it was called by, and wherever it lies now (proc(5)).
      program = "/proc/self/exe"
    #else
      program = CommandLine.arguments[0]
    #endif
    arguments = source.database.map { ["--database=\($0)"] } ?? []
  }

  /// Takes keys from the configuration; wrong ones are passed over with a warning.
  mutating func bind(_ settings: [KeySetting]) {
    for setting in settings {
      let place = "\(setting.file):\(setting.line)"
      guard let action = BrowserAction(rawValue: setting.action) else {
        warning =
          warning ?? "\(place): there is no action \(setting.action); browse --help lists them."
        continue
      }
      if let unknown = keys.bind(action, to: setting.keys) {
        warning = warning ?? "\(place): there is no key \(unknown)."
      }
    }
  }

  /// Says at first that the snapshot is old, since what was said before is on the other screen.
  mutating func warnOfAge(of directory: Directory, _ service: StaffbookService) {
    guard warning == nil, let text = Age.warning(of: directory, service) else { return }
    warning = text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  /// - Throws: Where there is no terminal that can be drawn on.
  static func profile(
    of descriptor: CInt,
    _ screen: ScreenOptions
  ) throws -> TerminalProfile {
    TerminalProfile.ambiguousIsWide = screen.ambiguousWidth == 2
    let profile = TerminalProfile(
      descriptor: descriptor,
      environment: Messages.environment,
      colour: screen.color
    )
    guard profile.canRedraw, isatty(STDIN_FILENO) == 1 || descriptor != STDOUT_FILENO else {
      throw DirectoryError(
        .usage,
        "cannot browse: this is no terminal whose screen can be drawn on",
        advice: "show the tree as text with: staffbook tree"
      )
    }
    return profile
  }

  /// Runs the front on a thread of its own, since it waits for keys.
  func run(
    _ service: StaffbookService,
    _ directory: Directory,
    _ profile: TerminalProfile
  ) async throws -> (nodes: [Node], directory: Directory)? {
    let queue = DispatchQueue(label: "staffbook.screen")
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result {
            try BrowserSession(service, directory, self, profile: profile).run()
          }
        )
      }
    }
  }
}
