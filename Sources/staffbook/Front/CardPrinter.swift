import DirectoryModel
import DirectoryService
import Terminal

/// Prints a person or a department with everything about it.
struct CardPrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  func print(_ rows: [DirectoryRow]) throws {
    if let format = options.format {
      try RowPrinter.print(as: format) { body in for row in rows { try body(row) } }
      return
    }
    var screen = Screen(color: options.color)
    let painter = CardPainter(screen.profile)
    for (index, row) in rows.enumerated() {
      if index > 0 { screen.buffer.append(UInt8(ascii: "\n")) }
      painter.append(heading: row.name, Self.fields(of: row), to: &screen.buffer)
    }
    try screen.finish()
  }

  private static func fields(of row: DirectoryRow) -> [CardPainter.Field] {
    switch row.kind {
    case .user:
      [
        CardPainter.Field("Title", row.title),
        CardPainter.Field("Departments", (row.departments ?? []).map { text(of: $0) }),
        CardPainter.Field("Email", row.email),
        CardPainter.Field("Phone", row.phone),
        CardPainter.Field("Id", row.id),
      ]
    case .department:
      [
        CardPainter.Field("About", row.description),
        CardPainter.Field("Path", DepartmentName.path(row.path ?? [])),
        CardPainter.Field("People", row.people.map(String.init)),
        CardPainter.Field("Id", row.id),
      ]
    }
  }

  private static func text(of department: DirectoryRow.DepartmentReference) -> String {
    DepartmentName.path(department.path + [department.name])
  }
}
