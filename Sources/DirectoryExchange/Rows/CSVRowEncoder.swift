import DirectoryModel

/// One flat CSV file with a header:
/// `columns`, then `leads` where somebody leads a department, and the declared fields by name.
///
/// A column that is hidden of every record is left out: it is not one whose values are empty.
///
/// The rows are those of a list, departments and people mixed; a value that does not apply is
/// empty. `path` names the departments from the root down to the row's parent (`PathText`). For a
/// spreadsheet, text that it would run or turn into something else is made harmless
/// (`SpreadsheetText`); without that every value is kept byte for byte, but for one that looks like what
/// a spreadsheet wrote.
package struct CSVRowEncoder: RowEncoder {
  /// The columns of a directory of which nothing is hidden.
  package static let columns = ExtraColumns.none.header

  private let isForSpreadsheet: Bool
  private let extra: ExtraColumns
  private var writer = CSVWriter()

  package init(forSpreadsheet isForSpreadsheet: Bool = false, _ extra: ExtraColumns = .none) {
    self.isForSpreadsheet = isForSpreadsheet
    self.extra = extra
  }

  package mutating func begin(_ bytes: inout [UInt8]) {
    // Without it Excel takes the file for one in the system's old encoding.
    if isForSpreadsheet { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
    for column in extra.header { writer.append(column, to: &bytes) }
    writer.endRecord(to: &bytes)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    append(row.level, to: &bytes)
    writer.append(row.kind.rawValue, to: &bytes)
    append(row.id, to: &bytes)
    append(row.parent, to: &bytes)
    append(row.name, to: &bytes)
    if extra.hasDescriptions { append(row.description, to: &bytes) }
    if extra.hasTitles { append(row.title, to: &bytes) }
    for field in extra.contacts { append(row.contacts?[field], to: &bytes) }
    if extra.hasOrder { append(row.sortOrder, to: &bytes) }
    append(row.isPrimary, to: &bytes)
    append(row.people, to: &bytes)
    append(row.pathText, to: &bytes)
    if extra.hasLeads { append(row.leads ? true : nil, to: &bytes) }
    extra.fields.forEachCell(of: row.values) { append($0, to: &bytes) }
    writer.endRecord(to: &bytes)
  }

  private mutating func append(_ number: Int?, to bytes: inout [UInt8]) {
    append(number.map { Int64($0) }, to: &bytes)
  }

  private mutating func append(_ truth: Bool?, to bytes: inout [UInt8]) {
    guard let truth else { return writer.appendEmpty(to: &bytes) }
    writer.append(truth ? "true" : "false", to: &bytes)
  }

  private mutating func append(_ number: Int64?, to bytes: inout [UInt8]) {
    if let number {
      writer.append(number, to: &bytes)
    } else {
      writer.appendEmpty(to: &bytes)
    }
  }

  @inline(__always)
  private mutating func append(_ text: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    guard let text else {
      writer.appendEmpty(to: &bytes)
      return
    }
    let cell = isForSpreadsheet ? SpreadsheetText.harmless(text) : SpreadsheetText.exact(text)
    if let cell {
      cell.withUnsafeBytes { writer.append($0, to: &bytes) }
    } else {
      writer.append(text, to: &bytes)
    }
  }
}

/// The columns of a table that not all directories have.
package struct ExtraColumns {
  let hasDescriptions: Bool
  let hasTitles: Bool
  let contacts: [Field]
  let hasOrder: Bool
  /// Whether anybody leads a department.
  let hasLeads: Bool
  let fields: FieldCells

  package static let none = ExtraColumns(hasLeads: false, fields: [])

  /// - Parameters:
  ///   - hasLeads: Whether anybody leads a department.
  ///   - fields: The declared fields.
  ///   - hidden: Columns that no record shows.
  package init(hasLeads: Bool, fields: [Field], hidden: Set<String> = []) {
    hasDescriptions = !hidden.contains(RecordColumn.description.name)
    hasTitles = !hidden.contains(RecordColumn.title.name)
    contacts = Field.contacts.filter { !hidden.contains($0.name) }
    hasOrder = !hidden.contains(RecordColumn.sortOrder.name)
    self.hasLeads = hasLeads
    self.fields = FieldCells(fields)
  }

  /// The columns of `CSVRowEncoder`.
  var header: [String] {
    let shown =
      (hasDescriptions ? [RecordColumn.description.name] : [])
      + (hasTitles ? [RecordColumn.title.name] : []) + contacts.map(\.name)
      + (hasOrder ? [RecordColumn.sortOrder.name] : [])
    return ["level", "kind", "id", "parent_id", "name"] + shown + ["primary", "people", "path"]
      + (hasLeads ? [RecordColumn.leads.name] : []) + fields.names
  }
}
