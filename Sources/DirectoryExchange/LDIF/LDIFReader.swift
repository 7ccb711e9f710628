import DirectoryModel

/// Reads the entries of a directory server as departments and people.
///
/// | entry | becomes |
/// | --- | --- |
/// | `organizationalUnit`, `organization`, `domain`, `dcObject`, `locality`, `country`, `container` | a department below the nearest entry above it that is one |
/// | `groupOfNames`, `groupOfUniqueNames`, `group` | a department, and its members belong to it too |
/// | `person`, `organizationalPerson`, `inetOrgPerson`, `user`, `account` | a person |
/// | `organizationalRole` with `roleOccupant` | a further membership of that person |
///
/// The whole directory's suffix at the top is left out where it only holds departments that have ids
/// of their own, as in files that `export` writes. The file is read twice: first for departments,
/// since people may come before them.
struct LDIFReader {
  private let file: InputFile
  private let home: DepartmentID?
  private let fieldsOfPeople: LDIFFields
  private let fieldsOfDepartments: LDIFFields
  private let rows: ListRowBuilder
  private var index = LDIFDepartments()
  /// People whom groups or roles name, by compared name.
  private var known: [String: KnownPerson] = [:]
  private var pending: [PendingMembership] = []
  private var others = UnsupportedFields()
  private var otherCount = 0
  private var unsupported = UnsupportedFields()

  private struct KnownPerson {
    var id: [UInt8]
    var name: [UInt8]
    var department: [UInt8]
  }

  /// A membership whose person may be further down.
  private struct PendingMembership {
    var line: Int
    var person: String
    var department: String
    var title: [UInt8]
    /// Whether the title may be nothing but the person's name, which a role needs in its place.
    var isTitleCertain = false
    var order: [UInt8]?
    var leads = false
  }

  init(_ file: InputFile, _ sink: ListSink, _ options: ListOptions) {
    self.file = file
    home = options.home
    fieldsOfPeople = LDIFFields(options.fields, of: .user)
    fieldsOfDepartments = LDIFFields(options.fields, of: .department)
    rows = ListRowBuilder(sink, fields: options.fields)
    rows.start(file)
  }

  /// Reads every row.
  mutating func read() throws(DirectoryError) -> ListReport {
    let namesPeople = fieldsOfPeople.namesPeople || fieldsOfDepartments.namesPeople
    try index.read(file, withPeople: namesPeople)
    var entries = try LDIFEntries(
      file,
      rows,
      fields: fieldsOfPeople.attributes.union(fieldsOfDepartments.attributes)
    )
    var count = 0
    while let entry = entries.next() {
      count += 1
      guard let name = DistinguishedName(ofOthers: entry.dn) else {
        let isLong = entry.dn.utf8.count > DistinguishedName.longest
        refuse(
          entry,
          isLong
            ? "the DN of the entry is longer than \(DistinguishedName.longest) bytes"
            : "the DN of the entry is not valid (RFC 4514)"
        )
        continue
      }
      let parts = name.comparedParts
      switch entry.role(naming: name.parts.first?.first?.type.lowercased() ?? "") {
      case .department: takeDepartment(entry, parts, name)
      case .group:
        takeDepartment(entry, parts, name)
        takeMembers(entry, parts)
      case .person: takePerson(entry, parts)
      case .membership: takeMembership(entry, parts)
      case .other:
        otherCount += 1
        let kind = entry.values("objectclass").last ?? Array("no class".utf8)
        others.add(String(decoding: kind, as: UTF8.self))
      }
    }
    if count == 0, rows.isComplete { rows.refuse("has no entry", line: nil) }
    settleMemberships()
    warn()
    return rows.reading
  }

  private func refuse(_ entry: LDIFEntry, _ reason: String, advice: Advice? = nil) {
    let shown = QuotedValue.string(entry.dn)
    rows.refuse("\(shown): \(reason)", line: entry.line, advice: advice)
  }

  private func warn() {
    if otherCount > 0 {
      rows.warn(
        "left out entries that are neither departments nor people: \(otherCount) (\(others.list))"
      )
    }
    if let warning = unsupported.warning { rows.warn(warning) }
    if let suffix = index.leftOut {
      rows.warn(
        "left out \(QuotedValue.string(suffix)), which only contains the departments"
      )
    }
  }
}

extension LDIFReader {
  private mutating func takeDepartment(
    _ entry: LDIFEntry,
    _ parts: [String],
    _ name: DistinguishedName,
  ) {
    guard index.leftOutParts != parts else { return }
    let id = LDIFDepartments.id(of: entry)
    guard index.id(of: LDIFDepartments.key(parts)) == id else {
      refuse(entry, "an earlier entry has the same DN, apart from case and blanks")
      return
    }
    let values = LDIFReadValues(entry, fieldsOfDepartments, people: index.people)
    unsupported.add(contentsOf: entry.leftOut + values.leftOut)
    let ofPeople = fieldsOfPeople.attributes.union(["mail", "telephonenumber", "mobile"])
    for name in ofPeople.subtracting(["description", "sn", "givenname"])
    where !fieldsOfDepartments.has(name) {
      unsupported.add(name, entry.values(name).count)
    }
    let own = name.parts[0][0]
    rows.begin(
      .department,
      id: id,
      parent: entry.extras[.parent] ?? index.nearest(above: parts),
      name: entry.first("ou", "o", "displayname", "cn", "l", "dc", "c", "name")
        ?? Array(own.value.utf8)
    )
    rows.set(.description, entry.first("description"))
    rows.set(.sortOrder, entry.extras[.order])
    rows.set(values.values)
    rows.finish(line: entry.line)
  }

