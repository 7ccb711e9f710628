import Browsing
import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import Terminal

extension Company {
  /// What fronts read: built, written and opened.
  package func directory() throws -> Directory { try Directory(snapshot(), for: .everything) }
}

/// A front without a terminal: keys in, a screen of text out, and what it asks for answered at once.
package struct Front {
  package var state: BrowserState
  package var asked: [BrowserEffect] = []
  package let profile: TerminalProfile
  /// Whether searches and cards are answered.
  package var answers = true

  package init(
    _ directory: Directory,
    expanded: Set<DepartmentID> = [],
    columns: Int = 80,
    rows: Int = 24,
    purpose: BrowserState.Purpose = .browse,
    colour: Bool = false,
    unicode: Bool = true,
    viewer: String? = nil
  ) throws {
    let outline = try DirectoryOutline(directory, SavedView(expanded: expanded))
    state = BrowserState(
      outline,
      size: ScreenSize(columns: columns, rows: rows),
      purpose: purpose,
      viewer: viewer
    )
    profile = TerminalProfile(
      isTerminal: true,
      columns: columns,
      rows: rows,
      colour: colour,
      unicode: unicode,
      canRedraw: true
    )
  }

  package mutating func press(_ keys: Key...) throws {
    for key in keys { try take(state.handle(key)) }
  }

  package mutating func type(_ text: String) throws {
    for character in text { try press(.character(character)) }
  }

  package mutating func take(_ effects: [BrowserEffect]) throws {
    asked += effects
    guard answers else { return }
    let directory = state.outline.directory
    for effect in effects {
      switch effect {
      case .search(let query):
        let matches = try directory.matches(for: query)
        try take(state.found(matches, best: try directory.searcher().best(for: query)))
      case .card(let node): state.show(try BrowserCard(of: node, in: directory))
      default: break
      }
    }
  }

  package func frame() throws -> ScreenFrame { try BrowserScreen(profile).frame(of: state) }

  /// The lines of the screen as text, without blanks at their ends.
  package func lines() throws -> [String] {
    var screen = EmulatedScreen(columns: state.size.columns, rows: state.size.rows)
    var update = ScreenUpdate()
    screen.take(update.bytes(showing: try frame()))
    return screen.lines
  }

  package var selectedID: String? {
    get throws {
      try state.selected.map { try state.outline.directory.listRow(at: $0).id }
    }
  }
}
