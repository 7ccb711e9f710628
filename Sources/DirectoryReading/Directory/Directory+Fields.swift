import DirectoryExchange
import DirectoryModel
import DirectorySnapshot

extension Directory {
  /// A field of a row as people read it.
  package struct ShownField: Hashable, Sendable {
    package var label: String
    package var values: [String]
  }

  /// The values of a row's declared fields, in the order of the declarations.
  ///
  /// A person is shown by name and id. Values that nobody declared, which only a source in between
  /// two states has, come last under their own names: nothing is dropped.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func shownFields(of row: DirectoryRow) throws(SnapshotError) -> [ShownField] {
    var values = row.values?.values ?? [:]
    let owner: RecordKind = row.kind == .department ? .department : .user
    var shown: [ShownField] = []
    for field in declaredFields where field.owner == owner {
      guard let value = values.removeValue(forKey: field.name) else { continue }
      var texts = value.texts
      if field.kind == .person {
        for index in texts.indices { texts[index] = try shownPerson(texts[index]) }
      }
      shown.append(ShownField(label: field.label, values: texts))
    }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      shown.append(ShownField(label: name, values: value.texts))
    }
    return shown
  }

  /// Checks the columns that somebody wants to see.
  ///
  /// - Throws: `.usage` for a name that is neither a column nor a declared field.
  package func requireColumns(_ columns: [String]) throws(DirectoryError) {
    let known = PlainRowEncoder.columns + declaredFields.map(\.name)
    guard let unknown = columns.first(where: { !known.contains($0) }) else { return }
    var names: [String] = []
    for name in known where !names.contains(name) { names.append(name) }
    throw DirectoryError(
      .usage,
      "cannot show the column \"\(unknown)\": there is none of that name",
      advice: "the columns are \(names.joined(separator: ", "))"
    )
  }

  private func shownPerson(_ id: String) throws(SnapshotError) -> String {
    guard let name = try personName(id) else { return id }
    return "\(name) (\(id))"
  }

  /// The name of the person with an id; `nil` where there is nobody.
  ///
  /// - Throws: `SnapshotError.damaged`.
  package func personName(_ id: String) throws(SnapshotError) -> String? {
    guard let user = try snapshot.userIndex().row(of: id) else { return nil }
    return try users.names[user]
  }
}
