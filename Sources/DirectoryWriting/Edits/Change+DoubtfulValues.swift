import DirectoryModel

extension Change {
  /// Values that it sets and that are likely mistakes, as `doctor` and imports find them.
  ///
  /// - Parameter declared: The declared fields.
  /// - Returns: A sentence for each.
  func doubtfulValues(_ declared: [Field]) -> [String] {
    guard let after else { return [] }
    let (old, new) = (before?.items(of: kind) ?? [:], after.items(of: kind))
    var found: [String] = []
    func look(_ item: Item, _ field: Field, _ texts: [String]) {
      guard new[item] != old[item] else { return }
      for text in texts where !text.isEmpty && !field.kind.isLikely(Array(text.utf8)) {
        found.append("the \(field.name) \"\(text)\" of \(after.name) \(field.kind.reasonForDoubt)")
      }
    }
    for field in Field.contacts {
      guard let column = kind.valueColumns.first(where: { $0.name == field.name }),
        let text = new[.value(column)]?.text
      else { continue }
      look(.value(column), field, [text])
    }
    for field in declared.of(kind) {
      look(.field(field.name), field, after.fields.values?[field.name]?.texts ?? [])
    }
    return found
  }
}

extension FieldKind {
  fileprivate var reasonForDoubt: String {
    switch self {
    case .email: "is not an email address"
    case .phone: "is not a phone number"
    case .date: "is before 1950 or in another century"
    case .text, .url, .person: "is not a valid value"
    }
  }
}
