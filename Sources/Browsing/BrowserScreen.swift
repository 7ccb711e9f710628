import DirectoryModel
import DirectoryReading
import Terminal
import TextRules

/// Draws the state of a full-screen front.
package struct BrowserScreen: Sendable {
  private let profile: TerminalProfile

  package init(_ profile: TerminalProfile) { self.profile = profile }

  /// The screen that a state shows.
  ///
  /// - Throws: `SnapshotError.damaged`.
  /// - Complexity: O(rows of the screen · level of the first one).
  package func frame(of state: BrowserState) throws -> ScreenFrame {
    let layout = state.layout
    var lines: [[UInt8]]
    if case .help(let top) = state.mode {
      lines = help(state, top, rows: state.size.rows - 1)
    } else {
      lines = try tree(state, layout)
      if layout.cardRows > 0 { add(card(state, layout), to: &lines, layout) }
    }
    let footer = BrowserFooter(state, profile)
    let above = footer.above.suffix(lines.count)
    lines.replaceSubrange((lines.count - above.count)..., with: above)
    lines.append(footer.line)
    return ScreenFrame(
      lines: lines,
      cursor: footer.cursorColumn.map { .init(row: lines.count - 1, column: $0) }
    )
  }

  // MARK: The tree

  private func tree(_ state: BrowserState, _ layout: BrowserLayout) throws -> [[UInt8]] {
    var lines: [[UInt8]] = []
    let outline = state.outline
    let rows = state.top..<min(state.top + layout.treeRows, outline.rowCount)
    var painter = TreePainter(profile(columns: layout.treeColumns - Self.gutter))
    if let first = rows.first {
      for place in outline.ancestors(ofRow: first) {
        painter.pass(level: place.depth, isLastSibling: place.isLastSibling)
      }
    }
    let highlights = try outline.filter.map { try outline.directory.searcher().highlighter(of: $0) }
    try outline.forEachRow(in: rows) { row in
      var line = TreeLine(row, lead: profile.drawsSigns ? "★ " : "* ")
      if let highlights {
        if row.place.isMatch {
          line.highlights = highlights(line.label, row.kind == .user)
        } else {
          line.isDimmed = true
        }
      }
      let node = outline.directory.node(at: row.place)
      let isSelected = node == state.selected
      var bytes = mark(isSelected: isSelected, isMarked: state.marked.contains(node))
      painter.append(line, to: &bytes)
      bytes.removeLast()
      lines.append(isSelected && state.mode != .card ? reversed(bytes) : bytes)
    }
    if outline.rowCount == 0 { lines.append(Array(nothing(state).utf8)) }
    while lines.count < layout.treeRows { lines.append([]) }
    return Array(lines.prefix(layout.treeRows))
  }

  private func nothing(_ state: BrowserState) -> String {
    if state.outline.filter != nil { return "  Nothing matches." }
    return "  The directory is empty."
  }

  /// Columns in front of the tree: which row is selected, and which are marked.
  private static let gutter = 2

  private func mark(isSelected: Bool, isMarked: Bool) -> [UInt8] {
    let (pointer, check) = profile.drawsSigns ? ("›", "✓") : (">", "*")
    let marked = profile.colour ? "\u{1B}[32m\(check)\u{1B}[0m" : check
    return Array((isSelected ? pointer : " ").utf8) + Array((isMarked ? marked : " ").utf8)
  }

  /// The line in reverse video (ECMA-48 §8.3.117), through every end of a style in it.
  private func reversed(_ line: [UInt8]) -> [UInt8] {
    guard profile.colour else { return line }
    let (reverse, end) = (Array("\u{1B}[7m".utf8), Array("\u{1B}[0m".utf8))
    var result = reverse
    var position = 0
    while position < line.count {
      if line[position...].starts(with: end) {
        result += end + reverse
        position += end.count
      } else {
        result.append(line[position])
        position += 1
      }
    }
    return result + end
  }

  private func profile(columns: Int) -> TerminalProfile {
    var profile = profile
    profile.columns = max(columns, 1)
    return profile
  }

  // MARK: The card

  private func card(_ state: BrowserState, _ layout: BrowserLayout) -> [[UInt8]] {
    guard let card = state.card else { return [] }
    let (lines, chosen) = self.card(
      card,
      isChosen: state.mode == .card,
      columns: layout.cardColumns - 1
    )
    // Keeps the chosen line on the screen.
    let top = max((chosen?.upperBound ?? 0) - layout.cardRows, 0)
    return Array(lines.dropFirst(top).prefix(layout.cardRows))
  }

  /// All lines of a card, without line feeds, and those of the line that is chosen.
  func card(
    _ card: BrowserCard,
    isChosen isActive: Bool,
    columns: Int?
  ) -> (lines: [[UInt8]], chosen: Range<Int>?) {
    let painter = CardPainter(columns.map { profile(columns: $0) } ?? profile)
    var lines: [[UInt8]] = []
    var chosen: Range<Int>?
    let labelColumns = card.lines.map { DisplayWidth.columns(of: $0.label) }.max() ?? 0
    painter.append(heading: card.heading, to: &lines)
    for (index, line) in card.lines.enumerated() {
      let start = lines.count
      let isChosen = isActive && index == card.selected
      painter.append(
        label: line.label,
        line.value,
        labelColumns,
        isLink: line.target != nil,
        to: &lines
      )
      if let note = line.note { painter.append(note: note, labelColumns, to: &lines) }
      if isChosen {
        chosen = start..<lines.count
        for row in start..<lines.count { lines[row] = reversed(lines[row]) }
      }
    }
    return (lines, chosen)
  }

  private func add(_ card: [[UInt8]], to lines: inout [[UInt8]], _ layout: BrowserLayout) {
    guard layout.isCardBeside else {
      let rule = profile.drawsSigns ? "─" : "-"
      lines.append(Array(String(repeating: rule, count: layout.size.columns).utf8))
      for row in 0..<layout.cardRows { lines.append(row < card.count ? card[row] : []) }
      return
    }
    // Cleared before and placed by its column, whatever the terminal takes for the tree's line.
    let place =
      "\u{1B}[0m\u{1B}[K\u{1B}[\(layout.treeColumns + 1)G\(profile.drawsSigns ? "│" : "|") "
    for row in lines.indices {
      lines[row] += Array(place.utf8) + (row < card.count ? card[row] : [])
    }
  }

  // MARK: Help

  private func help(_ state: BrowserState, _ top: Int, rows: Int) -> [[UInt8]] {
    let lines = BrowserHelp(state.keys, state.purpose, columns: state.size.columns).lines
    let first = min(top, max(lines.count - rows, 0))
    var shown = lines.dropFirst(first).prefix(max(rows, 0)).map { line in
      let line = profile.drawsSigns ? line : line.replacing("★", with: "*")
      return Array(DisplayWidth.prefix(of: line, columns: state.size.columns).utf8)
    }
    while shown.count < rows { shown.append([]) }
    return shown
  }
}
