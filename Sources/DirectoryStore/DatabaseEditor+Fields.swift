import DirectoryModel
import LibPQ

extension DatabaseEditor {
  /// Declares a field, behind those of its owner that are there.
  ///
  /// - Parameter field: What to declare; its order is not looked at.
  /// - Throws: `.badData` for a name that is taken, reserved or malformed.
  package func addField(_ field: Field) async throws(DirectoryError) {
    let doing = "declare the field \(field.name)"
    try await writeAsOwner(doing) { (connection) throws(StoreFailure) in
      guard Field.isWellFormed(field.name) else {
        throw .refusal(
          .badData,
          "cannot \(doing): a field's name is a lower-case ASCII letter followed by such "
            + "letters, digits and underscores, 63 characters at most",
          advice: "give it another name; its label can be any text"
        )
      }
      let rows: Int
      do throws(StoreFailure) {
        rows = try connection.perform(
          """
          insert into staffbook.fields
              (of, name, kind, label, is_multiple, is_searched, visible, for_oneself, sort_order)
            select $1, $2, $3, $4, $5::boolean, $6::boolean, $7, $8::boolean,
                coalesce((select max(f.sort_order) from staffbook.fields f where f.of = $1), 0) + 1
              on conflict (of, name) do nothing
          """,
          [
            .text(field.owner.rawValue), .text(field.name), .text(field.kind.rawValue),
            .text(field.label), .text(field.isMultiple ? "true" : "false"),
            .text(field.isSearched ? "true" : "false"),
            .text(field.isVisible ? "everybody" : "nobody"),
            .text(field.isForOneself ? "true" : "false"),
          ]
        )
      } catch .postgres(.refused(let diagnostic)) {
        guard let reason = Self.refusal(diagnostic.constraint) else {
          throw .postgres(.refused(diagnostic))
        }
        throw .refusal(.badData, "cannot \(doing): \(reason.what)", advice: reason.advice)
      }
      guard rows == 1 else {
        throw .refusal(
          .badData,
          "cannot \(doing): \(field.owner.inWords) already have a field of this name",
          advice: "list the declared fields with: \(.listFields)"
        )
      }
    }
  }

  /// The declared fields, in order, each with the number of records that have values of it.
  ///
  /// - Complexity: O(records).
  package func declaredFields() async throws(DirectoryError) -> [(field: Field, valueCount: Int)] {
    try await look("list the declared fields") { (connection) throws(StoreFailure) in
      var counted: [(field: Field, valueCount: Int)] = []
      for field in try FieldQueries.read(&connection) {
        counted.append((field, try Self.count(field.name, of: field.owner, &connection)))
      }
      return counted
    }
  }

  /// Takes a declaration back, and its values with it.
  ///
  /// - Parameters:
  ///   - name: The field's.
  ///   - owner: Whose field it is.
  ///   - expected: How many records lose values; if meanwhile others do, nothing is removed.
  /// - Throws: `.notFound` where there is no such field, `.refusedForNow` for another number.
  package func removeField(
    _ name: String,
    of owner: RecordKind,
    expecting expected: Int
  ) async throws(DirectoryError) {
    let doing = "remove the field \(name)"
    try await writeAsOwner(doing) { (connection) throws(StoreFailure) in
      try connection.perform(
        "lock table staffbook.\(owner.plural) in share row exclusive mode"
      )
      let count = try Self.count(name, of: owner, &connection)
      guard count == expected else {
        throw .refusal(
          .refusedForNow,
          "cannot \(doing): in the meantime \(count) \(owner.inWords) have values of it",
          advice: "nothing was removed; try again"
        )
      }
      let rows = try connection.perform(
        "delete from staffbook.fields where of = $1 and name = $2",
        [.text(owner.rawValue), .text(name)]
      )
      guard rows == 1 else { throw .directory(.noField(name, of: owner)) }
    }
  }

  /// Says why a constraint of the table of declarations refuses one; `nil` for any other constraint.
  private static func refusal(
    _ constraint: String?
  ) -> (what: String, advice: Advice)? {
    switch constraint {
    case "fields_name_free":
      (
        "the name is that of a built-in field, or a word of the query language",
        "give it another name; its label can be any text"
      )
    case "fields_label_length":
      ("its label must have 1 to 100 characters", "give it another label with \(.label)")
    case "fields_label_visible":
      ("its label has no visible character", "give it another label with \(.label)")
    default: nil
    }
  }

  private static func count(
    _ name: String,
    of owner: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Int {
    try connection.query(
      "select count(*) from staffbook.\(owner.plural) where fields ? $1",
      [.text(name)]
    ).int(row: 0, column: 0) ?? 0
  }

  private func writeAsOwner(
    _ doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> Void
  ) async throws(DirectoryError) {
    try await write(doing) { (connection) throws(StoreFailure) in
      try connection.asOwner(doing, body)
    }
  }
}

extension RecordKind {
  /// The name of the table, which is also what people call several of them.
  package var plural: String { rawValue + "s" }
}

extension DirectoryError {
  package static func noField(_ name: String, of owner: RecordKind) -> DirectoryError {
    DirectoryError(
      .notFound,
      "\(owner.inWords) have no field \(name)",
      advice: "list the declared fields with: \(.listFields)"
    )
  }
}
