import Terminal

/// What a key can be bound to, by the names that a configuration uses.
package enum BrowserAction: String, CaseIterable, Sendable {
  case up, down, left, right
  case pageUp = "page-up"
  case pageDown = "page-down"
  case first, last
  case open, toggle, subtree, mark, card, parent, back
  case expandAll = "expand-all"
  case collapseAll = "collapse-all"
  case search
  case nextMatch = "next-match"
  case previousMatch = "previous-match"
  case copy, mail, export, edit, sync, changes, blame, help, quit, suspend

  /// What it does, for the help.
  package var summary: String {
    switch self {
    case .up: "Move up."
    case .down: "Move down."
    case .left: "Collapse the department, or go to the one above."
    case .right: "Expand the department, or go to what is in it."
    case .pageUp: "Move up by a screen."
    case .pageDown: "Move down by a screen."
    case .first: "Go to the first row."
    case .last: "Go to the last row."
    case .open: "Expand or collapse the department, or show the person's card."
    case .toggle: "Expand or collapse the department."
    case .subtree: "Expand the department and everything below it."
    case .mark: "Mark the row, and move down."
    case .card: "Show the card; again, choose a line in it and follow it with Enter, or hide it."
    case .parent: "Go to the department above."
    case .back: "End the search, go back from a followed link, or clear the marks."
    case .expandAll: "Expand everything."
    case .collapseAll: "Collapse everything."
    case .search: "Search as you type."
    case .nextMatch: "Go to the next match."
    case .previousMatch: "Go to the previous match."
    case .copy: "Copy one of the row's values."
    case .mail: "Write an email to the marked people, or to the selected one."
    case .export: "Export the marked rows, or what is shown, to a file."
    case .edit: "Edit the record."
    case .sync: "Update from the database."
    case .changes: "Show the latest changes."
    case .blame: "Show who last set each value; in the card, who set the chosen one."
    case .help: "Show the keys."
    case .quit: "Quit."
    case .suspend: "Suspend, to be continued with fg."
    }
  }

  /// Whether it is of use to those who type a query to choose people.
  var isForPicking: Bool {
    switch self {
    case .up, .down, .left, .right, .pageUp, .pageDown, .mark, .card, .help, .suspend:
      true
    default: false
    }
  }
}

/// Which key does what in the tree.
///
/// The digits 1 to 9, which show so many levels, are not bound.
package struct KeyBindings: Sendable {
  private var actions: [Key: BrowserAction]

  /// The usual keys: arrows, and those of vi.
  package init() {
    actions = [
      .up: .up, .character("k"): .up, .control("p"): .up,
      .down: .down, .character("j"): .down, .control("n"): .down,
      .left: .left, .character("h"): .left,
      .right: .right, .character("l"): .right,
      .pageUp: .pageUp, .control("b"): .pageUp, .control("u"): .pageUp,
      .pageDown: .pageDown, .control("f"): .pageDown, .control("d"): .pageDown,
      .home: .first, .character("g"): .first,
      .end: .last, .character("G"): .last,
      .enter: .open, .character(" "): .toggle, .character("*"): .subtree,
      .tab: .mark, .character("i"): .card, .control("o"): .card, .character("p"): .parent,
      .escape: .back, .backspace: .back,
      .character("="): .expandAll, .character("-"): .collapseAll,
      .character("/"): .search, .character("n"): .nextMatch, .character("N"): .previousMatch,
      .character("y"): .copy, .character("m"): .mail, .character("e"): .export,
      .character("E"): .edit, .character("r"): .sync, .character("u"): .changes,
      .character("b"): .blame,
      .character("?"): .help, .control("k"): .help, .character("q"): .quit, .control("c"): .quit,
      .control("z"): .suspend,
    ]
  }

  /// The action of a key; `nil` for none.
  package subscript(key: Key) -> BrowserAction? { actions[key] }

  /// The keys of an action as people write them, the shortest first.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - isTyping: Whether only those count that do not type a character.
  /// - Returns: Their names; none for an action without a key.
  package func names(of action: BrowserAction, whileTyping isTyping: Bool = false) -> [String] {
    actions.filter { $0.value == action }.map(\.key)
      .filter { if isTyping, case .character = $0 { false } else { true } }.map(\.name)
      .sorted { ($0.count, $0) < ($1.count, $1) }
  }

  /// Binds an action to other keys than the usual ones.
  ///
  /// - Parameters:
  ///   - action: The action; it loses the keys it has.
  ///   - names: Keys as `names(of:)` gives them, such as `j`, `Ctrl-n` or `PageDown`.
  /// - Returns: The first name that is not a key; nothing has changed then.
  package mutating func bind(_ action: BrowserAction, to names: [String]) -> String? {
    var keys: [Key] = []
    for name in names {
      guard let key = Key(named: name) else { return name }
      keys.append(key)
    }
    actions = actions.filter { $0.value != action }
    for key in keys { actions[key] = action }
    return nil
  }
}

extension Key {
  private static let names: [(key: Key, name: String)] = [
    (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"), (.pageUp, "PageUp"),
    (.pageDown, "PageDown"), (.home, "Home"), (.end, "End"), (.enter, "Enter"),
    (.escape, "Esc"), (.tab, "Tab"), (.backTab, "Shift-Tab"), (.backspace, "Backspace"),
    (.delete, "Delete"), (.character(" "), "Space"),
  ]

  /// The key as people write it.
  var name: String {
    if let known = Self.names.first(where: { $0.key == self }) { return known.name }
    switch self {
    case .character(let character): return String(character)
    case .control(let letter): return "Ctrl-\(letter)"
    default: return ""
    }
  }

  /// The key that the user wrote; `nil` for none.
  init?(named name: String) {
    if let known = Self.names.first(where: { $0.name.lowercased() == name.lowercased() }) {
      self = known.key
    } else if name.count == 1, let character = name.first {
      self = .character(character)
    } else if name.count == 6, name.lowercased().hasPrefix("ctrl-"), let letter = name.last,
      ("a"..."z").contains(letter.lowercased())
    {
      self = .control(Character(letter.lowercased()))
    } else {
      return nil
    }
  }
}
