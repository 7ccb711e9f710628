import DirectoryModel

extension ContactField {
  /// The columns of contact fields in SQL, with something before the name of each, such as `u.`.
  static func columns(_ prefix: String = "") -> String { list { prefix + $0.key } }

  /// Something for each contact field, parted by commas.
  static func list(_ item: (ContactField) -> String) -> String {
    allCases.map(item).joined(separator: ", ")
  }
}
