import DirectoryModel
import LibPQ

/// Reads which fields are declared.
enum FieldQueries {
  /// The declared fields, in order; a few rows, which every read fetches along with the records.
  ///
  /// The rows are those of the table, or of what stands for it.
  static func read(
    from source: String = "staffbook.fields",
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Field] {
    let rows = try connection.query(
      """
      select name, of, kind, label, is_multiple, is_searched, sort_order, visible, for_oneself
        from \(source)
      """
    )
    var fields: [Field] = []
    for row in 0..<rows.rowCount {
      guard let owner = RecordKind(rawValue: rows.cell(1, row: row)),
        let kind = FieldKind(rawValue: rows.cell(2, row: row))
      else {
        throw .postgres(
          .protocolViolation(reason: "a field of the kind \(rows.cell(2, row: row))")
        )
      }
      fields.append(
        Field(
          name: rows.cell(0, row: row),
          of: owner,
          kind: kind,
          label: rows.cell(3, row: row),
          isMultiple: rows.bool(row: row, column: 4) ?? false,
          isSearched: rows.bool(row: row, column: 5) ?? true,
          sortOrder: Int64(rows.cell(6, row: row)) ?? 0,
          isVisible: rows.cell(7, row: row) == "everybody",
          isForOneself: rows.bool(row: row, column: 8) ?? false
        )
      )
    }
    return fields.sorted(by: Field.precedes)
  }
}
