import TextRules

/// Draws rows in aligned columns, as lists of people and of search results are.
///
/// Widths come from the first thousand rows, which are held back for it; later rows are drawn as
/// they come, so a list of any length takes the same memory. On a terminal the widest columns
/// shrink until a line fits and longer cells are cut; otherwise nothing is cut, and a later cell
/// that is longer than its column pushes its line out.
package struct TablePainter: Sendable {
  package struct Column: Sendable {
    /// Shown above the rows when it is not empty.
    package var title: String
    /// Loses its beginning, not its end, when it is too long: the last names of a path say most.
    package var keepsEnd: Bool
    /// Drawn in bold, as the names are that one looks for.
    package var isMain: Bool

    package init(title: String = "", keepsEnd: Bool = false, isMain: Bool = false) {
      self.title = title
      self.keepsEnd = keepsEnd
      self.isMain = isMain
    }
  }

  private let lettering: Lettering
  private let columns: [Column]
  private let limit: Int?
  private var waiting: [Row] = []
  private var widths: [Int]?

  private struct Row {
    /// Visible already, but for a main cell with highlights.
    var cells: [String]
    var highlights: [Range<Int>]
  }

  private static let sample = 1_000
  private static let gap = 2
  /// A column is not made narrower while others can be.
  private static let fairColumns = 12
  /// Narrower than this a column says nothing: the last ones are left out instead.
  private static let leastColumns = 4

  package init(_ columns: [Column], _ profile: TerminalProfile) {
    lettering = Lettering(profile)
    self.columns = columns
    limit = profile.columns
  }

  /// The columns of `staff` and `search`: name, title, path of the department, e-mail, phone.
  package static func people(_ profile: TerminalProfile) -> TablePainter {
    TablePainter(
      [Column(isMain: true), Column(), Column(keepsEnd: true), Column(), Column()],
      profile
    )
  }

  /// Appends a row, or holds it back until the widths are known.
  ///
  /// - Parameters:
  ///   - cells: One for each column.
  ///   - highlights: What a search found in the main cell, as offsets in its UTF-8.
  ///   - text: Grows by whole lines.
  package mutating func append(
    _ cells: [String],
    highlights: [Range<Int>] = [],
    to text: inout [UInt8]
  ) {
    precondition(cells.count == columns.count, "\(cells.count) cells in \(columns.count) columns")
    let shown = lettering.colour ? highlights : []
    let row = Row(
      cells: cells.indices.map { index in
        columns[index].isMain && !shown.isEmpty ? cells[index] : lettering.visible(cells[index])
      },
      highlights: shown
    )
    if let widths {
      appendLine(row, widths, to: &text)
      return
    }
    waiting.append(row)
    if waiting.count == Self.sample { settle(keepingEmpty: true, to: &text) }
  }

  /// Appends what is still held back; no row may follow.
  package mutating func finish(to text: inout [UInt8]) {
    if widths == nil { settle(keepingEmpty: false, to: &text) }
  }

  private mutating func settle(keepingEmpty: Bool, to text: inout [UInt8]) {
    let widths = fit(naturalWidths(keepingEmpty: keepingEmpty))
    self.widths = widths
    if !waiting.isEmpty, columns.contains(where: { !$0.title.isEmpty }) {
      let titles = Row(cells: columns.map(\.title), highlights: [])
      appendLine(titles, widths, isTitle: true, to: &text)
    }
    for row in waiting { appendLine(row, widths, to: &text) }
    waiting = []
  }

  // MARK: - Widths

  /// The widest cell of each column; 0 for one that holds nothing and is left out.
  private func naturalWidths(keepingEmpty: Bool) -> [Int] {
    columns.indices.map { column in
      let widest = waiting.lazy.map { columnsOf($0, column) }.max() ?? 0
      if widest == 0, !keepingEmpty { return 0 }
      return max(widest, DisplayWidth.columns(of: columns[column].title), 1)
    }
  }

  private func columnsOf(_ row: Row, _ column: Int) -> Int {
    let isRaw = columns[column].isMain && !row.highlights.isEmpty
    return DisplayWidth.columns(
      of: isRaw ? lettering.visible(row.cells[column]) : row.cells[column]
    )
  }

  private func fit(_ natural: [Int]) -> [Int] {
    guard let limit else { return natural }
    var widths = natural
    for floor in [Self.fairColumns, Self.leastColumns] {
      while total(widths) > limit, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
        widths[widest] > floor
      {
        widths[widest] -= 1
      }
    }
    while total(widths) > limit, let last = widths.lastIndex(where: { $0 > 0 }), last > 0 {
      widths[last] = 0
    }
    if total(widths) > limit { widths[0] = max(limit, 1) }
    return widths
  }

  private func total(_ widths: [Int]) -> Int {
    let shown = widths.filter { $0 > 0 }
    return shown.reduce(0, +) + Self.gap * max(shown.count - 1, 0)
  }

  // MARK: - Lines

  private func appendLine(
    _ row: Row,
    _ widths: [Int],
    isTitle: Bool = false,
    to text: inout [UInt8]
  ) {
    var missing = 0
    for (index, cell) in row.cells.enumerated() where widths[index] > 0 {
      if !cell.isEmpty {
        lettering.pad(missing, to: &text)
        missing = 0
        let used = appendCell(cell, row, column: index, widths[index], isTitle: isTitle, to: &text)
        missing = max(widths[index] - used, 0) + Self.gap
      } else {
        missing += widths[index] + Self.gap
      }
    }
    text.append(0x0A)
  }

  /// - Returns: The columns it took.
  private func appendCell(
    _ cell: String,
    _ row: Row,
    column: Int,
    _ width: Int,
    isTitle: Bool,
    to text: inout [UInt8]
  ) -> Int {
    let width = limit == nil ? Int.max : width
    guard !columns[column].isMain || row.highlights.isEmpty else {
      return lettering.append(cell, at: row.highlights, .bold, limit: width, to: &text)
    }
    return lettering.append(
      visible: cell,
      isTitle ? .dim : columns[column].isMain ? .bold : .plain,
      limit: width,
      cut: columns[column].keepsEnd ? .start : .end,
      to: &text
    )
  }
}
