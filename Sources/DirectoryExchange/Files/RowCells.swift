import DirectoryModel

/// The values of one row by column, and the judge of each.
///
/// Whatever is wrong with a value goes to `faults`; the value is then replaced by a default, so
/// that the rest of the row can still be checked.
package struct RowCells<Column: DirectoryColumn> {
  private let record: CSVRecord
  private let header: CSVHeader<Column>
  private let cells: Cells
  /// Values of declared fields that come apart from the cells, by `FieldColumn.position`.
  private let values: [[[UInt8]]]?
  /// What is wrong with the values asked for so far.
  package private(set) var faults: [String] = []

  init(
    _ record: CSVRecord,
    header: CSVHeader<Column>,
    _ cells: Cells = .exact,
    values: [[[UInt8]]]? = nil
  ) {
    self.record = record
    self.header = header
    self.cells = cells
    self.values = values
  }

  /// What the values are.
  enum Cells {
    case exact
    /// Cells of a CSV file, which may be a spreadsheet's (`SpreadsheetText`).
    case ofCSV(isForSpreadsheet: Bool)
  }

  package var line: Int { record.line }

  /// The bytes of a cell; of a column that the file does not have, none.
  package subscript(column: Column) -> UnsafeRawBufferPointer {
    guard let position = header.position(of: column) else { return Self.empty }
    return cell(at: position)
  }

  private func cell(at position: Int) -> UnsafeRawBufferPointer {
    switch cells {
    case .exact: record[position]
    case .ofCSV(let isForSpreadsheet):
      SpreadsheetText.plain(record[position], isForSpreadsheet: isForSpreadsheet)
    }
  }

  /// An id, or `nil` when the cell cannot be one.
  package mutating func id(_ column: Column) -> UnsafeRawBufferPointer? {
    let value = self[column]
    if value.isEmpty {
      faults.append("has no \(column.name)")
      return nil
    }
    return isShortEnough(value, column) ? value : nil
  }

  /// The id of something else, verbatim: ids are never trimmed.
  ///
  /// `absence` is what to report of an empty cell, where that is a fault.
  package mutating func reference(
    _ column: Column,
    orReport absence: String? = nil
  ) -> UnsafeRawBufferPointer {
    let value = self[column]
    if value.isEmpty, let absence { faults.append(absence) }
    return isShortEnough(value, column) ? value : Self.empty
  }

  /// A name: within its limit, and something of it can be seen.
  package mutating func name(_ column: Column) -> UnsafeRawBufferPointer {
    let value = self[column]
    if value.isEmpty {
      faults.append("has no name")
    } else if !Self.hasVisible(value) {
      faults.append("name \(QuotedValue.text(value)) has no visible character")
    } else if isWithin(DirectoryLimits.nameScalars, value, column) {
      return value
    }
    return Self.unknownName
  }

  /// Text of at most `limit` characters (Unicode scalars).
  package mutating func text(_ column: Column, atMost limit: Int) -> UnsafeRawBufferPointer {
    let value = self[column]
    return isWithin(limit, value, column) ? value : Self.empty
  }

  /// A whole number in ASCII digits, with or without a sign; an empty cell is 0.
  package mutating func wholeNumber(_ column: Column) -> Int64 {
    let value = self[column]
    if value.isEmpty { return 0 }
    if let number = Self.wholeNumber(value) { return number }
    faults.append(
      "\(column.name) \(QuotedValue.text(value)) is not a whole number from -2^63 to 2^63-1"
    )
    return 0
  }

  /// `true` or `false` in any case, since spreadsheets make it `TRUE`; `nil` for an empty cell.
  package mutating func truth(_ column: Column) -> Bool? {
    let value = self[column]
    if value.isEmpty { return nil }
    let word = value.lazy.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    if word.elementsEqual("true".utf8) { return true }
    if word.elementsEqual("false".utf8) { return false }
    faults.append("\(column.name) \(QuotedValue.text(value)) is neither true nor false")
    return nil
  }

  /// The values of declared fields, in their one text: `FieldValues`.
  package mutating func fields(of owner: RecordKind) -> [UInt8] {
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
      let shown = value.withUnsafeBytes { QuotedValue.text($0) }
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

  /// Adds what is wrong with the row in some other way.
  mutating func report(_ fault: String) { faults.append(fault) }
}

extension RowCells {
  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  /// Stands in for a name that was refused.
  private static var unknownName: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: ("?" as StaticString).utf8Start, count: 1)
  }

  private mutating func isShortEnough(_ value: UnsafeRawBufferPointer, _ column: Column) -> Bool {
    if value.count <= DirectoryLimits.idBytes { return true }
    faults.append(
      "\(column.name) \(QuotedValue.text(value)) is \(value.count) bytes long; "
        + "the limit is \(DirectoryLimits.idBytes)"
    )
    return false
  }

  private mutating func isWithin(
    _ limit: Int,
    _ value: UnsafeRawBufferPointer,
    _ column: Column
  ) -> Bool {
    if value.count <= limit { return true }
    let count = value.count { $0 & 0xC0 != 0x80 }
    if count <= limit { return true }
    faults.append("\(column.name) is \(count) characters long; the limit is \(limit)")
    return false
  }

  /// Whether a character of well-formed UTF-8 can be seen; most often the first one can.
  static func hasVisible(_ value: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < value.count {
      let lead = value[position]
      if lead > 0x20, lead < 0x7F { return true }
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      var scalar = UInt32(lead) & (length == 1 ? 0x7F : 0xFF >> UInt32(length + 1))
      for offset in 1..<length { scalar = scalar << 6 | UInt32(value[position + offset] & 0x3F) }
      if let scalar = Unicode.Scalar(scalar), DirectoryLimits.isVisible(scalar) { return true }
      position += length
    }
    return false
  }

  /// Whether something of a text can be seen.
  static func isNameable(_ text: [UInt8]) -> Bool { text.withUnsafeBytes { hasVisible($0) } }

  /// The number that `value` is, all of it, or `nil`.
  static func wholeNumber(_ value: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = value.first == UInt8(ascii: "-")
    let hasSign = isNegative || value.first == UInt8(ascii: "+")
    let digits = value.dropFirst(hasSign ? 1 : 0)
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in digits {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - 0x30)
      let (sum, isBeyond) = tens.addingReportingOverflow(isNegative ? -digit : digit)
      guard !isTooLarge, !isBeyond else { return nil }
      number = sum
    }
    return number
  }
}
