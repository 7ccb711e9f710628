import DirectoryModel
import DirectorySnapshot
import TextRules

/// What a value of a card leads to.
package enum DirectoryTarget: Hashable, Sendable {
  case department(DepartmentID)
  case person(UserID)
}

/// A line of a card: a label of ours or of a declared field, and what it says.
package struct CardField: Hashable, Sendable {
  package struct Value: Hashable, Sendable {
    package var text: String
    package var target: DirectoryTarget?
    /// What of the record it shows, for who asks who set it; nothing where it follows from other records.
    package var items: [Change.Item]

    package init(_ text: String, _ target: DirectoryTarget? = nil, of items: [Change.Item] = []) {
      self.text = text
      self.target = target
      self.items = items
    }

    /// A telephone number as a link that dials it, with its extension.
    package var phoneLink: String? { WrittenPhone.link(text) }
  }

  package var label: String
  package var values: [Value]

  init(_ label: String, _ values: [Value]) {
    self.label = label
    self.values = values
  }

  init(_ label: String, _ text: String?, of item: Change.Item? = nil) {
    self.init(label, text.map { [Value($0, of: item.map { [$0] } ?? [])] } ?? [])
  }
}

extension Directory {
  /// Everything about a person or a department, in the order in which a card shows it; what is blank
  /// is left out.
  ///
  /// - Parameter row: A card (`card(at:)`).
  /// - Returns: Fields with at least one value.
  /// - Throws: `SnapshotError.damaged`.
  package func cardFields(of row: DirectoryRow) throws -> [CardField] {
    let fields = try row.kind == .user ? personFields(of: row) : departmentFields(of: row)
    return fields.map { CardField($0.label, $0.values.filter { !$0.text.isEmpty }) }
      .filter { !$0.values.isEmpty }
  }

  private func personFields(of row: DirectoryRow) throws -> [CardField] {
    let departments = row.departments ?? []
    let leaders = departments.flatMap { department in
      department.leaders.map { leader in
        let value = CardField.Value(leader)
        guard departments.count > 1 else { return value }
        return CardField.Value("\(value.text): \(department.name)", value.target)
      }
    }
    let contacts = Field.contacts.map {
      CardField($0.label, row.contacts?[$0], of: .value(.contact($0)))
    }
    let place = departments.first { $0.title == row.title }
    return try [
      CardField("Title", row.title, of: place.map { .membershipValue($0.id, .title) }),
      CardField(
        "Departments",
        departments.map { CardField.Value($0, withTitle: departments.count > 1) }
      ),
      CardField("Led by", leaders),
    ] + contacts + shownFields(of: row) + inverses(of: row) + [CardField("Id", row.id)]
  }

  private func departmentFields(of row: DirectoryRow) throws -> [CardField] {
    let path = CardField.Value(
      DepartmentName.path(row.path ?? []),
      row.parent.map { .department($0) },
      of: [.primary]
    )
    return try [
      CardField("About", row.description, of: .value(.description)),
      CardField("Path", [path]),
      CardField("Led by", (row.leaders ?? []).map { CardField.Value($0) }),
      CardField("People", row.people.map(String.init)),
    ] + shownFields(of: row) + [CardField("Id", row.id)]
  }

  /// People one of whose fields names the person; of many the first ones and the number of the rest.
  private func inverses(of row: DirectoryRow) -> [CardField] {
    (row.inverses ?? []).map { inverse in
      var values = inverse.people.prefix(Self.shownPeople).map { CardField.Value($0) }
      let rest = inverse.people.count - values.count
      if rest > 0 { values.append(CardField.Value("and \(rest) others")) }
      return CardField(inverse.label, values)
    }
  }

  private static var shownPeople: Int { 20 }

  /// The node where something is shown; `nil` where it is not there.
  ///
  /// - Complexity: O(1), expected.
  package func node(of target: DirectoryTarget) throws(SnapshotError) -> Node? {
    switch target {
    case .department(let id): return try node(of: id)
    case .person(let id):
      guard let user = try state.userIndex.row(of: id.rawValue) else { return nil }
      return try leaf(ofUser: user).map(node)
    }
  }
}

extension CardField.Value {
  init(_ person: DirectoryRow.PersonReference) {
    self.init("\(person.name) (\(person.id))", .person(person.id))
  }

  /// The path of a department, and what the person is there.
  init(_ department: DirectoryRow.DepartmentReference, withTitle: Bool) {
    let path = DepartmentName.path(department.path + [department.name])
    var roles: [String] = []
    if withTitle, let title = department.title, !title.isEmpty { roles.append(title) }
    if department.leads == true { roles.append("leads it") }
    self.init(
      roles.isEmpty ? path : "\(path) (\(roles.joined(separator: "; ")))",
      .department(department.id),
      of: [.membership(department.id), .membershipValue(department.id, .leads)]
        + (withTitle ? [.membershipValue(department.id, .title)] : [])
    )
  }
}
