import DirectoryModel
import TextRules

/// Tab-separated lines for `cut`, `awk` and `grep`: level, kind, id, name, title, email, phone.
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

  private let values: Values

  package init(_ values: Values = .exact) { self.values = values }

  package mutating func append(_ row: DirectoryRow, to bytes: inout [UInt8]) {
    if let level = row.level { bytes.append(decimal: level) }
    bytes.append(text: row.kind == .department ? "\tdepartment\t" : "\tuser\t")
    append(row.id, to: &bytes)
    for value in [row.name, row.title, row.email, row.phone] {
      bytes.append(text: "\t")
      if let value { append(value, to: &bytes) }
    }
    bytes.append(text: "\n")
  }

  private func append(_ value: String, to bytes: inout [UInt8]) {
    guard values != .exact else {
      Self.appendEscaped(value, to: &bytes)
      return
    }
    var escaped: [UInt8] = []
    Self.appendEscaped(value, to: &escaped)
    let visible = VisibleText.visible(
      String(decoding: escaped, as: UTF8.self),
      ascii: values == .visibleInASCII
    )
    bytes.append(contentsOf: VisibleText.isolated(visible).utf8)
  }

  private static func appendEscaped(_ value: String, to bytes: inout [UInt8]) {
    var value = value
    value.withUTF8 { utf8 in
      guard utf8.contains(where: { letter(for: $0) != nil }) else {
        bytes.append(contentsOf: utf8)
        return
      }
      for byte in utf8 {
        if let letter = letter(for: byte) {
          bytes.append(UInt8(ascii: "\\"))
          bytes.append(letter)
        } else {
          bytes.append(byte)
        }
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
