import DirectoryModel
import DirectoryReading
import Platform
import Terminal

/// What a full-screen front shows, line by line, for those who hear rather than see it: whatever the last key
/// changed of the screen's last line, the marks, the selected row, the card and the help.
package struct BrowserLines: Sendable {
  private let profile: TerminalProfile
  private let screen: BrowserScreen
  private var mode: BrowserState.Mode?
  private var footer = ""
  private var marked: Set<Node> = []
  private var row = ""
  private var rowCount = 0
  private var hasCard = false
  private var card: (node: Node?, lines: [String]) = (nil, [])
  private var chosen = ""

  /// - Parameter profile: Of the output; lines are neither cut nor in colour.
  package init(_ profile: TerminalProfile) {
    var profile = profile
    profile.columns = nil
    profile.colour = false
    self.profile = profile
    screen = BrowserScreen(profile)
  }

  /// Forgets which row was said, after something else was written.
  package mutating func invalidate() { row = "" }

  /// - Parameter state: After a key, or whatever else changed it.
  /// - Returns: What is new, in whole lines that are harmless; nothing where all was said.
  /// - Throws: `SnapshotError.damaged`.
  package mutating func next(_ state: BrowserState) throws -> [String] {
    var lines: [String] = []
    if state.isHelpShown {
      lines += BrowserHelp(state.keys, state.purpose, columns: nil).lines.map(profile.visible)
    }
    lines += try sayMarks(state)
    let footer = BrowserFooter(state, profile, columns: .max)
    // The sign of a key says less than a word.
    let isQuery = state.mode == .search && footer.text.hasPrefix("/")
    let text = isQuery ? "Search: \(footer.text.dropFirst())" : footer.text
    if mode == nil || !footer.isHint && !state.isHelpShown {
      // What was typed is not said again with the number of its matches.
      let typed = self.footer + "   "
      let isCounted = isQuery && text.hasPrefix(typed)
      Self.say(isCounted ? String(text.dropFirst(typed.count)) : text, after: self.footer, &lines)
    }
    self.footer = text
    let row = profile.visible(try state.rowInWords())
    Self.say(row, after: self.row, &lines)
    self.row = row
    sayCard(state, &lines)
    if lines.isEmpty, mode != state.mode || hasCard != state.isCardShown { lines.append(row) }
    if lines.isEmpty, rowCount != state.outline.rowCount {
      lines.append(counted(state.outline.rowCount, "row"))
    }
    (mode, hasCard, rowCount) = (state.mode, state.isCardShown, state.outline.rowCount)
    return lines
  }

  private static func say(_ text: String, after former: String, _ lines: inout [String]) {
    if text != former, !text.isEmpty { lines.append(text) }
  }

  private mutating func sayMarks(_ state: BrowserState) throws -> [String] {
    let changed = marked.symmetricDifference(state.marked)
    defer { marked = state.marked }
    // Marks that another state of the directory has under other nodes were not changed by a key.
    guard marked.count != state.marked.count else { return [] }
    guard changed.count == 1, let node = changed.first, state.directory.holds(node) else {
      return [state.marked.isEmpty ? "Nothing is marked" : "\(state.marked.count) marked"]
    }
    let verb = marked.contains(node) ? "Unmarked" : "Marked"
    return [profile.visible("\(verb): \(try state.directory.listRow(at: node).name)")]
  }

  private mutating func sayCard(_ state: BrowserState, _ lines: inout [String]) {
    guard state.isCardShown, let shown = state.card else {
      if !state.isCardShown { (card, chosen) = ((nil, []), "") }
      return
    }
    let (drawn, range) = screen.card(shown, isChosen: state.mode == .card, columns: nil)
    let texts = drawn.map { String(decoding: $0, as: UTF8.self) }
    if card.node == shown.node {
      for case .insert(_, let text, _) in texts.difference(from: card.lines) {
        if text.contains(where: { $0 != " " && $0 != "…" }) { lines.append(text) }
      }
    } else {
      lines += texts
    }
    card = (shown.node, texts)
    let line = range.map { texts[$0.lowerBound] } ?? ""
    if !lines.contains(line) { Self.say(line, after: chosen, &lines) }
    chosen = line
  }
}
