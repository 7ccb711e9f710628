import DirectoryModel
import DirectoryReading
import OutlineEngine
import Terminal

extension BrowserState {
  /// Takes a key.
  ///
  /// - Parameter key: What was typed or clicked.
  /// - Returns: What is to be done.
  /// - Throws: `SnapshotError.damaged`.
  package mutating func handle(_ key: Key) throws -> [BrowserEffect] {
    message = nil
    if case .mouse(let event) = key { return try handle(event) }
    switch mode {
    case .tree: return try handleInTree(key)
    case .search: return try handleInSearch(key)
    case .card: return try handleInCard(key)
    case .help(let top): handleInHelp(key, top)
    case .copy: return try handleInCopy(key)
    case .export(let name): return try handleInExport(key, name)
    case .overwrite(let words):
      mode = home
      return [.character("y"), .character("Y")].contains(key) ? [.run(words + ["--force"])] : []
    }
    return []
  }

  // MARK: The tree

  private mutating func handleInTree(_ key: Key) throws -> [BrowserEffect] {
    if case .character(let character) = key, let level = character.wholeNumberValue,
      (1...9).contains(level), keys[key] == nil
    {
      return change(.levels(level - 1))
    }
    guard let action = keys[key] else { return [] }
    return try perform(action)
  }

  mutating func perform(_ action: BrowserAction) throws -> [BrowserEffect] {
    switch action {
    case .up: return move(by: -1)
    case .down: return move(by: 1)
    case .pageUp: return move(by: -max(layout.treeRows - 1, 1))
    case .pageDown: return move(by: max(layout.treeRows - 1, 1))
    case .first: return move(by: -outline.rowCount)
    case .last: return move(by: outline.rowCount)
    case .left: return closeOrLeave()
    case .right: return openOrEnter()
    case .parent: return leave()
    case .open: return open()
    case .toggle: return toggle()
    case .subtree: return selectedDepartment.map { change(.expand([$0], recursive: true)) } ?? []
    case .expandAll: return change(.expandAll)
    case .collapseAll: return change(.collapseAll)
    case .mark: return mark()
    case .card: return showCard()
    case .back: return goBack()
    case .search: return beginSearch()
    case .nextMatch: return goToMatch(.after)
    case .previousMatch: return goToMatch(.before)
    case .help: mode = .help(0)
    case .quit: return [.quit]
    case .suspend: return [.suspend]
    default: return purpose == .browse ? try performBeside(action) : []
    }
    return []
  }

  /// What is done beside the screen.
  private mutating func performBeside(_ action: BrowserAction) throws -> [BrowserEffect] {
    switch action {
    case .copy: if selected != nil { mode = .copy }
    case .export: mode = .export("")
    case .mail: return try mail()
    case .edit: return try selected.map { [.run(["edit", try name(of: $0)])] } ?? []
    case .sync: return [.sync]
    case .changes: return [.run(["log"])]
    case .blame: return try selected.map { [.run(["blame", try name(of: $0)])] } ?? []
    default: break
    }
    return []
  }

  private mutating func move(by rows: Int) -> [BrowserEffect] {
    select(row: (selectedRow ?? 0) + rows)
    return effectsOfSelection
  }

  private var selectedPlace: TreePosition? { selectedRow.map(outline.place(atRow:)) }

  private var selectedDepartment: Node? {
    selectedPlace.flatMap { $0.isDepartment ? directory.node(at: $0) : nil }
  }

  private mutating func change(_ change: ViewChange) -> [BrowserEffect] {
    outline.apply(change)
    settle()
    return effectsOfSelection
  }

  private mutating func openOrEnter() -> [BrowserEffect] {
    guard let place = selectedPlace, place.isDepartment else { return [] }
    if place.disclosure == .collapsed {
      return change(.expand([directory.node(at: place)], recursive: false))
    }
    return place.disclosure == .expanded ? move(by: 1) : []
  }

  private mutating func closeOrLeave() -> [BrowserEffect] {
    guard let place = selectedPlace else { return [] }
    guard place.disclosure == .expanded else { return leave() }
    return change(.collapse([directory.node(at: place)], recursive: false))
  }

  private mutating func leave() -> [BrowserEffect] {
    guard let row = selectedRow, let parent = outline.parentRow(ofRow: row) else { return [] }
    select(row: parent)
    return effectsOfSelection
  }

  private mutating func toggle() -> [BrowserEffect] {
    switch selectedPlace?.disclosure {
    case .expanded: closeOrLeave()
    case .collapsed: openOrEnter()
    case .empty, nil: []
    }
  }

  private mutating func open() -> [BrowserEffect] {
    if purpose == .pick { return choose() }
    guard let place = selectedPlace else { return [] }
    return place.isDepartment ? toggle() : showCard()
  }

