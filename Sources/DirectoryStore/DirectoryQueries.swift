import DirectoryModel

/// Three queries over somebody's own tables that yield the records' columns by name.
///
/// Such a source is only read. Values may be of any type that casts to text, orders to bigint; a
/// description, email, phone, title or order may be null, and a department without a name goes by
/// its id.
package struct DirectoryQueries: Sendable, Equatable {
  /// Yields id, parent_id, name, description, sort_order; no parent makes a root.
  package var departments: String
  /// Yields id, department_id, name, email, phone; the department is the main one.
  package var users: String
  /// Yields user_id, department_id, title, sort_order, the main departments among them.
  package var memberships: String

  package init(departments: String, users: String, memberships: String) {
    self.departments = departments
    self.users = users
    self.memberships = memberships
  }
}

/// A statement that streams one table, and what to say when it is refused.
struct RecordQuery: Sendable {
  let sql: String
  /// The query's key in the configuration and the columns it must yield; `nil` for our own tables.
  var expectation: (key: String, columns: String)?
}

/// The three statements of a load.
struct RecordQueries: Sendable {
  let departments: RecordQuery
  let users: RecordQuery
  let memberships: RecordQuery

  private static let departmentColumns = "id, parent_id, name, description, sort_order"
  private static let userColumns = "id, primary_department_id, name, email, phone"
  private static let membershipColumns = "user_id, department_id, title, sort_order"

  /// Reads our own tables.
  static let tables = RecordQueries(
    departments: RecordQuery(
      sql: "copy staffbook.departments (\(departmentColumns)) to stdout"
    ),
    users: RecordQuery(sql: "copy staffbook.users (\(userColumns)) to stdout"),
    memberships: RecordQuery(
      sql: "copy staffbook.memberships (\(membershipColumns)) to stdout"
    )
  )

  /// Reads those rows of our own tables for which a condition holds.
  ///
  /// - Parameter condition: SQL of ours about the columns of `t`, by the table's kind.
  init(where condition: (RecordKind) -> String) {
    func query(_ kind: RecordKind, _ columns: String) -> RecordQuery {
      RecordQuery(
        sql: "copy (select \(columns) from staffbook.\(kind.rawValue)s t "
          + "where \(condition(kind))) to stdout"
      )
    }
    departments = query(.department, Self.departmentColumns)
    users = query(.user, Self.userColumns)
    memberships = query(.membership, Self.membershipColumns)
  }

  private init(departments: RecordQuery, users: RecordQuery, memberships: RecordQuery) {
    self.departments = departments
    self.users = users
    self.memberships = memberships
  }

  /// Reads somebody's tables; the queries are the configuration's, as trusted as the program.
  init(_ queries: DirectoryQueries) {
    departments = Self.query(
      "source.departments",
      queries.departments,
      yielding: "id, parent_id, name, description, sort_order",
      columns: """
        q.id::text, nullif(q.parent_id::text, ''), coalesce(nullif(q.name::text, ''), q.id::text),
        coalesce(q.description::text, ''), coalesce(q.sort_order, 0)::int8
        """
    )
    users = Self.query(
      "source.users",
      queries.users,
      yielding: "id, department_id, name, email, phone",
      columns: """
        q.id::text, coalesce(q.department_id::text, ''),
        coalesce(nullif(q.name::text, ''), q.id::text), coalesce(q.email::text, ''),
        coalesce(q.phone::text, '')
        """
    )
    memberships = Self.query(
      "source.memberships",
      queries.memberships,
      yielding: "user_id, department_id, title, sort_order",
      columns: """
        q.user_id::text, q.department_id::text, coalesce(q.title::text, ''),
        coalesce(q.sort_order, 0)::int8
        """
    )
  }

  private static func query(
    _ key: String,
    _ text: String,
    yielding names: String,
    columns: String
  ) -> RecordQuery {
    var text = text[...]
    while let last = text.last, last == ";" || last.isWhitespace { text = text.dropLast() }
    // On lines of their own: the query may end with a comment.
    return RecordQuery(
      sql: "copy (select \(columns) from (\n\(text)\n) q) to stdout",
      expectation: (key, names)
    )
  }
}
