import LibPQ

/// Writes sound staged rows into the directory.
///
/// Rows go in sorted by key: each index page and each row that a foreign key looks up is then
/// visited once, which saves a third of the time when the files are in no order.
///
/// The order of steps lets every constraint hold whenever it is looked at: parents come before
/// children point to them, all moves are one statement, and what goes goes last, memberships
/// first.
struct ImportApplication: Sendable {
  let replaces: Bool
  let phase: (@Sendable (ImportPhase) -> Void)?

  func run(_ connection: inout PGConnection) throws(StoreFailure) -> ImportSummary {
    let summary =
      try isEmpty(&connection) ? try fill(&connection) : try change(&connection)
    phase?(.constraints)
    try learnMemberships(&connection)
    // Now rather than at COMMIT, so that what is wrong is said before that.
    try connection.perform("set constraints all immediate")
    return summary
  }

  /// Statistics of the new memberships, for the plans that look each user's primary one up.
  ///
  /// With those of before, where every department had few people, the planner may take the index
  /// on departments: quadratic in the people of one department. Where the user may not, the
  /// server leaves it with a warning.
  private func learnMemberships(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("analyze staffbook.memberships")
  }

  private func isEmpty(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      select exists (select from staffbook.departments) or exists (select from staffbook.users)
        or exists (select from staffbook.memberships)
      """
    )
    return found.bool(row: 0, column: 0) == false
  }

  /// Every membership that the files ask for, the primary ones included.
  private static let stagedMemberships = """
    (select id as user_id, department_id, title, sort_order from pg_temp.staged_users
      union all
    select user_id, department_id, title, sort_order from pg_temp.staged_memberships)
    """
}

extension ImportApplication {
  /// Nothing is there, so nothing is compared.
  private func fill(_ connection: inout PGConnection) throws(StoreFailure) -> ImportSummary {
    var summary = ImportSummary()
    phase?(.departments)
    summary.departments.added = try connection.perform(
      """
      insert into staffbook.departments (id, parent_id, name, description, sort_order)
        select id, parent_id, name, description, sort_order from pg_temp.staged_departments
      """
    )
    phase?(.users)
    summary.users.added = try connection.perform(
      """
      insert into staffbook.users (id, name, email, phone, primary_department_id)
        select id, name, email, phone, department_id from pg_temp.staged_users
          order by id
      """
    )
    phase?(.memberships)
    summary.memberships.added = try connection.perform(
      """
      insert into staffbook.memberships (user_id, department_id, title, sort_order)
        select user_id, department_id, title, sort_order from \(Self.stagedMemberships) s
          order by user_id, department_id
      """
    )
    return summary
  }
}

extension ImportApplication {
  private func change(_ connection: inout PGConnection) throws(StoreFailure) -> ImportSummary {
    var summary = ImportSummary()
    try countStaged(&summary, &connection)
    phase?(.departments)
    try writeDepartments(&summary.departments, &connection)
    phase?(.users)
    try noteReplacedPrimaries(&connection)
    try writeUsers(&summary.users, &connection)
    phase?(.memberships)
    try writeMemberships(&summary.memberships, &connection)
    phase?(.removing)
    try removeReplacedPrimaries(&summary.memberships, &connection)
    if replaces { try removeMissing(&summary, &connection) }
    return summary
  }

  /// Counts all as unchanged to begin with.
  private func countStaged(
    _ summary: inout ImportSummary,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    let counts = try connection.query(
      """
      select (select count(*) from pg_temp.staged_departments),
        (select count(*) from pg_temp.staged_users),
        (select count(*) from pg_temp.staged_memberships)
      """
    )
    summary.departments.unchanged = counts.int(row: 0, column: 0) ?? 0
    summary.users.unchanged = counts.int(row: 0, column: 1) ?? 0
    summary.memberships.unchanged =
      summary.users.unchanged + (counts.int(row: 0, column: 2) ?? 0)
  }

  private func writeDepartments(
    _ counts: inout ImportCounts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    counts.count(
      added: try connection.perform(
        """
        insert into staffbook.departments (id, parent_id, name, description, sort_order)
          select s.id, s.parent_id, s.name, s.description, s.sort_order
            from pg_temp.staged_departments s
            where not exists (select from staffbook.departments d where d.id = s.id)
        """
      )
    )
    counts.count(
      changed: try connection.perform(
        """
        update staffbook.departments d
          set parent_id = s.parent_id, name = s.name, description = s.description,
            sort_order = s.sort_order
          from pg_temp.staged_departments s
          where d.id = s.id and (d.parent_id, d.name, d.description, d.sort_order)
            is distinct from (s.parent_id, s.name, s.description, s.sort_order)
        """
      )
    )
  }

  private func writeUsers(
    _ counts: inout ImportCounts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    counts.count(
      added: try connection.perform(
        """
        insert into staffbook.users (id, name, email, phone, primary_department_id)
          select s.id, s.name, s.email, s.phone, s.department_id from pg_temp.staged_users s
            where not exists (select from staffbook.users u where u.id = s.id)
            order by s.id
        """
      )
    )
    counts.count(
      changed: try connection.perform(
        """
        update staffbook.users u
          set name = s.name, email = s.email, phone = s.phone,
            primary_department_id = s.department_id
          from pg_temp.staged_users s
          where u.id = s.id and (u.name, u.email, u.phone, u.primary_department_id)
            is distinct from (s.name, s.email, s.phone, s.department_id)
        """
      )
    )
  }

  private func writeMemberships(
    _ counts: inout ImportCounts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    counts.count(
      added: try connection.perform(
        """
        insert into staffbook.memberships (user_id, department_id, title, sort_order)
          select s.user_id, s.department_id, s.title, s.sort_order
            from \(Self.stagedMemberships) s
            where not exists (select from staffbook.memberships m
              where m.user_id = s.user_id and m.department_id = s.department_id)
            order by s.user_id, s.department_id
        """
      )
    )
    counts.count(
      changed: try connection.perform(
        """
        update staffbook.memberships m set title = s.title, sort_order = s.sort_order
          from \(Self.stagedMemberships) s
          where m.user_id = s.user_id and m.department_id = s.department_id
            and (m.title, m.sort_order) is distinct from (s.title, s.sort_order)
        """
      )
    )
  }

  /// Remembers the primary memberships that others replace, before the users change; one that
  /// the files name as a further membership stays.
  private func noteReplacedPrimaries(
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    try connection.perform(
      """
      create temporary table replaced_primaries on commit drop as
        select u.id as user_id, u.primary_department_id as department_id
          from staffbook.users u join pg_temp.staged_users s on s.id = u.id
          where s.department_id <> u.primary_department_id
            and not exists (select from pg_temp.staged_memberships m
              where m.user_id = u.id and m.department_id = u.primary_department_id)
      """
    )
  }

  private func removeReplacedPrimaries(
    _ counts: inout ImportCounts,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    counts.removed += try connection.perform(
      """
      delete from staffbook.memberships m using pg_temp.replaced_primaries r
        where m.user_id = r.user_id and m.department_id = r.department_id
      """
    )
  }

  private func removeMissing(
    _ summary: inout ImportSummary,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    summary.memberships.removed += try connection.perform(
      """
      delete from staffbook.memberships m
        where not exists (select from \(Self.stagedMemberships) s
          where s.user_id = m.user_id and s.department_id = m.department_id)
      """
    )
    summary.users.removed = try connection.perform(
      """
      delete from staffbook.users u
        where not exists (select from pg_temp.staged_users s where s.id = u.id)
      """
    )
    summary.departments.removed = try connection.perform(
      """
      delete from staffbook.departments d
        where not exists (select from pg_temp.staged_departments s where s.id = d.id)
      """
    )
  }
}

extension ImportCounts {
  fileprivate mutating func count(added rows: Int) {
    added += rows
    unchanged -= rows
  }

  fileprivate mutating func count(changed rows: Int) {
    changed += rows
    unchanged -= rows
  }
}
