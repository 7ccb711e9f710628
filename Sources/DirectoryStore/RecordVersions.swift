import DirectoryModel
import LibPQ

/// Departments and people as they were at some times, and as they are.
///
/// A change keeps what a row was before it, and the row was so until then: at a time a row was what the
/// first later change keeps, or what it is now. All is read at once, however many times are asked for, and
/// of each row no more than one version for each time.
struct RecordVersions {
  /// What a row was until a change.
  private struct Version<Value> {
    /// When the change was made, in microseconds since 1970, UTC; `.max` for the row as it is.
    var end: Int64
    /// `nil` where the row was not there.
    var value: Value?
  }

  /// The rows of one key, in the order of time.
  private struct Versions<Value> {
    var all: [Version<Value>] = []

    /// - Complexity: O(log of their number).
    subscript(time: Int64) -> Value? {
      var (low, high) = (0, all.count)
      while low < high {
        let middle = (low + high) / 2
        if all[middle].end > time { high = middle } else { low = middle + 1 }
      }
      return low < all.count ? all[low].value : nil
    }
  }

  private struct Member {
    var place: DepartmentID
    var versions = Versions<Row>()
  }

  private struct Row {
    /// The department above, or the primary one; `nil` for none.
    var place: DepartmentID?
    var fields: FieldValues
    var identity: RecordIdentity?
    /// `nil` where they were erased.
    var values: [String?]
    var isForgotten: Bool
  }

  /// So many records are looked up one by one.
  private static let few = 5_000

  private var departments: [DepartmentID: Versions<Row>] = [:]
  private var users: [UserID: Versions<Row>] = [:]
  /// Of each person by department.
  private var memberships: [UserID: [Member]] = [:]
  private let isNaming: Bool

  /// Reads what records were.
  ///
  /// - Parameters:
  ///   - touched: The records.
  ///   - times: When; microseconds since 1970, UTC.
  ///   - isNaming: Whether departments are named that records stand in.
  ///   - connection: In a transaction that sees one state.
  /// - Throws: What the database says.
  /// - Complexity: O(records, and their changes since the first of the times); memory for each record and
  ///   time.
  init(
    of touched: HistoryQueries.ChangedRecords,
    at times: some Sequence<Int64>,
    isNaming: Bool = true,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    self.isNaming = isNaming
    let times = Set(times).sorted()
    // What is known of large transactions would have the planner read all of them.
    let isFew = touched.departments.count + touched.users.count <= Self.few
    if isFew { try HistoryQueries.goByIndexes(&connection) }
    try read(.department, Set(touched.departments.map(\.rawValue)), times, &connection)
    let users = Set(touched.users.map(\.rawValue))
    for kind in [RecordKind.user, .membership] { try read(kind, users, times, &connection) }
    if isNaming {
      let named = places.filter { departments[$0] == nil }.map(\.rawValue)
      try read(.department, Set(named), times, &connection)
    }
  }

  /// Departments that records stand in.
  private var places: Set<DepartmentID> {
    var places = Set(memberships.values.joined().map(\.place))
    for versions in [Array(departments.values), Array(users.values)].joined() {
      for version in versions.all { version.value?.place.map { _ = places.insert($0) } }
    }
    return places
  }

