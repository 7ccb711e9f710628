import TextRules

/// Draws the rows of a tree, in preorder, as lines of text.
///
///     ▾ Northwind (212)
///     ├─ ▾ Engineering (97)
///     │  ├─ ▸ Storage (12)
///     │  └─ Ada Lund · Head of storage
///     └─ ▹ Vacant (0)
///
/// A terminal that is not UTF-8 gets `v > -` and `|- ` `` `- `` `|`. Where tree lines would leave a
/// label fewer than 20 columns, the levels nearest to the root give way to their number: `…36 ├─ `.
/// They go several at a time, so that neighbouring levels keep their indent. Off a terminal, lines
/// of more than 64 levels are shortened so too, and nothing else is.
package struct TreePainter: Sendable {
  private let renderer: TextRenderer
  private let columns: Int?
  private let signs: TreeSymbols
  /// Whether the row last seen at each level has siblings to come.
  private var continues: [Bool] = []

  /// Columns that a label keeps whatever its depth.
  private static let labelColumns = 20
  /// Columns that one level indents.
  private static let indent = 3
  /// Columns of `…100000 `.
  private static let markColumns = 8
  /// Levels drawn where lines may be of any length.
  private static let levelsOffTerminal = 64

  package init(_ profile: TerminalProfile) {
    renderer = TextRenderer(profile)
    columns = profile.columns
    signs = profile.drawsSigns ? .unicode : .ascii
  }

  /// Appends a row's line and its line feed.
  ///
  /// Rows come in preorder from any one on; ancestors that were not given are drawn as last
  /// siblings.
  ///
  /// - Complexity: O(columns + label), whatever the level.
  package mutating func append(_ row: TreeLine, to text: inout [UInt8]) {
    pass(level: row.level, isLastSibling: row.isLastSibling)
    let hidden = hiddenLevels(at: row.level)
    let used = appendLines(row, hidden: hidden, to: &text)
    appendContent(row, limit: columns.map { max($0 - used, 1) }, to: &text)
    text.append(0x0A)
  }

  /// Takes note of a row that is not drawn and has rows below it that are: an ancestor of the first
  /// one on a screen.
  package mutating func pass(level: Int, isLastSibling: Bool) {
    precondition(level >= 0, "a level below the root's")
    while continues.count <= level { continues.append(false) }
    continues[level] = !isLastSibling
  }

  // MARK: - Lines

  /// How many levels give way to their number.
  private func hiddenLevels(at level: Int) -> Int {
    var whole = Self.levelsOffTerminal
    var beside = whole
    if let columns {
      let room = columns - Self.labelColumns - 2
      whole = max(1, room / Self.indent)
      beside = max(1, (room - Self.markColumns) / Self.indent)
    }
    guard level > whole else { return 0 }
    let step = max(1, beside / 2)
    return (level - beside + step - 1) / step * step
  }

  /// - Returns: The columns that the lines take.
  private func appendLines(_ row: TreeLine, hidden: Int, to text: inout [UInt8]) -> Int {
    guard row.level > 0 else { return 0 }
    renderer.begin(.dim, in: &text)
    var used = (row.level - hidden) * Self.indent
    if hidden > 0 {
      let mark = "\(renderer.ellipsis)\(hidden) "
      text.append(contentsOf: mark.utf8)
      used += mark.unicodeScalars.count
    }
    for level in (hidden + 1)..<max(row.level, hidden + 1) {
      text.append(contentsOf: (continues[level] ? signs.passing : signs.blank).utf8)
    }
    text.append(contentsOf: (row.isLastSibling ? signs.last : signs.branch).utf8)
    renderer.end(.dim, in: &text)
    return used
  }

  // MARK: - Content

  private func appendContent(_ row: TreeLine, limit: Int?, to text: inout [UInt8]) {
    var limit = limit
    if let symbol = signs.text(of: row.symbol) {
      renderer.append(own: symbol, .sign, to: &text)
      limit = limit.map { max($0 - 2, 1) }
    }
    let countColumns = row.count.map { Self.digits($0) + 3 } ?? 0
    // The count gives way before the label gets shorter than a few letters.
    let showsCount = limit.map { $0 >= countColumns + 8 } ?? true
    let labelLimit = limit.map { showsCount ? $0 - countColumns : $0 }
    let labelColumns = appendLabel(row, limit: labelLimit, to: &text)
    if showsCount, let count = row.count { appendCount(count, to: &text) }
    appendDetail(row.detail, limit: labelLimit.map { $0 - labelColumns }, to: &text)
  }

  private func appendCount(_ count: Int, to text: inout [UInt8]) {
    renderer.begin(.dim, in: &text)
    text.append(0x20)
    text.append(0x28)
    text.append(contentsOf: String(count).utf8)
    text.append(0x29)
    renderer.end(.dim, in: &text)
  }

  /// How many digits a number has.
  private static func digits(_ number: Int) -> Int {
    var digits = 1
    var rest = number
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    return digits
  }

  private func appendDetail(_ detail: String, limit: Int?, to text: inout [UInt8]) {
    guard !detail.isEmpty else { return }
    let separator = signs.separator
    let columns = separator.unicodeScalars.count
    // Less than a few letters of it say nothing.
    if let limit, limit < columns + 4 { return }
    renderer.append(own: separator, .dim, to: &text)
    renderer.append(
      visible: renderer.visible(detail),
      .dim,
      limit: limit.map { $0 - columns },
      to: &text
    )
  }

  private func appendLabel(_ row: TreeLine, limit: Int?, to text: inout [UInt8]) -> Int {
    let style: TextRenderer.Style = row.isDimmed ? .dim : row.symbol == .leaf ? .plain : .bold
    return renderer.append(
      renderer.marked(row.label, at: row.highlights),
      style,
      limit: limit,
      to: &text
    )
  }
}

