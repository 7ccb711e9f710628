import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// The values of a row's declared fields, in the order of the declarations.
  ///
  /// A person is shown by name and id. Values that were not declared, which only a source in
  /// between two states has, come last under their own names: nothing is dropped.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func shownFields(of row: DirectoryRow) throws(SnapshotError) -> [CardField] {
    var values = row.values?.values ?? [:]
    let owner: RecordKind = row.kind == .department ? .department : .user
    var shown: [CardField] = []
    // One's own card has fields that the class does not see of anybody.
    let declared = overlay?.whole.fields.declared ?? declaredFields
    for field in declared where field.owner == owner {
      guard let value = values.removeValue(forKey: field.name) else { continue }
      var shownValues = value.texts.map { CardField.Value($0) }
      if field.kind == .person {
        for (index, id) in value.texts.enumerated() { shownValues[index] = try shownPerson(id) }
      }
      for index in shownValues.indices { shownValues[index].items = [.field(field.name)] }
      shown.append(CardField(field.label, shownValues))
    }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      shown.append(CardField(name, value.texts.map { CardField.Value($0, of: [.field(name)]) }))
    }
    return shown
  }

  /// The columns of `plain` where none are chosen.
  package static let plainColumns = PlainRowEncoder.usualColumns

  /// Checks the columns that the user wants to see.
  ///
  /// - Throws: `.usage` for a name that is neither a column nor a declared field.
  package func requireColumns(_ columns: [String]) throws(DirectoryError) {
    let known = PlainRowEncoder.columns + declaredFields.map(\.name)
    guard let unknown = columns.first(where: { !known.contains($0) }) else { return }
    var names: [String] = []
    for name in known where !names.contains(name) { names.append(name) }
    throw DirectoryError(
      .usage,
      "cannot show the column \"\(unknown)\": there is no such column",
      advice: "the columns are \(names.joined(separator: ", "))"
    )
  }

  private func shownPerson(_ id: String) throws(SnapshotError) -> CardField.Value {
    guard let name = try personName(id) else { return CardField.Value(id) }
    return CardField.Value(DirectoryRow.PersonReference(id: UserID(id), name: name))
  }

  /// The name of the person with an id; `nil` where there is no such person.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func personName(_ id: String) throws(SnapshotError) -> String? {
    guard let user = try state.userIndex.row(of: id) else { return nil }
    return try users.names[user]
  }
}
