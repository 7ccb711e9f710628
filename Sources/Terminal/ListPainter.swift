import TextRules

/// Draws people and departments in aligned columns, as lists and search results are shown.
///
/// The layout comes from the first thousand rows, which are held back for it; later rows are drawn
/// as they come, so a list of any length takes the same memory. Contacts are never cut: on a
/// terminal, a row in which they do not fit into their columns has them in lines of their own.
package struct ListPainter: Sendable {
  private let renderer: TextRenderer
  private let limit: Int?
  private var waiting: [Row] = []
  private var layout: ListLayout?

  /// A row as it may be shown, and how wide its cells are.
  private struct Row {
    var cells: [MarkedText]
    var columns: [Int]
    var notes: [MarkedText]
  }

  private static let sample = 1_000
  private static let noteIndent = 4

  package init(_ profile: TerminalProfile) {
    renderer = TextRenderer(profile)
    limit = profile.columns
  }

  /// Appends a row, or holds it back until the layout is known.
  package mutating func append(_ row: ListedRow, to text: inout [UInt8]) {
    let cells =
      [renderer.marked(row.name, at: row.highlights)]
      + ([row.title, row.path] + row.contacts).map { renderer.marked($0) }
    let drawn = Row(
      cells: cells,
      columns: cells.map { DisplayWidth.columns(of: $0.text) },
      notes: row.notes.map { renderer.marked($0) }
    )
    if let layout {
      append(drawn, layout, to: &text)
      return
    }
    waiting.append(drawn)
    if waiting.count == Self.sample { settle(isComplete: false, to: &text) }
  }

  /// Appends what is still held back; no row may follow.
  package mutating func finish(to text: inout [UInt8]) {
    if layout == nil { settle(isComplete: true, to: &text) }
  }

  private mutating func settle(isComplete: Bool, to text: inout [UInt8]) {
    let count = waiting.first?.columns.count ?? ListColumn.leading.count
    let measured = (0..<count).map { column in
      waiting.map { $0.columns[column] }.filter { $0 > 0 }
    }
    let layout = ListLayout(measured, limit: limit, isComplete: isComplete)
    self.layout = layout
    for row in waiting { append(row, layout, to: &text) }
    waiting = []
  }

  // MARK: - Rows

  private func append(_ row: Row, _ layout: ListLayout, to text: inout [UInt8]) {
    switch layout.form {
    case .line where limit == nil || fits(row, layout):
      append(row, layout.columns, layout, to: &text)
    case .line, .twoLines:
      append(row, ListColumn.leading, layout, to: &text)
      appendContacts(of: row, layout, to: &text)
    case .card:
      appendCard(row, to: &text)
    }
    for note in row.notes { append(note, indent: Self.noteIndent, to: &text) }
  }

  /// Whether what must not be cut fits into its columns.
  private func fits(_ row: Row, _ layout: ListLayout) -> Bool {
    layout.columns.allSatisfy { $0.mayBeCut || row.columns[$0.rawValue] <= layout[$0] }
  }

  private func append(
    _ row: Row,
    _ columns: [ListColumn],
    _ layout: ListLayout,
    to text: inout [UInt8]
  ) {
    var missing = 0
    for column in columns where layout[column] > 0 {
      let width = layout[column]
      let cell = row.cells[column.rawValue]
      guard !cell.text.isEmpty else {
        missing += width + ListLayout.gap
        continue
      }
      renderer.pad(missing, to: &text)
      let used = renderer.append(
        cell,
        column == .name ? .bold : .plain,
        limit: limit == nil ? .max : width,
        cut: column.cut,
        to: &text
      )
      missing = max(width - used, 0) + ListLayout.gap
    }
    text.append(0x0A)
  }

  /// Contacts below the row: beside each other where they fit, otherwise one after the other.
  private func appendContacts(of row: Row, _ layout: ListLayout, to text: inout [UInt8]) {
    var starts: [Int] = []
    var next = ListLayout.indent
    var end = next
    for column in layout.contacts {
      starts.append(next)
      end = next + row.columns[column.rawValue]
      let width = max(row.columns[column.rawValue], layout[column])
      if width > 0 { next += width + ListLayout.gap }
    }
    let shown = zip(layout.contacts, starts).filter { row.columns[$0.0.rawValue] > 0 }
    if let limit, end <= limit {
      appendBeside(row, shown, to: &text)
      return
    }
    for (column, _) in shown {
      append(row.cells[column.rawValue], indent: ListLayout.indent, to: &text)
    }
  }

  private func appendBeside(
    _ row: Row,
    _ contacts: [(column: ListColumn, start: Int)],
    to text: inout [UInt8]
  ) {
    guard !contacts.isEmpty else { return }
    var used = 0
    for (column, start) in contacts {
      renderer.pad(start - used, to: &text)
      used = start + renderer.append(row.cells[column.rawValue], .plain, limit: .max, to: &text)
    }
    text.append(0x0A)
  }

  /// The name, and below it each value; those that may be cut take about two lines.
  private func appendCard(_ row: Row, to text: inout [UInt8]) {
    append(row.cells[0], .bold, indent: 0, to: &text)
    for index in row.cells.indices.dropFirst() where row.columns[index] > 0 {
      let column = ListColumn(rawValue: index)
      var cell = row.cells[column.rawValue]
      if let limit, column.yields {
        let most = max(limit - ListLayout.indent, 1) * 2
        if row.columns[column.rawValue] > most {
          cell.text = renderer.shortened(cell.text, to: most, column.cut)
        }
      }
      append(cell, indent: ListLayout.indent, to: &text)
    }
  }

  /// Appends a text in as many lines as it takes.
  private func append(
    _ cell: MarkedText,
    _ style: TextRenderer.Style = .plain,
    indent: Int,
    to text: inout [UInt8]
  ) {
    for line in cell.lines(columns: limit.map { $0 - indent }) {
      renderer.pad(indent, to: &text)
      _ = renderer.append(line, style, limit: nil, to: &text)
      text.append(0x0A)
    }
  }
}