  /// Chooses; of a query that was typed a moment ago what it will find, and not what there was before.
  private mutating func choose() -> [BrowserEffect] {
    if marked.isEmpty, let search, search.isPending, search.begun == nil {
      self.search?.isChosen = true
      return []
    }
    return chosen.isEmpty ? [] : [.choose(chosen)]
  }

  private mutating func mark() -> [BrowserEffect] {
    guard let selected else { return [] }
    if marked.remove(selected) == nil { marked.insert(selected) }
    return move(by: 1)
  }

  private mutating func goBack() -> [BrowserEffect] {
    if search != nil { return endSearch() }
    if let last = trail.popLast() { return reveal(last) }
    marked = []
    return []
  }

  private mutating func reveal(_ node: Node) -> [BrowserEffect] {
    outline.reveal(node)
    select(node)
    return effectsOfSelection
  }

  // MARK: Search

  private mutating func beginSearch() -> [BrowserEffect] {
    mode = .search
    if search == nil {
      search = Search(text: "", outline: outline, selected: selected, top: top)
    }
    return []
  }

  /// Begins with a query that was given.
  package mutating func beginSearch(for text: String) -> [BrowserEffect] {
    _ = beginSearch()
    return typed(text)
  }

  private mutating func handleInSearch(_ key: Key) throws -> [BrowserEffect] {
    let text = search?.text ?? ""
    switch key {
    case .character(let character): return typed(text + String(character))
    case .paste(let pasted): return typed(text + pasted.split(whereSeparator: \.isNewline).joined())
    case .backspace:
      if text.isEmpty { return purpose == .pick ? [] : endSearch() }
      return typed(String(text.dropLast()))
    case .control("u"): return typed("")
    case .control("w"): return typed(text.droppingLastWord)
    case .escape, .control("c"): return purpose == .pick ? [.quit] : endSearch()
    case .enter:
      if purpose == .pick { return choose() }
      mode = .tree
      return text.isEmpty ? endSearch() : []
    case .tab, .up, .down, .pageUp, .pageDown, .left, .right, .control:
      return try keys[key].map { try perform($0) } ?? []
    default: return []
    }
  }

  private mutating func typed(_ text: String) -> [BrowserEffect] {
    search?.text = text
    search?.begun = nil
    search?.isChosen = false
    guard text.contains(where: { !$0.isWhitespace }) else {
      search?.isPending = false
      restore(keepingQuery: true)
      return [.cancelSearch] + effectsOfSelection
    }
    search?.isPending = true
    return [.search(text)]
  }

  /// Gives back the tree as it was, and the selection.
  private mutating func endSearch() -> [BrowserEffect] {
    restore(keepingQuery: false)
    mode = .tree
    return [.cancelSearch] + effectsOfSelection
  }

  private mutating func restore(keepingQuery: Bool) {
    guard let before = search else { return }
    outline = before.outline
    if before.selected != selected { card = nil }
    (selected, top) = (before.selected, before.top)
    if !keepingQuery { search = nil }
    settle()
  }

  private mutating func goToMatch(_ direction: DirectoryOutline.Direction) -> [BrowserEffect] {
    guard let selected else { return [] }
    guard outline.filter != nil else {
      message = "No search yet; start one with \(keys.names(of: .search).first ?? "/")."
      return []
    }
    guard let match = outline.match(direction, selected) else {
      message = direction == .after ? "There is no match below." : "There is no match above."
      return []
    }
    return reveal(match)
  }

  // MARK: The card

  private mutating func showCard() -> [BrowserEffect] {
    if isCardShown {
      mode = .card
      card?.selectFirst()
      return effectsOfSelection
    }
    isCardShown = true
    settle()
    return effectsOfSelection
  }

  private mutating func handleInCard(_ key: Key) throws -> [BrowserEffect] {
    let page = layout.cardRows
    switch keys[key] {
    case .up: card?.move(by: -1)
    case .down: card?.move(by: 1)
    case .pageUp: card?.move(by: -page)
    case .pageDown: card?.move(by: page)
    case .open, .right: return try follow()
    case .card:
      isCardShown = false
      mode = home
      settle()
    case .back, .left: mode = home
    case .quit: return [.quit]
    case .suspend: return [.suspend]
    case .copy: mode = .copy
    case .blame: return askWhoSet()
    default: break
    }
    return []
  }

  /// Asks who set the chosen value.
  private mutating func askWhoSet() -> [BrowserEffect] {
    guard purpose == .browse, let card, let index = card.selected, let line = card.selectedLine
    else { return [] }
    guard !line.items.isEmpty else {
      message = "This is not a stored value; it is derived from others."
      return []
    }
    self.card?.note("…", atLine: index)
    return [.blame(card.node, line.items, line: index)]
  }

