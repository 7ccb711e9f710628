import Browsing
import DirectoryModel
import DirectoryReading
import Terminal

/// What `BrowserState` does, written down for being read and not for being fast: each key goes through all of
/// the tree.
struct SlowBrowser {
  enum Mode: Equatable { case tree, search, card, help, copy, export(Int) }

  private struct Search {
    var text = ""
    let list: SlowList
    let selected: Int?
    let top: Int
    var isPending = false
    var hasBegun = false
  }

  private(set) var list: SlowList
  private(set) var mode = Mode.tree
  private(set) var selected: Int?
  private(set) var top = 0
  private(set) var marked: Set<Int> = []
  private(set) var isCardShown = false
  private var line: Int?
  private var trail: [Int] = []
  private var search: Search?
  private let size: ScreenSize
  private let keys = KeyBindings()

  init(_ tree: SlowTree, size: ScreenSize) {
    list = SlowList(tree)
    self.size = size
    settle()
  }

  var query: String? { search?.text }

  /// Whether the first matches of what is typed are shown.
  var hasBegun: Bool { search?.hasBegun ?? false }

  private var tree: SlowTree { list.tree }
  private var rows: [Int] { list.visibleNodes }

  var treeRows: Int {
    let rows = size.rows - 1
    let hasBelow = isCardShown && size.columns < 80 && rows >= 4
    return hasBelow ? rows - (rows / 2 - 1) - 1 : rows
  }

  private var treeColumns: Int {
    let hasBeside = isCardShown && size.columns >= 80
    return hasBeside ? size.columns - max(36, size.columns * 2 / 5) - 2 : size.columns
  }

  private mutating func settle() {
    let rows = rows
    guard !rows.isEmpty else {
      (selected, top) = (nil, 0)
      return
    }
    let node = selected.flatMap { list.nearest($0) } ?? rows[0]
    if node != selected { line = nil }
    selected = node
    let row = rows.firstIndex(of: node) ?? 0
    let height = max(treeRows, 1)
    top = max(min(top, row, max(rows.count - height, 0)), row - height + 1, 0)
  }

  private mutating func select(_ node: Int?) {
    if node != selected { line = nil }
    selected = node
    settle()
  }

  private mutating func move(_ count: Int) {
    let rows = rows
    guard !rows.isEmpty else { return }
    let row = selected.flatMap { rows.firstIndex(of: $0) } ?? 0
    select(rows[min(max(row + count, 0), rows.count - 1)])
  }

  private mutating func reveal(_ node: Int) {
    list.reveal(node)
    select(node)
  }

  // MARK: Keys

  mutating func press(_ key: Key) {
    if case .mouse(let event) = key { return click(event) }
    switch mode {
    case .tree:
      if case .character(let character) = key, let level = character.wholeNumberValue, level > 0 {
        list.openLevels(level - 1)
        settle()
      } else if let action = keys[key] {
        perform(action)
      }
    case .search: type(key)
    case .card: pressInCard(key)
    case .help:
      let stays: [BrowserAction?] = [.up, .down, .pageUp, .pageDown, .first, .last]
      if !stays.contains(keys[key]) { mode = .tree }
    case .copy: mode = .tree
    case .export(let count): mode = export(key, count)
    }
  }

  private mutating func perform(_ action: BrowserAction) {
    switch action {
    case .up: move(-1)
    case .down: move(1)
    case .pageUp: move(-max(treeRows - 1, 1))
    case .pageDown: move(max(treeRows - 1, 1))
    case .first: move(-tree.nodes.count)
    case .last: move(tree.nodes.count)
    case .left: leave(closing: true)
    case .right: enter()
    case .parent: leave(closing: false)
    case .open:
      if let selected, tree.nodes[selected].department == nil { showCard() } else { toggle() }
    case .toggle: toggle()
    case .subtree:
      if let selected, tree.nodes[selected].department != nil { list.openSubtree(selected) }
      settle()
    case .expandAll: list.openAll()
    case .collapseAll:
      list.openLevels(0)
    case .mark:
      guard let selected else { return }
      marked.formSymmetricDifference([selected])
      move(1)
    case .card: showCard()
    case .back: goBack()
    case .search:
      mode = .search
      if search == nil { search = Search(list: list, selected: selected, top: top) }
    case .nextMatch, .previousMatch: goToMatch(isNext: action == .nextMatch)
    case .help: mode = .help
    case .copy: if selected != nil { mode = .copy }
    case .export: mode = .export(0)
    default: break
    }
    settle()
  }

  private func disclosure(_ node: Int?) -> DirectoryDisclosure? {
    node.flatMap { tree.nodes[$0].department == nil ? nil : list.disclosure($0) }
  }

  private mutating func leave(closing: Bool) {
    guard let selected else { return }
    if closing, disclosure(selected) == .expanded {
      list.setOpen(selected, false)
    } else if let parent = tree.nodes[selected].parent {
      select(parent)
    }
  }

  private mutating func enter() {
    switch disclosure(selected) {
    case .collapsed: if let selected { list.setOpen(selected, true) }
    case .expanded: move(1)
    case .empty, nil: break
    }
  }

  private mutating func toggle() {
    if let selected, let sign = disclosure(selected), sign != .empty {
      list.setOpen(selected, sign == .collapsed)
    }
  }

  private mutating func goBack() {
    if search != nil {
      endSearch()
    } else if let last = trail.popLast() {
      reveal(last)
    } else {
      marked = []
    }
  }

