import DirectoryModel
import LibPQ

/// Edits of single records: looks at what is there, and makes changes in one transaction or not at
/// all.
///
///     let editor = try await DirectoryEditor(
///       conninfo: conninfo, authorship: authorship, doing: "move Ada Lund")
///     let present = try await editor.present(users: [UserID("u1")])
///     … a plan, as changes from what is there; perhaps the user is asked …
///     let conflicts = try await editor.apply(changes)
///     if conflicts.isEmpty { try await editor.commit() }
///
/// Nothing is locked while the user decides. Whatever a change alters must be, once it is locked,
/// as the change has it before; what it leaves alone may have changed meanwhile and stays so. The
/// cost is that of the records concerned, however large the directory is. An editor that goes out
/// of scope without `commit()` leaves nothing behind.
package actor DirectoryEditor {
  private var database: Database
  private let conninfo: String
  private let access: DatabaseAccess
  private let authorship: Authorship
  /// The declared fields.
  package nonisolated let fields: [Field]
  /// What tells the transaction from others; `nil` outside of one.
  private var mark: ImportCommit.Mark?

  /// Attempts at a transaction that others keep running into.
  private static let attempts = 4

  /// Connects to a database that takes edits.
  ///
  /// - Parameters:
  ///   - conninfo: Any libpq connection string.
  ///   - authorship: Who edits, and why, for the history.
  ///   - doing: What is being done, for messages: `move Ada Lund`.
  ///   - access: Where connections come from, how long to wait for the server, and whom to tell.
  /// - Throws: What keeps the database from taking any edit.
  package init(
    conninfo: String,
    authorship: Authorship,
    doing: String,
    access: DatabaseAccess = DatabaseAccess()
  ) async throws(DirectoryError) {
    (database, fields) = try await Self.open(conninfo, doing, access)
    (self.conninfo, self.access, self.authorship) = (conninfo, access, authorship)
  }

  private static func open(
    _ conninfo: String,
    _ doing: String,
    _ access: DatabaseAccess
  ) async throws(DirectoryError) -> (Database, [Field]) {
    let database = try await Database.connect(
      conninfo: conninfo,
      doing: doing,
      access: access
    )
    let fields = try await database.look { (connection) throws(StoreFailure) in
      try ServerRequirements.checkSchema(&connection, for: .writing, doing: doing)
      try ServerRequirements.checkWritable(&connection, doing: doing)
      return try FieldQueries.read(&connection)
    }
    return (database, fields)
  }

  /// Reconnects if the connection was lost while it was not used.
  ///
  /// The user may think for hours, and the server be restarted meanwhile.
  package func renew() async throws(DirectoryError) {
    do {
      try await see { (connection) throws(StoreFailure) in _ = try connection.query("select 1") }
    } catch  where error.kind == .unavailable {
      database.giveUp()
      database = try await Self.open(conninfo, database.doing, access).0
    }
  }

  /// Records as they are there now, complete; those that are not there are left out.
  package func present(
    departments: [DepartmentID] = [],
    users: [UserID] = []
  ) async throws(DirectoryError) -> CurrentRecords {
    try await see { (connection) throws(StoreFailure) in
      try CurrentRecordQueries.read(departments: departments, users: users, &connection)
    }
  }

  /// Rules and groups as they are now.
  package func presentRules() async throws(DirectoryError) -> VisibilityRules.States {
    try await see { (connection) throws(StoreFailure) in try VisibilityQueries.states(&connection) }
  }

  /// Departments with everything below them, and everybody who is in any of them.
  ///
  /// - Returns: The ids, those above before those below, and the records, of one moment.
  /// - Complexity: What is below.
  package func subtrees(
    of roots: [DepartmentID]
  ) async throws(DirectoryError) -> (departments: [DepartmentID], records: CurrentRecords) {
    try await see { (connection) throws(StoreFailure) in
      let below = try connection.query(
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
      let departments = (0..<below.rowCount).map { DepartmentID(below.cell(0, row: $0)) }
      let people = try connection.query(
        "select distinct user_id from staffbook.memberships where department_id = any($1) order by 1",
        [.textArray(departments.map(\.rawValue))]
      )
      let users = (0..<people.rowCount).map { UserID(people.cell(0, row: $0)) }
      return (
        departments,
        try CurrentRecordQueries.read(departments: departments, users: users, &connection)
      )
    }
  }

  /// Those of the ids that a department, or a user, has already.
  package func taken(
    _ ids: [String],
    by kind: RecordKind
  ) async throws(DirectoryError) -> Set<ItemText> {
    try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        "select id from staffbook.\(kind.plural) where id = any($1)",
        [.textArray(ids)]
      )
      return Set((0..<found.rowCount).map { ItemText(found.cell(0, row: $0)) })
    }
  }

  /// Those of the ids that a department, or a user, has or ever had: an id that was another's is taken for
  /// theirs wherever it was noted.
  ///
  /// - Complexity: O(ids · log of history).
  package func used(
    _ ids: [String],
    by kind: RecordKind
  ) async throws(DirectoryError) -> Set<ItemText> {
    try await see { (connection) throws(StoreFailure) in
      // Who was granted tables alone may not ask about former ones.
      let right = try connection.query(
        "select has_function_privilege('staffbook.was_used(text, text)', 'execute')"
      )
      guard right.bool(row: 0, column: 0) == true else {
        let found = try connection.query(
          "select r.id from staffbook.\(kind.plural) r where r.id = any($1)",
          [.textArray(ids)]
        )
        return Set((0..<found.rowCount).map { ItemText(found.cell(0, row: $0)) })
      }
      let found = try connection.query(
        "select i.id from unnest($1::text[]) i(id) where staffbook.was_used($2, i.id)",
        [.textArray(ids), .text(kind.rawValue)]
      )
      return Set((0..<found.rowCount).map { ItemText(found.cell(0, row: $0)) })
    }
  }

  /// Whether the database user may change visibility rules and groups.
  package func mayChangeRules() async throws(DirectoryError) -> Bool {
    try await see { (connection) throws(StoreFailure) in
      let found = try connection.query(
        """
        select bool_and(has_table_privilege('staffbook.' || t.name, p.name))
          from (values ('visibility_rules'), ('visibility_groups')) t(name)
            cross join (values ('insert'), ('update'), ('delete')) p(name)
        """
      )
      return found.bool(row: 0, column: 0) == true
    }
  }

  /// Makes changes, constraints included; they stay invisible until `commit()`.
  ///
  /// A change from nothing adds, one to nothing removes: a department whose children and people
  /// neither go nor move elsewhere by other changes is refused by the database.
  ///
  /// - Parameters:
  ///   - changes: Complete states, at most one change for each record.
  ///   - deletions: What is recorded as accepted for all readers; `nil` for nothing.
  ///   - effect: What the changes mean for lists; `nil` for nothing.
  ///   - rules: What becomes of the visibility rules in the same transaction; `nil` for nothing.
  /// - Returns: What is not as the changes take for granted; then nothing is changed, and there is
  ///   nothing to commit.
  /// - Throws: What the database says against them; nothing is changed then.
  /// - Complexity: What is changed, and the tree's depth for each department that moves.
  package func apply(
    _ changes: [Change],
    accepting deletions: ChangeTotals? = nil,
    effect: ListEffect? = nil,
    rules: VisibilityRuleWriter? = nil
  ) async throws(DirectoryError) -> [ChangeConflict] {
    precondition(mark == nil, "changes in a transaction that has written")
    guard !changes.isEmpty || rules != nil else { return [] }
    let writing = EditWriter(changes: changes, effect: effect)
    let (doing, authorship) = (database.doing, authorship)
    do throws(DirectoryError) {
      let (conflicts, mark) = try await database.run { (connection) throws(StoreFailure) in
        try Self.retryingConflicts(&connection) { (connection) throws(StoreFailure) in
          try WriteTransaction.begin(&connection, by: authorship, doing: doing)
          let conflicts = changes.isEmpty ? [] : try writing.run(&connection)
          if conflicts.isEmpty, let deletions {
            try ImportAcceptance.record(deletions, &connection)
          }
          if conflicts.isEmpty { try rules?.run(&connection, doing: doing) }
          return (conflicts, conflicts.isEmpty ? try ImportCommit.Mark(of: &connection) : nil)
        }
      }
      self.mark = mark
      guard !conflicts.isEmpty else { return [] }
      await rollback()
      return await traced(conflicts)
    } catch {
      await rollback()
      throw error
    }
  }

  /// The conflicts with who made things what they are now, where history knows, and may be read.
  package func traced(_ conflicts: [ChangeConflict]) async -> [ChangeConflict] {
    guard !conflicts.isEmpty else { return [] }
    let traced = try? await see { (connection) throws(StoreFailure) in
      var traced = conflicts
      try ConflictOrigins.fill(&traced, &connection)
      return traced
    }
    return traced ?? conflicts
  }

  /// Another attempt sees what the other transaction left.
  private static func retryingConflicts<R>(
    _ connection: inout PGConnection,
    _ body: (inout PGConnection) throws(StoreFailure) -> R
  ) throws(StoreFailure) -> R {
    var attempt = 1
    while true {
      do throws(StoreFailure) {
        return try body(&connection)
      } catch {
        guard case .postgres(let reason) = error, attempt < attempts,
          reason.sqlstate == .deadlockDetected || reason.sqlstate == .serializationFailure
        else { throw error }
        attempt += 1
        connection.rollback()
      }
    }
  }

  /// Makes the changes visible to everybody.
  ///
  /// When the connection breaks at this moment, the server is asked again what became of the
  /// transaction.
  ///
  /// - Returns: How it came to be known that the changes were made.
  /// - Throws: `unavailable` when the connection broke and nothing was changed, or it cannot be
  ///   determined; the message tells which.
  @discardableResult
  package func commit() async throws(DirectoryError) -> ImportCommit.Certainty {
    guard let mark else { return .acknowledged }
    self.mark = nil
    return try await ImportCommit.commit(
      mark,
      on: database,
      conninfo,
      access,
      repeating: "what was changed already is not changed a second time"
    )
  }

  /// Gives up and leaves everything as it was.
  package func rollback() async {
    mark = nil
    // Whatever comes of it, the server undoes what was not committed.
    try? await database.run { (connection) throws(StoreFailure) in
      connection.rollback()
    }
  }

  /// Reads in one consistent state.
  private func see<R: Sendable>(
    _ body: @Sendable (inout PGConnection) throws(StoreFailure) -> R
  ) async throws(DirectoryError) -> R {
    precondition(mark == nil, "a look in a transaction that has written")
    return try await database.run { (connection) throws(StoreFailure) in
      try connection.inTransaction(.consistentRead, body)
    }
  }
}
