import DirectoryModel

extension Field {
  /// The columns of contact fields in SQL, with something before the name of each, such as `u.`.
  package static func columns(_ prefix: String = "") -> String { list { prefix + $0.name } }

  /// Something for each contact field, parted by commas.
  package static func list(_ item: (Field) -> String) -> String {
    contacts.map(item).joined(separator: ", ")
  }
}
