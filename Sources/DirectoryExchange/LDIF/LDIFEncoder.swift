import DirectoryModel

/// Entries for a directory server (RFC 2849), parents first, with the object classes that every
/// server knows (RFC 4519, RFC 2798).
///
/// | record | entry |
/// | --- | --- |
/// | department | `organizationalUnit` with `uidObject`: `ou` is the name, `uid` the id |
/// | person | `inetOrgPerson`: `uid` is the id, `cn` and `sn` both the whole name, since it is
/// unknown which part is the family's; `departmentNumber` the id of the department |
/// | further membership | `organizationalRole` with `uidObject` below that department: `roleOccupant` names the person, `cn` is the title there, or the person's name |
///
/// A person's entry stands below the primary department, or below the first one that is written.
/// Empty values are left out (a directory string has a character, RFC 4517 §3.3.6). What no
/// attribute of these classes takes goes into `description` with an option that says what it is
/// (`LDIFExtra`): a mail address beyond ASCII (`mail` is an IA5 string, RFC 4524 §2.16), a phone
/// number beyond the printable string (RFC 4517 §3.3.31), a `sort_order` other than 0. Declared
/// fields of people stand in the attributes of the catalogue where those carry them, all others
/// there, too (`LDIFFields`).
package struct LDIFEncoder: RowEncoder {
  private let records: any RecordLookup
  private let fieldsOfPeople: LDIFFields
  /// The attribute that every person must have (RFC 4519 §3.12).
  private let familyName: LDIFFields.Place?
  private let base: LDIFBase
  private var names: LDIFNames

  /// - Throws: What the look-up throws.
  /// - Complexity: O(n log n).
  package init(_ base: LDIFBase, _ records: any RecordLookup, fields: [Field] = []) throws {
    self.base = base
    self.records = records
    fieldsOfPeople = LDIFFields(fields, of: .user)
    familyName = fieldsOfPeople.places.first { $0.key == "sn" }
    names = try LDIFNames(records, base: base.name)
  }

  /// Without `version: 1`, which slapadd (OpenLDAP 2.5) takes for an attribute.
  package mutating func begin(_ bytes: inout [UInt8]) { base.append(to: &bytes) }

  package mutating func append(_ row: RowFields, to bytes: inout [UInt8]) throws {
    let node = row.place.node
    LDIFLine.append("dn", try names.name(of: node), to: &bytes)
    if row.kind == .department {
      try appendDepartment(row, to: &bytes)
    } else {
      let home = try records.places(ofPersonAt: node).first ?? node
      if home == node {
        try appendPerson(row, to: &bytes)
      } else {
        try appendRole(row, home: home, to: &bytes)
      }
    }
    bytes.append(0x0A)
  }

  private mutating func appendDepartment(_ row: RowFields, to bytes: inout [UInt8]) throws {
    bytes.append(text: "objectClass: top\nobjectClass: organizationalUnit\n")
    if !row.id.isEmpty { bytes.append(text: "objectClass: uidObject\n") }
    append("ou", row.name, to: &bytes)
    try appendReplacement("ou", row, to: &bytes)
    append("uid", row.id, to: &bytes)
    append("description", row.description, to: &bytes)
    try append(orderOf: row.place.node, to: &bytes)
    if let parent = try records.department(above: row.place.node), !records.isWritten(parent) {
      append(LDIFExtra.parent.description, row.parent, to: &bytes)
    }
    // `organizationalUnit` takes few attributes.
    for entry in RowValues(row.values).entries { append(extra: entry, to: &bytes) }
  }

  private mutating func appendPerson(_ row: RowFields, to bytes: inout [UInt8]) throws {
    bytes.append(
      text: """
        objectClass: top
        objectClass: person
        objectClass: organizationalPerson
        objectClass: inetOrgPerson

        """
    )
    append("uid", row.id, to: &bytes)
    try appendReplacement("uid", row, to: &bytes)
    append("cn", row.name, to: &bytes)
    let values = RowValues(row.values)
    if familyName.flatMap({ values[$0.field.name] })
      .flatMap({ familyName?.written($0, beside: row) }) == nil
    {
      append("sn", row.name, to: &bytes)
    }
    append("title", row.title, to: &bytes)
    append("departmentNumber", row.parent, to: &bytes)
    for field in Field.contacts {
      guard let value = row.contacts?[field], let attribute = field.known?.ldap else { continue }
      let isTaken = LDIFFields.isTaken(value, by: attribute)
      append(isTaken ? attribute : LDIFExtra(field).description, value, to: &bytes)
    }
    try appendFields(values, of: row, to: &bytes)
    try append(orderOf: row.place.node, to: &bytes)
    append(leads: row.leads, to: &bytes)
    if let primary = try records.primaryDepartmentElsewhere(ofPersonAt: row.place.node) {
      try records.withText(.id, of: primary) {
        append(LDIFExtra.primary.description, $0, to: &bytes)
      }
    }
  }

  private mutating func appendRole(
    _ row: RowFields,
    home: Int,
    to bytes: inout [UInt8]
  ) throws {
    bytes.append(
      text: """
        objectClass: top
        objectClass: organizationalRole
        objectClass: uidObject

        """
    )
    append("uid", row.id, to: &bytes)
    try appendReplacement("uid", row, to: &bytes)
    let title = row.title.flatMap { $0.isEmpty ? nil : $0 }
    append("cn", title ?? row.name, to: &bytes)
    if let title, title.elementsEqual(row.name) {
      append(LDIFExtra.title.description, title, to: &bytes)
    }
    try append(orderOf: row.place.node, to: &bytes)
    append(leads: row.leads, to: &bytes)
    LDIFLine.append("roleOccupant", try names.name(of: home), to: &bytes)
  }

  private func append(
    _ attribute: String,
    _ value: UnsafeRawBufferPointer?,
    to bytes: inout [UInt8]
  ) {
    guard let value, !value.isEmpty else { return }
    LDIFLine.append(attribute, value, to: &bytes)
  }

  private mutating func appendFields(
    _ values: RowValues,
    of row: RowFields,
    to bytes: inout [UInt8]
  ) throws {
    for entry in values.entries {
      guard let place = fieldsOfPeople.place(of: entry),
        let written = try place.field.kind == .person
          ? names(of: entry) : place.written(entry, beside: row)
      else {
        append(extra: entry, to: &bytes)
        continue
      }
      for value in written { LDIFLine.append(place.attribute, value, to: &bytes) }
    }
  }

  private func append(extra entry: RowValues.Entry, to bytes: inout [UInt8]) {
    LDIFLine.append(LDIFExtra.field.description, LDIFFields.extra(entry), to: &bytes)
  }

  /// The names of people's entries; `nil` where one of them has none, or stands there twice.
  private mutating func names(of entry: RowValues.Entry) throws -> [[UInt8]]? {
    var found: [[UInt8]] = []
    for id in entry.values {
      guard let home = try records.writtenPlace(ofPerson: String(decoding: id, as: UTF8.self))
      else {
        return nil
      }
      let name = try names.name(of: home)
      guard !found.contains(name) else { return nil }
      found.append(name)
    }
    return found
  }

  private func append(leads: Bool?, to bytes: inout [UInt8]) {
    if leads == true { LDIFLine.append(LDIFExtra.leads.description, "true".utf8, to: &bytes) }
  }

  private func append(orderOf node: Int, to bytes: inout [UInt8]) throws {
    guard let order = try records.sortOrder(of: node), order != 0 else { return }
    LDIFLine.append(LDIFExtra.order.description, "\(order)".utf8, to: &bytes)
  }

  /// An entry must have every value that its name has (RFC 4512 §2.3.1).
  private mutating func appendReplacement(
    _ attribute: String,
    _ row: RowFields,
    to bytes: inout [UInt8]
  ) throws {
    guard let value = try names.replacement(for: row.place.node) else { return }
    LDIFLine.append(attribute, value, to: &bytes)
  }

  /// Whether all of it is PrintableString (RFC 4517 §3.2), and something is left of it when it is
  /// compared, which ignores spaces and hyphens (RFC 4518 §2.6.3).
  static func isTelephoneNumber(_ phone: UnsafeRawBufferPointer) -> Bool {
    let isPrintable = phone.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
        || " '()+,-./:?=".utf8.contains(byte)
    }
    return isPrintable && phone.contains { $0 != 0x20 && $0 != UInt8(ascii: "-") }
  }
}
