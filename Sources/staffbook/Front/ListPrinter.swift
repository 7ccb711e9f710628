import DirectoryModel
import DirectoryService
import Terminal

/// Prints people and departments outside the tree, one below the other.
struct ListPrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  func print(_ rows: [DirectoryRow]) throws {
    try print { body in for row in rows { try body(row) } }
  }

  /// Prints rows as they come.
  func print(rows: ((DirectoryRow) throws -> Void) throws -> Void) throws {
    if let format = options.format {
      try RowPrinter.print(as: format, rows: rows)
      return
    }
    var screen = Screen(color: options.color)
    var painter = TablePainter.people(screen.profile)
    try rows { row in
      painter.append(Self.cells(of: row), to: &screen.buffer)
      try screen.drain()
    }
    painter.finish(to: &screen.buffer)
    try screen.drain()
    try screen.finish()
  }

  static func cells(of row: DirectoryRow) -> [String] {
    let path = DepartmentName.path(row.path ?? [])
    return switch row.kind {
    case .user:
      [row.name, row.title ?? "", path + further(row), row.email ?? "", row.phone ?? ""]
    case .department:
      [row.name, "department, \(peopleText(row.people ?? 0))", path, "", ""]
    }
  }

  /// The names of a person's departments besides the one whose path is shown.
  private static func further(_ row: DirectoryRow) -> String {
    var departments = row.departments ?? []
    if let shown = departments.firstIndex(where: { $0.path + [$0.name] == row.path }) {
      departments.remove(at: shown)
    }
    return departments.map { "; \($0.name)" }.joined()
  }

  private static func peopleText(_ count: Int) -> String {
    count == 1 ? "1 person" : "\(count) people"
  }
}
