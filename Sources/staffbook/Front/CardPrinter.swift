import DirectoryModel
import DirectoryReading
import DirectoryService
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
      painter.append(heading: row.name, try fields(of: row), to: &screen.buffer)
    }
    try screen.finish()
  }

  private func fields(of row: DirectoryRow) throws -> [CardPainter.Field] {
    let declared = try directory.shownFields(of: row).map {
      CardPainter.Field($0.label, $0.values)
    }
    let contacts = ContactField.allCases.map {
      CardPainter.Field($0.known.label, row.contacts?[$0])
    }
    let id = CardPainter.Field("Id", row.id)
    switch row.kind {
    case .user:
      let departments = row.departments ?? []
      return [
        CardPainter.Field("Title", row.title),
        CardPainter.Field(
          "Departments",
          departments.map { Self.text(of: $0, withTitle: departments.count > 1) }
        ),
        CardPainter.Field("Led by", Self.leaders(of: departments)),
      ] + contacts + declared + Self.inverses(of: row) + [id]
    case .department:
      return [
        CardPainter.Field("About", row.description),
        CardPainter.Field("Path", DepartmentName.path(row.path ?? [])),
        CardPainter.Field("Led by", (row.leaders ?? []).map { "\($0.name) (\($0.id))" }),
        CardPainter.Field("People", row.people.map(String.init)),
      ] + declared + [id]
    }
  }

  /// Who leads the departments of a person, and which of several.
  private static func leaders(of departments: [DirectoryRow.DepartmentReference]) -> [String] {
    departments.flatMap { department in
      department.leaders.map { leader in
        departments.count > 1
          ? "\(leader.name) (\(leader.id)): \(department.name)" : "\(leader.name) (\(leader.id))"
      }
    }
  }

  /// People that one of whose fields names the person; of many the first ones and their number.
  private static func inverses(of row: DirectoryRow) -> [CardPainter.Field] {
    (row.inverses ?? []).map { inverse in
      let shown = inverse.people.prefix(shownPeople).map { "\($0.name) (\($0.id))" }
      let rest = inverse.people.count - shown.count
      return CardPainter.Field(inverse.label, shown + (rest > 0 ? ["and \(rest) others"] : []))
    }
  }

  private static let shownPeople = 20

  /// The path of a department, and what the person is there.
  private static func text(
    of department: DirectoryRow.DepartmentReference,
    withTitle: Bool
  ) -> String {
    let path = DepartmentName.path(department.path + [department.name])
    var roles: [String] = []
    if withTitle, let title = department.title, !title.isEmpty { roles.append(title) }
    if department.leads { roles.append("leads it") }
    return roles.isEmpty ? path : "\(path) (\(roles.joined(separator: "; ")))"
  }
}
