import CopyFormat
import DirectoryModel
import LibPQ

/// Carries a plan out: writes what differs, and nothing else.
///
/// Rows go in sorted by key: each index page and each row that a foreign key looks up is then
/// visited once, which saves a third of the time when the files are in no order.
///
/// The order of steps lets every constraint hold whenever it is looked at: parents come before
/// children point to them, all moves are one statement, and what goes goes last, memberships
/// first. Declared fields of departments come behind the users, whom they may name.
struct ImportApplication: Sendable {
  /// Whether the directory is empty, and all that is staged goes in.
  let isEmpty: Bool
  /// What the plan says.
  let summary: ChangeTotals
  /// Whether departments have declared fields.
  let hasDepartmentFields: Bool
  let phase: (@Sendable (ImportPhase) -> Void)?

  func run(_ connection: inout PGConnection) throws(StoreFailure) {
    guard !summary.isEmpty else { return }
    if isEmpty { try fill(&connection) } else { try change(&connection) }
    phase?(.constraints)
    try learnMemberships(&connection)
    // Now rather than at COMMIT, so that what is wrong is said before that.
    try connection.perform("set constraints all immediate")
  }

  /// Statistics of the new memberships, for the plans that look each user's primary one up.
  ///
  /// With those of before, where every department had few people, the planner may take the index
  /// on departments: quadratic in the people of one department. Where the user may not, the
  /// server leaves it with a warning.
  private func learnMemberships(_ connection: inout PGConnection) throws(StoreFailure) {
    try connection.perform("analyze staffbook.memberships")
  }

  static func isEmpty(_ connection: inout PGConnection) throws(StoreFailure) -> Bool {
    let found = try connection.query(
      """
      select exists (select from staffbook.departments) or exists (select from staffbook.users)
        or exists (select from staffbook.memberships)
      """
    )
    return found.bool(row: 0, column: 0) == false
  }
}

extension ImportApplication {
  /// That of whoever comes back, otherwise a new one.
  private static let identity = "coalesce(s.identity, gen_random_uuid())"

  private func fill(_ connection: inout PGConnection) throws(StoreFailure) {
    phase?(.departments)
    try connection.perform(
      """
      insert into staffbook.departments (id, parent_id, name, description, sort_order, identity)
        select id, parent_id, name, description, sort_order, \(Self.identity)
          from pg_temp.staged_departments s
      """
    )
    phase?(.users)
    try connection.perform(
      """
      insert into staffbook.users
          (id, name, \(Field.columns()), primary_department_id, fields, identity)
        select id, name, \(Field.columns()), department_id, fields, \(Self.identity)
          from pg_temp.staged_users s order by id
      """
    )
    try writeFieldsOfDepartments(&connection)
    phase?(.memberships)
    try connection.perform(
      """
      insert into staffbook.memberships (user_id, department_id, title, sort_order, leads)
        select user_id, department_id, title, sort_order, leads
          from \(ImportPlanner.stagedMemberships) s
          order by user_id, department_id
      """
    )
  }

  private func change(_ connection: inout PGConnection) throws(StoreFailure) {
    phase?(.departments)
    try writeDepartments(&connection)
    phase?(.users)
    try writeUsers(&connection)
    try writeFieldsOfDepartments(&connection)
    phase?(.memberships)
    try writeMemberships(&connection)
    phase?(.removing)
    try remove(&connection)
  }

  private func writeDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    try write(
      .department,
      [.added],
      """
      insert into staffbook.departments (id, parent_id, name, description, sort_order, identity)
        select s.id, s.parent_id, s.name, s.description, s.sort_order, \(Self.identity)
          from pg_temp.staged_departments s join pg_temp.import_departments p on p.id = s.id
          where p.action = 'a'
      """,
      &connection
    )
    try write(
      .department,
      [.changed, .moved],
      """
      update staffbook.departments d
        set parent_id = s.parent_id, name = s.name, description = s.description,
          sort_order = s.sort_order
        from pg_temp.staged_departments s join pg_temp.import_departments p on p.id = s.id
        where d.id = s.id and p.action in ('c', 'm')
      """,
      &connection
    )
  }

  private func writeUsers(_ connection: inout PGConnection) throws(StoreFailure) {
    try write(
      .user,
      [.added],
      """
      insert into staffbook.users
          (id, name, \(Field.columns()), primary_department_id, fields, identity)
        select s.id, s.name, \(Field.columns("s.")), s.department_id, s.fields, \(Self.identity)
          from pg_temp.staged_users s join pg_temp.import_users p on p.id = s.id
          where p.action = 'a' order by s.id
      """,
      &connection
    )
    try write(
      .user,
      [.changed, .moved],
      """
      update staffbook.users u
        set name = s.name, \(Field.list { "\($0.name) = s.\($0.name)" }),
          primary_department_id = s.department_id, fields = s.fields
        from pg_temp.staged_users s join pg_temp.import_users p on p.id = s.id
        where u.id = s.id and p.action in ('c', 'm')
      """,
      &connection
    )
  }

  private func writeFieldsOfDepartments(_ connection: inout PGConnection) throws(StoreFailure) {
    guard hasDepartmentFields else { return }
    try connection.perform(
      """
      update staffbook.departments d set fields = s.fields from pg_temp.staged_departments s
        where d.id = s.id and d.fields <> s.fields
      """
    )
  }

  private func writeMemberships(_ connection: inout PGConnection) throws(StoreFailure) {
    let planned = """
      \(ImportPlanner.stagedMemberships) s join pg_temp.import_memberships p
        on p.user_id = s.user_id and p.department_id = s.department_id
      """
    try write(
      .membership,
      [.added],
      """
      insert into staffbook.memberships (user_id, department_id, title, sort_order, leads)
        select s.user_id, s.department_id, s.title, s.sort_order, s.leads from \(planned)
          where p.action = 'a' order by s.user_id, s.department_id
      """,
      &connection
    )
    try write(
      .membership,
      [.changed],
      """
      update staffbook.memberships m
        set title = s.title, sort_order = s.sort_order, leads = s.leads
        from \(planned)
        where m.user_id = s.user_id and m.department_id = s.department_id and p.action = 'c'
      """,
      &connection
    )
  }

  private func remove(_ connection: inout PGConnection) throws(StoreFailure) {
    for kind in [RecordKind.membership, .user, .department] {
      let keys = kind == .membership ? kind.keys : [.id]
      let isSame = keys.map { "t.\($0.name) = p.\($0.name)" }.joined(separator: " and ")
      try write(
        kind,
        [.removed],
        """
        delete from staffbook.\(kind.plural) t using pg_temp.import_\(kind.plural) p
          where p.action = 'r' and \(isSame)
        """,
        &connection
      )
    }
  }

  /// Writes the rows of a kind for which some actions are planned, if there are any.
  ///
  /// - Throws: `.notPermitted` where fewer were written: policies of row-level security pass over rows
  ///   without a word.
  private func write(
    _ kind: RecordKind,
    _ actions: [Change.Action],
    _ sql: String,
    _ connection: inout PGConnection
  ) throws(StoreFailure) {
    guard actions.contains(where: { summary[kind][$0] > 0 }) else { return }
    let count = try connection.perform(sql)
    let planned = try connection.query(
      "select count(*) from pg_temp.import_\(kind.plural) where action = any($1)",
      [.textArray(actions.map { String($0.rawValue.prefix(1)) })]
    ).int(row: 0, column: 0)
    try EditWriter.require(count, of: planned ?? 0, of: kind)
  }
}
