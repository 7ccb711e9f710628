import DirectoryModel
import LibPQ

/// The declared fields of a company's own tables: columns of their queries that the configuration
/// names.
///
/// A column of an array type has several values. What else a declaration says comes from the
/// catalogue; nothing checks the values but their owner.
struct SourceFields: Sendable {
  private(set) var fields: [Field] = []
  /// Whether the query of memberships tells who leads.
  private(set) var hasLeads = false

  /// Asks the server which columns the queries have.
  init(_ queries: DirectoryQueries, _ connection: inout PGConnection) throws(StoreFailure) {
    let memberships = RecordQueries(queries, .none).memberships
    let ofMemberships = try Self.columns(queries.memberships, memberships, &connection)
    hasLeads = ofMemberships.contains { $0.name == "leads" }
    guard !queries.fields.isEmpty else { return }
    let plain = RecordQueries(queries, .none)
    let sources: [(RecordKind, [Column])] = [
      (.department, try Self.columns(queries.departments, plain.departments, &connection)),
      (.user, try Self.columns(queries.users, plain.users, &connection)),
    ]
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