  /// Goes where the chosen line of the card leads.
  private mutating func follow() throws -> [BrowserEffect] {
    guard let target = card?.selectedTarget, let node = try directory.node(of: target) else {
      return []
    }
    if let selected { trail.append(selected) }
    mode = home
    outline.reveal(node)
    guard outline.row(of: node) == nil, let before = search else { return reveal(node) }
    // The search hides where it leads.
    outline = before.outline
    search = nil
    if purpose == .pick { _ = beginSearch() }
    return [.cancelSearch] + reveal(node)
  }

  // MARK: Help, copying, exporting, mail

  private mutating func handleInHelp(_ key: Key, _ top: Int) {
    let page = max(size.rows - 1, 1)
    switch keys[key] {
    case .up: mode = .help(max(top - 1, 0))
    case .down: mode = .help(top + 1)
    case .pageUp: mode = .help(max(top - page, 0))
    case .pageDown: mode = .help(min(top, .max - page) + page)
    case .first: mode = .help(0)
    case .last: mode = .help(.max)
    default: mode = home
    }
    if case .help(let top) = mode {
      mode = .help(
        min(top, max(BrowserHelp(keys, purpose, columns: size.columns).lines.count - page, 0))
      )
    }
  }

  private mutating func handleInCopy(_ key: Key) throws -> [BrowserEffect] {
    mode = .tree
    guard case .character(let letter) = key,
      let what = CopiedValue.all(directory).first(where: { $0.key == letter })
    else { return [] }
    let texts = try chosen.compactMap { try what.text(of: $0, in: directory) }
    guard !texts.isEmpty else {
      message = "There is no \(what.label) to copy."
      return []
    }
    message = texts.count == 1 ? "Copied: \(texts[0])" : "Copied \(texts.count) lines."
    return [.copy(texts.joined(separator: "\n"))]
  }

  private mutating func handleInExport(_ key: Key, _ name: String) throws -> [BrowserEffect] {
    switch key {
    case .character(let character): mode = .export(name + String(character))
    case .paste(let text): mode = .export(name + text.split(whereSeparator: \.isNewline).joined())
    case .backspace: mode = name.isEmpty ? .tree : .export(String(name.dropLast()))
    case .control("u"): mode = .export("")
    case .enter:
      mode = .tree
      guard !name.isEmpty else { return [] }
      let words = try ["export", "--output=\(name)"] + exported()
      guard !ExportFile.replaces(name) else {
        mode = .overwrite(words)
        return []
      }
      return [.run(words)]
    case .escape, .control("c"): mode = .tree
    default: break
    }
    return []
  }

  /// What is exported: the marked rows, or else what is shown.
  private func exported() throws -> [String] {
    guard !marked.isEmpty else { return outline.filter.map { ["--filter=\($0)"] } ?? [] }
    let rows = try chosen.map(directory.listRow)
    let only = rows.map { "--only=id:\($0.id)" }
    return rows.allSatisfy { $0.kind == .user } ? only + ["--people"] : only
  }

  private mutating func mail() throws -> [BrowserEffect] {
    let field = Field.email
    let addresses = try chosen.compactMap {
      try CopiedValue.contact(field).text(of: $0, in: directory)
    }
    if addresses.isEmpty { message = "There is no \(field.label.lowercased()) address." }
    return addresses.isEmpty ? [] : [.mail(addresses)]
  }

  private func name(of node: Node) throws -> String { "id:\(try directory.listRow(at: node).id)" }

  // MARK: The mouse

  private mutating func handle(_ event: MouseEvent) throws -> [BrowserEffect] {
    let layout = layout
    switch event.action {
    case .wheelUp, .wheelDown:
      if case .help(let first) = mode {
        mode = .help(max(first + (event.action == .wheelUp ? -3 : 3), 0))
        return []
      }
      return move(by: event.action == .wheelUp ? -3 : 3)
    case .press:
      guard event.row < layout.treeRows, event.column < layout.treeColumns else { return [] }
      let row = top + event.row
      guard row < outline.rowCount else { return [] }
      if mode != .search { mode = home }
      // The second click on a row is the second half of a double click, or as good.
      if row == selectedRow { return open() }
      select(row: row)
      return effectsOfSelection
    }
  }
}

extension DirectoryOutline {
  /// The row of the department above a row; `nil` for a root.
  func parentRow(ofRow row: Int) -> Int? {
    parent(of: node(atRow: row)).flatMap { self.row(of: $0) }
  }
}

extension String {
  fileprivate var droppingLastWord: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    while let last = text.last, !last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
