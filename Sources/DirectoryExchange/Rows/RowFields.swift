import DirectoryModel

/// A row of a list as the bytes that it is made of, borrowed: valid until whoever hands it on
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
  package var email: UnsafeRawBufferPointer?
  package var phone: UnsafeRawBufferPointer?
  /// Values of declared fields, as `FieldValues` has them; empty where there are none.
  package var values: UnsafeRawBufferPointer?
  /// Whether the person leads the department.
  package var leads = false
  /// Of the department, or of the person there.
  package var sortOrder: Int64?
  /// Whether it is the person's main department.
  package var isPrimary: Bool?
  /// Names from the root down, the row's own excluded, as one text: see `PathText`.
  package var pathText: UnsafeRawBufferPointer?
  /// Names from the root down, the row's own excluded; for lists outside the tree.
  package var path: [String]?
  package var departments: [DirectoryRow.DepartmentReference]?
  package var leaders: [DirectoryRow.PersonReference]?
  package var inverses: [DirectoryRow.Inverse]?
  package var place = Place()

  /// Where the row stands in the tree that is written.
  package struct Place: Sendable {
    /// Position of the row's node in the snapshot; −1 for rows that are not of the tree.
    package var node = -1
    /// Levels below the shown root.
    package var depth = 0
    /// Whether no row of the same parent follows.
    package var isLastSibling = true
    /// Whether the row lies below a closed department: there, and not seen.
    package var isFolded = false
    /// Whether the next row lies below this one.
    package var hasRowsBelow = false

    package init() {}
  }

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
    let values = [
      id, name, parent?.rawValue, description, title, email, phone, self.values?.text,
    ]
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
      fields.email = optional(5)
      fields.phone = optional(6)
      fields.values = optional(7)
      fields.leads = leads
      fields.leaders = leaders
      fields.inverses = inverses
      fields.path = path
      fields.departments = departments
      return try body(fields)
    }
  }
}
