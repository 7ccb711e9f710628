/// Writes CSV by RFC 4180: CRLF, and quotes only where a field needs them.
///
/// A field needs them that holds a comma, a quote, CR or LF; so does a lone empty field, whose
/// line would be blank, and a Ctrl-Z, which readers take for the end of the file. The caller may
/// empty the bytes between records.
package struct CSVWriter: Sendable {
  /// Where the record that is being written begins in the caller's bytes; `nil` between records.
  private var recordStart: Int?

  package init() {}

  /// Adds a field to the record at the end of `bytes`.
  package mutating func append(_ field: String, to bytes: inout [UInt8]) {
    separate(&bytes)
    var field = field
    field.withUTF8 { Self.append(UnsafeRawBufferPointer($0), to: &bytes) }
  }

  /// Adds a field, given as UTF-8, to the record at the end of `bytes`.
  package mutating func append(_ field: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    separate(&bytes)
    Self.append(field, to: &bytes)
  }

  package mutating func appendEmpty(to bytes: inout [UInt8]) { separate(&bytes) }

  package mutating func append(_ field: Int64, to bytes: inout [UInt8]) {
    separate(&bytes)
    bytes.append(decimal: field)
  }

  /// Ends the record.
  package mutating func endRecord(to bytes: inout [UInt8]) {
    if recordStart == bytes.count { bytes.append(text: "\"\"") }
    bytes.append(text: "\r\n")
    recordStart = nil
  }

  @inline(__always)
  private mutating func separate(_ bytes: inout [UInt8]) {
    if recordStart == nil {
      recordStart = bytes.count
    } else {
      bytes.append(CSVByte.comma)
    }
  }

  private static func append(_ field: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard needsQuotes(field) else {
      bytes.append(contentsOf: field)
      return
    }
    bytes.append(CSVByte.quote)
    for byte in field {
      if byte == CSVByte.quote { bytes.append(CSVByte.quote) }
      bytes.append(byte)
    }
    bytes.append(CSVByte.quote)
  }

  /// Looks at eight bytes at a time; most fields need none.
  private static func needsQuotes(_ field: UnsafeRawBufferPointer) -> Bool {
    guard let base = field.baseAddress else { return false }
    var offset = 0
    while offset &+ 8 <= field.count {
      let word = ByteScan.word(base, at: offset)
      let found =
        ByteScan.marks(word, of: CSVByte.comma) | ByteScan.marks(word, of: CSVByte.quote)
        | ByteScan.marks(word, of: CSVByte.lineFeed)
        | ByteScan.marks(word, of: CSVByte.carriageReturn)
        | ByteScan.marks(word, of: CSVByte.endMark)
      if found != 0 { return true }
      offset &+= 8
    }
    while offset < field.count {
      if needsQuotes(field[offset]) { return true }
      offset &+= 1
    }
    return false
  }

  @inline(__always)
  private static func needsQuotes(_ byte: UInt8) -> Bool {
    byte == CSVByte.comma || byte == CSVByte.quote || byte == CSVByte.lineFeed
      || byte == CSVByte.carriageReturn || byte == CSVByte.endMark
  }
}

extension [UInt8] {
  @inline(__always)
  mutating func append(text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds a number in decimal digits, without a detour through `String`.
  mutating func append(decimal number: some FixedWidthInteger & SignedInteger) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var rest = number.magnitude
    let start = count
    repeat {
      append(0x30 + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
