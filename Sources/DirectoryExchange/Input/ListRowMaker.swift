import DirectoryModel

/// Makes rows of a list from values that come one by one, and holds them to the same rules as the
/// rows of a CSV file.
///
/// A value that appears in no row of the whole file counts as a column that the file does not have.
struct ListRowMaker {
  typealias Column = ListLayout.Column

  private static let header = CSVHeader<Column>.complete

  private let file: String
  private var text: [UInt8] = []
  private var fields: [CSVField]
  /// Columns of departments, and of people, that had a value in some row.
  private var seenOfDepartments: Set<Column> = []
  private var seenOfPeople: Set<Column> = []

  init(file: String) {
    self.file = file
    fields = Array(
      repeating: CSVField(start: 0, end: 0, hasDoubledQuotes: false),
      count: Column.names.count
    )
  }

  /// Columns that no row had, among those that a file may lack.
  var absent: ListAbsence {
    ListAbsence(departments: absent(seenOfDepartments), people: absent(seenOfPeople))
  }

  private func absent(_ seen: Set<Column>) -> Set<Column> {
    Set([.description, .title, .email, .phone, .sortOrder]).subtracting(seen)
  }

  /// Begins a row.
  mutating func begin() {
    text.removeAll(keepingCapacity: true)
    for index in fields.indices {
      fields[index] = CSVField(start: 0, end: 0, hasDoubledQuotes: false)
    }
  }

  /// Sets a value of the row; a later one takes its place.
  mutating func set(_ column: Column, _ value: some Sequence<UInt8>) {
    let start = text.count
    text.append(contentsOf: value)
    fields[column.rawValue] = CSVField(start: start, end: text.count, hasDoubledQuotes: false)
  }

  mutating func set(_ column: Column, _ value: String) { set(column, value.utf8) }

  /// Whether the row has something in a column.
  func has(_ column: Column) -> Bool {
    fields[column.rawValue].end > fields[column.rawValue].start
  }

  /// Ends the row and hands it on.
  ///
  /// - Parameters:
  ///   - line: Where it stands in the file.
  ///   - problems: Gets what is wrong with its values.
  ///   - body: Gets the row, borrowed for the time of the call.
  /// - Returns: Whether there was a row.
  mutating func finish(
    line: Int,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) -> Bool {
    note()
    return text.withUnsafeBytes { bytes in
      fields.withUnsafeBufferPointer { fields in
        // An empty text has no address, and its fields are empty.
        guard let base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
          let places = fields.baseAddress
        else { return false }
        let record = CSVRecord(
          line: line,
          count: fields.count,
          isEnded: true,
          base: base,
          fields: places
        )
        return hand(record, &problems, body)
      }
    }
  }

  /// Hands on a person's further department.
  mutating func handMembership(
    line: Int,
    user: [UInt8],
    department: [UInt8],
    title: [UInt8],
    sortOrder: Int64 = 0,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) {
    let length = title.count { $0 & 0xC0 != 0x80 }
    if length > DirectoryLimits.titleScalars {
      problems.add(
        InputProblem(
          file: file,
          line: line,
          id: String(decoding: user, as: UTF8.self),
          reason: "title is longer than \(DirectoryLimits.titleScalars) characters"
        )
      )
      return
    }
    if !title.isEmpty { seenOfPeople.insert(.title) }
    if sortOrder != 0 { seenOfPeople.insert(.sortOrder) }
    user.withUnsafeBytes { user in
      department.withUnsafeBytes { department in
        title.withUnsafeBytes { title in
          body(
            .membership(
              MembershipFields(
                line: line,
                user: user,
                department: department,
                title: title,
                sortOrder: sortOrder
              )
            )
          )
        }
      }
    }
  }

  private mutating func note() {
    let isDepartment = value(of: .kind).elementsEqual("department".utf8)
    for column in [Column.description, .title, .email, .phone, .sortOrder] where has(column) {
      if isDepartment { seenOfDepartments.insert(column) } else { seenOfPeople.insert(column) }
    }
  }

  private func value(of column: Column) -> ArraySlice<UInt8> {
    text[fields[column.rawValue].start..<fields[column.rawValue].end]
  }

  private func hand(
    _ record: CSVRecord,
    _ problems: inout ProblemList,
    _ body: (ListLayout.Row) -> Void
  ) -> Bool {
    // Values may have been made of escapes; the database refuses all rows for one that is not text.
    for (column, name) in Column.names.enumerated() {
      guard let found = TextFault.first(in: record[column]) else { continue }
      problems.add(
        InputProblem(
          file: file,
          line: record.line,
          reason: "\(name) \(found.reason(in: record[column]))"
        )
      )
      return false
    }
    var cells = RowCells(record, header: Self.header)
    let row = ListLayout.row(of: &cells)
    for fault in cells.faults {
      problems.add(
        InputProblem(file: file, line: record.line, id: id(of: record), reason: fault)
      )
    }
    guard let row else { return false }
    body(row)
    return true
  }

  private func id(of record: CSVRecord) -> String? {
    let id = record[Column.id.rawValue]
    guard (1...DirectoryLimits.idBytes).contains(id.count) else { return nil }
    return String(decoding: id, as: UTF8.self)
  }
}

/// Columns that a list does not have: for rows that the database knows, it keeps what it has.
package struct ListAbsence: Sendable, Equatable {
  package var departments: Set<ListLayout.Column>
  package var people: Set<ListLayout.Column>

  package init(departments: Set<ListLayout.Column>, people: Set<ListLayout.Column>) {
    self.departments = departments
    self.people = people
  }
}
