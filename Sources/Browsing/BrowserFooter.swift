import DirectoryReading
import Platform
import Terminal
import TextRules

/// The last line of the screen: what is being typed, what was just done, or the likely keys.
struct BrowserFooter {
  private(set) var line: [UInt8] = []
  /// Lines above it, of a list that is longer.
  private(set) var above: [[UInt8]] = []
  /// Where the user types.
  private(set) var cursorColumn: Int?
  /// The line as text, without whose eyes these are.
  private(set) var text = ""
  /// Whether it has nothing but likely keys.
  private(set) var isHint = false
  private let columns: Int
  private let profile: TerminalProfile
  /// With whose eyes one looks, in front of everything else.
  private let viewer: String

  /// - Parameters:
  ///   - state: What is shown.
  ///   - profile: Of the output.
  ///   - columns: How many the text may have; `nil` for those of the screen.
  init(_ state: BrowserState, _ profile: TerminalProfile, columns: Int? = nil) {
    self.profile = profile
    viewer = state.viewer.map { "As \(profile.visible($0)): " } ?? ""
    self.columns = columns ?? max(0, state.size.columns - 1 - DisplayWidth.columns(of: viewer))
    switch state.mode {
    case .search:
      let text = state.search?.text ?? ""
      let isBeginning = state.purpose == .pick && text.isEmpty
      showInput(
        "/",
        text,
        isBeginning
          ? (["Enter: choose", "Tab: mark"]
            + state.keys.names(of: .help, whileTyping: true).prefix(1).map { "\($0): keys" }
            + ["Esc: cancel"]).joined(separator: "  ") : matches(state)
      )
    case .export(let name): showInput("Export to file: ", name, "Enter: export  Esc: cancel")
    case .copy:
      showAll(CopiedValue.all(state.directory).map { "\($0.key) \($0.label)" }, after: "Copy: ")
    case .overwrite: append("File exists. Overwrite? [y/N]")
    case .help: show(["Up and Down scroll", "any other key goes back"])
    case .card where state.message != nil: showTree(state)
    case .card:
      show([
        "Enter follow", "Esc back to the tree", hint(.blame, "who set it", state),
        hint(.card, "hide", state),
      ])
    case .tree: showTree(state)
    }
  }

  private mutating func showTree(_ state: BrowserState) {
    if let message = state.message {
      append(profile.visible(message))
    } else if let search = state.search {
      show(
        [matches(state), hint(.nextMatch, "next", state), "Esc all"],
        after: "/\(profile.visible(search.text))  "
      )
    } else if !state.marked.isEmpty {
      show([
        "\(state.marked.count) marked", hint(.mail, "mail", state), hint(.copy, "copy", state),
        "Esc unmark",
      ])
    } else {
      isHint = true
      show([
        hint(.search, "search", state), hint(.open, "open", state), hint(.card, "card", state),
        hint(.mark, "mark", state), hint(.copy, "copy", state), hint(.help, "help", state),
        hint(.quit, "quit", state),
      ])
    }
  }

  private func matches(_ state: BrowserState) -> String {
    guard let search = state.search, !search.isPending, let count = state.outline.matchCount else {
      return ""
    }
    return counted(count, "match", "matches")
  }

  private func hint(_ action: BrowserAction, _ word: String, _ state: BrowserState) -> String {
    state.keys.names(of: action).first.map { "\($0) \(word)" } ?? ""
  }

  /// Whole hints, as many as there is room for.
  private mutating func show(_ hints: [String], after start: String = "") {
    var text = start
    for hint in hints where !hint.isEmpty {
      let longer = text == start ? text + hint : text + "  " + hint
      if DisplayWidth.columns(of: longer) > columns { break }
      text = longer
    }
    append(text)
  }

  /// All hints, on as many lines as they need.
  private mutating func showAll(_ hints: [String], after start: String) {
    var rows: [String] = []
    for hint in hints {
      let longer = rows.isEmpty ? start + hint : "\(rows[rows.count - 1])  \(hint)"
      if rows.isEmpty || DisplayWidth.columns(of: longer) > columns {
        let indent = String(repeating: " ", count: start.count)
        rows.append((rows.isEmpty ? start : indent) + hint)
      } else {
        rows[rows.count - 1] = longer
      }
    }
    for row in rows {
      if !line.isEmpty { above.append(line) }
      append(row)
    }
  }

  /// What is typed, of which the end is shown, and a note where there is room.
  private mutating func showInput(_ prompt: String, _ text: String, _ note: String) {
    var shown = profile.visible(text)
    while !shown.isEmpty, DisplayWidth.columns(of: prompt + shown) >= columns {
      shown.removeFirst()
    }
    let typed = prompt + shown
    cursorColumn = DisplayWidth.columns(of: viewer + typed)
    let whole = note.isEmpty ? typed : "\(typed)   \(note)"
    append(DisplayWidth.columns(of: whole) <= columns ? whole : typed)
  }

  private mutating func append(_ text: String) {
    let cut = String(DisplayWidth.prefix(of: text, columns: columns))
    self.text = VisibleText.isolated(cut)
    line = Array(VisibleText.isolated(viewer + cut).utf8)
  }
}
