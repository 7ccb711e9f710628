import DirectoryModel
import LibPQ

/// Rows of a company's own tables that records cannot have as they are.
package struct SourceRowProblem: Equatable, Sendable {
  /// The query's key in the configuration: `source.users`.
  package var query: String
  /// What is wrong: `without an id`.
  package var reason: String
  /// How many rows.
  package var count: Int
  /// What some of them are called, at most `SourceRowProblem.namedCount`.
  package var names: [String]

  package static let namedCount = 5
}

extension DirectoryRepository {
  /// Looks for rows of a company's own tables that a sync leaves out or changes.
  ///
  /// - Returns: What is wrong, by query and reason; `nil` where the source is our own tables.
  /// - Throws: What keeps the tables from being read.
  /// - Complexity: Linear in the rows, which the server reads.
  package func inspectOwnTables() async throws(DirectoryError) -> [SourceRowProblem]? {
    guard let queries else { return nil }
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: "look at the source's tables",
      access: access
    )
    return try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.look, meansOwnTables: true) {
        (connection) throws(StoreFailure) in
        var faults: [SourceRowProblem] = []
        for inspection in Inspection.all(queries) {
          faults += try inspection.faults(&connection)
        }
        return faults
      }
    }
  }
}

/// What to look for in one of the queries.
private struct Inspection {
  let key: String
  let query: String
  /// SQL for what a row is called.
  let name: String
  /// What it must yield.
  let columns: String
  /// Reasons and their conditions.
  let conditions: [(reason: String, isTrue: String)]

  static func all(_ queries: DirectoryQueries) -> [Inspection] {
    let called = "coalesce(nullif(q.name::text, ''), q.id::text, '')"
    return [
      Inspection(
        key: "source.departments",
        query: counted(queries.departments),
        name: called,
        columns: RecordQueries.departmentColumns,
        conditions: identity(queries) + [
          tooLong("description", DirectoryLimits.descriptionScalars), outOfRange,
        ]
      ),
      Inspection(
        key: "source.users",
        query: counted(queries.users),
        name: called,
        columns: RecordQueries.userColumns,
        conditions: identity(queries)
          + Field.contacts.map { tooLong($0.name, DirectoryLimits.contactScalars) }
      ),
      Inspection(
        key: "source.memberships",
        query: """
          select m.*, count(*) over (partition by m.user_id, m.department_id) as copies_of_it from (
          \(RecordQueries.trimmed(queries.memberships))
          ) m
          """,
        name: "coalesce(q.user_id::text, '') || ' in ' || coalesce(q.department_id::text, '')",
        columns: RecordQueries.membershipColumns,
        conditions: [
          ("without a user_id or department_id, which are left out", RecordQueries.namesNothing),
          (
            "with the user_id and department_id of another one, each of which is shown",
            "q.copies_of_it > 1 and not (\(RecordQueries.namesNothing))"
          ),
          tooLong("title", DirectoryLimits.titleScalars), outOfRange,
          // Not every query has the column.
          (
            "whose leads is neither true nor false, and is treated as false",
            SourceValueSQL.tellsNothing("(to_jsonb(q) ->> 'leads')")
          ),
        ]
      ),
    ]
  }

  /// What tells departments and people apart.
  private static func identity(_ queries: DirectoryQueries) -> [(String, String)] {
    ids + (queries.mayTellIdentities ? [repeatedIdentity] : [])
  }

  private static let ids = [
    ("without an id", "coalesce(q.id::text, '') = ''"),
    (
      "whose id has more than \(DirectoryLimits.idBytes) bytes, and is replaced by its digest",
      "octet_length(q.id::text) > \(DirectoryLimits.idBytes)"
    ),
    ("without a name, shown by their id", "not \(SourceValueSQL.isVisible("q.name::text"))"),
    tooLong("name", DirectoryLimits.nameScalars),
  ]

  /// A query of departments or users, with how many rows have the identity of each.
  private static func counted(_ query: String) -> String {
    """
    select m.*, count(*) over (partition by to_jsonb(m) ->> 'identity') as copies_of_it from (
    \(RecordQueries.trimmed(query))
    ) m
    """
  }

  // Not every query has the column.
  private static let repeatedIdentity = (
    "with the identity of another one, by which they cannot be told apart",
    "q.copies_of_it > 1 and coalesce(to_jsonb(q) ->> 'identity', '') <> ''"
  )

  private static func tooLong(_ column: String, _ limit: Int) -> (String, String) {
    (
      "whose \(column) is cut to \(limit) characters", "char_length(q.\(column)::text) > \(limit)"
    )
  }

  private static let outOfRange = (
    "whose sort_order is not a 64-bit integer",
    """
    coalesce(q.sort_order::text, '') <> '' and case when \(SourceValueSQL.isNumber)
      then q.sort_order::text::numeric <> (\(SourceValueSQL.order))::numeric else true end
    """
  )

  func faults(_ connection: inout PGConnection) throws(StoreFailure) -> [SourceRowProblem] {
    let list = conditions.enumerated().map { "(\($0), \($1.isTrue))" }.joined(separator: ", ")
    let statement = """
      select place, total, name from (
        select c.place, left(\(name), 100) as name, count(*) over (partition by c.place) as total,
            row_number() over (partition by c.place order by \(name)) as number
          from (
        \(RecordQueries.trimmed(query))
          ) q cross join lateral (values \(list)) c(place, is_true)
          where c.is_true) found
        where number <= \(SourceRowProblem.namedCount) order by place, number
      """
    let rows: PGResult
    do throws(StoreFailure) {
      rows = try connection.query(statement)
    } catch {
      guard case .postgres(let cause) = error,
        let refusal = DirectoryError(
          ofOwnQuery: key,
          yielding: columns,
          cause,
          "cannot look at the source's tables"
        )
      else { throw error }
      throw .directory(refusal)
    }
    var faults: [SourceRowProblem] = []
    for row in 0..<rows.rowCount {
      let reason = conditions[rows.int(row: row, column: 0) ?? 0].reason
      if faults.last?.reason != reason {
        let count = rows.int(row: row, column: 1) ?? 0
        faults.append(SourceRowProblem(query: key, reason: reason, count: count, names: []))
      }
      faults[faults.count - 1].names.append(rows.cell(2, row: row))
    }
    return faults
  }
}