/// The characters that a tree is drawn with.
private struct TreeSymbols: Sendable {
  let expanded: String
  let collapsed: String
  let empty: String
  let branch: String
  let last: String
  let passing: String
  let blank = "   "
  let separator: String

  static let unicode = TreeSymbols(
    expanded: "▾ ",
    collapsed: "▸ ",
    empty: "▹ ",
    branch: "├─ ",
    last: "└─ ",
    passing: "│  ",
    separator: " · "
  )
  static let ascii = TreeSymbols(
    expanded: "v ",
    collapsed: "> ",
    empty: "- ",
    branch: "|- ",
    last: "`- ",
    passing: "|  ",
    separator: " - "
  )

  func text(of symbol: TreeLine.Symbol) -> String? {
    switch symbol {
    case .expanded: expanded
    case .collapsed: collapsed
    case .empty: empty
    case .leaf: nil
    }
  }
}

/// One row of a tree, as it is drawn.
package struct TreeLine: Sendable {
  package enum Symbol: Sendable {
    case expanded, collapsed, empty, leaf
  }

  /// Depth below what is shown; the shown roots are 0.
  package var level: Int
  package var isLastSibling: Bool
  package var symbol: Symbol
  package var label: String
  /// Distinct people below a department.
  package var count: Int?
  /// What stands behind the label, such as a person's title; empty for none.
  package var detail: String
  /// What a search found, as offsets in the label's UTF-8, rising and apart.
  package var highlights: [Range<Int>]
  /// Whether it only leads to what is meant.
  package var isDimmed = false

  package init(
    level: Int,
    isLastSibling: Bool,
    symbol: Symbol,
    label: String,
    count: Int? = nil,
    detail: String = "",
    highlights: [Range<Int>] = []
  ) {
    self.level = level
    self.isLastSibling = isLastSibling
    self.symbol = symbol
    self.label = label
    self.count = count
    self.detail = detail
    self.highlights = highlights
  }
}
