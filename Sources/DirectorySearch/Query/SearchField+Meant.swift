import DirectoryModel

extension SearchField {
  /// Other names that people know the fields by.
  private static let otherNames = namesOfContacts.merging([
    "telefon": .phone, "mobile": .phone, "cell": .phone,
    "fullname": .name, "firstname": .name, "lastname": .name, "surname": .name,
    "givenname": .name, "familyname": .name,
    "job": .title, "jobtitle": .title, "role": .title, "position": .title,
    "departments": .department, "uid": .id, "userid": .id,
  ]) { _, own in own }

  /// Headings of their columns, where a hyphen may stand for a blank, and schemes of their links.
  private static var namesOfContacts: [String: SearchField] {
    var names: [String: SearchField] = [:]
    for field in Field.contacts {
      let scheme = (field.kind.scheme ?? "").filter { $0 != ":" }
      for name in (field.known?.headings.map(String.init) ?? []) + ["\(field.name)s", scheme] {
        names[name.replacing(" ", with: "-")] = .field(field)
      }
    }
    return names
  }

  /// The field that was meant by what is not a field's name: another word for it, or its name
  /// with one typing error behind the first letter.
  ///
  /// Anything else before a colon is part of a word: `https://…`, `urn:x`, `C:`.
  init?(meantBy folded: String) {
    if let field = Self.otherNames[folded] {
      self = field
      return
    }
    let names = Self.allCases.map { ($0.rawValue, $0) } + [("department", .department)]
    let errors = TypingErrors(Array(folded.utf8), limit: 1)
    let meant = names.first { name, _ in
      name.utf8.count > 3 && name.utf8.first == folded.utf8.first
        && Array(name.utf8).withUnsafeBufferPointer { errors.count(to: $0) } != nil
    }
    guard let meant else { return nil }
    self = meant.1
  }
}
