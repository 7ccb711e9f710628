import DirectoryModel
import LibPQ

extension DirectoryHistory {
  /// What happened to a department or a person, newest first; to its memberships, too.
  ///
  /// - Complexity: What is recorded about it.
  package func steps(
    of kind: RecordKind,
    _ id: String
  ) async throws(DirectoryError) -> [HistoryStep] {
    try await see { (connection) throws(StoreFailure) in
      try HistoryQueries.goByIndexes(&connection)
      let terms = try HistoryQueries.terms(of: RecordKey(kind, id), &connection)
      let transactions = try HistoryQueries.transactions(
        from: """
          \(HistoryQueries.transactions(of: kind, terms: 1)) own
          join staffbook.transactions t on t.number = own.transaction
          """,
        where: "true",
        terms.parameters,
        limit: nil,
        &connection
      )
      let changes = try HistoryQueries.changes(of: terms, in: transactions, &connection)
      return zip(transactions, changes).compactMap { transaction, changes in
        changes.first.map { HistoryStep(transaction: transaction, change: $0) }
      }
    }
  }

  /// A department or a person as it is; `nil` where it is not there.
  package func state(
    of kind: RecordKind,
    _ id: String
  ) async throws(DirectoryError) -> Change.State? {
    guard RecordKey(kind, id).formerIdentity == nil else { return nil }
    return try await see { (connection) throws(StoreFailure) in
      let now = Int64.max / 4
      return try RecordVersions(of: HistoryQueries.ChangedRecords(kind, id), at: [now], &connection)
        .state(of: RecordKey(kind, id), at: now)
    }
  }

  /// Departments and people as they were, each at times of its own; those who were not there then are
  /// left out.
  ///
  /// - Complexity: The times, and what happened to the records since the first of them.
  package func states(
    at moments: Set<RecordMoment>
  ) async throws(DirectoryError) -> [RecordMoment: Change.State] {
    guard !moments.isEmpty else { return [:] }
    return try await see { (connection) throws(StoreFailure) in
      var touched = HistoryQueries.ChangedRecords()
      for key in Set(moments.map(\.key)) { touched.append(key) }
      let versions = try RecordVersions(of: touched, at: moments.map(\.time), &connection)
      return moments.reduce(into: [:]) { $0[$1] = versions.state(of: $1.key, at: $1.time) }
    }
  }

