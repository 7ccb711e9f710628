import DirectoryModel
import LibPQ

/// Declares fields, and takes declarations back.
///
/// Each step is one transaction; what the values of a field are is the schema's to check.
package struct FieldEditor: Sendable {
  private let conninfo: String
  private let access: DatabaseAccess
  /// Who declares, for the history.
  private let authorship: Authorship

  package init(
    conninfo: String,
    authorship: Authorship = Authorship(),
    access: DatabaseAccess = DatabaseAccess()
  ) {
    self.conninfo = conninfo
    self.access = access
    self.authorship = authorship
  }

  /// Declares a field, behind those of its owner that are there.
  ///
  /// - Parameter field: What to declare; its order is not looked at.
  /// - Throws: `.badData` for a name that is taken, reserved or malformed.
  package func add(_ field: Field) async throws(DirectoryError) {
    let doing = "declare the field \(field.name)"
    try await write(doing) { (connection) throws(StoreFailure) in
      guard Field.isWellFormed(field.name) else {
        throw .directory(
          DirectoryError(
            .badData,
            "cannot \(doing): a field's name is a lower-case ASCII letter followed by such "
              + "letters, digits and underscores, 63 characters at most",
            advice: "give it another name; its label can be any text"
          )
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
        throw .directory(
          DirectoryError(.badData, "cannot \(doing): \(reason.what)", advice: reason.advice)
        )
      }
      guard rows == 1 else {
        throw .directory(
          DirectoryError(
            .badData,
            "cannot \(doing): \(field.owner.inWords) already have a field of this name",
            advice: "list the declared fields with: \(.listFields)"
          )
        )
      }
    }
  }

  /// The declared fields, in order, each with the number of records that have values of it.
  ///
  /// - Complexity: O(records).
  package func list() async throws(DirectoryError) -> [(field: Field, valueCount: Int)] {
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: Self.listing,
      access: access
    )
    return try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: .reading, doing: Self.listing)
      var counted: [(field: Field, valueCount: Int)] = []
      for field in try FieldQueries.read(&connection) {
        counted.append((field, try Self.count(field.name, of: field.owner, &connection)))
      }
      return counted
    }
  }

  /// How many records have values of a field; `nil` where it is not declared.
  package func valueCount(
    of name: String,
    of owner: RecordKind
  ) async throws(DirectoryError) -> Int? {
    try await list().first { $0.field.name == name && $0.field.owner == owner }?.valueCount
  }

  /// Takes a declaration back, and its values with it.
  ///
  /// - Parameters:
  ///   - name: The field's.
  ///   - owner: Whose field it is.
  ///   - expected: How many records lose values; if meanwhile others do, nothing is removed.
  /// - Throws: `.notFound` where there is no such field, `.refusedForNow` for another number.
  package func remove(
    _ name: String,
    of owner: RecordKind,
    expecting expected: Int
  ) async throws(DirectoryError) {
    let doing = "remove the field \(name)"
    try await write(doing) { (connection) throws(StoreFailure) in
      try connection.perform(
        "lock table staffbook.\(owner.plural) in share row exclusive mode"
      )
      let count = try Self.count(name, of: owner, &connection)
      guard count == expected else {
        throw .directory(
          DirectoryError(
            .refusedForNow,
            "cannot \(doing): meanwhile \(count) \(owner.inWords) have values of it",
            advice: "nothing was removed; try again"
          )
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

  private static let listing = "list the declared fields"

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

  private func write(
    _ doing: String,
    _ body: @escaping @Sendable (inout PGConnection) throws(StoreFailure) -> Void
  ) async throws(DirectoryError) {
    try await WriteTransaction.run(conninfo, access, by: authorship, doing: doing) {
      (connection) throws(StoreFailure) in
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
