import DirectoryModel
import TextRules

/// A value of a row in a table.
enum RowCell {
  case text(UnsafeRawBufferPointer?)
  case number(Int64?)
  /// What is the same in any format.
  case word(StaticString)

  init(_ truth: Bool?) { self = .word(truth.map { $0 ? "true" : "false" } ?? "") }
}

extension RowFields {
  /// The value of a column; a value that does not apply is empty.
  func cell(_ column: TableColumn) -> RowCell {
    switch column {
    case .level: .number(level.map { Int64($0) })
    case .kind: .word(kind == .department ? "department" : "user")
    case .id: .text(id)
    case .parent: .text(parent)
    case .name: .text(name)
    case .description: .text(description)
    case .title: .text(title)
    case .contact(let field): .text(contacts?[field])
    case .sortOrder: .number(sortOrder)
    case .primary: RowCell(isPrimary)
    case .people: .number(people.map { Int64($0) })
    case .path: .text(pathText)
    case .leads: RowCell(leads == true ? true : nil)
    }
  }
}

/// The columns of a table that not all directories have.
package struct ExtraColumns {
  /// All columns but those of declared fields.
  let columns: [TableColumn]
  let fields: FieldCells

  package static let none = ExtraColumns(hasLeads: false, fields: [])

  /// - Parameters:
  ///   - hasLeads: Whether anybody leads a department.
  ///   - fields: The declared fields.
  ///   - hidden: Columns that no record shows.
  package init(hasLeads: Bool, fields: [Field], hidden: Set<String> = []) {
    let optional: [TableColumn] =
      [.description, .title] + Field.contacts.map { .contact($0) } + [.sortOrder]
    columns =
      [.level, .kind, .id, .parent, .name] + optional.filter { !hidden.contains($0.name) }
      + [.primary, .people, .path] + (hasLeads ? [.leads] : [])
    self.fields = FieldCells(fields)
  }

  var hasLeads: Bool { columns.contains(.leads) }

  /// The names of the columns.
  var header: [String] { columns.map(\.name) + fields.names }

  /// Calls `body` with the cell of each column.
  func forEachCell(of row: RowFields, _ body: (RowCell) -> Void) {
    for column in columns { body(row.cell(column)) }
    fields.forEachCell(of: row.values) { body(.text($0)) }
  }
}

/// One flat CSV file with a header:
/// `columns`, then `leads` where anyone leads a department, and the declared fields by name.
///
/// A column that is hidden of every record is left out: it is not one whose values are empty.
///
/// The rows are those of a list, departments and people mixed; a value that does not apply is
/// empty. `path` names the departments from the root down to the row's parent (`PathText`). For a
/// spreadsheet, text that it would run or turn into something else is made harmless
/// (`SpreadsheetText`); without that every value is kept byte for byte, but for one that looks like what
/// a spreadsheet wrote.
package struct CSVRowEncoder: RowEncoder {
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
    extra.forEachCell(of: row) { cell in
      switch cell {
      case .text(let text?): append(text, to: &bytes)
      case .number(let number?): writer.append(number, to: &bytes)
      case .text(nil), .number(nil): writer.appendEmpty(to: &bytes)
      case .word(let word):
        writer.appendEmpty(to: &bytes)
        bytes.append(text: word)
      }
    }
    writer.endRecord(to: &bytes)
  }

  private mutating func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    let cell = isForSpreadsheet ? SpreadsheetText.harmless(text) : SpreadsheetText.exact(text)
    guard let cell else { return writer.append(text, to: &bytes) }
    cell.withUnsafeBytes { writer.append($0, to: &bytes) }
  }
}

/// Tab-separated values with a header: the columns of `CSVRowEncoder`, and one line a row.
///
/// A tab, line feed, carriage return or backslash in a value is written `\t`, `\n`, `\r`, `\\`, so
/// that every value comes back; the registration of text/tab-separated-values (IANA) has no way to
/// write them. A value that does not apply is empty.
package struct TSVRowEncoder: RowEncoder {
  private let extra: ExtraColumns

  package init(_ extra: ExtraColumns = .none) { self.extra = extra }

  package mutating func begin(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: extra.header.joined(separator: "\t").utf8)
    bytes.append(0x0A)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    extra.forEachCell(of: row) { cell in
      switch cell {
      case .text(let text): if let text { TabSeparatedText.append(text, to: &bytes) }
      case .number(let number): if let number { bytes.append(decimal: number) }
      case .word(let word): bytes.append(text: word)
      }
      bytes.append(0x09)
    }
    bytes[bytes.count - 1] = 0x0A
  }
}

