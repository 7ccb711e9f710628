import CopyFormat
import DirectoryModel

/// Three queries over a company's own tables that yield the records' columns by name.
///
/// Such a source is only read. Values may be of any type that casts to text.
/// Whatever they are, they stop no sync: `SourceValueSQL` makes them fit.
package struct DirectoryQueries: Sendable, Equatable {
  /// Yields id, parent_id, name, description, sort_order, and identity where the tables tell it; no
  /// parent makes a root.
  package var departments: String
  /// Yields id, department_id, name, contact fields, and identity where the tables tell it; the
  /// department is the primary one.
  package var users: String
  /// Yields user_id, department_id, title, sort_order, the primary departments among them, and
  /// leads where the tables tell it.
  package var memberships: String
  /// Columns of departments and users that are declared fields, by name.
  package var fields: [String]
  /// Who may see whom.
  package var visibility = VisibilityRules()

  package init(departments: String, users: String, memberships: String, fields: [String] = []) {
    self.departments = departments
    self.users = users
    self.memberships = memberships
    self.fields = fields
  }

  /// Whether a column `identity` tells what records are known by; where `fields` names it, it is a
  /// field.
  var mayTellIdentities: Bool { !fields.contains(RecordColumn.identity.name) }
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

  /// Reads our own tables.
  static let tables = RecordQueries(each: { kind in
    RecordQuery(sql: "copy staffbook.\(kind.rawValue)s (\(columns(of: kind))) to stdout")
  })

  /// Reads those rows of our own tables for which a condition holds.
  ///
  /// - Parameter condition: SQL of ours about the columns of `t`, by the table's kind.
  init(where condition: (RecordKind) -> String) {
    self.init(each: { kind in
      RecordQuery(
        sql: "copy (select \(Self.columns(of: kind)) from staffbook.\(kind.rawValue)s t "
          + "where \(condition(kind))) to stdout"
      )
    })
  }

  /// Reads each kind by a statement of its own, which yields `RecordKind.columns`.
  init(each query: (RecordKind) -> RecordQuery) {
    departments = query(.department)
    users = query(.user)
    memberships = query(.membership)
  }

  private static func columns(of kind: RecordKind) -> String {
    kind.columns.map(\.name).joined(separator: ", ")
  }

  /// Reads a company's tables; the queries are the configuration's, as trusted as the program.
  ///
  /// What they select is `RecordKind.columns`, in that order.
  init(_ queries: DirectoryQueries, _ own: SourceFields) {
    departments = Self.query(
      "source.departments",
      queries.departments,
      yielding: Self.departmentColumns,
      columns: """
        \(SourceValueSQL.id), \(SourceValueSQL.reference("q.parent_id")), \(SourceValueSQL.name),
        \(SourceValueSQL.text("q.description", DirectoryLimits.descriptionScalars)),
        \(own.identity(of: .department)), \(own.expression(of: .department)),
        \(SourceValueSQL.order)
        """
    )
    users = Self.query(
      "source.users",
      queries.users,
      yielding: Self.userColumns,
      columns: """
        \(SourceValueSQL.id), coalesce(\(SourceValueSQL.reference("q.department_id")), ''), \(SourceValueSQL.name),
        \(Field.list { SourceValueSQL.text("q.\($0.name)", DirectoryLimits.contactScalars) }),
        \(own.identity(of: .user)), \(own.expression(of: .user))
        """
    )
    memberships = Self.query(
      "source.memberships",
      queries.memberships,
      yielding: Self.membershipColumns,
      columns: """
        \(SourceValueSQL.reference("q.user_id")), \(SourceValueSQL.reference("q.department_id")),
        \(SourceValueSQL.text("q.title", DirectoryLimits.titleScalars)), \(SourceValueSQL.order),
        \(own.hasLeads ? SourceValueSQL.leads : "false")
        """,
      where: "not (\(Self.namesNothing))"
    )
  }

  /// What the queries must yield.
  static let departmentColumns = "id, parent_id, name, description, sort_order"
  static let userColumns = "id, department_id, name, \(Field.columns())"
  static let membershipColumns = "user_id, department_id, title, sort_order"

  /// Whether a membership lacks whom or what it is about.
  static let namesNothing =
    "coalesce(q.user_id::text, '') = '' or coalesce(q.department_id::text, '') = ''"

  private static func query(
    _ key: String,
    _ text: String,
    yielding names: String,
    columns: String,
    where condition: String = "true"
  ) -> RecordQuery {
    // On lines of their own: the query may end with a comment.
    return RecordQuery(
      sql: "copy (select \(columns) from (\n\(trimmed(text))\n) q "
        + "where \(condition)) to stdout",
      expectation: (key, names)
    )
  }

  /// A query without what ends it.
  static func trimmed(_ text: String) -> Substring {
    var text = text[...]
    while let last = text.last, last == ";" || last.isWhitespace { text = text.dropLast() }
    return text
  }
}
