import DirectoryModel

/// A file that a personnel list is joined with: cost centres by their numbers, managers by those of
/// the people.
///
/// It is held in memory.
struct JoinedTable {
  let join: PersonnelMapping.Join
  let file: String
  private(set) var headings: [String] = []
  private var key = 0
  private var rows: [[UInt8]: [[UInt8]]] = [:]

  init(_ join: PersonnelMapping.Join, of file: InputFile) {
    self.join = join
    self.file = file.name
  }

  /// Reads a row; those above the headings are passed over.
  ///
  /// - Returns: What is wrong with it, or `nil`.
  mutating func take(_ record: CSVRecord) -> String? {
    let cells = record.texts
    if headings.isEmpty {
      let names = cells.map { String(decoding: $0, as: UTF8.self) }
      guard let place = Self.position(of: join.other, in: names) else { return nil }
      (headings, key) = (names, place)
      return nil
    }
    if let fault = record.lengthFault(headings: headings.count) { return fault }
    let value = cells[key]
    if value.isEmpty { return nil }
    if let other = rows[value], other != cells {
      return
        "\(QuotedValue.string(join.other)) \(QuotedValue.text(value)) occurs in two rows, which "
        + "differ"
    }
    rows[value] = cells
    return nil
  }

  /// The cells of a row; `nil` where there is none of that key.
  subscript(key: [UInt8]) -> [[UInt8]]? { rows[key] }

  private static func position(of heading: String, in headings: [String]) -> Int? {
    headings.firstIndex { Heading($0).key == Heading(heading).key }
  }
}

/// What a file of an import with a mapping holds.
enum PersonnelFile: Equatable {
  case people, departments
  /// With its place among the mapping's joins.
  case joined(Int)

  /// Rows among which the headings are sought.
  static let mostHeadings = 30

  /// Tells by the headings: those of people come first where a file has both.
  init(_ file: InputFile, _ mapping: PersonnelMapping) throws(DirectoryError) {
    self = .people
    guard !mapping.joins.isEmpty || !mapping.departmentColumns.isEmpty else { return }
    let people = mapping.columns.values.flatMap(\.headings)
    let required = [PersonnelMapping.Target.id, .name].flatMap {
      mapping.columns[$0]?.headings ?? []
    }
    let departments = mapping.departmentColumns.values.flatMap(\.headings)
    var rows = 0
    var reader = try CSVReader(file)
    while rows < Self.mostHeadings, let item = reader.next() {
      guard case .record(let record) = item else { continue }
      rows += 1
      let found = Set(record.headings.map(\.key))
      func has(_ heading: String) -> Bool { found.contains(Heading(heading).key) }
      let isOfDepartments = !departments.isEmpty && departments.allSatisfy(has)
      if required.allSatisfy(has), !isOfDepartments || people.allSatisfy(has) { return }
      if isOfDepartments {
        self = .departments
        return
      }
      if let join = mapping.joins.firstIndex(where: { has($0.other) }) {
        self = .joined(join)
        return
      }
    }
  }
}

/// Completes rows: what merged cells have in their first row alone, and what other files say.
final class RowCompletion {
  private var row = RecordBuffer()
  /// Values of merged cells, by position.
  private var last: [Int: [UInt8]] = [:]
  /// Rows whose value leads nowhere, by the place of the table: the first line, its value, how many.
  private var missing: [Int: (line: Int, value: [UInt8], count: Int)] = [:]

  /// Calls `body` with the row as a whole, borrowed for the time of the call.
  func complete(
    _ record: CSVRecord,
    _ columns: PersonnelColumns,
    _ tables: [JoinedTable],
    _ body: (CSVRecord) -> Void
  ) {
    guard !columns.filled.isEmpty || !columns.joins.isEmpty else { return body(record) }
    row.begin()
    fill(record, columns)
    for position in 0..<columns.count { row.append(last[position] ?? Array(record[position])) }
    for (position, table) in columns.joins {
      let value = key(at: position)
      let found = tables[table][value]
      if found == nil, !value.isEmpty { note(value, record.line, table) }
      for place in tables[table].headings.indices { row.append(found?[place] ?? []) }
    }
    row.withRecord(line: record.line, isEnded: record.isEnded, body)
  }

  /// A value begins all cells below it again, and those of the columns behind it.
  private func fill(_ record: CSVRecord, _ columns: PersonnelColumns) {
    var isNew = false
    for position in columns.filled {
      if !record[position].isEmpty {
        last[position] = Array(record[position])
        isNew = true
      } else if isNew {
        last[position] = []
      }
    }
  }

  private func key(at position: Int) -> [UInt8] {
    var key: [UInt8] = []
    row[position].withUnsafeBytes { _ = CellText.append($0, to: &key) }
    return key
  }

  private func note(_ value: [UInt8], _ line: Int, _ table: Int) {
    let found = missing[table] ?? (line, value, 0)
    missing[table] = (found.line, found.value, found.count + 1)
  }

  /// Tells what the other files lack.
  func warn(_ rows: ListRowBuilder, _ tables: [JoinedTable]) {
    for (table, found) in missing.sorted(by: { $0.key < $1.key }) {
      let (join, file) = (tables[table].join, tables[table].file)
      rows.warn(
        "\(QuotedValue.string(join.column)) \(QuotedValue.text(found.value)) is not in "
          + QuotedValue.path(file) + (found.count > 1 ? " (\(found.count) such rows)" : ""),
        line: found.line
      )
    }
    (missing, last) = ([:], [:])
  }
}
