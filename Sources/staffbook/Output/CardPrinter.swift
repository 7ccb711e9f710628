import DirectoryModel
import DirectoryReading
import Terminal

/// Prints a person or a department with everything about it.
struct CardPrinter {
  private let options: OutputOptions
  private let directory: Directory

  init(_ options: OutputOptions, _ directory: Directory) {
    self.options = options
    self.directory = directory
  }

  func print(_ rows: [DirectoryRow]) throws {
    if let format = options.format {
      try RowPrinter.print(as: format, columns: options.chosen) { body in
        for row in rows { try body(SearchRow(row: row)) }
      }
      return
    }
    var screen = Screen(color: options.color)
    let painter = CardPainter(screen.profile)
    for (index, row) in rows.enumerated() {
      if index > 0 { screen.buffer.append(UInt8(ascii: "\n")) }
      let fields = try directory.cardFields(of: row).map {
        CardPainter.Field($0.label, $0.values.map(\.text))
      }
      painter.append(heading: row.name, fields, to: &screen.buffer)
    }
    try screen.finish()
  }
}
