import DirectoryModel
import LibPQ

/// Records as the database has them at one moment, complete: all values, declared fields and, of
/// people, all memberships.
package struct CurrentRecords: Sendable {
  package internal(set) var departments: [DepartmentID: Change.State] = [:]
  package internal(set) var users: [UserID: Change.State] = [:]
  private(set) var identities: [RecordKey: RecordIdentity] = [:]

  package init() {}

  /// Who or what has an id; `nil` where it is not there.
  package func identity(_ key: RecordKey) -> RecordIdentity? { identities[key] }

  /// A department or a person; `nil` where it is not there.
  package func state(_ kind: RecordKind, _ id: String) -> Change.State? {
    kind == .department ? departments[DepartmentID(id)] : users[UserID(id)]
  }
}

extension CurrentRecords {
  /// Adds departments or people, or their memberships to people who are there: the primary one first.
  ///
  /// Columns: the two keys of the kind, the name of the department that the second one is, the
  /// declared fields, the identity, then the values.
  mutating func append(_ kind: RecordKind, _ found: borrowing PGResult) {
    for row in 0..<found.rowCount {
      let id = found.cell(0, row: row)
      let place = found.text(row: row, column: 1).map {
        Change.Place(id: DepartmentID($0), name: found.cell(2, row: row))
      }
      let values: [String?] = (5..<found.columnCount).map { found.cell($0, row: row) }
      let identity = found.text(row: row, column: 4).map { RecordIdentity($0) }
      if kind != .membership { identities[RecordKey(kind, id)] = identity }
      let fields = found.cell(3, row: row)
      let state = Change.State(
        name: values[0] ?? "",
        values: values,
        fields: FieldValues(canonical: fields == "{}" ? "" : fields),
        primary: place
      )
      switch kind {
      case .department: departments[DepartmentID(id)] = state
      case .user: users[UserID(id)] = state
      case .membership:
        if let place { append(Change.Membership(place: place, values: values), to: UserID(id)) }
      }
    }
  }

  private mutating func append(_ membership: Change.Membership, to user: UserID) {
    guard let primary = users[user]?.primary else { return }
    let index = membership.place.id == primary.id ? 0 : users[user]?.memberships.endIndex
    users[user]?.memberships.insert(membership, at: index ?? 0)
  }
}

/// Reads records by their ids, in statements whose cost is that of what is asked for.
enum CurrentRecordQueries {
  static func read(
    departments: [DepartmentID],
    users: [UserID],
    _ connection: inout PGConnection
  ) throws(StoreFailure) -> CurrentRecords {
    let users = users.map(\.rawValue)
    var records = CurrentRecords()
    for (kind, ids) in [
      (RecordKind.department, departments.map(\.rawValue)), (.user, users), (.membership, users),
    ] where !ids.isEmpty {
      // `boolean` is true or false as a text, and numbers are digits.
      let values = kind.valueColumns.map { "r.\($0.name)::text" }.joined(separator: ", ")
      let (key, place) = (kind.keys[0].name, kind.keys[1].name)
      let found = try connection.query(
        """
        select r.\(key), r.\(place), coalesce(d.name, r.\(place)),
            \(kind == .membership ? "null, null" : "r.fields::text, r.identity::text"), \(values)
          from staffbook.\(kind.plural) r left join staffbook.departments d on d.id = r.\(place)
          where r.\(key) = any($1) order by r.\(key), r.\(place)
        """,
        [.textArray(ids)]
      )
      records.append(kind, found)
    }
    return records
  }
}
