import DirectoryModel
import TextRules

/// Cards of departments and people (RFC 6350; RFC 2426 for version 3.0).
///
/// A department is a card of `KIND:group` whose `MEMBER`s are the departments and people directly
/// below it; a person is one card, at the first of their rows, with `ORG` and `TITLE` of every
/// department among the written ones, the primary one first. Where there are several, a group name
/// (`d1.ORG`, `d1.TITLE`) says what belongs together. `UID` is made from the id and so stays. `N` is
/// made of the declared fields that are its parts, else of the name (`NameParts`). Other declared
/// fields stand where the catalogue says (`VCardFields`). Exact cards, which `import` reads back as they were,
/// have what is left in properties of ours; those for other programs have none of these, and numbers with an
/// extension in them as links that can be dialled.
package struct VCardEncoder: RowEncoder {
  /// The most departments in an `ORG`; of a longer way the root and the nearest stand.
  private static let longestWay = 32

  private let version: VCardVersion
  /// Whether `import` is to read the same records from them.
  private let isExact: Bool
  private let records: any RecordLookup
  private let fieldsOfPeople: VCardFields
  private let fieldsOfDepartments: VCardFields
  /// Names of the fields that are components of `N`.
  private let nameFields: [[UInt8]?]
  private var seen: NodeSet
  private var line: [UInt8] = []
  /// The department whose `ORG` was written last, and its value: colleagues follow each other.
  private var organization: (department: Int, value: [UInt8]) = (-1, [])

  package init(
    _ version: VCardVersion,
    _ records: any RecordLookup,
    fields: [Field] = [],
    exact: Bool = false
  ) {
    self.version = version
    isExact = exact
    self.records = records
    fieldsOfPeople = VCardFields(fields, of: .user)
    fieldsOfDepartments = VCardFields(fields, of: .department)
    let people = fieldsOfPeople
    nameFields = (0..<5).map { component in
      people.name(ofComponent: component, of: VCardProperty.name).map { Array($0.utf8) }
    }
    seen = NodeSet(count: records.personCount)
  }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    if row.kind == .department {
      try appendDepartment(row, to: &bytes)
    } else if seen.insert(try records.person(at: row.place.node)) {
      try appendPerson(row, to: &bytes)
    }
  }

  // MARK: Cards

  private mutating func appendDepartment(_ row: RowFields, to bytes: inout [UInt8]) throws {
    let node = row.place.node
    beginCard(row, kind: "group", to: &bytes)
    append(VCardProperty.formattedName, .text(row.name), to: &bytes)
    beginLine(VCardProperty.name)
    VCardText.append(row.name, to: &line)
    line.append(text: ";;;;")
    endLine(&bytes)
    try appendOrganization(node, group: "", to: &bytes)
    if let description = row.description, !description.isEmpty {
      append(VCardProperty.note, .text(description), to: &bytes)
    }
    try appendMembers(of: node, to: &bytes)
    if isExact { append(VCardProperty.id, .id(row.id), to: &bytes) }
    appendFields(RowValues(row.values), fieldsOfDepartments, of: row, to: &bytes)
    if isExact, let parent = row.parent { append(VCardProperty.parent, .id(parent), to: &bytes) }
    append(order: try records.sortOrder(of: node), to: &bytes)
    endCard(&bytes)
  }

  private mutating func appendPerson(_ row: RowFields, to bytes: inout [UInt8]) throws {
    let values = RowValues(row.values)
    beginCard(row, kind: "individual", to: &bytes)
    append(VCardProperty.formattedName, .text(row.name), to: &bytes)
    appendName(row.name, values, to: &bytes)
    try appendPlaces(of: row.place.node, to: &bytes)
    for field in Field.contacts {
      guard let value = row.contacts?[field], !value.isEmpty else { continue }
      // Types of addresses are those of networks (RFC 2426 §3.3.2).
      let oldType = field.kind == .phone ? ";TYPE=WORK" : ";TYPE=INTERNET"
      let type = version == .v4 ? ";TYPE=work" : oldType
      let property = VCardProperty.contacts[field]
      if field.kind == .phone, let link = link(Array(value)) {
        append(property, type: type + Self.linkType, .plain(link), to: &bytes)
      } else {
        append(property, type: type, .text(value), to: &bytes)
      }
    }
    if isExact { append(VCardProperty.id, .id(row.id), to: &bytes) }
    appendFields(values, fieldsOfPeople, of: row, to: &bytes)
    if isExact,
      let primary = try records.primaryDepartmentElsewhere(ofPersonAt: row.place.node)
    {
      try records.withText(.id, of: primary) { append(VCardProperty.primary, .id($0), to: &bytes) }
    }
    endCard(&bytes)
  }

  private mutating func appendPlaces(of leaf: Int, to bytes: inout [UInt8]) throws {
    let places = try records.places(ofPersonAt: leaf)
    for (index, place) in places.enumerated() {
      let group = places.count > 1 ? "d\(index + 1)." : ""
      guard let department = try records.department(above: place) else { continue }
      try appendOrganization(department, group: group, to: &bytes)
      try records.withText(.title, of: place) { title in
        guard !title.isEmpty else { return }
        append(VCardProperty.title, group: group, .text(title), to: &bytes)
      }
      guard isExact else { continue }
      try records.withText(.id, of: department) { id in
        append(VCardProperty.department, group: group, .id(id), to: &bytes)
      }
      append(order: try records.sortOrder(of: place), group: group, to: &bytes)
      if try records.leads(place) {
        append(VCardProperty.leads, group: group, .plain(Array("true".utf8)), to: &bytes)
      }
    }
  }

  /// Departments and people directly below that are written themselves.
  private mutating func appendMembers(of department: Int, to bytes: inout [UInt8]) throws {
    let property = version == .v4 ? VCardProperty.member : VCardProperty.appleMember
    try records.forEachChild(of: department) { child in
      guard records.isWritten(child) else { return }
      let kind: DirectoryRow.Kind = try records.isDepartment(child) ? .department : .user
      try records.withText(.id, of: child) { append(property, .uid(kind, $0), to: &bytes) }
    }
  }

  private mutating func appendOrganization(
    _ department: Int,
    group: String,
    to bytes: inout [UInt8]
  ) throws {
    if organization.department != department {
      organization.department = -1
      organization.value.removeAll(keepingCapacity: true)
      for (index, node) in try records.way(to: department, longest: Self.longestWay).enumerated() {
        if index > 0 { organization.value.append(UInt8(ascii: ";")) }
        try records.withText(.name, of: node) {
          VCardText.append($0, to: &organization.value)
        }
      }
      organization.department = department
    }
    append(VCardProperty.organization, group: group, .plain(organization.value), to: &bytes)
  }

  // MARK: Properties

  private mutating func beginCard(_ row: RowFields, kind: String, to bytes: inout [UInt8]) {
    append(VCardProperty.begin, "VCARD", to: &bytes)
    append(VCardProperty.version, version.rawValue, to: &bytes)
    if version == .v4 {
      append(VCardProperty.kind, kind, to: &bytes)
    } else if row.kind == .department {
      append(VCardProperty.appleKind, kind, to: &bytes)
    }
    append(VCardProperty.uid, .uid(row.kind, row.id), to: &bytes)
  }

  private mutating func endCard(_ bytes: inout [UInt8]) {
    append(VCardProperty.end, "VCARD", to: &bytes)
  }

  /// `N` (RFC 6350 §6.2.2): family, given, additional names, prefixes, suffixes.
  private mutating func appendName(
    _ name: UnsafeRawBufferPointer,
    _ values: RowValues,
    to bytes: inout [UInt8]
  ) {
    let hasFields = nameFields.contains { $0 != nil }
    let parts = hasFields ? nameFields.map { values.single($0) ?? [] } : []
    if !parts.allSatisfy(\.isEmpty) {
      beginLine(VCardProperty.name)
      for (index, part) in parts.enumerated() {
        if index > 0 { line.append(UInt8(ascii: ";")) }
        part.withUnsafeBytes { VCardText.append($0, to: &line) }
      }
      return endLine(&bytes)
    }
    let split = NameParts(String(decoding: name, as: UTF8.self))
    // A reader of ours must not take them for fields that have values.
    beginLine(VCardProperty.name, type: hasFields && isExact ? ";\(VCardProperty.derived)=1" : "")
    for (part, end) in [(split.family, ";"), (split.given, ";;;"), (split.suffix, "")] {
      Array(part.utf8).withUnsafeBytes { VCardText.append($0, to: &line) }
      line.append(contentsOf: end.utf8)
    }
    endLine(&bytes)
  }

  private mutating func appendFields(
    _ values: RowValues,
    _ fields: VCardFields,
    of row: RowFields,
    to bytes: inout [UInt8]
  ) {
    var notes: [RowValues.Entry] = []
    for entry in values.entries {
      let place = fields.place(of: entry)
      if let place, let written = written(entry, place, row) {
        for (text, value) in zip(entry.values, written) {
          let link = place.field.kind == .phone ? link(text) : nil
          append(
            place.property,
            type: place.parameters(version) + (link == nil ? "" : Self.linkType),
            .plain(link ?? value),
            to: &bytes
          )
        }
      } else if !isExact {
        if let place, place.field.kind == .person { appendPeople(entry, place, to: &bytes) }
        if place?.component == nil || entry.isSeveral { notes.append(entry) }
      } else if place?.component == nil || entry.isSeveral {
        beginLine(VCardProperty.field)
        line.append(contentsOf: entry.name.utf8)
        for value in entry.values {
          line.append(UInt8(ascii: ";"))
          let isID = fields.field(entry.name)?.kind == .person
          value.withUnsafeBytes {
            isID ? VCardText.appendID($0, to: &line) : VCardText.append($0, to: &line)
          }
        }
        endLine(&bytes)
        if let place, place.field.kind == .person { appendPeople(entry, place, to: &bytes) }
      }
    }
    append(notes: notes, fields, to: &bytes)
  }

  /// Fields that no property has, in one note with a line for each: other programs show a note, and pass over
  /// properties that they do not know.
  private mutating func append(
    notes: [RowValues.Entry],
    _ fields: VCardFields,
    to bytes: inout [UInt8]
  ) {
    guard !notes.isEmpty else { return }
    beginLine(VCardProperty.note)
    for (index, entry) in notes.enumerated() {
      if index > 0 { line.append(text: "\\n") }
      let label = fields.field(entry.name)?.label ?? entry.name
      Array(label.utf8).withUnsafeBytes { VCardText.append($0, to: &line) }
      for (place, value) in entry.values.enumerated() {
        line.append(text: place == 0 ? ": " : "\\, ")
        value.withUnsafeBytes { VCardText.append($0, to: &line) }
      }
    }
    endLine(&bytes)
  }

  /// The values as the field's property has them; `nil` where they would not come back.
  private func written(
    _ entry: RowValues.Entry,
    _ place: VCardFields.Place,
    _ row: RowFields
  ) -> [[UInt8]]? {
    // The first one of the property is taken for the built-in field.
    if let field = place.restOf {
      guard let first = row.contacts?[field], !first.isEmpty else { return nil }
    }
    var written: [[UInt8]] = []
    for value in entry.values {
      guard let text = place.written(value, version) else { return nil }
      written.append(text)
    }
    return written
  }

  /// A number with an extension as it is dialled (RFC 6350 §6.4.1); `nil` where the text says it as well.
  private func link(_ number: [UInt8]) -> [UInt8]? {
    guard !isExact, number.contains(where: { !Self.dialled.contains($0) }) else { return nil }
    let text = String(decoding: number, as: UTF8.self)
    guard !WrittenPhone(text).extension.isEmpty else { return nil }
    return WrittenPhone.link(text).map { Array($0.utf8) }
  }

  private static let linkType = ";VALUE=uri"
  /// Signs of numbers that have no extension.
  private static let dialled = Set("0123456789+-() ./".utf8)

  /// People as other programs find them, by the `UID` of their cards.
  private mutating func appendPeople(
    _ entry: RowValues.Entry,
    _ place: VCardFields.Place,
    to bytes: inout [UInt8]
  ) {
    guard version == .v4 else { return }
    for id in entry.values {
      id.withUnsafeBytes {
        append(
          place.property,
          type: place.parameters(version),
          .uid(.user, $0),
          to: &bytes
        )
      }
    }
  }

  /// A value of a property.
  private enum Value {
    case text(UnsafeRawBufferPointer)
    case id(UnsafeRawBufferPointer)
    /// The `UID` of a record's card.
    case uid(DirectoryRow.Kind, UnsafeRawBufferPointer)
    case plain([UInt8])
  }

  private mutating func append(
    _ property: String,
    group: String = "",
    type: String = "",
    _ value: Value,
    to bytes: inout [UInt8]
  ) {
    beginLine(property, group: group, type: type)
    switch value {
    case .text(let text): VCardText.append(text, to: &line)
    case .id(let id): VCardText.appendID(id, to: &line)
    case .uid(let kind, let id):
      line.append(text: "urn:uuid:")
      RecordUUID.append(of: kind, id: id, to: &line)
    case .plain(let text): line.append(contentsOf: text)
    }
    endLine(&bytes)
  }

  private mutating func append(_ property: String, _ word: String, to bytes: inout [UInt8]) {
    append(property, .plain(Array(word.utf8)), to: &bytes)
  }

  private mutating func append(order: Int64?, group: String = "", to bytes: inout [UInt8]) {
    guard isExact, let order else { return }
    append(VCardProperty.order, group: group, .plain(Array("\(order)".utf8)), to: &bytes)
  }

  private mutating func beginLine(
    _ property: String,
    group: String = "",
    type: String = ""
  ) {
    line.append(contentsOf: group.utf8)
    line.append(contentsOf: property.utf8)
    line.append(contentsOf: type.utf8)
    line.append(UInt8(ascii: ":"))
  }

  private mutating func endLine(_ bytes: inout [UInt8]) {
    // Cards of version 3 are of the encoding that their medium states, and a file states none: Outlook and
    // older phones go by the parameter of version 2.1, which others pass over.
    if version == .v3, !isExact, let colon = line.firstIndex(of: UInt8(ascii: ":")),
      line[colon...].contains(where: { $0 >= 0x80 })
    {
      line.insert(contentsOf: ";CHARSET=UTF-8".utf8, at: colon)
    }
    LineFolding.vCard.append(line, to: &bytes)
    line.removeAll(keepingCapacity: true)
  }
}
