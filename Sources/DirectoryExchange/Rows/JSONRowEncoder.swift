import DirectoryModel

/// JSON: an object a row, either a line each (JSON Lines) or all in one array.
///
/// Keys, in this order: `kind id name level parent position siblings disclosure description people
/// direct_people title`, the contact fields, `fields leads sort_order primary path departments leaders
/// named`, then who names a person in a field (`reports`, `assists`); those that do not apply to a row,
/// or are hidden, are left out. `fields` is an object from the names of declared fields to a text or a
/// list of texts; `leads` stands, as `true`, where the person leads the department.
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
    append((row.family?.index).map { $0 + 1 }, as: ",\"position\":", to: &bytes)
    append(row.family?.count, as: ",\"siblings\":", to: &bytes)
    if let disclosure = row.disclosure { bytes.append(text: key(of: disclosure)) }
    append(row.description, as: ",\"description\":", to: &bytes)
    append(row.people, as: ",\"people\":", to: &bytes)
    append(row.directPeople, as: ",\"direct_people\":", to: &bytes)
    append(row.title, as: ",\"title\":", to: &bytes)
    append(row.contacts, to: &bytes)
    append(values: row.values, to: &bytes)
    if row.leads == true { bytes.append(text: ",\"leads\":true") }
    append(row.sortOrder, as: ",\"sort_order\":", to: &bytes)
    if let isPrimary = row.isPrimary {
      bytes.append(text: isPrimary ? ",\"primary\":true" : ",\"primary\":false")
    }
    append(row.path, as: ",\"path\":", to: &bytes)
    append(row.departments, to: &bytes)
    append(row.leaders, as: "leaders", to: &bytes)
    append(row.named, as: "named", to: &bytes)
    for inverse in row.inverses ?? [] {
      append(inverse.people, as: inverse.label.lowercased(), to: &bytes)
    }
    bytes.append(text: "}")
  }

  /// What stands before the value of each.
  private static let contactKeys = ContactValues { Array(",\"\($0.name)\":".utf8) }

  private static func append(
    _ contacts: ContactValues<UnsafeRawBufferPointer?>?,
    to bytes: inout [UInt8]
  ) {
    guard let contacts else { return }
    for field in Field.contacts {
      guard let value = contacts[field] else { continue }
      bytes.append(contentsOf: contactKeys[field])
      JSONText.append(value, to: &bytes)
    }
  }

  private static func append(values: UnsafeRawBufferPointer?, to bytes: inout [UInt8]) {
    let fields = RowValues(values).entries.map { ($0.name, $0) }.sorted { $0.0 < $1.0 }
    guard !fields.isEmpty else { return }
    var separator: StaticString = ",\"fields\":{"
    for (name, field) in fields {
      bytes.append(text: separator)
      separator = ","
      JSONText.append(name, to: &bytes)
      bytes.append(text: field.isSeveral ? ":[" : ":")
      var isFirst = true
      field.forEachValue { value in
        if !isFirst { bytes.append(text: ",") }
        isFirst = false
        JSONText.append(value, to: &bytes)
      }
      if field.isSeveral { bytes.append(text: "]") }
    }
    bytes.append(text: "}")
  }

  private static func append(
    _ people: [DirectoryRow.PersonReference]?,
    as key: String,
    to bytes: inout [UInt8]
  ) {
    guard let people, !people.isEmpty else { return }
    bytes.append(text: ",")
    JSONText.append(key, to: &bytes)
    var separator: StaticString = ":["
    for person in people {
      bytes.append(text: separator)
      separator = ","
      append(person.id.rawValue, as: "{\"id\":", to: &bytes)
      append(person.name, as: ",\"name\":", to: &bytes)
      bytes.append(text: "}")
    }
    bytes.append(text: "]")
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
      if let title = department.title, !title.isEmpty {
        append(title, as: ",\"title\":", to: &bytes)
      }
      if department.leads == true { bytes.append(text: ",\"leads\":true") }
      append(department.leaders, as: "leaders", to: &bytes)
      bytes.append(text: "}")
    }
    bytes.append(text: "]")
  }
}
