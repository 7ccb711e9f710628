import ArgumentParser
import Browsing
import DirectoryModel
import DirectoryReading
import Dispatch
import LiveDirectory
import Platform
import SiteSettings
import Terminal

struct ScreenOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Use colour: auto, always or never.", valueName: "when"))
  var color = TerminalProfile.ColourChoice.auto

  @Option(
    help: ArgumentHelp(
      "Width of characters of ambiguous width, such as Greek and Cyrillic: 1 or 2.",
      discussion: "Terminals with Chinese, Japanese or Korean settings may use two columns.",
      valueName: "columns"
    )
  )
  var ambiguousWidth = 1

  @Flag(
    name: .customLong("plain-ui"),
    help: "Write everything as lines of text, for screen readers; works on any terminal."
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
  /// Whose eyes are used, by `--as`.
  let viewer: String?

  init(_ source: SourceOptions, _ viewer: ViewerOption) {
    #if os(Linux)
      // Whatever it was called by, and wherever it lies now (proc(5)).
      program = "/proc/self/exe"
    #else
      program = CommandLine.arguments[0]
    #endif
    arguments = source.database.map { ["--database=\($0)"] } ?? []
    self.viewer = viewer.viewer
  }

  /// Takes keys from the configuration; wrong ones are passed over with a warning.
  mutating func bind(_ settings: [KeySetting]) {
    for setting in settings {
      let place = "\(setting.file):\(setting.line)"
      guard let action = BrowserAction(rawValue: setting.action) else {
        warning =
          warning ?? "\(place): unknown action \(setting.action); browse --help lists them."
        continue
      }
      if let unknown = keys.bind(action, to: setting.keys) {
        warning = warning ?? "\(place): there is no key \(unknown)."
      }
    }
  }

  /// Says at first that the snapshot is old, since what was said before is on the other screen.
  mutating func warnOfAge(of directory: Directory, _ session: Session) {
    guard warning == nil, let text = Age.warning(of: directory, session) else { return }
    warning = text.prefix(1).uppercased() + text.dropFirst() + "."
  }

  /// - Throws: Where there is no terminal that can be drawn on.
  static func profile(
    of descriptor: CInt,
    _ screen: ScreenOptions
  ) throws -> TerminalProfile {
    TerminalProfile.ambiguousIsWide = screen.ambiguousWidth == 2
    Progress.isOff = screen.plainUI
    let profile = TerminalProfile(
      descriptor: descriptor,
      environment: Messages.environment,
      colour: screen.color
    )
    let hasKeys = isatty(STDIN_FILENO) == 1 || descriptor != STDOUT_FILENO
    guard hasKeys, profile.canRedraw || screen.plainUI && profile.isTerminal else {
      throw DirectoryError(
        .usage,
        hasKeys && profile.isTerminal
          ? "this terminal cannot show the browser"
          : "the browser requires a terminal",
        advice: "use staffbook tree"
          + (hasKeys && profile.isTerminal ? ", or --plain-ui for lines of text" : "")
      )
    }
    return profile
  }

  /// Runs the front on a thread of its own, since it waits for keys.
  func run(
    _ session: Session,
    _ directory: Directory,
    _ profile: TerminalProfile
  ) async throws -> (nodes: [Node], directory: Directory)? {
    let queue = DispatchQueue(label: "staffbook.screen")
    return try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result {
            try BrowserSession(session, directory, self, profile: profile).run()
          }
        )
      }
    }
  }
}
