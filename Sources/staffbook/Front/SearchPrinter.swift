import DirectoryModel
import DirectoryService
import Terminal

/// Prints the hits of a search: as a table with what was found set off, in a format that programs
/// read, or as mutt wants it.
struct SearchPrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  /// - Returns: How many hits there are.
  func print(_ searcher: DirectorySearcher, _ search: SearchOptions) throws -> SearchTotal {
    switch options.format {
    case .jsonl where search.explains: try printExplainedJSON(searcher, search)
    case let format?: try print(searcher, search, as: format)
    case nil: try printTable(searcher, search)
    }
  }

  private func print(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions,
    as format: RowFormat
  ) throws -> SearchTotal {
    var total = SearchTotal.exactly(0)
    try RowPrinter.print(as: format) { body in
      total = try searcher.forEachHit(of: search) { try body($0.row) }
    }
    return total
  }

  /// Rows with a further key `match`.
  private func printExplainedJSON(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions
  ) throws -> SearchTotal {
    var screen = Screen()
    let total = try searcher.forEachHit(of: search) { hit in
      var stream = RowStream(.jsonl, forTerminal: screen.profile.isTerminal)
      try stream.append(hit.row, to: &screen.buffer)
      try stream.finish(to: &screen.buffer)
      // The line ends with a brace and a line feed.
      screen.buffer.removeLast(2)
      let reasons = SearchRow.Reason.json(hit.reasons)
      let harmless = screen.profile.isTerminal ? screen.profile.visible(reasons) : reasons
      screen.buffer.append(contentsOf: ",\"match\":\(harmless)}\n".utf8)
      try screen.drain()
    }
    try screen.finish()
    return total
  }

  private func printTable(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions
  ) throws -> SearchTotal {
    var screen = Screen(color: options.color)
    var painter = TablePainter.people(screen.profile)
    let total = try searcher.forEachHit(of: search) { hit in
      painter.append(
        ListPrinter.cells(of: hit.row),
        highlights: hit.highlights,
        to: &screen.buffer
      )
      if search.explains {
        // Reasons stand below their row, so that rows cannot wait for their widths.
        painter.finish(to: &screen.buffer)
        for reason in hit.reasons {
          let line = "    \(reason.word): \(reason.match), \(reason.field): \(reason.text)"
          screen.buffer.append(contentsOf: screen.profile.visible(line).utf8)
          screen.buffer.append(UInt8(ascii: "\n"))
        }
      }
      try screen.drain()
    }
    painter.finish(to: &screen.buffer)
    try screen.drain()
    try screen.finish()
    return total
  }

  // MARK: - Mutt

  /// A line about the result, then for each person with an address: address, tab, name, tab, title
  /// and department.
  ///
  /// Source: the manual of Mutt, "External Address Queries".
  func printForMutt(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions
  ) throws -> SearchTotal {
    var lines: [String] = []
    let total = try searcher.forEachHit(of: search) { hit in
      guard let email = hit.row.email, !email.isEmpty else { return }
      let place = hit.row.departments?.first?.name ?? ""
      let other = [hit.row.title ?? "", place].filter { !$0.isEmpty }.joined(separator: ", ")
      lines.append([email, hit.row.name, other].map { Self.field($0) }.joined(separator: "\t"))
    }
    var screen = Screen()
    let count = lines.count == 1 ? "1 match" : "\(lines.count) matches"
    screen.buffer.append(contentsOf: "\(count)\n".utf8)
    for line in lines { screen.buffer.append(contentsOf: "\(line)\n".utf8) }
    try screen.finish()
    return lines.isEmpty ? .exactly(0) : total
  }

  /// On one line and without tabs; controls become visible signs.
  private static func field(_ text: String) -> String {
    TerminalProfile().visible(text)
  }

  // MARK: - What is not shown

  /// What to say when there are more hits than rows.
  func notice(of total: SearchTotal, _ search: SearchOptions) -> String? {
    guard let limit = search.limit else { return nil }
    let first = search.offset == 0 ? "\(limit)" : "\(limit) from \(search.offset + 1) on"
    switch total {
    case .exactly(let count):
      return count > search.offset + limit
        ? "showing \(first) of \(count); see more with --limit" : nil
    case .moreThan: return "showing \(first); there are more: see them with --limit or --offset"
    }
  }
}