  private mutating func read(
    _ kind: RecordKind,
    _ ids: Set<String>,
    _ times: [Int64],
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard !ids.isEmpty else { return }
    let key = kind.keys[0].name
    let key2 = kind == .membership ? "r.\(kind.keys[1].name)" : "''"
    let place = kind == .membership ? "key2" : "kept ->> '\(kind.keys[1].name)'"
    let values = kind.valueColumns.map { "kept ->> '\($0.name)'" }.joined(separator: ", ")
    let identity = kind == .membership ? "null::uuid" : "r.identity"
    let found = try connection.query(
      """
      select key1, until, kept is not null, \(place), kept ->> 'fields', identity, \(values) from (
        (select distinct on (c.key1, c.key2, span.number) c.key1, c.key2,
            \(HistoryQueries.microseconds("t.at")), c.place, c.before, c.identity
          from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            cross join lateral (select width_bucket(t.at, (
              select array_agg(\(HistoryQueries.time("asked.at + 1")) order by asked.at)
                from unnest($2::int8[]) asked(at)))) span(number)
          where c.kind = '\(kind.rawValue)' and c.key1 = any($1) and span.number > 0
            and t.at > \(HistoryQueries.time("($2::int8[])[1]"))
          order by c.key1, c.key2, span.number, c.place)
        union all
        select r.\(key), \(key2), \(Int64.max), \(Int64.max), to_jsonb(r), \(identity)
          from staffbook.\(kind.plural) r where r.\(key) = any($1)
      ) versions(key1, key2, until, place, kept, identity)
        order by key1, key2 collate "C", place
      """,
      [.textArray(ids.sorted()), .int64Array(times)]
    )
    for row in 0..<found.rowCount {
      var version = Version<Row>(end: Int64(found.cell(1, row: row)) ?? 0)
      let place = found.text(row: row, column: 3).map { DepartmentID($0) }
      if found.bool(row: row, column: 2) == true {
        let fields = found.cell(4, row: row)
        let isForgotten = found.text(row: row, column: 6) == nil
        version.value = Row(
          place: place,
          fields: FieldValues(canonical: fields == "{}" ? "" : fields),
          identity: found.text(row: row, column: 5).map { RecordIdentity($0) },
          values: (6..<found.columnCount).map { isForgotten ? nil : found.cell($0, row: row) },
          isForgotten: isForgotten
        )
      }
      let id = found.cell(0, row: row)
      switch kind {
      case .department: departments[DepartmentID(id), default: Versions()].all.append(version)
      case .user: users[UserID(id), default: Versions()].all.append(version)
      case .membership:
        guard let place else { continue }
        var members = memberships[UserID(id)] ?? []
        if members.last?.place != place { members.append(Member(place: place)) }
        members[members.count - 1].versions.all.append(version)
        memberships[UserID(id)] = members
      }
    }
  }

  /// A department or a person, complete, at a time; `nil` where it was not there.
  ///
  /// A department that was not there then goes by its id.
  func state(of key: RecordKey, at time: Int64) -> Change.State? {
    guard key.kind == .user else {
      return departments[DepartmentID(key.id)]?[time].map { whole($0, time) }
    }
    let user = UserID(key.id)
    guard let row = users[user]?[time] else { return nil }
    var state = whole(row, time)
    for member in memberships[user] ?? [] {
      guard let row = member.versions[time] else { continue }
      if row.isForgotten { state.isForgotten = true }
      guard let primary = state.primary else { continue }
      let membership = Change.Membership(place: place(member.place, time), values: row.values)
      let isFirst = member.place == primary.id
      state.memberships.insert(membership, at: isFirst ? 0 : state.memberships.endIndex)
    }
    return state
  }

  /// All of a row, without the memberships of a person.
  private func whole(_ row: Row, _ time: Int64) -> Change.State {
    guard !row.isForgotten else { return .forgotten(.user) }
    return Change.State(
      name: (row.values.first ?? nil) ?? "",
      values: row.values,
      fields: row.fields,
      primary: row.place.map { place($0, time) }
    )
  }

  private func place(_ id: DepartmentID, _ time: Int64) -> Change.Place {
    guard isNaming else { return Change.Place(id: id, name: "") }
    return Change.Place(id: id, name: (departments[id]?[time]?.values.first ?? nil) ?? id.rawValue)
  }

  private func identity(of key: RecordKey, at time: Int64) -> RecordIdentity? {
    key.kind == .user
      ? users[UserID(key.id)]?[time]?.identity : departments[DepartmentID(key.id)]?[time]?.identity
  }

  /// What became of records between two times; where an id is another record's afterwards, one was
  /// removed and the other added.
  func changes(
    of touched: HistoryQueries.ChangedRecords,
    from: Int64,
    to: Int64
  ) -> [Change] {
    let keys =
      touched.departments.map { RecordKey.department($0) }
      + touched.users.map { RecordKey.user($0) }
    func change(
      _ key: RecordKey,
      _ before: Change.State?,
      _ after: Change.State?,
      _ identity: RecordIdentity?
    ) -> Change? {
      var change = Change(key.kind, key.id, from: before, to: after)
      change?.identity = identity
      return change
    }
    return keys.flatMap { key -> [Change] in
      // It stands for everybody who was removed and forgotten.
      if key.kind == .user, key.id.isEmpty {
        return [change(key, .forgotten(.user), .forgotten(.user), nil)].compactMap { $0 }
      }
      let (before, after) = (state(of: key, at: from), state(of: key, at: to))
      let (old, new) = (identity(of: key, at: from), identity(of: key, at: to))
      guard let old, let new, old != new else {
        return [change(key, before, after, new ?? old)].compactMap { $0 }
      }
      return [change(key, before, nil, old), change(key, nil, after, new)].compactMap { $0 }
    }
  }
}
