import DirectoryModel
import DirectorySnapshot

/// The values of all users or departments in the fields that plain words are looked for in.
struct SearchedValues {
  private let rows: TextColumn
  /// By name, whether its values are phone numbers.
  private let fields: [(name: [UInt8], isPhone: Bool)]

  /// `nil` where there are none.
  ///
  /// - Throws: `SnapshotError.damaged`.
  init?(_ owner: RecordKind, _ parts: SearchColumns) throws(SnapshotError) {
    fields = parts.searchedFields.filter { $0.owner == owner }
      .map { (Array($0.name.utf8), $0.kind == .phone) }
    rows = owner == .user ? parts.fields.ofUsers : parts.fields.ofDepartments
    if rows.isBlank || fields.isEmpty { return nil }
  }

  /// As `TextColumn.fetch(_:)`.
  func fetch(_ rows: [Int]) { self.rows.fetch(rows) }

  /// Calls `body` with each value of a row.
  ///
  /// - Throws: `SnapshotError.damaged`.
  func forEach(
    at row: Int,
    _ body: (_ value: UnsafeRawBufferPointer, _ isPhone: Bool) -> Void
  ) throws(SnapshotError) {
    try rows.withBytes(at: row) { text in
      var reader = FieldValuesReader(text)
      while reader.next() {
        guard let field = fields.first(where: { reader.isNamed($0.name) }) else { continue }
        reader.forEachValue { body($0, field.isPhone) }
      }
    }
  }
}
