import DirectoryModel
import Platform

/// The fields of one row as `COPY … TO STDOUT` sends it: parted by tabs, ended by a line break,
/// with backslashes before what would be taken for either. (manual, COPY, "Text Format")
///
/// It borrows the row's bytes and must not outlive them. Rows without a backslash, which is nearly
/// all of them, are copied field by field without being looked at twice.
package struct CopyTextFields {
  private let row: UnsafeRawBufferPointer
  private let hasEscapes: Bool
  /// Where the next field begins; `nil` after the last.
  private var next: Int?

  package init(_ line: UnsafeRawBufferPointer) throws(DirectoryError) {
    guard !line.isEmpty, line[line.count - 1] == UInt8(ascii: "\n") else {
      throw Self.malformed("a row without an end")
    }
    row = UnsafeRawBufferPointer(rebasing: line[..<(line.count - 1)])
    hasEscapes = row.firstOffset(of: UInt8(ascii: "\\"), from: 0) != nil
    next = 0
  }

  /// Adds the next fields to the columns of `RecordKind.texts`.
  package mutating func appendNext(
    to columns: inout [StringColumn],
    of kind: RecordKind
  ) throws(DirectoryError) {
    let declared = kind == .membership ? -1 : columns.count - 1
    for index in columns.indices {
      if index == declared, try takeNoValues() {
        try columns[index].endRow()
      } else {
        try appendNext(to: &columns[index])
      }
    }
  }

  /// Passes over the next field where it is an object without values, as nearly all are.
  private mutating func takeNoValues() throws(DirectoryError) -> Bool {
    let before = self
    let field = try takeNext()
    let isEmpty = field.count == 2 && field[0] == UInt8(ascii: "{")
    if !isEmpty { self = before }
    return isEmpty
  }

  /// Adds the next field to a column; NULL, where `null` allows it, as an empty text.
  package mutating func appendNext(
    to column: inout StringColumn,
    null: Bool = false
  ) throws(DirectoryError) {
    let field = try takeNext()
    if !hasEscapes || field.firstOffset(of: UInt8(ascii: "\\"), from: 0) == nil {
      try column.append(field)
      return
    }
    if Self.isNull(field) {
      guard null else { throw Self.malformed("a NULL where there can be none") }
    } else {
      try Self.appendUnescaped(field, to: &column)
    }
    try column.endRow()
  }

  /// Reads the next field as a whole number.
  package mutating func nextInt64() throws(DirectoryError) -> Int64 {
    let field = try takeNext()
    if field.count == 1, field[0] &- UInt8(ascii: "0") <= 9 {
      return Int64(field[0] &- UInt8(ascii: "0"))
    }
    let isNegative = field.first == UInt8(ascii: "-")
    let digits = isNegative ? field.dropFirst() : field[...]
    guard !digits.isEmpty else { throw Self.malformed("a number without digits") }
    var value: Int64 = 0
    for byte in digits {
      let digit = byte &- UInt8(ascii: "0")
      let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
      let signed = isNegative ? -Int64(digit) : Int64(digit)
      let (sum, carry) = shifted.addingReportingOverflow(signed)
      guard digit <= 9, !overflow, !carry else { throw Self.malformed("a number out of range") }
      value = sum
    }
    return value
  }

  /// Reads the next field as `t` or `f`.
  package mutating func nextBool() throws(DirectoryError) -> Bool {
    let field = try takeNext()
    guard field.count == 1, field[0] == UInt8(ascii: "t") || field[0] == UInt8(ascii: "f") else {
      throw Self.malformed("a flag that is neither t nor f")
    }
    return field[0] == UInt8(ascii: "t")
  }

  /// Throws when fields are left over.
  package func finish() throws(DirectoryError) {
    guard next == nil else { throw Self.malformed("more fields than columns") }
  }

  private mutating func takeNext() throws(DirectoryError) -> UnsafeRawBufferPointer {
    guard let start = next else { throw Self.malformed("fewer fields than columns") }
    let end = row.firstOffset(of: UInt8(ascii: "\t"), from: start)
    next = end.map { $0 + 1 }
    return UnsafeRawBufferPointer(rebasing: row[start..<(end ?? row.count)])
  }

  private static func isNull(_ field: UnsafeRawBufferPointer) -> Bool {
    field.count == 2 && field[0] == UInt8(ascii: "\\") && field[1] == UInt8(ascii: "N")
  }

  private static func appendUnescaped(
    _ field: UnsafeRawBufferPointer,
    to column: inout StringColumn
  ) throws(DirectoryError) {
    var start = 0
    while let escape = field.firstOffset(of: UInt8(ascii: "\\"), from: start) {
      column.appendBytes(UnsafeRawBufferPointer(rebasing: field[start..<escape]))
      guard escape + 1 < field.count else { throw malformed("a backslash at a field's end") }
      column.appendByte(unescaped(field[escape + 1]))
      start = escape + 2
    }
    column.appendBytes(UnsafeRawBufferPointer(rebasing: field[start...]))
  }

  /// The byte that a backslash and `byte` stand for; the server sends no numeric escapes.
  private static func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "v"): 0x0B
    default: byte
    }
  }

  private static func malformed(_ what: String) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot understand the data from the database server: \(what)",
      advice: "check that nothing between Staffbook and the server alters the data"
    )
  }
}

extension UnsafeRawBufferPointer {
  /// Offset of the first such byte at or after `start`; `nil` when there is none.
  fileprivate func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    guard start < count, let baseAddress else { return nil }
    guard let found = memchr(baseAddress + start, CInt(byte), count - start) else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }
}
