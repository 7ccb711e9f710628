import DirectoryModel

/// One thing that an import does to a department or a person, by name.
package struct ImportChange: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case department, user
  }

  package enum Action: String, Sendable {
    case added, changed, moved, removed
  }

  /// A value before and after.
  package struct Value: Hashable, Sendable {
    /// The name of a column, or of a declared field.
    package struct Field: RawRepresentable, Hashable, Sendable {
      package var rawValue: String

      package init(rawValue: String) { self.rawValue = rawValue }

      package init(_ column: RecordColumn) { rawValue = column.rawValue }

      package static let sortOrder = Field(.sortOrder)
    }

    package var field: Field
    /// Where a title or an order belongs to; `nil` for what belongs to the record itself.
    package var department: Place?
    package var old: String
    package var new: String

    package init(field: Field, department: Place? = nil, old: String, new: String) {
      self.field = field
      self.department = department
      self.old = old
      self.new = new
    }
  }

  /// A department by id and name.
  package struct Place: Hashable, Sendable {
    package var id: DepartmentID
    /// As it is after the import; of what is removed, as it was.
    package var name: String

    package init(id: DepartmentID, name: String) {
      self.id = id
      self.name = name
    }
  }

  package var kind: Kind
  package var action: Action
  package var id: String
  /// After the import; of what is removed, before it.
  package var name: String
  /// The department above, or the main one, before; `nil` for none.
  package var from: Place?
  /// The same afterwards.
  package var to: Place?
  package var values: [Value] = []
  /// Departments that a person newly belongs to, the main one left out.
  package var joined: [Place] = []
  /// Departments that a person belongs to no more, the main one left out.
  package var left: [Place] = []

  package init(
    kind: Kind,
    action: Action,
    id: String,
    name: String,
    from: Place? = nil,
    to: Place? = nil,
    values: [Value] = [],
    joined: [Place] = [],
    left: [Place] = []
  ) {
    self.kind = kind
    self.action = action
    self.id = id
    self.name = name
    self.from = from
    self.to = to
    self.values = values
    self.joined = joined
    self.left = left
  }

  /// Whether the department above, or the main one, is another afterwards.
  package var hasMoved: Bool { action == .moved && from?.id != to?.id }
}
