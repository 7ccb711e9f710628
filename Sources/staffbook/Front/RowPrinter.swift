import DirectoryModel
import DirectoryService
import Terminal

/// Prints rows in a format that programs read.
enum RowPrinter {
  /// - Returns: The number of rows.
  static func print(
    _ request: TreeRequest,
    of directory: Directory,
    as format: RowFormat
  ) throws -> Int {
    try print(as: format) { body in
      try directory.forEachRow(of: request) { try body($0.row) }
    }
  }

  /// - Returns: The number of rows.
  @discardableResult
  static func print(
    as format: RowFormat,
    rows: ((DirectoryRow) throws -> Void) throws -> Void
  ) throws -> Int {
    var screen = Screen()
    var stream = RowStream(format, forTerminal: screen.profile.isTerminal)
    try rows { row in
      stream.append(row, to: &screen.buffer)
      try screen.drain()
    }
    stream.finish(to: &screen.buffer)
    try screen.finish()
    return stream.rowCount
  }
}
