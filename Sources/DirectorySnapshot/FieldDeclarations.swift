import DirectoryModel

/// The declared fields as a snapshot stores them: a column of text with a row for each property.
///
///     name, owner, kind, label, isMultiple (1 or 0), isSearched (1 or 0), sortOrder,
///     isVisible (1 or 0), isForOneself (1 or 0), name, …
enum FieldDeclarations {
  private static let properties = 9

  static func encode(_ fields: [Field]) -> [String] {
    fields.flatMap { field in
      [
        field.name, field.owner.rawValue, field.kind.rawValue, field.label,
        field.isMultiple ? "1" : "0", field.isSearched ? "1" : "0", String(field.sortOrder),
        field.isVisible ? "1" : "0", field.isForOneself ? "1" : "0",
      ]
    }
  }

  /// - Throws: `SnapshotError.damaged` for what `encode(_:)` never makes.
  /// - Complexity: O(declarations).
  static func read(_ file: SnapshotFile) throws(SnapshotError) -> [Field] {
    let text = try file.text(.fieldsText, ends: .fieldsEnds)
    var fields: [Field] = []
    guard text.count.isMultiple(of: properties) else { throw file.damaged(.fieldsEnds) }
    for row in stride(from: 0, to: text.count, by: properties) {
      guard let owner = RecordKind(rawValue: try text[row + 1]),
        let kind = FieldKind(rawValue: try text[row + 2]),
        let sortOrder = Int64(try text[row + 6])
      else { throw file.damaged(.fieldsText) }
      fields.append(
        Field(
          name: try text[row],
          of: owner,
          kind: kind,
          label: try text[row + 3],
          isMultiple: try text[row + 4] == "1",
          isSearched: try text[row + 5] == "1",
          sortOrder: sortOrder,
          isVisible: try text[row + 7] == "1",
          isForOneself: try text[row + 8] == "1"
        )
      )
    }
    return fields
  }
}
