import Platform
import Synchronization
import TextRules

/// What may be written to a descriptor: how wide, in which characters, in colour or not.
package struct TerminalProfile: Hashable, Sendable {
  /// The choice of a command line over what environment and terminal suggest.
  package enum ColourChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }

  package var isTerminal: Bool
  /// Columns of a line; `nil` when the output is not a terminal, where nothing is cut.
  package var columns: Int?
  /// Lines of the screen; `nil` when the output is not a terminal.
  package var rows: Int?
  package var colour: Bool
  /// Whether more than ASCII can be shown.
  package var unicode: Bool
  /// Whether the terminal of this process draws characters of ambiguous width in two columns.
  package static var ambiguousIsWide: Bool {
    get { DisplayWidth.ambiguousIsWide }
    set { DisplayWidth.ambiguousIsWide = newValue }
  }
  /// Whether the configuration turns colour off where a command line says nothing else.
  package static var isColourOff: Bool {
    get { colourOff.load(ordering: .relaxed) }
    set { colourOff.store(newValue, ordering: .relaxed) }
  }
  private static let colourOff = Atomic(false)
  /// Whether signs such as lines and stars may be drawn that some terminals take for two columns wide.
  package var drawsSigns: Bool { unicode && !DisplayWidth.ambiguousIsWide }
  /// Whether the cursor can be moved to the line's beginning and the line be cleared.
  package var canRedraw: Bool

  /// Any profile, for tests and for output that is not a descriptor.
  package init(
    isTerminal: Bool = false,
    columns: Int? = nil,
    rows: Int? = nil,
    colour: Bool = false,
    unicode: Bool = true,
    canRedraw: Bool = false
  ) {
    self.isTerminal = isTerminal
    self.columns = columns
    self.rows = rows
    self.colour = colour
    self.unicode = unicode
    self.canRedraw = canRedraw
  }

  /// Asks the descriptor and the environment.
  ///
  /// - `COLUMNS` and `LINES`, where they are numbers from 1 to 65,535, win over the terminal's own size;
  ///   a terminal that states neither has 80 by 24.
  /// - Colour: the caller's choice; else none where the configuration turns it off, with a non-empty `NO_COLOR` (no-color.org), off
  ///   terminals, or with a `TERM` that is `dumb` or missing (unless `COLORTERM` is set).
  /// - Unicode: the first non-empty of `LC_ALL`, `LC_CTYPE`, `LANG` says UTF-8 (POSIX XBD 8.2).
  ///   With none of them set (a container, a service) UTF-8 is presumed: the locale is unknown
  ///   there and the terminal behind it is UTF-8 today.
  package init(
    descriptor: Int32,
    environment: [String: String],
    colour choice: ColourChoice = .auto
  ) {
    isTerminal = isatty(descriptor) == 1
    let term = environment["TERM"] ?? ""
    canRedraw = isTerminal && term != "dumb" && !term.isEmpty
    unicode = Self.saysUTF8(environment)
    colour =
      switch choice {
      case .always: true
      case .never: false
      case .auto: isTerminal && !Self.isColourOff && Self.wantsColour(environment)
      }
    guard isTerminal else { return }
    let size = Self.size(of: descriptor)
    columns = Self.positive(environment["COLUMNS"]) ?? size?.columns ?? 80
    rows = Self.positive(environment["LINES"]) ?? size?.rows ?? 24
  }

  private static func positive(_ value: String?) -> Int? {
    // As large as a terminal's own size can be. (ioctl_tty(2), winsize)
    guard let number = value.flatMap({ UInt16($0) }), number > 0 else { return nil }
    return Int(number)
  }

  private static func wantsColour(_ environment: [String: String]) -> Bool {
    if environment["NO_COLOR"]?.isEmpty == false { return false }
    let term = environment["TERM"] ?? ""
    if term == "dumb" { return false }
    return !term.isEmpty || environment["COLORTERM"]?.isEmpty == false
  }

  private static func saysUTF8(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
    else { return true }
    let codeset = locale.split(separator: "@", maxSplits: 1)[0].split(separator: ".").dropFirst()
    return codeset.first.map { ["utf-8", "utf8"].contains($0.lowercased()) } ?? false
  }

  private static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

extension TerminalProfile {
  /// A line of ours that may hold text from outside, made harmless.
  package func visible(_ line: String) -> String {
    VisibleText.visible(line, ascii: !unicode)
  }
}
