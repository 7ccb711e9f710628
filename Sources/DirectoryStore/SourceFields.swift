import DirectoryModel
import LibPQ

/// What the queries over a company's own tables tell beyond what they must: who leads, identities,
/// and declared fields, which are columns that the configuration names.
///
/// A column of an array type has several values. What else a declaration says comes from the
/// catalogue; nothing checks the values but their owner.
struct SourceFields: Sendable {
  private(set) var fields: [Field] = []
  /// Whether the query of memberships tells who leads.
  private(set) var hasLeads = false
  /// Whose queries tell the identities.
  private var ownersWithIdentity: Set<RecordKind> = []

  /// Asks the server which columns the queries have.
  init(_ queries: DirectoryQueries, _ connection: inout PGConnection) throws(StoreFailure) {
    let plain = RecordQueries(queries, .none)
    let ofMemberships = try Self.columns(queries.memberships, plain.memberships, &connection)
    hasLeads = ofMemberships.contains { $0.name == "leads" }
    let sources: [(RecordKind, [Column])] = [
      (.department, try Self.columns(queries.departments, plain.departments, &connection)),
      (.user, try Self.columns(queries.users, plain.users, &connection)),
    ]
    if queries.mayTellIdentities {
      for (owner, columns) in sources
      where columns.contains(where: { $0.name == RecordColumn.identity.name }) {
        ownersWithIdentity.insert(owner)
      }
    }
    for (place, name) in queries.fields.enumerated() {
      var isFound = false
      for (owner, columns) in sources {
        guard let column = columns.first(where: { $0.name == name }) else { continue }
        isFound = true
        var field = Field(usual: name, of: owner)
        field.isMultiple = column.isArray
        field.sortOrder = Int64(place)
        fields.append(field)
      }
      if !isFound { throw .directory(Self.unknown(name)) }
    }
    fields.sort(by: Field.precedes)
  }

  private init() {}

  static let none = SourceFields()

  /// SQL of the identity of a record; of the empty text where the query does not tell it.
  func identity(of owner: RecordKind) -> String {
    ownersWithIdentity.contains(owner) ? SourceValueSQL.identity : "''"
  }

  /// SQL of the column that holds the values of a record.
  func expression(of owner: RecordKind) -> String {
    let parts = fields.of(owner).map { field in
      // The names were found well-formed: they need no quotes, but for words of SQL.
      let value = "pg_catalog.to_jsonb(q.\"\(field.name)\")"
      guard field.isMultiple else {
        return "'\(field.name)', nullif(\(value) operator(pg_catalog.#>>) '{}', '')"
      }
      return """
        '\(field.name)', (select pg_catalog.jsonb_agg(v.value order by v.place)
          from pg_catalog.jsonb_array_elements_text(\(value)) with ordinality v(value, place)
          where v.value operator(pg_catalog.<>) '')
        """
    }
    guard !parts.isEmpty else { return "'{}'" }
    return "pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object("
      + parts.joined(separator: ", ") + "))"
  }

  private struct Column {
    var name: String
    var isArray: Bool
  }

  private static func columns(
    _ text: String,
    _ query: RecordQuery,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [Column] {
    let sql = "select * from (\n\(RecordQueries.trimmed(text))\n) q limit 0"
    let types: [(name: String, type: UInt32)]
    do throws(StoreFailure) {
      let result = try connection.query(sql)
      types = (0..<result.columnCount).map { (result.columnName($0), result.columnType($0)) }
    } catch {
      guard case .postgres(let reason) = error else { throw error }
      throw RecordLoader.failure(reason, query)
    }
    let arrays = try connection.query(
      """
      select oid from pg_catalog.pg_type where typcategory = 'A' and oid = any($1::int8[]::oid[])
      """,
      [.int64Array(types.map { Int64($0.type) })]
    )
    let found = Set((0..<arrays.rowCount).map { arrays.cell(0, row: $0) })
    return types.map { Column(name: $0.name, isArray: found.contains(String($0.type))) }
  }

  private static func unknown(_ name: String) -> DirectoryError {
    DirectoryError(
      .badData,
      "cannot load the directory: source.fields names \(name), which is not a column of "
        + "source.departments or source.users",
      advice: "return such a column from one of the queries, or remove the name"
    )
  }
}