  private mutating func goToMatch(isNext: Bool) {
    guard list.isFiltered, let selected else { return }
    let match =
      isNext ? list.matches.first { $0 > selected } : list.matches.last { $0 < selected }
    if let match { reveal(match) }
  }

  // MARK: Search

  private mutating func type(_ key: Key) {
    let text = search?.text ?? ""
    switch key {
    case .character(let character): typed(text + String(character))
    case .backspace: if text.isEmpty { endSearch() } else { typed(String(text.dropLast())) }
    case .control("u"): typed("")
    case .escape: endSearch()
    case .enter:
      mode = .tree
      if text.isEmpty { endSearch() }
    case .tab, .up, .down, .pageUp, .pageDown, .left, .right:
      if let action = keys[key] { perform(action) }
    default: break
    }
  }

  private mutating func typed(_ text: String) {
    search?.text = text
    search?.hasBegun = false
    search?.isPending = text.contains { $0 != " " }
    if search?.isPending == false { restore() }
  }

  private mutating func restore() {
    guard let search else { return }
    list = search.list
    if search.selected != selected { line = nil }
    (selected, top) = (search.selected, search.top)
    settle()
  }

  private mutating func endSearch() {
    restore()
    search = nil
    settle()
    mode = .tree
  }

  mutating func found(_ matches: DirectoryOutline.Matches, best: Node?) {
    guard let search, search.isPending, search.text == matches.query else { return }
    let offset = (selected.flatMap { rows.firstIndex(of: $0) } ?? 0) - top
    list.setFilter(matches.positions)
    if search.hasBegun {
      scroll(offset)
    } else {
      select(best?.position ?? matches.positions.first ?? selected)
      scroll(treeRows / 2)
    }
    self.search?.hasBegun = true
    self.search?.isPending = !matches.isAll
  }

  private mutating func scroll(_ offset: Int) {
    if let selected, let row = rows.firstIndex(of: selected) { top = max(row - offset, 0) }
    settle()
  }

  // MARK: The card

  private mutating func showCard() {
    if isCardShown {
      mode = .card
      if let selected {
        let targets = tree.nodes[selected].targets
        line = targets.firstIndex { $0 != nil } ?? (targets.isEmpty ? nil : 0)
      }
    }
    isCardShown = true
  }

  private mutating func pressInCard(_ key: Key) {
    let page = size.rows - 1 - (treeRows < size.rows - 1 ? treeRows + 1 : 0)
    switch keys[key] {
    case .up: moveLine(-1)
    case .down: moveLine(1)
    case .pageUp: moveLine(-page)
    case .pageDown: moveLine(page)
    case .open, .right: followLine()
    case .card:
      isCardShown = false
      mode = .tree
      settle()
    case .back, .left: mode = .tree
    case .copy: mode = .copy
    default: break
    }
  }

  private mutating func moveLine(_ count: Int) {
    guard let selected, !tree.nodes[selected].targets.isEmpty else { return }
    line = min(max((line ?? 0) + count, 0), tree.nodes[selected].targets.count - 1)
  }

  private mutating func followLine() {
    guard let selected, let line, let target = tree.nodes[selected].targets[line],
      let node = targeted?(target)
    else { return }
    trail.append(selected)
    mode = .tree
    list.reveal(node)
    if !list.isVisible(node), let search {
      list = search.list
      self.search = nil
    }
    reveal(node)
  }

  /// The node of what a line leads to, in the directory that is shown.
  var targeted: ((DirectoryTarget) -> Int?)?

  // MARK: The mouse, files and other states

  private func export(_ key: Key, _ count: Int) -> Mode {
    switch key {
    case .character: .export(count + 1)
    case .backspace: count == 0 ? .tree : .export(count - 1)
    case .control("u"): .export(0)
    case .enter, .escape: .tree
    default: .export(count)
    }
  }

  private mutating func click(_ event: MouseEvent) {
    guard event.action == .press else {
      if mode != .help { move(event.action == .wheelUp ? -3 : 3) }
      return
    }
    let rows = rows
    guard event.row < treeRows, event.column < treeColumns, top + event.row < rows.count else {
      return
    }
    if mode != .search { mode = .tree }
    if rows[top + event.row] == selected {
      perform(.open)
    } else {
      select(rows[top + event.row])
    }
  }

  /// Goes on to another state; `matches` are those of the filter, if one is on.
  mutating func follow(_ next: SlowTree, matches: [Int]?) {
    let (old, rows) = (tree, rows)
    func carried(_ node: Int) -> Int? { next.node(of: old.nodes[node].key) }
    let row = selected.flatMap { rows.firstIndex(of: $0) }
    var nearby: [Int] = []
    for distance in 1...20 {
      for other in [(row ?? 0) + distance, (row ?? 0) - distance] where rows.indices.contains(other)
      {
        nearby.append(rows[other])
      }
    }
    list.follow(next, matches: matches)
    if let search {
      var before = search.list
      before.follow(next, matches: nil)
      self.search = Search(
        text: search.text,
        list: before,
        selected: search.selected.flatMap(carried),
        top: search.top,
        isPending: search.isPending,
        hasBegun: search.hasBegun
      )
    }
    let offset = row.map { $0 - top }
    selected =
      selected.flatMap(carried) ?? (row == nil ? nil : nearby.lazy.compactMap(carried).first)
    marked = Set(marked.compactMap(carried))
    trail = trail.compactMap(carried)
    line = nil
    let shown = self.rows
    if let offset, let selected, let row = shown.firstIndex(of: selected) { top = row - offset }
    settle()
  }
}
