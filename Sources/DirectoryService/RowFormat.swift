import DirectoryExchange
import DirectoryModel
import TextRules

/// The formats that rows can be written in.
package enum RowFormat: Sendable, Equatable {
  case csv
  /// With a byte order mark, and cells that a spreadsheet would run made harmless.
  case spreadsheetCSV
  /// One array.
  case json
  /// JSON Lines: an object a row.
  case jsonl
  /// Tab-separated, as `--plain` prints.
  case plain

  /// The formats that have a name of their own, which is also the ending of their files.
  package static let named: [(name: String, format: RowFormat)] = [
    ("csv", .csv), ("json", .json), ("jsonl", .jsonl), ("plain", .plain),
  ]

  package init?(name: String) {
    guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
    self = known.format
  }

  /// The format that a file's ending names.
  package init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    self.init(name: fileName[fileName.index(after: dot)...].lowercased())
  }

  /// Writes rows in this format.
  ///
  /// - Parameter forTerminal: Whether what a terminal would act upon is made visible; JSON escapes
  ///   it in any case.
  /// - Returns: A new encoder.
  fileprivate func encoder(forTerminal: Bool) -> any RowEncoder {
    switch self {
    case .csv: forTerminal ? VisibleRowEncoder(CSVRowEncoder()) : CSVRowEncoder()
    case .spreadsheetCSV:
      forTerminal
        ? VisibleRowEncoder(CSVRowEncoder(forSpreadsheet: true))
        : CSVRowEncoder(forSpreadsheet: true)
    case .json: JSONRowEncoder(.array)
    case .jsonl: JSONRowEncoder(.lines)
    case .plain: PlainRowEncoder(forTerminal ? .visible : .exact)
    }
  }
}

/// Turns rows into bytes of a format, at the end of the caller's.
package struct RowStream {
  private var encoder: any RowEncoder
  private var hasBegun = false
  package private(set) var rowCount = 0

  /// Begins a list.
  ///
  /// - Parameters:
  ///   - format: What to write.
  ///   - forTerminal: Whether a terminal reads it, so that control characters become visible.
  package init(_ format: RowFormat, forTerminal: Bool = false) {
    encoder = format.encoder(forTerminal: forTerminal)
  }

  package mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) {
    begin(&bytes)
    encoder.append(row, to: &bytes)
    rowCount += 1
  }

  package mutating func finish(to bytes: inout [UInt8]) {
    begin(&bytes)
    encoder.end(&bytes)
  }

  private mutating func begin(_ bytes: inout [UInt8]) {
    if !hasBegun { encoder.begin(&bytes) }
    hasBegun = true
  }
}

/// Makes rows harmless for a terminal before another encoder writes them.
private struct VisibleRowEncoder<Base: RowEncoder>: RowEncoder {
  private var base: Base

  init(_ base: Base) { self.base = base }

  mutating func begin(_ bytes: inout [UInt8]) { base.begin(&bytes) }

  mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) {
    var row = row
    row.id = VisibleText.visible(row.id)
    row.name = VisibleText.visible(row.name)
    row.parent = row.parent.map { DepartmentID(VisibleText.visible($0.rawValue)) }
    row.description = row.description.map { VisibleText.visible($0) }
    row.title = row.title.map { VisibleText.visible($0) }
    row.email = row.email.map { VisibleText.visible($0) }
    row.phone = row.phone.map { VisibleText.visible($0) }
    base.append(row, to: &bytes)
  }

  mutating func end(_ bytes: inout [UInt8]) { base.end(&bytes) }
}
