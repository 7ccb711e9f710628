import Browsing
import DirectoryModel
import DirectoryReading
import Terminal

/// Prints rows of the tree: drawn, or in a format that programs read.
struct TreePrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  /// - Returns: The number of rows.
  func print(_ request: TreeRequest, of directory: Directory) throws -> Int {
    if let format = options.format {
      var request = request
      request.withContacts = true
      try options.requireColumns(of: directory)
      var choice = ExportOptions()
      choice.columns = options.chosen
      return try RowPrinter.print(request, of: directory, as: format, choice).rows
    }
    return try Self.draw(request, of: directory, color: options.color)
  }

  /// - Returns: The number of rows.
  static func draw(
    _ request: TreeRequest,
    of directory: Directory,
    color: TerminalProfile.ColourChoice = .auto
  ) throws -> Int {
    var request = request
    request.withDetails = false
    var screen = Screen(color: color)
    var painter = TreePainter(screen.profile)
    var count = 0
    try directory.forEachRow(of: request) { row in
      painter.append(TreeLine(row), to: &screen.buffer)
      try screen.drain()
      count += 1
    }
    try screen.finish()
    return count
  }
}
