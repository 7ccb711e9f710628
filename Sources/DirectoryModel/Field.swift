/// What the values of a field are; the database checks them (`staffbook.is_of_kind`).
package enum FieldKind: String, Sendable, CaseIterable {
  case text, phone, email, url
  /// `YYYY-MM-DD`, or `--MM-DD` without a year, as birthdays are often known.
  case date
  /// The id of a user.
  case person

  /// All of them for people: `text, phone … or person`.
  package static func names(joinedBy word: String) -> String {
    let names = allCases.map(\.rawValue)
    return names.dropLast().joined(separator: ", ") + " \(word) " + (names.last ?? "")
  }
}

/// A field that users or departments carry: one that the company declared, or a contact field.
package struct Field: Hashable, Sendable {
  /// Key of its values: a lower-case ASCII letter, then such letters, digits and underscores.
  package var name: String
  /// `.user` or `.department`.
  package var owner: RecordKind
  package var kind: FieldKind
  /// What people call it.
  package var label: String
  /// Whether a record may have several values of it.
  package var isMultiple: Bool
  /// Whether a search looks at its values.
  package var isSearched: Bool
  package var sortOrder: Int64
  /// Whether its values are shown to everybody where no rule names the field.
  package var isVisible: Bool
  /// Whether people see their own values, whatever the rules say.
  package var isForOneself: Bool
  /// Place among the contact fields, whose values stand in columns of their own; `nil` for a declared
  /// field.
  package internal(set) var column: Int?

  package init(
    name: String,
    of owner: RecordKind,
    kind: FieldKind = .text,
    label: String,
    isMultiple: Bool = false,
    isSearched: Bool = true,
    sortOrder: Int64 = 0,
    isVisible: Bool = true,
    isForOneself: Bool = true
  ) {
    self.name = name
    self.owner = owner
    self.kind = kind
    self.label = label
    self.isMultiple = isMultiple
    self.isSearched = isSearched
    self.sortOrder = sortOrder
    self.isVisible = isVisible
    self.isForOneself = isForOneself
  }

  /// Fields of users after those of departments, each in the order in which they are shown.
  package static func precedes(_ left: Field, _ right: Field) -> Bool {
    if left.owner != right.owner { return left.owner == .department }
    if left.sortOrder != right.sortOrder { return left.sortOrder < right.sortOrder }
    return left.name.utf8.lexicographicallyPrecedes(right.name.utf8)
  }
}

extension Field {
  // Those of one owner have different names.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
