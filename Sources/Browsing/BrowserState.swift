import DirectoryModel
import DirectoryReading
import OutlineEngine
import Platform

/// What a full-screen front shows, and what its next key means.
///
/// A key changes this value and says what is to be done beside it (`BrowserEffect`); drawing
/// (`BrowserScreen`) only reads it. It waits for nothing: searches, cards and the next state of the
/// directory come from its owner.
package struct BrowserState: Sendable {
  /// What keys go to.
  enum Mode: Equatable, Sendable {
    case tree
    /// A query is being typed.
    case search
    /// The card: its lines are chosen.
    case card
    /// The keys; scrolled by so many lines.
    case help(Int)
    /// What of the selected rows is to be copied.
    case copy
    /// The name of a file to export to.
    case export(String)
    /// Whether the command that exports may replace a file.
    case overwrite([String])
  }

  /// A search that is on, typed or kept.
  struct Search: Sendable {
    var text: String
    /// What there was before, for Esc.
    var outline: DirectoryOutline
    var selected: Node?
    var top: Int
    /// Whether matches of the text are still being looked for.
    var isPending = false
    /// The text whose first matches are shown while all are looked for.
    var begun: String?
    /// Whether the best match is to be chosen when it is known.
    var isChosen = false
  }

  package enum Purpose: Sendable {
    case browse
    /// To let the user choose people or departments for another program.
    case pick
  }

  package internal(set) var outline: DirectoryOutline { didSet { outlineNumber += 1 } }
  /// Counts the changes of the outline: what was made of it beside the keys may be of an earlier one.
  package private(set) var outlineNumber = 0
  package internal(set) var size: ScreenSize
  let purpose: Purpose
  let keys: KeyBindings
  /// With whose eyes an administrator looks; `nil` for one's own.
  let viewer: String?
  var mode = Mode.tree
  /// The node whose row is selected; `nil` where there is no row.
  package internal(set) var selected: Node?
  /// The first row on the screen.
  package internal(set) var top = 0
  /// Nodes that were marked, in no order.
  package internal(set) var marked: Set<Node> = []
  var search: Search?
  package internal(set) var isCardShown = false
  package internal(set) var card: BrowserCard?
  /// Nodes that links were followed from, the last one last.
  var trail: [Node] = []
  /// What is to be said, until the next key.
  package var message: String?

  /// - Parameters:
  ///   - outline: The tree, with what is open.
  ///   - size: Of the screen.
  ///   - selected: The node to begin with.
  ///   - purpose: What for.
  ///   - keys: What keys mean.
  ///   - viewer: With whose eyes an administrator looks.
  package init(
    _ outline: DirectoryOutline,
    size: ScreenSize,
    selected: Node? = nil,
    purpose: Purpose = .browse,
    keys: KeyBindings = KeyBindings(),
    viewer: String? = nil
  ) {
    self.outline = outline
    self.size = size
    self.selected = selected
    self.purpose = purpose
    self.keys = keys
    self.viewer = viewer
    settle()
  }

  var directory: Directory { outline.directory }

  /// The row that is selected; `nil` where there is none.
  package var selectedRow: Int? { selected.flatMap { outline.row(of: $0) } }

  /// The tree as it is without the search that is on.
  package var outlineWithoutSearch: DirectoryOutline { search?.outline ?? outline }

  /// Puts the selected row so many rows below the top of the screen.
  package mutating func scroll(toOffset offset: Int) {
    if let row = selectedRow { top = row - min(max(offset, 0), row) }
    settle()
  }

  /// The selected row in words, for those who hear rather than see it.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func rowInWords() throws -> String {
    let text = try selectedRowInWords()
    return viewer.map { "As \($0): \(text)" } ?? text
  }

  private func selectedRowInWords() throws -> String {
    guard let row = selectedRow else {
      return outline.filter == nil ? "The directory is empty." : "Nothing matches."
    }
    let place = outline.place(atRow: row)
    let card = try directory.listRow(at: directory.node(at: place))
    var parts = [card.name, card.title ?? "", "level \(place.depth + 1)"]
    if card.leads == true { parts.append("leads") }
    if let disclosure = place.disclosure { parts.append(disclosure.rawValue) }
    if let people = card.people { parts.append(counted(people, "person", "people")) }
    if marked.contains(directory.node(at: place)) { parts.append("marked") }
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  package var isHelpShown: Bool { if case .help = mode { true } else { false } }

  /// Goes back to the tree.
  package mutating func leaveHelp() { mode = home }

  /// Where help and card lead back to.
  var home: Mode { purpose == .pick ? .search : .tree }

  /// What is being typed or was kept; `nil` without a search.
  package var query: String? { search?.text }

  // MARK: What comes from outside

  /// Takes another size of the screen.
  package mutating func resize(to size: ScreenSize) {
    self.size = size
    settle()
  }

  /// Takes what a query matches; what is no longer asked for is passed over.
  ///
  /// Of a query that matches much the matches around the best come first. When the others follow, the screen stays
  /// as it is but for the count.
  ///
  /// - Parameters:
  ///   - matches: Of this state of the directory.
  ///   - best: The match that is meant first.
  ///   - filtered: The tree as it is shown now, with these matches, where that was worked out beside.
  /// - Returns: What is to be done.
  package mutating func found(
    _ matches: DirectoryOutline.Matches,
    best: Node?,
    filtered: DirectoryOutline? = nil
  ) -> [BrowserEffect] {
    guard let search, search.isPending, search.text == matches.query else { return [] }
    let hasBegun = search.begun == matches.query
    let offset = (selectedRow ?? 0) - top
    if let filtered { outline = filtered } else { outline.setFilter(matches) }
    self.search?.begun = matches.query
    self.search?.isPending = !matches.isAll
    if hasBegun {
      scroll(toOffset: offset)
    } else {
      select(best ?? matches.first ?? selected)
      scroll(toOffset: layout.treeRows / 2)
    }
    if search.isChosen, outline.matchCount ?? 0 > 0 { return [.choose(chosen)] }
    self.search?.isChosen = false
    return effectsOfSelection
  }

  /// Says why a query cannot be searched for.
  package mutating func cannotSearch(_ query: String, _ reason: String) {
    guard search?.text == query else { return }
    search?.isPending = false
    search?.isChosen = false
    message = reason
  }

  /// Takes a card; what is no longer selected is passed over.
  package mutating func show(_ card: BrowserCard) {
    guard card.node == selected else { return }
    self.card = card
  }

  /// Takes who set the value on a line of a card; what is no longer shown is passed over.
  package mutating func noteWhoSet(_ text: String, of node: Node, line: Int) {
    guard card?.node == node else { return }
    card?.note(text, atLine: line)
  }

  /// Goes on to the next state of the directory, with selection, marks and what is open.
  ///
  /// - Returns: What is to be done.
  /// - Throws: As `DirectoryOutline.follow(to:)`; nothing has changed then.
  package mutating func follow(to next: Directory) throws -> [BrowserEffect] {
    let offset = selectedRow.map { $0 - top }
    let nearby = nearbyNodes
    var before = search?.outline
    let node = try outline.follow(to: next).node
    _ = try before?.follow(to: next)
    if let before { search?.outline = before }
    let former = search?.selected.flatMap(node)
    search?.selected = former
    selected = selected.flatMap(node) ?? nearby.lazy.compactMap(node).first
    marked = Set(marked.compactMap(node))
    trail = trail.compactMap(node)
    if let offset, let row = selectedRow { top = row - offset }
    settle()
    card = nil
    return effectsOfSelection
  }

  /// Nodes around the selected one, the nearest first: where it was removed the selection goes
  /// there.
  private var nearbyNodes: [Node] {
    guard let row = selectedRow else { return [] }
    let rows = (1...20).flatMap { [row + $0, row - $0] }
    return rows.filter { (0..<outline.rowCount).contains($0) }.map(outline.node(atRow:))
  }

  // MARK: Selection

  mutating func select(_ node: Node?) {
    if node != selected { card = nil }
    selected = node
    settle()
  }

  mutating func select(row: Int) {
    guard outline.rowCount > 0 else { return }
    select(outline.node(atRow: min(max(row, 0), outline.rowCount - 1)))
  }

  /// Brings the selection to a row that is shown, and that row onto the screen.
  mutating func settle() {
    guard outline.rowCount > 0 else {
      (selected, top, card) = (nil, 0, nil)
      return
    }
    let row = selected.flatMap { outline.nearestRow(of: $0) } ?? 0
    let node = outline.node(atRow: row)
    if node != selected { card = nil }
    selected = node
    let height = max(layout.treeRows, 1)
    top = min(top, row, max(outline.rowCount - height, 0))
    top = max(top, row - height + 1, 0)
  }

  /// What is to be done when another row is selected.
  var effectsOfSelection: [BrowserEffect] {
    guard isCardShown, card == nil, let selected else { return [] }
    return [.card(selected)]
  }

  /// The marked nodes in the order of the tree, or the selected one.
  package var chosen: [Node] {
    marked.isEmpty ? selected.map { [$0] } ?? [] : marked.sorted()
  }

  var layout: BrowserLayout { BrowserLayout(size, withCard: isCardShown) }
}

/// Columns and rows of a screen.
package struct ScreenSize: Hashable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = max(columns, 1)
    self.rows = max(rows, 1)
  }
}

/// What is to be done beside the screen.
package enum BrowserEffect: Equatable, Sendable {
  /// Find what a query matches, and call `found(_:best:filtered:)`; a search that is under way is of no use
  /// any more.
  case search(String)
  case cancelSearch
  /// Read the card of a node, and call `show(_:)`.
  case card(Node)
  /// Find out who last set some of a node's record, and call `noteWhoSet(_:of:line:)`.
  case blame(Node, [Change.Item], line: Int)
  /// Put a text on the clipboard.
  case copy(String)
  /// Write a mail to these addresses.
  case mail([String])
  /// Run Staffbook itself in front of the screen.
  case run([String])
  case sync
  /// Stop as Ctrl-Z does.
  case suspend
  /// End, with these nodes chosen.
  case choose([Node])
  case quit
}
