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

/// Turns rows into bytes of a format and hands them on in pieces.
package struct RowStream: ~Copyable {
  private var encoder: any RowEncoder
  private var bytes: [UInt8] = []
  private let write: (UnsafeRawBufferPointer) throws -> Void
  private let mustBeVisible: Bool
  package private(set) var rowCount = 0

  private static let pieceSize = 64 * 1_024

  /// - Parameters:
  ///   - format: What to write.
  ///   - forTerminal: Whether a terminal reads it, so that control characters become visible.
  ///   - write: Takes each piece.
  package init(
    _ format: RowFormat,
    forTerminal: Bool = false,
    write: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) {
    encoder = format.encoder()
    mustBeVisible = forTerminal && !format.isHarmlessOnTerminals
    self.write = write
    encoder.begin(&bytes)
  }

  package mutating func append(_ row: DirectoryRow) throws {
    encoder.append(mustBeVisible ? row.visible : row, to: &bytes)
    rowCount += 1
    if bytes.count >= Self.pieceSize { try flush() }
  }

  package mutating func finish() throws {
    encoder.end(&bytes)
    try flush()
  }

  private mutating func flush() throws {
    try bytes.withUnsafeBytes(write)
    bytes.removeAll(keepingCapacity: true)
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
