import DirectoryModel
import LibPQ

/// Records as the database has them at one moment, complete: all values, declared fields and, of
/// people, all memberships.
package struct CurrentRecords: Sendable {
  package internal(set) var departments: [DepartmentID: Change.State] = [:]
  package internal(set) var users: [UserID: Change.State] = [:]

  package init() {}

  /// A department or a person; `nil` where it is not there.
  package func state(_ kind: RecordKind, _ id: String) -> Change.State? {
    kind == .department ? departments[DepartmentID(id)] : users[UserID(id)]
  }

  /// Gives the departments that records stand in their names.
  mutating func namePlaces(_ name: (DepartmentID) -> String) {
    for id in departments.keys { departments[id]?.namePlaces(name) }
    for id in users.keys { users[id]?.namePlaces(name) }
  }
}

extension Change.State {
  fileprivate mutating func namePlaces(_ name: (DepartmentID) -> String) {
    if let id = primary?.id { primary?.name = name(id) }
    for index in memberships.indices {
      memberships[index].place.name = name(memberships[index].place.id)
    }
  }
}

/// Reads records by their ids, in statements whose cost is that of what is asked for.
enum CurrentRecordQueries {
  static func read(
    departments: [DepartmentID],
    users: [UserID],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> CurrentRecords {
    var records = CurrentRecords()
    if !departments.isEmpty {
      try readDepartments(departments.map(\.rawValue), &records, &connection)
    }
    if !users.isEmpty {
      let ids = users.map(\.rawValue)
      try readUsers(ids, &records, &connection)
      try readMemberships(ids, &records, &connection)
    }
    return records
  }

  /// The departments and everything below them, those above before those below.
  ///
  /// - Complexity: What is below.
  static func departments(
    below roots: [DepartmentID],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [DepartmentID] {
    let found = try connection.query(
      """
      with recursive below(id, level) as (
        select d.id, 0 from staffbook.departments d where d.id = any($1)
        union
        select down.id, b.level + 1
          from below b cross join lateral (
            select d.id from staffbook.departments d where d.parent_id = b.id offset 0) down
      )
      select id from below group by id order by min(level), id
      """,
      [.textArray(roots.map(\.rawValue))]
    )
    return (0..<found.rowCount).map { DepartmentID(found.cell(0, row: $0)) }
  }

  /// Who is in any of the departments, each once.
  static func users(
    in departments: [DepartmentID],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> [UserID] {
    let found = try connection.query(
      "select distinct user_id from staffbook.memberships where department_id = any($1) order by 1",
      [.textArray(departments.map(\.rawValue))]
    )
    return (0..<found.rowCount).map { UserID(found.cell(0, row: $0)) }
  }

  /// Those ids that a department or a user has already.
  static func taken(
    _ ids: [String],
    by kind: RecordKind,
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> Set<ItemText> {
    let found = try connection.query(
      "select id from staffbook.\(kind.plural) where id = any($1)",
      [.textArray(ids)]
    )
    return Set((0..<found.rowCount).map { ItemText(found.cell(0, row: $0)) })
  }

  private static func readDepartments(
    _ ids: [String],
    _ records: inout CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let columns = RecordKind.department.valueColumns
    let found = try connection.query(
      """
      select d.id, d.parent_id, coalesce(p.name, d.parent_id), d.fields::text,
          \(list(columns, of: "d"))
        from staffbook.departments d left join staffbook.departments p on p.id = d.parent_id
        where d.id = any($1)
      """,
      [.textArray(ids)]
    )
    for row in 0..<found.rowCount {
      let state = state(found, row, columns)
      records.departments[DepartmentID(found.cell(0, row: row))] = state
    }
  }

  private static func readUsers(
    _ ids: [String],
    _ records: inout CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let columns = RecordKind.user.valueColumns
    let found = try connection.query(
      """
      select u.id, u.primary_department_id, coalesce(d.name, u.primary_department_id),
          u.fields::text, \(list(columns, of: "u"))
        from staffbook.users u
          left join staffbook.departments d on d.id = u.primary_department_id
        where u.id = any($1)
      """,
      [.textArray(ids)]
    )
    for row in 0..<found.rowCount {
      records.users[UserID(found.cell(0, row: row))] = state(found, row, columns)
    }
  }

  /// The primary membership first, then by department.
  private static func readMemberships(
    _ ids: [String],
    _ records: inout CurrentRecords,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let columns = RecordKind.membership.valueColumns
    let found = try connection.query(
      """
      select m.user_id, m.department_id, coalesce(d.name, m.department_id),
          \(list(columns, of: "m"))
        from staffbook.memberships m left join staffbook.departments d on d.id = m.department_id
        where m.user_id = any($1) order by m.user_id, m.department_id
      """,
      [.textArray(ids)]
    )
    for row in 0..<found.rowCount {
      let user = UserID(found.cell(0, row: row))
      let place = Change.Place(
        id: DepartmentID(found.cell(1, row: row)),
        name: found.cell(2, row: row)
      )
      let membership = Change.Membership(
        place: place,
        values: columns.indices.map { found.cell(3 + $0, row: row) }
      )
      guard let primary = records.users[user]?.primary else { continue }
      let index = place.id == primary.id ? 0 : records.users[user]?.memberships.endIndex
      records.users[user]?.memberships.insert(membership, at: index ?? 0)
    }
  }

  /// `boolean` as `true` or `false`, numbers in digits.
  private static func list(_ columns: [RecordColumn], of table: String) -> String {
    columns.map { "\(table).\($0.name)::text" }.joined(separator: ", ")
  }

  private static func state(
    _ found: borrowing PGResult,
    _ row: Int,
    _ columns: [RecordColumn]
  ) -> Change.State {
    let primary = found.text(row: row, column: 1).map { id in
      Change.Place(id: DepartmentID(id), name: found.cell(2, row: row))
    }
    let fields = found.cell(3, row: row)
    let values = columns.indices.map { found.cell(4 + $0, row: row) }
    return Change.State(
      name: values[0],
      values: values,
      fields: FieldValues(canonical: fields == "{}" ? "" : fields),
      primary: primary
    )
  }
}
