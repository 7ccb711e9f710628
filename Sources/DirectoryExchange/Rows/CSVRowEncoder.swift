import DirectoryModel

/// One flat CSV file with a header:
/// `level,kind,id,parent_id,name,description,title,email,phone,sort_order,primary,people,path`.
///
/// The rows are those of a list, departments and people mixed; a value that does not apply is
/// empty. `path` names the departments from the root down to the row's parent (`PathText`). For a
/// spreadsheet, text that it would run or turn into something else is made harmless
/// (`SpreadsheetText`); without that every value is kept byte for byte.
package struct CSVRowEncoder: RowEncoder {
  package static let columns = [
    "level", "kind", "id", "parent_id", "name", "description", "title", "email", "phone",
    "sort_order", "primary", "people", "path",
  ]

  private let isForSpreadsheet: Bool
  private var writer = CSVWriter()

  package init(forSpreadsheet isForSpreadsheet: Bool = false) {
    self.isForSpreadsheet = isForSpreadsheet
  }

  package mutating func begin(_ bytes: inout [UInt8]) {
    // Without it Excel takes the file for one in the system's old encoding.
    if isForSpreadsheet { bytes.append(contentsOf: [0xEF, 0xBB, 0xBF]) }
    for column in Self.columns { writer.append(column, to: &bytes) }
    writer.endRecord(to: &bytes)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    append(row.level, to: &bytes)
    writer.append(row.kind.rawValue, to: &bytes)
    append(row.id, to: &bytes)
    append(row.parent, to: &bytes)
    append(row.name, to: &bytes)
    append(row.description, to: &bytes)
    append(row.title, to: &bytes)
    append(row.email, to: &bytes)
    append(row.phone, to: &bytes)
    append(row.sortOrder, to: &bytes)
    append(row.isPrimary, to: &bytes)
    append(row.people, to: &bytes)
    append(row.pathText, to: &bytes)
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
    if isForSpreadsheet, let harmless = SpreadsheetText.harmless(text) {
      harmless.withUnsafeBytes { writer.append($0, to: &bytes) }
    } else {
      writer.append(text, to: &bytes)
    }
  }
}
