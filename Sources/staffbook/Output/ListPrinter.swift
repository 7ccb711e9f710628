import DirectoryModel
import DirectoryReading
import Platform
import Terminal

/// Prints people and departments outside the tree, one below the other.
struct ListPrinter {
  private let options: OutputOptions

  init(_ options: OutputOptions) { self.options = options }

  /// Prints rows as they come, with what a search found in their names set off.
  ///
  /// - Parameters:
  ///   - department: Path of the department that was asked for, which a terminal does not repeat.
  ///   - rows: Calls what it gets with each row.
  /// - Returns: What `rows` returns.
  /// - Throws: What `rows` throws, and what goes wrong in writing.
  func print<Result>(
    below department: [String] = [],
    rows: ((SearchRow) throws -> Void) throws -> Result
  ) throws -> Result {
    if let format = options.format {
      return try RowPrinter.print(as: format, columns: options.chosen, rows: rows)
    }
    var screen = Screen(color: options.color)
    var painter = ListPainter(screen.profile)
    let isTerminal = screen.profile.isTerminal
    var reading: SearchRow.Reading?
    let result = try rows { found in
      var row = isTerminal ? ListedRow(found.row, below: department) : ListedRow(found.row)
      row.highlights = found.highlights
      // Of rows that were found by one reading of the query only the first says so.
      if let new = found.reading, new != reading { row.notes.append(new.note) }
      reading = found.reading
      row.notes += found.reasons.map { "\($0.word): \($0.match), \($0.field): \($0.text)" }
      if let shared = found.shared { row.notes.append("near you: in \(shared)") }
      painter.append(row, to: &screen.buffer)
      try screen.drain()
    }
    painter.finish(to: &screen.buffer)
    try screen.drain()
    try screen.finish()
    return result
  }
}

extension ListedRow {
  /// What a program may read: all departments of a person, and whole paths.
  init(_ row: DirectoryRow) {
    let further = Self.further(row).map { "; \($0)" }.joined()
    self.init(row, place: DepartmentName.path(row.path ?? []) + further)
  }

  /// What the user reads on a terminal: of several further departments only how many there are.
  ///
  /// - Parameters:
  ///   - row: With path, and departments for people.
  ///   - known: What a path need not repeat at its beginning.
  init(_ row: DirectoryRow, below known: [String]) {
    let path = row.path ?? []
    let isBelow = path.starts(with: known)
    let place = DepartmentName.path(isBelow ? Array(path.dropFirst(known.count)) : path)
    let further = Self.further(row)
    let others = further.count > 1 ? "\(further.count) others" : further.first ?? ""
    if others.isEmpty {
      self.init(row, place: place)
    } else {
      self.init(row, place: place.isEmpty ? "also in \(others)" : "\(place); \(others)")
    }
  }

  private init(_ row: DirectoryRow, place: String) {
    switch row.kind {
    case .user:
      self.init(
        name: row.name,
        title: row.title ?? "",
        path: place,
        contacts: Field.contacts.map { row.contacts?[$0] ?? "" }
      )
    case .department:
      let count = row.people ?? 0
      let people = counted(count, "person", "people")
      self.init(
        name: row.name,
        title: "department, \(people)",
        path: place,
        contacts: Field.contacts.map { _ in "" }
      )
    }
  }

  /// The names of a person's departments besides the one whose path is shown.
  private static func further(_ row: DirectoryRow) -> [String] {
    var departments = row.departments ?? []
    if let shown = departments.firstIndex(where: { $0.path + [$0.name] == row.path }) {
      departments.remove(at: shown)
    }
    return departments.map(\.name)
  }
}
