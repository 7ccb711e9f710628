/// A group's icon state.
package enum DirectoryDisclosure: String, Sendable {
  case expanded, collapsed, empty
}

/// A department or a person as a front shows it: one row of a list.
///
/// Values that do not apply are `nil`; values that apply and are blank are empty.
package struct DirectoryRow: Hashable, Sendable {
  package enum Kind: String, Sendable {
    case department, user
  }

  package struct DepartmentReference: Hashable, Sendable {
    package var id: DepartmentID
    package var name: String
    /// Names from the root down, the department's own excluded.
    package var path: [String]

    package init(id: DepartmentID, name: String, path: [String]) {
      self.id = id
      self.name = name
      self.path = path
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
  package var title: String?
  package var email: String?
  package var phone: String?
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