  private mutating func takePerson(
    _ entry: LDIFEntry,
    _ parts: [String],
  ) {
    let id = LDIFDepartments.id(ofPerson: entry)
    let name = Self.name(of: entry)
    guard let department = department(of: entry, parts) else {
      refuse(
        entry,
        "no entry above this person is a department in the file",
        advice: "name one with \(.home)"
      )
      return
    }
    rows.begin(.user, id: id, parent: department, name: name)
    rows.set(.title, entry.first("title"))
    for field in Field.contacts { rows.set(.contact(field), value(of: field, in: entry)) }
    rows.set(.sortOrder, entry.extras[.order])
    if entry.extras[.leads] != nil { rows.set(.leads, true) }
    if let primary = entry.extras[.primary], primary != department { rows.set(.primary, false) }
    let values = LDIFReadValues(entry, fieldsOfPeople, people: index.people)
    rows.set(values.values)
    unsupported.add(contentsOf: values.leftOut)
    count(leftoversOf: entry)
    let key = LDIFDepartments.key(parts)
    if index.named.contains(key) {
      known[key] = KnownPerson(id: id, name: name, department: department)
    }
    rows.finish(line: entry.line)
  }

  private func value(of field: Field, in entry: LDIFEntry) -> [UInt8]? {
    let own = field.known?.ldap.flatMap { entry.first($0.lowercased()) }
    if let value = own ?? entry.extras[LDIFExtra(field)] { return value }
    guard field.kind == .phone else { return nil }
    let other = Self.otherPhones.first { !fieldsOfPeople.has($0) && entry.first($0) != nil }
    return other.flatMap { entry.first($0) }
  }

  private mutating func count(leftoversOf person: LDIFEntry) {
    unsupported.add(contentsOf: person.leftOut)
    for name in ["mail", "title"] where !fieldsOfPeople.has(name) {
      unsupported.add("additional \(name)", person.furtherCount(name))
    }
    let phones = ["telephonenumber"] + Self.otherPhones.filter { !fieldsOfPeople.has($0) }
    for (index, name) in phones.filter({ person.first($0) != nil }).enumerated() {
      let further = fieldsOfPeople.has(name) ? 0 : person.furtherCount(name)
      unsupported.add("additional \(name)", further + (index == 0 ? 0 : 1))
    }
    let others = fieldsOfDepartments.attributes.union(["description", "o", "ou", "l", "st", "c"])
    for name in others.subtracting(["mail", "telephonenumber"] + Self.otherPhones)
    where !fieldsOfPeople.has(name) {
      unsupported.add(name, person.values(name).count)
    }
  }

  /// What stands in for a phone number, unless a declared field has it.
  private static let otherPhones = ["mobile", "homephone"]

  /// `displayName` is the name to show (RFC 2798 §2.3); then the common name, then its parts.
  private static func name(of entry: LDIFEntry) -> [UInt8] {
    if let name = entry.first("displayname", "cn") { return name }
    let parts = [entry.first("givenname"), entry.first("sn")].compactMap { $0 }
    return Array(parts.joined(separator: [0x20]))
  }

  /// The department that `departmentNumber` names by id, else the nearest entry above.
  private func department(of entry: LDIFEntry, _ parts: [String]) -> [UInt8]? {
    if let number = entry.first("departmentnumber"), index.ids.contains(number) { return number }
    return index.nearest(above: parts) ?? home.map { Array($0.rawValue.utf8) }
  }

  private mutating func takeMembers(_ entry: LDIFEntry, _ parts: [String]) {
    for key in LDIFDepartments.members(of: entry) {
      pending.append(
        PendingMembership(
          line: entry.line,
          person: key,
          department: LDIFDepartments.key(parts),
          title: []
        )
      )
    }
  }

  private mutating func takeMembership(
    _ entry: LDIFEntry,
    _ parts: [String],
  ) {
    guard let department = index.nearestKey(above: parts) else {
      refuse(entry, "no entry above this role is a department in the file")
      return
    }
    let order = entry.extras[.order]
    if let order, Int64(String(decoding: order, as: UTF8.self)) == nil {
      return refuse(entry, "the sort_order is not a whole number of 64 bits")
    }
    for key in LDIFDepartments.occupants(of: entry) {
      pending.append(
        PendingMembership(
          line: entry.line,
          person: key,
          department: department,
          title: entry.extras[.title] ?? entry.first("title", "cn") ?? [],
          isTitleCertain: entry.extras[.title] != nil,
          order: order,
          leads: entry.extras[.leads] != nil
        )
      )
    }
  }

  /// Hands on memberships once all people are known; the primary one counts once.
  private mutating func settleMemberships() {
    var strangers = 0
    for membership in pending {
      guard let person = known[membership.person],
        let department = index.id(of: membership.department)
      else {
        strangers += 1
        continue
      }
      guard department != person.department else { continue }
      let title =
        membership.title == person.name && !membership.isTitleCertain ? [] : membership.title
      rows.handMembership(
        line: membership.line,
        user: person.id,
        department: department,
        title: title,
        sortOrder: membership.order,
        leads: membership.leads
      )
    }
    if strangers > 0 {
      rows.warn("left out members of groups or roles who are not in this file: \(strangers)")
    }
  }
}