/// Tab-separated lines for `cut`, `awk` and `grep`: level, kind, id, name, title and the contact
/// fields, or the columns that the user chose, declared fields among them.
///
/// A tab, line feed, carriage return or backslash in a value is written `\t`, `\n`, `\r`, `\\`;
/// a value that does not apply is empty. For a pipe or a file everything else is kept byte for
/// byte; for a terminal the values are made visible, which cannot be undone.
package struct PlainRowEncoder: RowEncoder {
  /// What becomes of values beyond the four escapes.
  package enum Values: Sendable {
    /// Nothing: for a pipe or a file.
    case exact
    /// Made visible, for a terminal.
    case visible
    /// Made visible, for a terminal that shows only ASCII.
    case visibleInASCII
  }

  private static let known: [TableColumn] =
    [.level, .kind, .id, .name, .parent, .description, .title]
    + Field.contacts.map { .contact($0) } + [.people, .leads, .path]

  /// What columns may be called, beside the names of declared fields.
  package static let columns = known.map(\.name)

  /// The columns where none are chosen.
  package static let usualColumns =
    ["level", "kind", "id", "name", "title"] + Field.contacts.map(\.name)

  private enum Column {
    case known(TableColumn)
    case field([UInt8])
  }

  private let values: Values
  private let columns: [Column]

  package init(_ values: Values = .exact, columns: [String]? = nil) {
    self.values = values
    self.columns = (columns ?? Self.usualColumns).map { name in
      Self.columns.firstIndex(of: name).map { .known(Self.known[$0]) } ?? .field(Array(name.utf8))
    }
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    for column in columns {
      switch column {
      case .field(let name):
        RowValues(row.values)[name]?.cell.withUnsafeBytes { append($0, to: &bytes) }
      case .known(.path):
        var path: [UInt8] = []
        for (index, name) in (row.path ?? []).enumerated() {
          Array(name.utf8).withUnsafeBytes {
            PathText.append(name: $0, isFirst: index == 0, to: &path)
          }
        }
        path.withUnsafeBytes { append($0, to: &bytes) }
      case .known(let column):
        switch row.cell(column) {
        case .text(let text): if let text { append(text, to: &bytes) }
        case .number(let number): if let number { bytes.append(decimal: number) }
        case .word(let word): bytes.append(text: word)
        }
      }
      bytes.append(0x09)
    }
    bytes[bytes.count - 1] = 0x0A
  }

  private func append(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard values != .exact else { return TabSeparatedText.append(value, to: &bytes) }
    var escaped: [UInt8] = []
    TabSeparatedText.append(value, to: &escaped)
    let visible = VisibleText.visible(
      String(decoding: escaped, as: UTF8.self),
      ascii: values == .visibleInASCII
    )
    bytes.append(contentsOf: VisibleText.isolated(visible).utf8)
  }
}

/// Values between tabs, each on one line: tab, line feed, carriage return and backslash are
/// written `\t`, `\n`, `\r`, `\\`, and everything else stands as it is.
///
/// PostgreSQL's COPY text format reads it so too ("File Formats, Text Format").
enum TabSeparatedText {
  static func append(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard value.contains(where: { letter(for: $0) != nil }) else {
      bytes.append(contentsOf: value)
      return
    }
    for byte in value {
      if let letter = letter(for: byte) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(letter)
      } else {
        bytes.append(byte)
      }
    }
  }

  @inline(__always)
  private static func letter(for byte: UInt8) -> UInt8? {
    switch byte {
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0D: UInt8(ascii: "r")
    case 0x5C: UInt8(ascii: "\\")
    default: nil
    }
  }
}
