import DirectoryModel

/// The values of one row by column, and the judge of each.
///
/// Whatever is wrong with a value goes to `faults`; the value is then replaced by a default, so
/// that the rest of the row can still be checked.
struct RowCells {
  private let record: CSVRecord
  private let header: TableHeader
  /// Whether cells are a spreadsheet's (`SpreadsheetText`); `nil` where they are not a file's.
  private let isForSpreadsheet: Bool?
  /// Values of declared fields that come apart from the cells, by `FieldColumn.position`.
  private let values: [[[UInt8]]]?
  /// What is wrong with the values asked for so far.
  private(set) var faults: [String] = []

  init(
    _ record: CSVRecord,
    header: TableHeader,
    isForSpreadsheet: Bool? = nil,
    values: [[[UInt8]]]? = nil
  ) {
    self.record = record
    self.header = header
    self.isForSpreadsheet = isForSpreadsheet
    self.values = values
  }

  var line: Int { record.line }

  /// The row's id as it stands in the file, where it can be one.
  var shownID: String? {
    guard let position = header.position(of: .id), position < record.count else { return nil }
    let value = cell(at: position)
    guard (1...DirectoryLimits.idBytes).contains(value.count) else { return nil }
    return String(decoding: value, as: UTF8.self)
  }

  /// The bytes of a cell; of a column that the file does not have, none.
  subscript(column: TableColumn) -> UnsafeRawBufferPointer {
    guard let position = header.position(of: column) else { return Self.empty }
    return cell(at: position)
  }

  private func cell(at position: Int) -> UnsafeRawBufferPointer {
    guard let isForSpreadsheet else { return record[position] }
    return SpreadsheetText.plain(record[position], isForSpreadsheet: isForSpreadsheet)
  }

  /// What the row says that it is, in any case; `nil` where it says nothing that is known.
  ///
  /// Workbooks have `Person`.
  mutating func kind() -> RecordKind? {
    let kind = self[.kind]
    let word = kind.lazy.map { $0 | 0x20 }
    if word.elementsEqual("department".utf8) { return .department }
    if word.elementsEqual("user".utf8) || word.elementsEqual("person".utf8) { return .user }
    faults.append(
      kind.isEmpty
        ? "has no kind; it must be \"department\" or \"user\""
        : "kind \(QuotedValue.text(kind)) is neither \"department\" nor \"user\""
    )
    return nil
  }

  /// An id, or `nil` when the cell cannot be one.
  mutating func id(_ column: TableColumn) -> UnsafeRawBufferPointer? {
    let value = self[column]
    if value.isEmpty {
      faults.append("has no \(header.layout.name(of: column))")
      return nil
    }
    return isShortEnough(value, column) ? value : nil
  }

  /// The id of something else, verbatim: ids are never trimmed.
  ///
  /// `absence` is what to report of an empty cell, where that is a fault.
  mutating func reference(
    _ column: TableColumn,
    orReport absence: String? = nil
  ) -> UnsafeRawBufferPointer {
    let value = self[column]
    if value.isEmpty, let absence { faults.append(absence) }
    return isShortEnough(value, column) ? value : Self.empty
  }

  /// A name: within its limit, and something of it can be seen.
  mutating func name() -> UnsafeRawBufferPointer {
    let value = self[.name]
    if value.isEmpty {
      faults.append("has no name")
    } else if !Self.hasVisible(value) {
      faults.append("name \(QuotedValue.text(value)) has no visible character")
    } else if isWithin(DirectoryLimits.nameScalars, value, .name) {
      return value
    }
    return Self.unknownName
  }

  /// Text of at most `limit` characters (Unicode scalars).
  mutating func text(_ column: TableColumn, atMost limit: Int) -> UnsafeRawBufferPointer {
    let value = self[column]
    return isWithin(limit, value, column) ? value : Self.empty
  }

  /// A whole number in ASCII digits, with or without a sign; an empty cell is 0.
  mutating func wholeNumber(_ column: TableColumn) -> Int64 {
    let value = self[column]
    if value.isEmpty { return 0 }
    if let number = Int64(String(decoding: value, as: UTF8.self)) { return number }
    faults.append(
      "\(header.layout.name(of: column)) \(QuotedValue.text(value)) is not a whole number from -2^63 to 2^63-1"
    )
    return 0
  }

  /// `true` or `false` in any case, since spreadsheets make it `TRUE`, or what personnel lists have;
  /// `nil` for an empty cell.
  mutating func truth(_ column: TableColumn) -> Bool? {
    let value = self[column]
    if value.isEmpty { return nil }
    if let truth = BooleanText.value(of: value) { return truth }
    faults.append(
      "\(header.layout.name(of: column)) \(QuotedValue.text(value)) is neither true nor false"
    )
    return nil
  }

  /// The values of declared fields, in their one text: `FieldValues`.
  mutating func fields(of owner: RecordKind) -> [UInt8] {
    guard !header.fields.isEmpty else { return [] }
    var writer = FieldValuesWriter()
    for column in header.fields where column.field.owner == owner {
      let found = values(of: column)
      if !found.isEmpty { append(found, of: column.field, to: &writer) }
    }
    let text = writer.finished()
    if text.count <= DirectoryLimits.fieldBytes { return text }
    faults.append(
      "the values of declared fields take \(text.count) bytes; "
        + "the limit is \(DirectoryLimits.fieldBytes)"
    )
    return []
  }

  private func values(of column: FieldColumn) -> [[UInt8]] {
    if let values { return values[column.position] }
    let cell = cell(at: column.position)
    if column.field.isMultiple { return FieldList.values(of: cell) }
    return cell.isEmpty ? [] : [Array(cell)]
  }

  private mutating func append(
    _ values: [[UInt8]],
    of field: Field,
    to writer: inout FieldValuesWriter
  ) {
    for value in values where !field.kind.accepts(value) {
      let shown = QuotedValue.text(value)
      faults.append("\(field.name) \(shown) is not \(field.kind.requirement)")
      return
    }
    if field.isMultiple { return writer.append(field.name, list: values) }
    if values.count > 1 {
      faults.append("has \(values.count) values of \(field.name), which takes one")
    } else {
      writer.append(field.name, values[0])
    }
  }
}

extension RowCells {
  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Stands in for a name that was refused.
  private static var unknownName: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: ("?" as StaticString).utf8Start, count: 1)
  }

  private mutating func isShortEnough(_ value: UnsafeRawBufferPointer, _ column: TableColumn)
    -> Bool
  {
    if value.count <= DirectoryLimits.idBytes { return true }
    faults.append(
      "\(header.layout.name(of: column)) \(QuotedValue.text(value)) is \(value.count) bytes long; "
        + "the limit is \(DirectoryLimits.idBytes)"
    )
    return false
  }

  private mutating func isWithin(
    _ limit: Int,
    _ value: UnsafeRawBufferPointer,
    _ column: TableColumn
  ) -> Bool {
    if value.count <= limit { return true }
    let count = value.count { $0 & 0xC0 != 0x80 }
    if count <= limit { return true }
    faults.append(
      "\(header.layout.name(of: column)) is \(count) characters long; the limit is \(limit)"
    )
    return false
  }

  /// Whether a character of well-formed UTF-8 can be seen; most often the first one can.
  static func hasVisible(_ value: UnsafeRawBufferPointer) -> Bool {
    if let first = value.first, first > 0x20, first < 0x7F { return true }
    return String(decoding: value, as: UTF8.self).unicodeScalars
      .contains(where: DirectoryLimits.isVisible)
  }

  /// Whether something of a text can be seen.
  static func isNameable(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { hasVisible($0) } }
}
