import DirectoryModel

extension Change.State {
  /// In place of a state that was erased.
  static let forgottenJournalText = "{}"

  /// The state as one JSON object, as `FieldValues` writes it: values by the names of their columns and
  /// fields; a place as `"@place": [id, name]`; memberships as such objects, each in a string, in
  /// `"@memberships"`.
  ///
  ///     {"name": "Bo Ek", "email": "bo@lumen.example", "@place": ["opt", "Optics"], …}
  ///
  /// The journal outlives programs: a column that another version has or has not is found by its name,
  /// and no field's name begins with `@`.
  func journalText(of kind: RecordKind) -> String {
    if isForgotten { return Self.forgottenJournalText }
    var values = fields.values ?? [:]
    values.add(self.values, of: kind, primary)
    if !memberships.isEmpty {
      let texts = memberships.map { membership in
        var values: [String: FieldValues.Value] = [:]
        values.add(membership.values, of: .membership, membership.place)
        return FieldValues(values).text
      }
      values["@memberships"] = .several(texts)
    }
    return FieldValues(values).text
  }

  /// Reads what `journalText` wrote; `nil` for anything else.
  init?(journalText text: String, of kind: RecordKind) {
    guard text != Self.forgottenJournalText else {
      self = .forgotten(kind)
      return
    }
    guard var values = FieldValues(canonical: text).values else { return nil }
    let texts = values.removeValue(forKey: "@memberships")?.texts ?? []
    self.init(name: "")
    primary = values.takePlace()
    self.values = values.takeValues(of: kind)
    name = self.values.first.flatMap { $0 } ?? ""
    fields = FieldValues(values)
    for text in texts {
      guard var values = FieldValues(canonical: text).values, let place = values.takePlace() else {
        return nil
      }
      memberships.append(
        Change.Membership(place: place, values: values.takeValues(of: .membership))
      )
    }
  }
}

extension [String: FieldValues.Value] {
  fileprivate mutating func add(
    _ values: [String?],
    of kind: RecordKind,
    _ place: Change.Place?
  ) {
    for (column, value) in zip(kind.valueColumns, values) {
      if let value { self[column.name] = .one(value) }
    }
    if let place { self["@place"] = .several([place.id.rawValue, place.name]) }
  }

  fileprivate mutating func takeValues(of kind: RecordKind) -> [String?] {
    kind.valueColumns.map { removeValue(forKey: $0.name)?.texts.first }
  }

  fileprivate mutating func takePlace() -> Change.Place? {
    guard let texts = removeValue(forKey: "@place")?.texts, texts.count == 2 else { return nil }
    return Change.Place(id: DepartmentID(texts[0]), name: texts[1])
  }
}
