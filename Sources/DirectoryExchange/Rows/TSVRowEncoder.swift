import DirectoryModel

/// Tab-separated values with a header: the columns of `CSVRowEncoder`, and one line a row.
///
/// A tab, line feed, carriage return or backslash in a value is written `\t`, `\n`, `\r`, `\\`, so
/// that every value comes back; the registration of text/tab-separated-values (IANA) has no way to
/// write them. A value that does not apply is empty.
package struct TSVRowEncoder: RowEncoder {
  private let extra: ExtraColumns

  package init(_ extra: ExtraColumns = .none) { self.extra = extra }

  package mutating func begin(_ bytes: inout [UInt8]) {
    for (index, column) in extra.header.enumerated() {
      if index > 0 { bytes.append(0x09) }
      bytes.append(contentsOf: column.utf8)
    }
    bytes.append(0x0A)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    if let level = row.level { bytes.append(decimal: level) }
    bytes.append(text: row.kind == .department ? "\tdepartment\t" : "\tuser\t")
    TabSeparatedText.append(row.id, to: &bytes)
    append(afterTab: row.parent, to: &bytes)
    append(afterTab: row.name, to: &bytes)
    if extra.hasDescriptions { append(afterTab: row.description, to: &bytes) }
    if extra.hasTitles { append(afterTab: row.title, to: &bytes) }
    for field in extra.contacts { append(afterTab: row.contacts?[field], to: &bytes) }
    if extra.hasOrder { bytes.append(0x09) }
    if let sortOrder = row.sortOrder { bytes.append(decimal: sortOrder) }
    bytes.append(0x09)
    if let isPrimary = row.isPrimary { bytes.append(text: isPrimary ? "true" : "false") }
    bytes.append(0x09)
    if let people = row.people { bytes.append(decimal: people) }
    append(afterTab: row.pathText, to: &bytes)
    if extra.hasLeads { bytes.append(text: row.leads ? "\ttrue" : "\t") }
    extra.fields.forEachCell(of: row.values) { append(afterTab: $0, to: &bytes) }
    bytes.append(0x0A)
  }

  private func append(afterTab value: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    bytes.append(0x09)
    if let value { TabSeparatedText.append(value, to: &bytes) }
  }
}
