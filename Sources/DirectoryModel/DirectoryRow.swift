/// A group's icon state.
package enum DirectoryDisclosure: String, Sendable {
  case expanded, collapsed, empty
}

/// A department or a person as a front shows it: one row of a list.
///
/// Values that do not apply, or are hidden, are `nil`; values that apply and are blank are empty.
package struct DirectoryRow: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case department, user
  }

  package struct DepartmentReference: Hashable, Sendable {
    package var id: DepartmentID
    package var name: String
    /// Names from the root down, the department's own excluded.
    package var path: [String]
    /// What the person does there; `nil` where that is not asked for.
    package var title: String?
    /// Whether the person leads the department; `nil` where that is hidden.
    package var leads: Bool?
    /// Who else leads the department, where that is asked for.
    package var leaders: [PersonReference] = []

    package init(id: DepartmentID, name: String, path: [String]) {
      self.id = id
      self.name = name
      self.path = path
    }
  }

  package struct PersonReference: Hashable, Sendable {
    package var id: UserID
    package var name: String

    package init(id: UserID, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// The people in whose field of a kind the person stands.
  package struct Inverse: Hashable, Sendable {
    /// Such as `Reports`.
    package var label: String
    package var people: [PersonReference]

    package init(label: String, people: [PersonReference]) {
      self.label = label
      self.people = people
    }
  }

  package var kind: Kind
  package var id: String
  package var name: String
  /// Depth in the whole tree, 0 for a root; `nil` where the row stands outside the tree.
  package var level: Int?
  /// Id of the department above; `nil` for a root.
  package var parent: DepartmentID?
  package var disclosure: DirectoryDisclosure?
  package var description: String?
  /// Distinct users in the subtree.
  package var people: Int?
  /// People in the department itself; `nil` where that is not asked for.
  package var directPeople: Int?
  package var title: String?
  /// `nil` where they are not asked for; one that is hidden is.
  package var contacts: ContactValues<String?>?
  /// Values of declared fields.
  package var values: FieldValues?
  /// Whether the person leads the department.
  package var leads: Bool?
  /// Who leads the department; `nil` where that is not asked for.
  package var leaders: [PersonReference]?
  /// Who names the person in a field; `nil` where that is not asked for.
  package var inverses: [Inverse]?
  /// The people whom its fields name, as far as they are shown; `nil` where that is not asked for.
  package var named: [PersonReference]?
  /// Names from the root down, the row's own excluded.
  package var path: [String]?
  /// Every department a person belongs to, the primary one first.
  package var departments: [DepartmentReference]?

  package init(kind: Kind, id: String, name: String) {
    self.kind = kind
    self.id = id
    self.name = name
  }
}

/// Where a node stands in a tree that is shown or written.
package struct TreePosition: Sendable, Equatable {
  /// Position of the node in the snapshot; −1 for rows that are not of the tree.
  package var node = -1
  /// Levels below the top of what is shown.
  package var depth = 0
  package var isDepartment = false
  /// The sign of a department; `nil` for a person.
  package var disclosure: DirectoryDisclosure?
  /// Whether no row of the same parent follows.
  package var isLastSibling = true
  /// Whether a filter hit this node itself.
  package var isMatch = false
  /// Whether it lies below a closed department: there, and not seen.
  package var isFolded = false
  /// Whether the next row lies below this one.
  package var hasRowsBelow = false

  package init() {}
}