  /// People as they are, or were last, and until when.
  ///
  /// Their departments have no names; those of whom nothing is known are left out.
  ///
  /// - Complexity: What is recorded about them.
  package func lastStates(
    of users: Set<UserID>
  ) async throws(DirectoryError) -> [UserID: LastState] {
    guard !users.isEmpty else { return [:] }
    return try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select k.id, (select case when c.after is null then \(HistoryQueries.microseconds("t.at")) - 1 end
            from staffbook.changes c join staffbook.transactions t on t.number = c.transaction
            where c.key1 = k.id and c.kind = 'user' order by c.place desc limit 1)
          from unnest($1::text[]) k(id)
        """,
        [.textArray(users.map(\.rawValue))]
      )
      let times = (0..<found.rowCount).map { row in
        (
          user: UserID(found.cell(0, row: row)),
          at: found.text(row: row, column: 1).flatMap { Int64($0) }
        )
      }
      var touched = HistoryQueries.ChangedRecords()
      for time in times { touched.append(.user(time.user)) }
      let now = Int64.max / 4
      let versions = try RecordVersions(
        of: touched,
        at: times.map { $0.at ?? now },
        isNaming: false,
        &connection
      )
      return times.reduce(into: [:]) { last, time in
        last[time.user] = versions.state(of: .user(time.user), at: time.at ?? now)
          .map { LastState(state: $0, time: time.at) }
      }
    }
  }

  /// Departments that were removed or put elsewhere, and where those who were removed came back.
  ///
  /// - Complexity: All recorded changes of departments but that they were added.
  package func departmentMoves() async throws(DirectoryError) -> FormerDepartments {
    try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        with moved as (
          select c.* from staffbook.changes c
            where c.kind = 'department' and c.before is not null
              and (c.after is null or c.former_parent is distinct from c.after ->> 'parent_id')
        ), c as (
          select * from moved
          union all
          select n.* from staffbook.changes n
            where n.kind = 'department' and n.before is null
              and n.key1 = any(array(select key1 from moved where after is null))
          union all
          select n.* from moved o join staffbook.changes n on n.transaction = o.transaction
            where o.after is null and n.kind = 'department' and n.before is null
              and n.identity = o.identity
              and n.key1 <> all(array(select key1 from moved where after is null))
        )
        select c.key1, \(HistoryQueries.microseconds("t.at")), \(HistoryQueries.holder),
            c.before is not null, c.former_parent, c.after is not null, c.after ->> 'parent_id'
          from c join staffbook.transactions t on t.number = c.transaction
            \(HistoryQueries.holders(of: .department))
          order by c.place
        """
      )
      func place(_ row: Int, _ column: Int) -> FormerParents.Move.Place {
        guard found.bool(row: row, column: column) == true else { return .none }
        return .under(found.text(row: row, column: column + 1).map { DepartmentID($0) })
      }
      var past = FormerDepartments()
      for row in 0..<found.rowCount {
        let term = HistoryQueries.term(of: .department, found, row: row, holder: 2)
        let (before, after) = (place(row, 6), place(row, 8))
        if after == .none { term.map { past.terms.append($0) } }
        past.moves.append(
          FormerParents.Move(
            DepartmentID(term?.holder ?? found.cell(0, row: row)),
            at: Int64(found.cell(1, row: row)) ?? 0,
            from: before,
            to: after
          )
        )
      }
      return past
    }
  }

  /// Recorded people and departments, people first: those with this very id, now or formerly, or those
  /// who were removed and had this very name last.
  ///
  /// A record that only got another id was not removed.
  ///
  /// - Complexity: For a name, all recorded changes.
  package func removed(
    _ text: String,
    by key: RemovedRecord.Key
  ) async throws(DirectoryError) -> [RemovedRecord] {
    let condition =
      switch key {
      case .id:
        """
        c.key1 = $1 and not exists (select from staffbook.changes l
          where l.key1 = c.key1 and l.kind = c.kind and l.place > c.place)
        """
      case .name:
        """
        c.after is null and normalize(c.before ->> 'name') = normalize($1)
          and not exists (select from staffbook.users u where u.identity = c.identity)
          and not exists (select from staffbook.departments d where d.identity = c.identity)
          and not exists (select from staffbook.changes l
            where l.kind = c.kind and l.identity = c.identity and l.after is null
              and l.place > c.place)
        """
      }
    return try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select c.kind = 'user',
            coalesce(
              case when c.after is null then (
                select l.key1 from staffbook.changes l
                  where l.kind = c.kind and l.identity = c.identity and l.after is null
                  order by l.place desc limit 1) end,
              c.key1),
            coalesce(c.after, c.before) ->> 'name', c.transaction,
            case when c.after is null then c.identity::text end,
            coalesce((select u.id from staffbook.users u where u.identity = c.identity),
              (select d.id from staffbook.departments d where d.identity = c.identity))
          from staffbook.changes c where c.kind in ('user', 'department') and \(condition)
          order by 1 desc, c.place desc
        """,
        [.text(text)]
      )
      return (0..<found.rowCount).map { row in
        RemovedRecord(
          kind: found.bool(row: row, column: 0) == true ? .user : .department,
          id: found.cell(1, row: row),
          name: found.cell(2, row: row),
          transaction: Int64(found.cell(3, row: row)) ?? 0,
          identity: found.text(row: row, column: 4).map { RecordIdentity($0) },
          presentID: found.text(row: row, column: 5)
        )
      }
    }
  }

  /// A department and everything that was below it at a time; nothing where it was not there.
  ///
  /// - Complexity: What was below.
  package func departments(
    below id: DepartmentID,
    at time: Int64
  ) async throws(DirectoryError) -> [DepartmentID] {
    let moment = HistoryQueries.time("$2")
    let later = """
      select from staffbook.changes p join staffbook.transactions o on o.number = p.transaction
        where p.kind = 'department' and o.at > \(moment)
      """
    return try await see { (connection) throws(StoreFailure) in
      let terms = try HistoryQueries.terms(of: .department(id), &connection).all
      guard let then = terms.first(where: { $0.since <= time && time < $0.until }) else {
        return []
      }
      let found = try connection.query(
        """
        with recursive below(id) as (
          select $1::text collate "C"
          union
          select down.id from below b cross join lateral (
            select d.id from staffbook.departments d
              where d.parent_id = b.id and not exists (\(later) and p.key1 = d.id)
            union all
            select c.key1 from staffbook.changes c
                join staffbook.transactions t on t.number = c.transaction
              where c.kind = 'department' and c.before is not null and c.former_parent = b.id
                and t.at > \(moment)
                and not exists (\(later) and p.key1 = c.key1 and p.place < c.place)
          ) down(id)
        )
        select id from below
        """,
        [.text(then.id), .int64(time)]
      )
      return (0..<found.rowCount).map { DepartmentID(found.cell(0, row: $0)) }
    }
  }
}

/// What changes history itself.
extension DirectoryHistory {
  /// The ids that a person has or had, the last one first.
  ///
  /// - Throws: `.notPermitted` for those who do not own the tables.
  package func ids(of user: UserID) async throws(DirectoryError) -> [UserID] {
    let doing = database.doing
    return try await see { (connection) throws(StoreFailure) in
      try connection.asOwner(doing) { (connection) throws(StoreFailure) in
        let found = try connection.query(
          """
          select p.key from staffbook.ids_of_person($1, $2::uuid) with ordinality p
            order by p.ordinality
          """,
          Self.person(user)
        )
        return (0..<found.rowCount).map { UserID(found.cell(0, row: $0)) }
      }
    }
  }

  /// An id, and the identity where it is a former key.
  private static func person(_ user: UserID) -> [PGParameter] {
    let key = RecordKey.user(user)
    return [.text(key.lastID), .text(key.formerIdentity?.rawValue)]
  }

  /// Erases a person's values from history under all ids, and those ids that are no longer in use.
  ///
  /// - Throws: `.notPermitted` for those who do not own the tables.
  package func forget(
    _ user: UserID,
    by authorship: Authorship
  ) async throws(DirectoryError) -> Erasure {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select f.changes + staffbook.forget_in_rules(f.ids, f.identities), f.reasons, f.tombstones,
            to_json(f.ids)
          from staffbook.forget_person($1, $2::uuid) f
        """,
        Self.person(user)
      )
      try connection.perform(Self.forgettingInLists, [.text(found.text(row: 0, column: 3))])
      let counts = (0..<3).map { found.int(row: 0, column: $0) ?? 0 }
      return Erasure(changes: counts[0], reasons: counts[1], deletedKeys: counts[2])
    }
  }

  /// What lists await names nobody by one of the ids that are forgotten, `$1`, a JSON array.
  private static let forgettingInLists = """
    update staffbook.source_records r set hashes = r.hashes - '?' || n.hashes
      from (
        select o.source, o.kind, o.id, case when bool_or(f.rest <> '[]') then
            jsonb_build_object('?', jsonb_object_agg(f.key, f.rest) filter (where f.rest <> '[]'))
            else '{}' end as hashes
          from staffbook.source_records o
            cross join lateral (
              select e.key, e.value - array(select json_array_elements_text($1::json)) as rest,
                  e.value ?| array(select json_array_elements_text($1::json)) as is_named
                from jsonb_each(o.hashes -> '?') e) f
          where o.hashes ? '?' group by o.source, o.kind, o.id having bool_or(f.is_named)) n
      where r.source = n.source and r.kind = n.kind and r.id = n.id
    """

  /// Sets how long changes are kept, and removes what is older.
  ///
  /// The period is an interval as PostgreSQL reads it, `nil` for ever; what comes back is how many
  /// transactions were removed.
  package func keep(
    _ period: String?,
    by authorship: Authorship
  ) async throws(DirectoryError) -> Int {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      try connection.perform("select staffbook.keep_history($1::interval)", [.text(period)])
      return try connection.query("select staffbook.prune_history()").int(row: 0, column: 0) ?? 0
    }
  }

  /// Records what was written past the triggers.
  ///
  /// - Returns: How many records that are.
  package func catchUp(by authorship: Authorship) async throws(DirectoryError) -> Int {
    try await write(by: authorship) { (connection) throws(StoreFailure) in
      try connection.query("select staffbook.catch_up_history()").int(row: 0, column: 0) ?? 0
    }
  }

  /// What changes history is for the owner of the schema.
  private func write<R: Sendable>(
    by authorship: Authorship,
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    let doing = database.doing
    return try await database.run { (connection) throws(StoreFailure) in
      do throws(StoreFailure) {
        try WriteTransaction.begin(&connection, by: authorship, doing: doing)
        try ServerRequirements.checkSchema(&connection, for: .writing, doing: doing)
        let result = try connection.asOwner(doing, body)
        try ImportCommit.commit(&connection)
        return result
      } catch {
        connection.rollback()
        throw error
      }
    }
  }
}
