import DirectoryModel

/// Where the values of a declared field stand in a row.
struct FieldColumn: Sendable {
  let field: Field
  let position: Int

  /// The columns of a header that fields have, found by the field's name, else by its label, else
  /// by a usual heading of it; blanks may stand for underscores.
  ///
  /// - Parameters:
  ///   - fields: The fields that records of the file can have.
  ///   - names: The header's names, in small letters.
  ///   - taken: Positions of columns that are built in.
  /// - Returns: The columns that were found, in the order in which values are written.
  static func find(_ fields: [Field], in names: [String], taken: Set<Int>) -> [FieldColumn] {
    var found: [Int: FieldColumn] = [:]
    var taken = taken
    for known in [\Self.Names.own, \Self.Names.label, \Self.Names.headings] {
      // Departments and people may both have a field of a name: then one column holds both.
      var takenNow: Set<Int> = []
      for (index, field) in fields.enumerated() where found[index] == nil {
        let wanted = Names(field)[keyPath: known]
        let position = names.indices.first { !taken.contains($0) && wanted.contains(names[$0]) }
        guard let position else { continue }
        found[index] = FieldColumn(field: field, position: position)
        takenNow.insert(position)
      }
      taken.formUnion(takenNow)
    }
    return found.values.sorted { $0.field.isWritten(before: $1.field) }
  }

  /// What a column of a field may be called.
  private struct Names {
    let own: [String]
    let label: [String]
    let headings: [String]

    init(_ field: Field) {
      own = [field.name, field.name.replacing("_", with: " ")]
      let label = Array(field.label.utf8).withUnsafeBytes {
        CSVHeader<ListLayout.Column>.normalized($0)
      }
      self.label = [label]
      headings = field.known?.headings ?? []
    }
  }
}
