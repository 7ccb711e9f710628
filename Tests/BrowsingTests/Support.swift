import DirectoryModel
import DirectoryReading
import DirectoryTestSupport
import Terminal

@testable import Browsing

extension Company {
  /// Three levels, a lead, somebody in two departments, and a name that runs right to left.
  ///
  /// - Parameter withCy: Whether the one person at the top is there.
  /// - Returns: Five departments and four people.
  /// - Returns: The company.
  /// - Throws: What making it throws.
  static func lumen(withCy: Bool = true) throws -> Company {
    var company = Company()
    try company.department("root", name: "Lumen")
    try company.department("a", under: "root", name: "Atelier", description: "where it is made")
    try company.department("a1", under: "a", name: "Lamps")
    try company.department("b", under: "root", name: "Bureau")
    try company.department("e", under: "b", name: "Empty")
    try company.user(
      "ann",
      in: "a1",
      name: "Ann Ash",
      title: "Lamp maker",
      email: "ann@x.example",
      phone: "+1 555 0100"
    )
    try company.user("bo", in: "a", name: "Bo Berg", title: "Chief", leads: true)
    if withCy { try company.user("cy", in: "root", name: "Cy Aşk") }
    try company.user("dina", in: "b", name: "דינה כהן", title: "סוכנת")
    try company.member("ann", of: "b", title: "Adviser")
    return company
  }

  func directory() throws -> Directory { try Directory(snapshot()) }
}

/// A front without a terminal: keys in, a screen of text out, and what it asks for answered at once.
struct Front {
  var state: BrowserState
  var asked: [BrowserEffect] = []
  let profile: TerminalProfile
  /// Whether searches and cards are answered.
  var answers = true

  init(
    _ directory: Directory,
    expanded: Set<DepartmentID> = [],
    columns: Int = 80,
    rows: Int = 24,
    purpose: BrowserState.Purpose = .browse,
    colour: Bool = false,
    unicode: Bool = true
  ) throws {
    let outline = try DirectoryOutline(directory, SavedView(expanded: expanded))
    state = BrowserState(
      outline,
      size: ScreenSize(columns: columns, rows: rows),
      purpose: purpose
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

  mutating func press(_ keys: Key...) throws { for key in keys { try take(state.handle(key)) } }

  mutating func type(_ text: String) throws {
    for character in text { try press(.character(character)) }
  }

  mutating func take(_ effects: [BrowserEffect]) throws {
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

  func frame() throws -> ScreenFrame { try BrowserScreen(profile).frame(of: state) }

  /// The lines of the screen as text, without blanks at their ends.
  func lines() throws -> [String] {
    var screen = EmulatedScreen(columns: state.size.columns, rows: state.size.rows)
    var update = ScreenUpdate()
    screen.take(update.bytes(showing: try frame()))
    return screen.lines
  }

  var selectedID: String? {
    get throws {
      try state.selected.map { try state.outline.directory.card(at: $0).id }
    }
  }
}
