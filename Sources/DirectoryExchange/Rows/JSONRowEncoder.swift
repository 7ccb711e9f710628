import DirectoryModel

/// JSON: an object a row, either a line each (JSON Lines) or all in one array.
///
/// Keys, in this order: `kind id name level parent disclosure description people title email
/// phone sort_order primary path departments`; those that do not apply to a row are left out.
package struct JSONRowEncoder: RowEncoder {
  /// How rows follow one another.
  package enum Form: Sendable {
    case lines, array
  }

  private let form: Form
  private var isFirst = true

  package init(_ form: Form) { self.form = form }

  package mutating func begin(_ bytes: inout [UInt8]) {
    isFirst = true
    if form == .array { bytes.append(text: "[") }
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) {
    if form == .array { bytes.append(text: isFirst ? "\n" : ",\n") }
    isFirst = false
    Self.append(row, to: &bytes)
    if form == .lines { bytes.append(text: "\n") }
  }

  package mutating func end(_ bytes: inout [UInt8]) {
    if form == .array { bytes.append(text: isFirst ? "]\n" : "\n]\n") }
  }

  private static func append(_ row: RowFields, to bytes: inout [UInt8]) {
    bytes.append(text: row.kind == .department ? "{\"kind\":\"department\"" : "{\"kind\":\"user\"")
    append(row.id, as: ",\"id\":", to: &bytes)
    append(row.name, as: ",\"name\":", to: &bytes)
    append(row.level, as: ",\"level\":", to: &bytes)
    append(row.parent, as: ",\"parent\":", to: &bytes)
    if let disclosure = row.disclosure { bytes.append(text: key(of: disclosure)) }
    append(row.description, as: ",\"description\":", to: &bytes)
    append(row.people, as: ",\"people\":", to: &bytes)
    append(row.title, as: ",\"title\":", to: &bytes)
    append(row.email, as: ",\"email\":", to: &bytes)
    append(row.phone, as: ",\"phone\":", to: &bytes)
    append(row.sortOrder, as: ",\"sort_order\":", to: &bytes)
    if let isPrimary = row.isPrimary {
      bytes.append(text: isPrimary ? ",\"primary\":true" : ",\"primary\":false")
    }
    append(row.path, as: ",\"path\":", to: &bytes)
    append(row.departments, to: &bytes)
    bytes.append(text: "}")
  }

  private static func key(of disclosure: DirectoryDisclosure) -> StaticString {
    switch disclosure {
    case .expanded: ",\"disclosure\":\"expanded\""
    case .collapsed: ",\"disclosure\":\"collapsed\""
    case .empty: ",\"disclosure\":\"empty\""
    }
  }

  @inline(__always)
  private static func append(
    _ text: UnsafeRawBufferPointer?,
    as key: StaticString,
    to bytes: inout [UInt8]
  ) {
    guard let text else { return }
    bytes.append(text: key)
    JSONText.append(text, to: &bytes)
  }

  private static func append(_ text: String, as key: StaticString, to bytes: inout [UInt8]) {
    bytes.append(text: key)
    JSONText.append(text, to: &bytes)
  }

  private static func append(
    _ number: (some FixedWidthInteger & SignedInteger)?,
    as key: StaticString,
    to bytes: inout [UInt8]
  ) {
    guard let number else { return }
    bytes.append(text: key)
    bytes.append(decimal: number)
  }

  private static func append(_ names: [String]?, as key: StaticString, to bytes: inout [UInt8]) {
    guard let names else { return }
    bytes.append(text: key)
    bytes.append(text: "[")
    for (index, name) in names.enumerated() {
      if index > 0 { bytes.append(text: ",") }
      JSONText.append(name, to: &bytes)
    }
    bytes.append(text: "]")
  }

  private static func append(
    _ departments: [DirectoryRow.DepartmentReference]?,
    to bytes: inout [UInt8]
  ) {
    guard let departments else { return }
    bytes.append(text: ",\"departments\":[")
    for (index, department) in departments.enumerated() {
      bytes.append(text: index > 0 ? ",{" : "{")
      append(department.id.rawValue, as: "\"id\":", to: &bytes)
      append(department.name, as: ",\"name\":", to: &bytes)
      append(department.path, as: ",\"path\":", to: &bytes)
      bytes.append(text: "}")
    }
    bytes.append(text: "]")
  }
}
