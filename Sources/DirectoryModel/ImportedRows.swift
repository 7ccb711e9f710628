/// A department as a file has it, borrowed from the reader: valid until it goes on.
package struct DepartmentFields {
  package let line: Int
  /// 1 to 255 bytes.
  package let id: UnsafeRawBufferPointer
  /// Empty for a root, also where the value was too long to be an id, which was reported.
  package let parent: UnsafeRawBufferPointer
  /// Within the limits; `?` where the value was not, which was reported.
  package let name: UnsafeRawBufferPointer
  /// Within the limits; empty where the value was not, which was reported.
  package let description: UnsafeRawBufferPointer
  /// 0 where the value was empty, or no whole number, which was reported.
  package let sortOrder: Int64
  /// The values of declared fields as `FieldValues` writes them, without those that were refused.
  package let fields: [UInt8]
  /// Whether no record stands for it, only a name that people give as their department's: then another
  /// row of the same id tells more.
  package var isImplied = false

  package init(
    line: Int,
    id: UnsafeRawBufferPointer,
    parent: UnsafeRawBufferPointer,
    name: UnsafeRawBufferPointer,
    description: UnsafeRawBufferPointer,
    sortOrder: Int64,
    fields: [UInt8] = []
  ) {
    self.line = line
    self.id = id
    self.parent = parent
    self.name = name
    self.description = description
    self.sortOrder = sortOrder
    self.fields = fields
  }
}

/// A person in one department as a file has it, borrowed from the reader: valid until it goes
/// on.
///
/// Values that break the limits stand here as in `DepartmentFields`.
package struct PersonFields {
  package let line: Int
  package let id: UnsafeRawBufferPointer
  /// Empty only where it was missing or unusable, which was reported.
  package let department: UnsafeRawBufferPointer
  package let name: UnsafeRawBufferPointer
  package let title: UnsafeRawBufferPointer
  package let contacts: ContactValues<UnsafeRawBufferPointer>
  package let sortOrder: Int64
  /// Whether it is the person's primary department; `nil` where the file does not tell.
  package let isPrimary: Bool?
  /// Whether the person leads the department.
  package let leads: Bool
  package let fields: [UInt8]
  /// Whether the list says that the person has left the company; the department may then be empty.
  package var hasLeft = false

  package init(
    line: Int,
    id: UnsafeRawBufferPointer,
    department: UnsafeRawBufferPointer,
    name: UnsafeRawBufferPointer,
    title: UnsafeRawBufferPointer,
    contacts: ContactValues<UnsafeRawBufferPointer>,
    sortOrder: Int64,
    isPrimary: Bool? = nil,
    leads: Bool = false,
    fields: [UInt8] = []
  ) {
    self.line = line
    self.id = id
    self.department = department
    self.name = name
    self.title = title
    self.contacts = contacts
    self.sortOrder = sortOrder
    self.isPrimary = isPrimary
    self.leads = leads
    self.fields = fields
  }
}

/// A further department of a person as a file has it, borrowed from the reader: valid until it
/// goes on.
package struct MembershipFields {
  package let line: Int
  package let user: UnsafeRawBufferPointer
  package let department: UnsafeRawBufferPointer
  package let title: UnsafeRawBufferPointer
  package let sortOrder: Int64
  package let leads: Bool

  package init(
    line: Int,
    user: UnsafeRawBufferPointer,
    department: UnsafeRawBufferPointer,
    title: UnsafeRawBufferPointer,
    sortOrder: Int64,
    leads: Bool = false
  ) {
    self.line = line
    self.user = user
    self.department = department
    self.title = title
    self.sortOrder = sortOrder
    self.leads = leads
  }
}
