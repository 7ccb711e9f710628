import DirectoryModel
import Outlines

/// The sides of changes as a stored state tells them.
extension StoredDirectory {
  /// A department, its parent named by `place`.
  func state(ofDepartment row: Int, place: (Int) -> Change.Place) -> Change.State {
    Change.State(
      name: departmentNames[row],
      values: Self.values(.department, departmentTexts.map { $0[row] }) { _ in
        String(departmentSortOrders[row])
      },
      fields: FieldValues(canonical: departmentTexts.last?[row] ?? ""),
      main: parentDepartment(of: row).map(place)
    )
  }

  /// A person with all memberships, whose departments are named by `place`.
  func state(ofUser row: Int, place: (Int) -> Change.Place) -> Change.State {
    let posts = leaves(of: row).map { node in
      Change.Post(
        place: place(department(ofLeaf: Int(node))),
        values: values(ofMembership: Int(nodeRecords[Int(node)]))
      )
    }
    return Change.State(
      name: userNames[row],
      values: Self.values(.user, userTexts.map { $0[row] }) { _ in "" },
      fields: FieldValues(canonical: userTexts.last?[row] ?? ""),
      main: primaryDepartment(of: row).map(place),
      posts: posts.sorted { $0.place.id < $1.place.id }
    )
  }

  func values(ofMembership row: Int) -> [String?] {
    Self.values(.membership, membershipTexts.map { $0[row] }) { column in
      column == .leads ? String(leads(row)) : String(membershipSortOrders[row])
    }
  }

  /// The values of `RecordKind.valueColumns`.
  ///
  /// - Parameters:
  ///   - kind: Whose they are.
  ///   - texts: Those of `RecordKind.texts`.
  ///   - number: That of one of `RecordKind.numbers`.
  /// - Returns: A value for each column.
  static func values(
    _ kind: RecordKind,
    _ texts: [String],
    number: (RecordColumn) -> String
  ) -> [String?] {
    zip(kind.texts, texts).filter { $0.0 != .fields }.map { $0.1 } + kind.numbers.map(number)
  }
}
