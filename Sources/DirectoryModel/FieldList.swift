/// Several values in one text, as cells of tables and lines of cards have them: `de;fr;en`.
///
/// Blanks around a value do not count. A backslash goes before a semicolon or backslash that is
/// part of a value, and before a blank at either end of one.
package enum FieldList {
  package static func append(_ values: some Sequence<[UInt8]>, to text: inout [UInt8]) {
    var isFirst = true
    for value in values {
      if !isFirst { text.append(UInt8(ascii: ";")) }
      isFirst = false
      for (index, byte) in value.enumerated() {
        let isAtEnd = index == 0 || index == value.count - 1
        if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "\\") || isAtEnd && isBlank(byte) {
          text.append(UInt8(ascii: "\\"))
        }
        text.append(byte)
      }
    }
  }

  /// The values of a text; none that is empty.
  package static func values(of text: some Sequence<UInt8>) -> [[UInt8]] {
    var values: [[UInt8]] = []
    var value: [UInt8] = []
    // Length up to the last byte that is not a bare blank.
    var kept = 0
    var isEscaped = false
    func end() {
      if kept > 0 { values.append(Array(value.prefix(kept))) }
      value.removeAll(keepingCapacity: true)
      kept = 0
    }
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        continue
      } else if byte == UInt8(ascii: ";") {
        end()
        continue
      } else if isBlank(byte) {
        if kept > 0 { value.append(byte) }
        continue
      }
      value.append(byte)
      kept = value.count
    }
    if isEscaped {
      value.append(UInt8(ascii: "\\"))
      kept = value.count
    }
    end()
    return values
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
