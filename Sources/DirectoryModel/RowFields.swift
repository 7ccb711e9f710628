/// A row of a list as the bytes that it is made of, borrowed: valid until its producer
/// goes on to the next.
///
/// It says what `DirectoryRow` says, without a `String` for each value: a million rows of the
/// snapshot go into a file without being copied in between.
package struct RowFields {
  package var kind: DirectoryRow.Kind
  package var id: UnsafeRawBufferPointer
  package var name: UnsafeRawBufferPointer
  package var level: Int?
  package var parent: UnsafeRawBufferPointer?
  package var disclosure: DirectoryDisclosure?
  package var description: UnsafeRawBufferPointer?
  package var people: Int?
  package var title: UnsafeRawBufferPointer?
  package var contacts: ContactValues<UnsafeRawBufferPointer?>?
  /// Values of declared fields, as `FieldValues` has them; empty where there are none.
  package var values: UnsafeRawBufferPointer?
  /// Whether the person leads the department.
  package var leads: Bool?
  /// Of the department, or of the person there.
  package var sortOrder: Int64?
  /// Whether it is the person's primary department.
  package var isPrimary: Bool?
  /// Names from the root down, the row's own excluded, as one text with marks between them.
  package var pathText: UnsafeRawBufferPointer?
  /// Names from the root down, the row's own excluded; for lists outside the tree.
  package var path: [String]?
  package var departments: [DirectoryRow.DepartmentReference]?
  package var leaders: [DirectoryRow.PersonReference]?
  package var inverses: [DirectoryRow.Inverse]?
  package var named: [DirectoryRow.PersonReference]?
  package var directPeople: Int?
  /// Its number among its siblings, from 0, and how many they are; `nil` where that is not asked for.
  package var family: (index: Int, count: Int)?
  /// Where the row stands in the tree that is shown or written.
  package var place = TreePosition()
  /// Why the row lies under *Unplaced*; `nil` for all others.
  package var unplacedReason: String?

  package init(
    kind: DirectoryRow.Kind,
    id: UnsafeRawBufferPointer,
    name: UnsafeRawBufferPointer
  ) {
    self.kind = kind
    self.id = id
    self.name = name
  }
}

extension DirectoryRow {
  /// The row's bytes, side by side in one block for the time of `body`.
  package func withFields<Result>(_ body: (RowFields) throws -> Result) rethrows -> Result {
    let values =
      [id, name, parent?.rawValue, description, title, self.values?.text]
      + Field.contacts.map { contacts?[$0] }
    var text: [UInt8] = []
    var ends: [Int] = []
    for value in values {
      if let value { text.append(contentsOf: value.utf8) }
      ends.append(text.count)
    }
    return try text.withUnsafeBytes { bytes in
      func field(_ index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
      }
      func optional(_ index: Int) -> UnsafeRawBufferPointer? {
        values[index] == nil ? nil : field(index)
      }
      var fields = RowFields(kind: kind, id: field(0), name: field(1))
      fields.level = level
      fields.disclosure = disclosure
      fields.people = people
      fields.parent = optional(2)
      fields.description = optional(3)
      fields.title = optional(4)
      fields.values = optional(5)
      if contacts != nil { fields.contacts = ContactValues(from: 6) { optional($0) } }
      fields.leads = leads
      fields.leaders = leaders
      fields.inverses = inverses
      fields.named = named
      fields.directPeople = directPeople
      fields.path = path
      fields.departments = departments
      return try body(fields)
    }
  }
}

extension DirectoryRow {
  /// A row that outlives what was lent.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - text: What becomes of each text but the values of declared fields.
  package init(
    _ row: RowFields,
    text: (UnsafeRawBufferPointer) -> String = { String(decoding: $0, as: UTF8.self) }
  ) {
    self.init(kind: row.kind, id: text(row.id), name: text(row.name))
    level = row.level
    parent = row.parent.map { DepartmentID(text($0)) }
    disclosure = row.disclosure
    description = row.description.map(text)
    people = row.people
    title = row.title.map(text)
    contacts = row.contacts?.map { $0.map(text) }
    values = row.values.map { FieldValues(canonical: String(decoding: $0, as: UTF8.self)) }
    leads = row.leads
    leaders = row.leaders
    inverses = row.inverses
    named = row.named
    directPeople = row.directPeople
    path = row.path
    departments = row.departments
  }
}
