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

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    if let level = row.level { bytes.append(decimal: level) }
    bytes.append(text: row.kind == .department ? "\tdepartment\t" : "\tuser\t")
    append(row.id, to: &bytes)
    bytes.append(text: "\t")
    append(row.name, to: &bytes)
    append(afterTab: row.title, to: &bytes)
    append(afterTab: row.email, to: &bytes)
    append(afterTab: row.phone, to: &bytes)
    bytes.append(text: "\n")
  }

  private func append(afterTab value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    bytes.append(text: "\t")
    if let value { append(value, to: &bytes) }
  }

  private func append(_ value: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard values != .exact else {
      TabSeparatedText.append(value, to: &bytes)
      return
    }
    var escaped: [UInt8] = []
    TabSeparatedText.append(value, to: &escaped)
    let visible = VisibleText.visible(
      String(decoding: escaped, as: UTF8.self),
      ascii: values == .visibleInASCII
    )
    bytes.append(contentsOf: VisibleText.isolated(visible).utf8)
  }
}
