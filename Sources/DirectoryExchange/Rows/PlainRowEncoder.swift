import DirectoryModel
import TextRules

/// Tab-separated lines for `cut`, `awk` and `grep`: level, kind, id, name, title and the contact
/// fields, or the columns that somebody chose, declared fields among them.
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

  /// What columns may be called, beside the names of declared fields.
  package static let columns =
    ["level", "kind", "id", "name", "parent_id", "description", "title"]
    + Field.contacts.map(\.name)
    + ["people", "leads", "path"]

  /// The columns where none are chosen.
  package static let usualColumns =
    ["level", "kind", "id", "name", "title"] + Field.contacts.map(\.name)

  private let values: Values
  /// `nil` for the usual ones.
  private let chosen: [String]?

  package init(_ values: Values = .exact, columns: [String]? = nil) {
    self.values = values
    chosen = columns
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    if let chosen { return append(chosen, of: row, to: &bytes) }
    if let level = row.level { bytes.append(decimal: level) }
    bytes.append(text: row.kind == .department ? "\tdepartment\t" : "\tuser\t")
    append(row.id, to: &bytes)
    bytes.append(text: "\t")
    append(row.name, to: &bytes)
    append(afterTab: row.title, to: &bytes)
    for field in Field.contacts { append(afterTab: row.contacts?[field], to: &bytes) }
    bytes.append(text: "\n")
  }

  private func append(_ columns: [String], of row: RowFields, to bytes: inout [UInt8]) {
    let fields = RowValues(row.values)
    for (index, column) in columns.enumerated() {
      if index > 0 { bytes.append(text: "\t") }
      switch column {
      case "level": if let level = row.level { bytes.append(decimal: level) }
      case "kind": bytes.append(contentsOf: row.kind.rawValue.utf8)
      case "id": append(row.id, to: &bytes)
      case "name": append(row.name, to: &bytes)
      case "parent_id": append(row.parent, to: &bytes)
      case "description": append(row.description, to: &bytes)
      case "title": append(row.title, to: &bytes)
      case "people": if let people = row.people { bytes.append(decimal: people) }
      case "leads": if row.leads { bytes.append(text: "true") }
      case "path":
        var path: [UInt8] = []
        for (index, name) in (row.path ?? []).enumerated() {
          Array(name.utf8).withUnsafeBytes {
            PathText.append(name: $0, isFirst: index == 0, to: &path)
          }
        }
        path.withUnsafeBytes { append($0, to: &bytes) }
      default:
        if let field = Field.contact(column) {
          append(row.contacts?[field], to: &bytes)
        } else {
          fields[column]?.cell.withUnsafeBytes { append($0, to: &bytes) }
        }
      }
    }
    bytes.append(text: "\n")
  }

  private func append(_ value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    if let value { append(value, to: &bytes) }
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
