import LibPQ

/// The tables as text, row for row, for comparing.
package struct DirectoryRows: Equatable, Sendable {
  /// of, name, kind, label, is_multiple, is_searched, sort_order; sorted.
  package var fields: [[String]]
  /// id, parent_id, name, description, sort_order, fields; sorted.
  package var departments: [[String]]
  /// id, primary_department_id, name, email, phone, fields; sorted.
  package var users: [[String]]
  /// user_id, department_id, title, sort_order, leads; sorted.
  package var memberships: [[String]]
  /// kind, id, identity; sorted.
  package var identities: [[String]]

  package init(
    fields: [[String]],
    departments: [[String]],
    users: [[String]],
    memberships: [[String]],
    identities: [[String]]
  ) {
    self.fields = fields.sorted(by: Self.precedes)
    self.departments = departments.sorted(by: Self.precedes)
    self.users = users.sorted(by: Self.precedes)
    self.memberships = memberships.sorted(by: Self.precedes)
    self.identities = identities.sorted(by: Self.precedes)
  }

  /// Reads them as the connection sees them.
  package init(_ connection: inout PGConnection) throws(PostgresError) {
    try self.init(
      fields: Self.rows(
        &connection,
        "select of, name, kind, label, is_multiple::text, is_searched::text, sort_order "
          + "from staffbook.fields"
      ),
      departments: Self.rows(
        &connection,
        "select id, coalesce(parent_id, ''), name, description, sort_order, "
          + "nullif(fields, '{}')::text from staffbook.departments"
      ),
      users: Self.rows(
        &connection,
        "select id, primary_department_id, name, email, phone, nullif(fields, '{}')::text "
          + "from staffbook.users"
      ),
      memberships: Self.rows(
        &connection,
        "select user_id, department_id, title, sort_order, leads::text from staffbook.memberships"
      ),
      identities: Self.rows(
        &connection,
        "select 'department', id, identity::text from staffbook.departments "
          + "union all select 'user', id, identity::text from staffbook.users"
      )
    )
  }

  package var count: Int { departments.count + users.count + memberships.count }

  /// What differs, at most some rows of it; `nil` when nothing does.
  package func difference(from truth: DirectoryRows) -> String? {
    guard self != truth else { return nil }
    return [
      Self.difference("fields", fields, truth.fields),
      Self.difference("departments", departments, truth.departments),
      Self.difference("users", users, truth.users),
      Self.difference("memberships", memberships, truth.memberships),
      Self.difference("identities", identities, truth.identities),
    ].compactMap { $0 }.joined(separator: "; ")
  }

  private static func difference(_ name: String, _ have: [[String]], _ want: [[String]]) -> String?
  {
    guard have != want else { return nil }
    let extra = Set(have).subtracting(want).prefix(3)
    let missing = Set(want).subtracting(have).prefix(3)
    return "\(name): \(have.count) rows, not \(want.count); wrong \(extra); missing \(missing)"
  }

  private static func rows(
    _ connection: inout PGConnection,
    _ sql: String
  ) throws(PostgresError) -> [[String]] {
    let result = try connection.execute(sql)
    return (0..<result.rowCount).map { row in
      (0..<result.columnCount).map { result.text(row: row, column: $0) ?? "" }
    }
  }

  private static func precedes(_ left: [String], _ right: [String]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }
}
