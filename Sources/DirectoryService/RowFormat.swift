import DirectoryExchange
import DirectoryModel
import TextRules

/// The formats that rows can be written in.
package enum RowFormat: String, Sendable, CaseIterable {
  case csv, json
  /// JSON Lines: an object a row.
  case jsonl
  /// Tab-separated, as `--plain` prints.
  case plain

  /// The format that a file's ending names.
  package init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: "."),
      let format = RowFormat(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    else { return nil }
    self = format
  }

  func encoder() -> any RowEncoder {
    switch self {
    case .csv: CSVRowEncoder()
    case .json: JSONRowEncoder(.array)
    case .jsonl: JSONRowEncoder(.lines)
    case .plain: PlainRowEncoder()
    }
  }

  /// Whether the format itself keeps control characters from a terminal, as JSON's escapes do.
  var isHarmlessOnTerminals: Bool { self == .json || self == .jsonl }
}

/// Turns rows into bytes of a format, at the end of the caller's.
package struct RowStream {
  private var encoder: any RowEncoder
  private let mustBeVisible: Bool
  private var hasBegun = false
  package private(set) var rowCount = 0

  /// Begins a list.
  ///
  /// - Parameters:
  ///   - format: What to write.
  ///   - forTerminal: Whether a terminal reads it, so that control characters become visible.
  package init(_ format: RowFormat, forTerminal: Bool = false) {
    encoder = format.encoder()
    mustBeVisible = forTerminal && !format.isHarmlessOnTerminals
  }

  package mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) {
    begin(&bytes)
    encoder.append(mustBeVisible ? row.visible : row, to: &bytes)
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

extension DirectoryRow {
  /// The row with everything that a terminal would act upon made visible.
  fileprivate var visible: DirectoryRow {
    var row = self
    row.id = VisibleText.visible(id)
    row.name = VisibleText.visible(name)
    row.parent = parent.map { DepartmentID(VisibleText.visible($0.rawValue)) }
    row.description = description.map { VisibleText.visible($0) }
    row.title = title.map { VisibleText.visible($0) }
    row.email = email.map { VisibleText.visible($0) }
    row.phone = phone.map { VisibleText.visible($0) }
    return row
  }
}
