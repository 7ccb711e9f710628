import DirectoryModel
import DirectoryReading
import Terminal

/// Prints rows in a format that programs read.
enum RowPrinter {
  /// - Returns: The number of rows.
  /// - Throws: `.usage` for a workbook on a terminal, and what goes wrong in writing.
  static func print(
    _ request: TreeRequest,
    of directory: Directory,
    as format: RowFormat,
    _ options: ExportOptions = ExportOptions(),
    withFolded: Bool = false
  ) throws -> ExportCount {
    var screen = Screen()
    if format.isBinary, screen.profile.isTerminal {
      throw DirectoryError(
        .usage,
        "cannot write \(format.rawValue) to a terminal",
        advice: "name a file with -o"
      )
    }
    let count = try directory.write(
      request,
      as: format,
      options,
      withFolded: withFolded,
      forTerminal: screen.profile.isTerminal
    ) { bytes in
      screen.buffer.append(contentsOf: bytes)
      bytes.removeAll(keepingCapacity: true)
      try screen.drain()
    }
    try screen.finish()
    return count
  }

  static func print<Result>(
    as format: RowFormat,
    columns: [String]? = nil,
    rows: ((SearchRow) throws -> Void) throws -> Result
  ) throws -> Result {
    var screen = Screen()
    var stream = RowStream(format, columns: columns, forTerminal: screen.profile.isTerminal)
    let result = try rows { found in
      try stream.append(found.row, to: &screen.buffer)
      try screen.drain()
    }
    try stream.finish(to: &screen.buffer)
    try screen.finish()
    return result
  }
}
