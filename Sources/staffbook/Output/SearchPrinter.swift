import DirectoryModel
import DirectoryReading
import Platform
import Terminal

/// Prints the hits of a search: as a table with what was found set off, in a format that programs
/// read, or as mutt wants it.
struct SearchPrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  /// - Parameters:
  ///   - searcher: Of the directory.
  ///   - search: What to look for.
  ///   - department: Path of the department in which alone it is looked for.
  /// - Returns: How many hits there are.
  /// - Throws: As `DirectorySearcher.forEachHit(of:_:)`, and what goes wrong in writing.
  func print(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions,
    below department: [String]
  ) throws -> SearchTotal {
    if options.format == .jsonl { return try printJSON(searcher, search) }
    return try ListPrinter(options).print(below: department) { body in
      try searcher.forEachHit(of: search, body)
    }
  }

  /// Rows with the further keys `reading` where the query was taken in another way, and `match` and
  /// `near` where reasons were asked for.
  private func printJSON(
    _ searcher: DirectorySearcher,
    _ search: SearchOptions
  ) throws -> SearchTotal {
    var screen = Screen()
    let total = try searcher.forEachHit(of: search) { hit in
      var stream = RowStream(
        .jsonl,
        forTerminal: screen.profile.isTerminal
      )
      try stream.append(hit.row, to: &screen.buffer)
      try stream.finish(to: &screen.buffer)
      // The line ends with a brace and a line feed.
      screen.buffer.removeLast(2)
      var keys = hit.reading.map { ",\"reading\":\(JSONLine.encode($0))" } ?? ""
      if search.explains { keys += ",\"match\":\(JSONLine.encode(hit.reasons))" }
      keys += hit.shared.map { ",\"near\":\(JSONLine.encode($0))" } ?? ""
      let harmless = screen.profile.isTerminal ? screen.profile.visible(keys) : keys
      screen.buffer.append(contentsOf: "\(harmless)}\n".utf8)
      try screen.drain()
    }
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
      guard let address = hit.row.contacts?[.email], !address.isEmpty else { return }
      let place = hit.row.departments?.first?.name ?? ""
      let other = [hit.row.title ?? "", place].filter { !$0.isEmpty }.joined(separator: ", ")
      lines.append([address, hit.row.name, other].map { Self.field($0) }.joined(separator: "\t"))
    }
    var screen = Screen()
    let count = counted(lines.count, "match", "matches")
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

  /// One line more for programs, where there are more hits than the usual number of rows.
  ///
  ///     {"event":"more","results":123,"shown":50}
  func tellMore(than shown: Int, _ total: SearchTotal) throws {
    // Absent where no one counted them.
    var results: Int?
    if case .exactly(let count) = total { results = count }
    if let results, results <= shown { return }
    let object: JSONObject = ["event": "more", "shown": shown, "results": results]
    try LineFormat.json.write([object.line])
  }

  /// What to say when there are more hits than rows.
  func notice(of total: SearchTotal, _ search: SearchOptions) -> String? {
    guard let limit = search.limit else { return nil }
    let shown =
      search.offset == 0
      ? "the first \(limit)" : "\(limit) from number \(UInt(search.offset) + 1) on"
    switch total {
    case .exactly(let count):
      let isAll = count - search.offset <= limit
      return isAll ? nil : "showing \(shown) of \(count) results; use --limit to see more"
    case .moreThan: return "showing \(shown) results; use --limit or --offset to see more"
    }
  }
}
